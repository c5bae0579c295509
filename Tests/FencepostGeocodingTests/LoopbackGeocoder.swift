import NIOCore
import NIOPosix
import Synchronization

/// A geocoder on loopback that gives prepared answers.
final class LoopbackGeocoder: Sendable {
    struct Answer: Sendable {
        var status = 200
        var headers = ""
        var body: String
    }

    private struct State {
        var requests: [String] = []
        var answer: @Sendable (String) -> Answer
    }

    private let state: Mutex<State>
    private let channel = Mutex<(any Channel)?>(nil)

    private init(_ answer: @escaping @Sendable (String) -> Answer) {
        state = Mutex(State(answer: answer))
    }

    /// The heads of the requests, each from its method to the last header.
    var requests: [String] { state.withLock { $0.requests } }

    var port: Int { channel.withLock { $0?.localAddress?.port ?? 0 } }

    var url: String { "http://127.0.0.1:\(port)" }

    func answers(_ answer: @escaping @Sendable (String) -> Answer) { state.withLock { $0.answer = answer } }

    /// Runs a geocoder while the closure runs.
    ///
    /// `answer`: gets the path with the query.
    static func run(
        _ answer: @escaping @Sendable (String) -> Answer, _ body: (LoopbackGeocoder) async throws -> Void
    ) async throws {
        let geocoder = LoopbackGeocoder(answer)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(geocoder))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        geocoder.channel.withLock { $0 = channel }
        let result: Result<Void, any Error>
        do { result = .success(try await body(geocoder)) } catch { result = .failure(error) }
        try await channel.close().get()
        try result.get()
    }

    private func answer(to head: String) -> String {
        let answer = state.withLock { state in
            state.requests.append(head)
            let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            return state.answer(path)
        }
        return "HTTP/1.1 \(answer.status) Answer\r\nContent-Length: \(answer.body.utf8.count)\r\n\(answer.headers)\r\n"
            + answer.body
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let owner: LoopbackGeocoder
        private var received = ""

        init(_ owner: LoopbackGeocoder) { self.owner = owner }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            while let end = received.firstRange(of: "\r\n\r\n") {
                let head = String(received[..<end.lowerBound])
                received = String(received[end.upperBound...])
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: owner.answer(to: head))), promise: nil)
            }
        }
    }
}
