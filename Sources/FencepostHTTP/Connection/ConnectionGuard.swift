import Foundation
import Hummingbird
package import NIOCore
import NIOHTTP1

/// Closes connections whose requests arrive too slowly, have too large a header (rule L1) or are not HTTP (rule L7).
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

    private enum Ending {
        case none
        /// The framing of a body is broken. The response to its request is the last one.
        case afterResponse
        /// The last response was written.
        case closing
    }

    private let limits: ConnectionLimits
    /// Called with each request that is refused before a route is known.
    private let onRefusal: @Sendable (Problem) -> Void
    private let registry: ConnectionRegistry?
    private var id: ConnectionTable.ID = 0
    private var admission = ConnectionTable.Admission.admitted
    private var phase = Phase.waiting
    /// Set when nothing more can be read from the connection: it is refused, or its framing is broken.
    private var ending = Ending.none
    /// Requests without a response. Pipelining allows more than one.
    private var pendingResponses = 0
    private var hasBegunAnswer = false
    /// When the current phase has to end.
    private var deadline: NIODeadline?
    /// Checks the deadline. It may fire earlier and is then set again, which is cheaper than a new timer per request.
    private var timer: (task: Scheduled<Void>, at: NIODeadline)?
    private var context: ChannelHandlerContext?

    init(
        limits: ConnectionLimits, registry: ConnectionRegistry? = nil,
        onRefusal: @escaping @Sendable (Problem) -> Void = { _ in }
    ) {
        self.limits = limits
        self.registry = registry
        self.onRefusal = onRefusal
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        guard let registry else { return }
        (id, admission) = registry.open(context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stop()
        registry?.close(id)
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        guard admission != .refused else {
            context.close(promise: nil)
            return
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        registry?.close(id)
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
        guard case .none = ending else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            if let problem = Self.problem(with: head) ?? admissionProblem(head) {
                refuse(problem)
                return
            }
            if pendingResponses == 0 { registry?.setBusy(id) }
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
        if case .closing = ending {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        var isLast = false
        switch unwrapOutboundIn(data) {
        case .head(let head): hasBegunAnswer = head.status.code >= 200
        case .body: break
        case .end:
            hasBegunAnswer = false
            pendingResponses -= 1
            if case .responding = phase, pendingResponses == 0 {
                phase = .waiting
                registry?.setIdle(id)
            }
            if case .afterResponse = ending, pendingResponses == 0 { isLast = true }
        }
        guard isLast else {
            context.write(data, promise: promise)
            return
        }
        // Hummingbird would answer the broken framing a second time.
        ending = .closing
        stop()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        context.writeAndFlush(data, promise: written)
    }

    /// While all connections are busy, the reserve answers questions about the health of the service only.
    private func admissionProblem(_ head: HTTPRequestHead) -> Problem? {
        guard admission == .healthOnly, !["/healthz", "/readyz", "/metrics"].contains(head.uri) else { return nil }
        return .tooManyConnections
    }

    /// The problem with a header that the decoder accepts.
    private static func problem(with head: HTTPRequestHead) -> Problem? {
        var (hosts, isKnownCoding) = (0, true)
        for (name, value) in head.headers {
            // Most names have another length, so few are compared.
            switch name.utf8.count {
            case 4: if name.lowercased() == "host" { hosts += 1 }
            case 17:
                if name.lowercased() == "transfer-encoding", value.lowercased() != "chunked" { isKnownCoding = false }
            default: break
            }
        }
        // Senders of HTTP/1.0 may leave the host out, and may not send two either.
        if hosts > 1 || hosts == 0 && head.version != .http1_0 { return .invalidHost }
        return isKnownCoding ? nil : .unknownTransferCoding
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
            if error is HTTPParserError, case .none = ending { ending = .afterResponse }
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
        if case .none = ending {} else { return }
        let isBodyUnread = if case .body = phase { true } else { false }
        // The handler of a body that is incomplete logs it with its route.
        if !isBodyUnread { onRefusal(problem) }
        guard !hasBegunAnswer, pendingResponses == 0 || isBodyUnread && pendingResponses == 1 else {
            // The rest of a refused request may be in the bytes that are being decoded.
            ending = .closing
            context.close(promise: nil)
            return
        }
        hasBegunAnswer = true
        ending = .closing
        let body = problem.json(instance: nil)
        var head = HTTPResponseHead(
            version: .http1_1,
            status: .custom(
                code: UInt(problem.status.code), reasonPhrase: problem.status.reasonPhrase))
        head.headers.add(name: "content-type", value: "application/problem+json")
        head.headers.add(name: "content-length", value: String(body.count))
        head.headers.add(name: "connection", value: "close")
        for field in problem.headers { head.headers.add(name: field.name.rawName, value: field.value) }
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
    /// Whether the other end sends nothing more. Its connection stays open until the response is written.
    fileprivate private(set) var hasInputEnded = false

    init(for connectionGuard: ConnectionGuard) {
        self.connectionGuard = connectionGuard
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { hasInputEnded = true }
        context.fireUserInboundEventTriggered(event)
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

extension Channel {
    /// Whether the client still waits for its response. One that leaves closes its side first, and nothing but a response that
    /// cannot be written closes the connection then.
    package func hasClient() async -> Bool {
        guard isActive else { return false }
        let ended = eventLoop.submit { try self.pipeline.syncOperations.handler(type: ByteCounter.self).hasInputEnded }
        // A connection of this process has none.
        return (try? await ended.get()) != true
    }
}
