import Foundation
import Hummingbird
import NIOCore
import NIOHTTP1

/// Closes connections whose requests arrive too slowly or have too large a header (rule L1).
///
/// Hummingbird's own timeout restarts with every byte, so a client that sends one byte a minute could stay connected
/// for ever. The handler is after the HTTP decoder in the pipeline; a `ByteCounter` before the decoder reports bytes
/// that do not complete a header yet.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Phase {
        /// No byte of the next request has arrived.
        case waiting
        case header(bytes: Int)
        case body
        /// The request was read, and its response is not written yet.
        case responding
    }

    private let limits: ConnectionLimits
    private var phase = Phase.waiting
    /// Requests without a response. Pipelining allows more than one.
    private var pendingResponses = 0
    private var hasBegunAnswer = false
    /// When the current phase has to end.
    private var deadline: NIODeadline?
    /// Checks the deadline. It may fire earlier and is then set again, which is cheaper than a new timer per request.
    private var timer: (task: Scheduled<Void>, at: NIODeadline)?
    private var context: ChannelHandlerContext?

    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stop()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    // MARK: Bytes

    fileprivate func bytesWillBeDecoded() {
        guard case .waiting = phase else { return }
        phase = .header(bytes: 0)
        schedule(limits.headerTime)
    }

    fileprivate func bytesWereDecoded(_ count: Int) {
        guard case .header(let bytes) = phase else { return }
        phase = .header(bytes: bytes + count)
        // The decoder's own limit does not include the request line.
        if bytes + count > limits.headerBytes { refuse(.headerTooLarge) }
    }

    // MARK: Parts of requests and responses

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            pendingResponses += 1
            phase = .body
            schedule(limits.bodyTime)
        case .body: break
        case .end:
            deadline = nil
            phase = pendingResponses > 0 ? .responding : .waiting
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): hasBegunAnswer = head.status.code >= 200
        case .body: break
        case .end:
            hasBegunAnswer = false
            pendingResponses -= 1
            if case .responding = phase, pendingResponses == 0 { phase = .waiting }
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch phase {
        case .waiting, .header:
            if pendingResponses == 0, let error = error as? HTTPParserError {
                switch error {
                case .headerOverflow: refuse(.headerTooLarge)
                default: refuse(.unreadableRequest)
                }
                return
            }
            context.fireErrorCaught(error)
        case .body, .responding:
            // The reader of the body has to notice that it is incomplete.
            context.fireErrorCaught(error)
        }
    }

    // MARK: Ends

    private func schedule(_ time: Duration) {
        guard context != nil else { return }
        let moment = NIODeadline.now() + TimeAmount(time)
        deadline = moment
        setTimer(moment)
    }

    private func setTimer(_ moment: NIODeadline) {
        if let timer, timer.at <= moment { return }
        timer?.task.cancel()
        guard let context else { return }
        let connectionGuard = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = (context.eventLoop.scheduleTask(deadline: moment) { connectionGuard.value.timerFired() }, moment)
    }

    private func timerFired() {
        timer = nil
        guard let deadline else { return }
        if deadline <= NIODeadline.now() { refuse(.requestTimeout) } else { setTimer(deadline) }
    }

    private func stop() {
        deadline = nil
        timer?.task.cancel()
        timer = nil
    }

    /// Sends the problem as a response if possible, and closes the connection.
    private func refuse(_ problem: Problem) {
        stop()
        guard let context else { return }
        let isBodyUnread = if case .body = phase { true } else { false }
        guard !hasBegunAnswer, pendingResponses == 0 || isBodyUnread && pendingResponses == 1 else {
            context.close(promise: nil)
            return
        }
        hasBegunAnswer = true
        let body = problem.json(instance: nil)
        var head = HTTPResponseHead(
            version: .http1_1,
            status: .custom(
                code: UInt(problem.status.code), reasonPhrase: problem.status.reasonPhrase))
        head.headers.add(name: "content-type", value: "application/problem+json")
        head.headers.add(name: "content-length", value: String(body.count))
        head.headers.add(name: "connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}

/// Reports incoming bytes to a `ConnectionGuard`.
final class ByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connectionGuard: ConnectionGuard

    init(for connectionGuard: ConnectionGuard) {
        self.connectionGuard = connectionGuard
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        connectionGuard.bytesWillBeDecoded()
        context.fireChannelRead(data)
        connectionGuard.bytesWereDecoded(count)
    }
}

@available(*, unavailable)
extension ByteCounter: Sendable {}
