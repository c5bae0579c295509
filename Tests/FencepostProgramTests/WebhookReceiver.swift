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
    private let channel: any Channel

    var received: [Message] { messages.withLock { $0 } }
    var port: Int { channel.localAddress?.port ?? 0 }

    /// Starts a receiver whose n-th response has the status `answer(n)`.
    init(answer: @escaping @Sendable (Int) -> HTTPResponseStatus = { _ in .ok }) async throws {
        let box = MessageBox()
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(box, answer))
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
        private var head: HTTPRequestHead?
        private var body = ByteBuffer()

        init(_ box: MessageBox, _ answer: @escaping @Sendable (Int) -> HTTPResponseStatus) {
            self.box = box
            self.answer = answer
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
                let number = box.take(
                    Message(
                        path: head.uri, id: headers["webhook-id"] ?? "", headers: headers, body: String(buffer: body)))
                var answerHeaders = HTTPHeaders()
                answerHeaders.add(name: "content-length", value: "0")
                let response = HTTPResponseHead(version: .http1_1, status: answer(number), headers: answerHeaders)
                context.write(wrapOutboundOut(.head(response)), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}
