import FencepostHTTP
import Hummingbird
import NIOCore

/// The event stream of a leader, as the node writes it that has passed the request on.
struct RelayedStream<Buffers: AsyncSequence & Sendable>: Sendable where Buffers.Element == ByteBuffer {
    /// What the leader sends.
    let buffers: Buffers
    /// Whether the stream still has its reader and its leader. A leader that hangs sends nothing, nor does one without
    /// events, and a reader who has left shows only when something is written.
    let isWanted: @Sendable () async -> Bool

    /// Writes until the leader ends the stream, or it is no longer wanted.
    ///
    /// - Throws: the error that ended the leader's stream or that of writing; a `CancellationError` when the stream is no
    ///   longer wanted, which cuts what the reader gets.
    func write(to writer: inout any ResponseBodyWriter) async throws {
        let exchange = HandOff<ByteBuffer>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer {
                exchange.close()
                group.cancelAll()
            }
            group.addTask {
                defer { exchange.close() }
                for try await buffer in buffers { try await exchange.give(buffer) }
            }
            group.addTask {
                defer { exchange.close() }
                while await isWanted() { try await Task.sleep(for: ClientWait.interval) }
                throw CancellationError()
            }
            while let buffer = await exchange.take() { try await writer.write(buffer) }
            // The task that has closed the exchange says why.
            try await group.next()
        }
    }
}
