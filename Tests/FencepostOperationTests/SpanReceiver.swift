import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A receiver of spans on the loopback address, which answers as the test says.
final class SpanReceiver: Sendable {
    struct Answer: Sendable {
        var status = HTTPResponseStatus.ok
        var headers: [(String, String)] = []
        var body: [UInt8] = []
    }

    struct Request: Sendable {
        let path: String
        let headers: [String: String]
        let body: [UInt8]
    }

    private let requests = Mutex<[Request]>([])
    private let channel: any Channel

    var received: [Request] { requests.withLock { $0 } }
    var port: Int { channel.localAddress?.port ?? 0 }
    var endpoint: String { "http://127.0.0.1:\(port)/v1/traces" }

    /// - Parameters:
    ///   - port: where it listens; 0 for any free port.
    ///   - answer: the response to the n-th request, from 1.
    /// - Throws: when the port cannot be bound.
    init(port: Int = 0, answer: @escaping @Sendable (Int) -> Answer = { _ in Answer() }) async throws {
        let box = Box()
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler { answer(box.take($0)) })
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        box.attach(self)
    }

    func close() async throws { try await channel.close() }

    private final class Box: Sendable {
        private struct Owner: Sendable { weak var value: SpanReceiver? }
        private let owner = Mutex(Owner())

        func attach(_ receiver: SpanReceiver) { owner.withLock { $0.value = receiver } }

        func take(_ request: Request) -> Int {
            owner.withLock { $0.value }?.requests.withLock { requests in
                requests.append(request)
                return requests.count
            } ?? 0
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let answer: @Sendable (Request) -> Answer
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ answer: @escaping @Sendable (Request) -> Answer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let part): body += part.readableBytesView
            case .end:
                guard let head else { return }
                let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
                let answer = answer(Request(path: head.uri, headers: headers, body: body))
                var fields = HTTPHeaders(answer.headers)
                fields.add(name: "content-length", value: "\(answer.body.count)")
                let response = HTTPResponseHead(version: .http1_1, status: answer.status, headers: fields)
                context.write(wrapOutboundOut(.head(response)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}
