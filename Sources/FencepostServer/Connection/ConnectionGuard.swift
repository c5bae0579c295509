import Foundation
import Hummingbird
import NIOCore
import NIOHTTP1

/// Ends connections whose requests come too slowly or with too large a header, before they cost anything (rule L1).
///
/// Hummingbird's own timeout begins anew with every byte, so that a sender of a byte a minute could stay for ever.
/// It sits behind the HTTP decoder; `ByteCounter` in front of it tells it of bytes that make no request yet.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Phase {
        /// No byte of the next request is there.
        case waiting
        case header(bytes: Int)
        case body
        /// The request is read, its answer not yet written.
        case answering
    }

    private let limits: ConnectionLimits
    private var phase = Phase.waiting
    /// Requests that were read and not answered; pipelining makes it more than one.
    private var unanswered = 0
    private var hasBegunAnswer = false
    /// When the sender has to be done with what it is at.
    private var deadline: NIODeadline?
    /// Looks at the deadline; it may come before it and is then set again, which is cheaper than one for each request.
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
        // The decoder counts header fields and not the line of the request before them.
        if bytes + count > limits.headerBytes { refuse(.headerTooLarge) }
    }

    // MARK: Parts of requests and answers

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            phase = .body
            schedule(limits.bodyTime)
        case .body: break
        case .end:
            deadline = nil
            phase = unanswered > 0 ? .answering : .waiting
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): hasBegunAnswer = head.status.code >= 200
        case .body: break
        case .end:
            hasBegunAnswer = false
            unanswered -= 1
            if case .answering = phase, unanswered == 0 { phase = .waiting }
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch phase {
        case .waiting, .header:
            if unanswered == 0, let error = error as? HTTPParserError {
                switch error {
                case .headerOverflow: refuse(.headerTooLarge)
                default: refuse(.unreadableRequest)
                }
                return
            }
            context.fireErrorCaught(error)
        case .body, .answering:
            // A body that was cut short must not be taken for a whole one: who reads it has to know.
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
        let guardian = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = (context.eventLoop.scheduleTask(deadline: moment) { guardian.value.timerFired() }, moment)
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

    /// Answers what can be answered still, and closes.
    private func refuse(_ problem: Problem) {
        stop()
        guard let context else { return }
        let isBodyUnread = if case .body = phase { true } else { false }
        guard !hasBegunAnswer, unanswered == 0 || isBodyUnread && unanswered == 1 else {
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

/// Tells a `ConnectionGuard` of bytes as they come in.
final class ByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let guardian: ConnectionGuard

    init(for guardian: ConnectionGuard) {
        self.guardian = guardian
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        guardian.bytesWillBeDecoded()
        context.fireChannelRead(data)
        guardian.bytesWereDecoded(count)
    }
}

@available(*, unavailable)
extension ByteCounter: Sendable {}
