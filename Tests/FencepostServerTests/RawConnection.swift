import NIOCore
import NIOPosix
import Testing

/// A TCP connection on which a test writes raw bytes.
struct RawConnection: Sendable {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Connects, and closes after the closure.
    static func open(
        _ port: Int,
        _ body: @Sendable (inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, Writer) async throws -> Void
    ) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            var iterator = inbound.makeAsyncIterator()
            try await body(&iterator, Writer(outbound: outbound))
        }
    }

    struct Writer: Sendable {
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        func write(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }
    }
}

extension NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator {
    /// Reads until the text has arrived or the connection ends.
    mutating func read(until text: String) async throws -> String {
        var read = ""
        while !read.contains(text), let buffer = try await next() { read += String(buffer: buffer) }
        return read
    }

    /// Reads until the connection ends.
    mutating func readToEnd() async throws -> String {
        var read = ""
        while let buffer = try? await next() { read += String(buffer: buffer) }
        return read
    }
}
