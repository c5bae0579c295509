import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A webhook receiver on the loopback address that records its messages.
final class WebhookReceiver: Sendable {
    struct Message: Hashable, Sendable {
        let path: String
        let id: String
        let headers: [String: String]
        let body: String
        let time = ContinuousClock.now
    }

    private let messages = Mutex<[Message]>([])
    /// Connections that are accepted and not closed.
    private let connections = Count()
    private static let quietPath = "/quiet"
    private let channel: any Channel

    var received: [Message] { messages.withLock { $0 } }
    var port: Int { channel.localAddress?.port ?? 0 }

    /// Starts a receiver whose n-th response has the status `answer(n)`.
    init(answer: @escaping @Sendable (Int) -> HTTPResponseStatus = { _ in .ok }) async throws {
        let box = MessageBox()
        let connections = connections
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(box, answer, connections))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        box.take = { [weak self] message in
            self?.messages.withLock { messages in
                messages.append(message)
                return messages.count
            } ?? 0
        }
    }

    func close() async throws { try await channel.close() }

    /// Returns when all is read that a process has sent which has ended, and nobody else sends: connections are accepted in
    /// their order, and each is closed when it is read to its end.
    func untilQuiet() async throws {
        _ = try await Client(port: port, token: "").request("GET", Self.quietPath)
        while connections.value > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    private final class Count: Sendable {
        private let mutex = Mutex(0)
        var value: Int { mutex.withLock { $0 } }
        func add(_ change: Int) { mutex.withLock { $0 += change } }
    }

    private final class MessageBox: Sendable {
        /// A closure of its own in a mutex is wrapped again at each access, until a call overflows the stack.
        private struct Taker: Sendable {
            var take: @Sendable (Message) -> Int
        }

        private let state = Mutex(Taker { _ in 0 })
        var take: @Sendable (Message) -> Int {
            get { state.withLock { $0.take } }
            set { state.withLock { $0.take = newValue } }
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let box: MessageBox
        private let answer: @Sendable (Int) -> HTTPResponseStatus
        private let connections: Count
        private var head: HTTPRequestHead?
        private var body = ByteBuffer()

        init(_ box: MessageBox, _ answer: @escaping @Sendable (Int) -> HTTPResponseStatus, _ connections: Count) {
            self.box = box
            self.answer = answer
            self.connections = connections
        }

        func channelActive(context: ChannelHandlerContext) {
            connections.add(1)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            connections.add(-1)
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                self.head = head
                body.clear()
            case .body(var part): body.writeBuffer(&part)
            case .end:
                guard let head else { return }
                let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
                let isQuestion = head.uri == WebhookReceiver.quietPath
                let number =
                    isQuestion
                    ? 0
                    : box.take(
                        Message(
                            path: head.uri, id: headers["webhook-id"] ?? "", headers: headers,
                            body: String(buffer: body)))
                var answerHeaders = HTTPHeaders()
                answerHeaders.add(name: "content-length", value: "0")
                let response = HTTPResponseHead(
                    version: .http1_1, status: isQuestion ? .ok : answer(number), headers: answerHeaders)
                context.write(wrapOutboundOut(.head(response)), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
                if isQuestion { context.close(promise: nil) }
            }
        }
    }
}
