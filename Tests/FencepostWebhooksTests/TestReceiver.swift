import NIOCore
import NIOPosix
import Synchronization

/// A receiver on a real socket with scripted misbehaviour.
final class TestReceiver: Sendable {
    enum Behaviour: Hashable, Sendable {
        case answer(Int, headers: [String: String] = [:], body: String = "")
        case hang
        /// Sends the status line with one byte every 50 ms.
        case trickleHead
        /// Sends a valid header and an endless body with one byte every 50 ms.
        case trickleBody(Int)
        /// Resets the connection without a response.
        case reset
        case close
        /// Sends a body of this many bytes as fast as possible.
        case flood(Int)
        case garbage
    }

    struct Request: Sendable {
        var head: [String]
        var body: String

        func header(_ name: String) -> String? {
            head.dropFirst().first { $0.lowercased().hasPrefix(name + ":") }.map { line in
                String(line.drop { $0 != ":" }.dropFirst().drop { $0 == " " })
            }
        }
    }

    private struct State {
        var behave: @Sendable (Request) -> Behaviour
        var requests: [Request] = []
        var connections = 0
        var written = 0
    }

    private let state: Mutex<State>
    private let channel: any Channel
    let port: Int

    private init(_ channel: any Channel, _ port: Int, _ state: consuming Mutex<State>) {
        self.channel = channel
        self.port = port
        self.state = state
    }

    /// Runs a receiver on the address while the closure runs.
    static func run<Answer: Sendable>(
        on host: String = "127.0.0.1", tls: TestTLS? = nil,
        _ behave: @escaping @Sendable (Request) -> Behaviour,
        _ body: (TestReceiver) async throws -> Answer
    ) async throws -> Answer {
        let box = Box()
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler { box.receiver.withLock { $0 } })
                }
            }
            .bind(host: host, port: 0).get()
        let state = State(behave: behave)
        let result: Result<Answer, any Error>
        do {
            let port = channel.localAddress?.port ?? 0
            func serve(_ port: Int) async throws -> Answer {
                let receiver = TestReceiver(channel, port, Mutex(state))
                box.receiver.withLock { $0 = receiver }
                return try await body(receiver)
            }
            if let tls {
                result = .success(try await tls.run(to: port, serve))
            } else {
                result = .success(try await serve(port))
            }
        } catch {
            result = .failure(error)
        }
        try await channel.close().get()
        box.receiver.withLock { $0 = nil }
        return try result.get()
    }

    var requests: [Request] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }
    /// Bytes of floods that were written.
    var written: Int { state.withLock { $0.written } }

    private final class Box: Sendable {
        let receiver = Mutex<TestReceiver?>(nil)
    }

    fileprivate func take(_ request: Request) -> Behaviour {
        state.withLock { state in
            state.requests.append(request)
            return state.behave(request)
        }
    }

    fileprivate func noteConnection() { state.withLock { $0.connections += 1 } }
    fileprivate func noteWritten(_ count: Int) { state.withLock { $0.written += count } }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let owner: () -> TestReceiver?
        private var received: [UInt8] = []
        private var flood = 0

        init(_ owner: @escaping () -> TestReceiver?) { self.owner = owner }

        func channelActive(context: ChannelHandlerContext) { owner()?.noteConnection() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += unwrapInboundIn(data).readableBytesView
            while let request = takeRequest() {
                if let behaviour = owner()?.take(request) { perform(behaviour, context) }
            }
        }

        private func takeRequest() -> Request? {
            let end = Array("\r\n\r\n".utf8)
            guard let match = received.firstRange(of: end) else { return nil }
            let head = String(decoding: received[..<match.lowerBound], as: UTF8.self).split(separator: "\r\n")
                .map(String.init)
            var request = Request(head: head, body: "")
            let count = request.header("content-length").flatMap { Int($0) } ?? 0
            guard received.count >= match.upperBound + count else { return nil }
            request.body = String(decoding: received[match.upperBound..<match.upperBound + count], as: UTF8.self)
            received.removeFirst(match.upperBound + count)
            return request
        }

        private func perform(_ behaviour: Behaviour, _ context: ChannelHandlerContext) {
            switch behaviour {
            case .answer(let status, let headers, let body):
                let lines = headers.map { "\($0): \($1)\r\n" }.joined()
                write("HTTP/1.1 \(status) X\r\n\(lines)content-length: \(body.utf8.count)\r\n\r\n\(body)", context)
            case .hang: break
            case .trickleHead: trickle("HTTP/1.1 200 OK\r\nx: \(String(repeating: "y", count: 1000))", context)
            case .trickleBody(let status):
                write("HTTP/1.1 \(status) X\r\ncontent-length: 100000\r\n\r\n", context)
                trickle(String(repeating: "z", count: 1000), context)
            case .reset:
                let isTCP = context.channel as? any SocketOptionProvider
                _ = isTCP?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                context.close(promise: nil)
            case .close: context.close(promise: nil)
            case .flood(let count):
                write("HTTP/1.1 200 OK\r\ncontent-length: \(count)\r\n\r\n", context)
                flood = count
                pour(context)
            case .garbage: write("220 mail.example ESMTP\r\n\r\n", context)
            }
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            if context.channel.isWritable { pour(context) }
        }

        private func pour(_ context: ChannelHandlerContext) {
            while flood > 0, context.channel.isWritable {
                let count = min(flood, 16_384)
                flood -= count
                let (receiver, bytes) = (owner(), ByteBuffer(repeating: UInt8(ascii: "a"), count: count))
                context.writeAndFlush(wrapOutboundOut(bytes)).whenSuccess { receiver?.noteWritten(count) }
            }
        }

        private func trickle(_ text: String, _ context: ChannelHandlerContext) {
            guard let first = text.first, context.channel.isActive else { return }
            write(String(first), context)
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .milliseconds(50)) {
                let (handler, context) = bound.value
                handler.trickle(String(text.dropFirst()), context)
            }
        }

        private func write(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }
}
