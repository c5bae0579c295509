import FencepostHTTP
import FencepostModel
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the event stream of one partition, from whichever node leads it, until the reader of the merged one leaves.
struct PartitionUpstream: Sendable {
    /// What is handed to the writer of the merged stream.
    enum Piece: Sendable {
        case blocks([StreamReader.Block], partition: Int)
        case heartbeat
        /// The partition refuses the reader, for example since its token was revoked.
        case end
    }

    let partition: Int
    /// The request for the stream after a number; `nil` for now.
    let request: @Sendable (_ after: Int64?) -> PartitionRequest
    let caller: any PartitionCaller
    let exchange: HandOff<Piece>
    let sleep: @Sendable (Duration) async throws -> Void

    /// Before another attempt, when the last one has brought nothing.
    private static let pause = Duration.seconds(1)

    /// Reads on from a stream that was opened after a number. A stream that ends goes on with the next leader, after the
    /// last event that was handed on: none is missing and none comes twice.
    func run(_ opened: Response, after start: Int64?) async {
        var (last, response) = (start, Optional(opened))
        // A stream that was opened is always read, which lets it end.
        while response != nil || !Task.isCancelled {
            var hasEvents = false
            if let stream = response {
                let sink = Sink(partition: partition, exchange: exchange, last: last)
                try? await stream.body.write(sink)
                (last, hasEvents) = (sink.last, sink.hasEvents)
            }
            response = nil
            if !hasEvents { guard (try? await sleep(Self.pause)) != nil else { return } }
            guard !Task.isCancelled else { return }
            response = try? await caller.answer(to: request(last), from: .partition(partition))
            guard let status = response?.status, status != .ok else { continue }
            await response?.discard()
            response = nil
            // What may be over soon is waited for: a node that stops, and the former stream's place among the readers.
            guard status.code < 500, status != .tooManyRequests else { continue }
            try? await exchange.give(.end)
            return
        }
    }

    /// Hands on what a partition writes.
    private final class Sink: ResponseBodyWriter {
        private let partition: Int
        private let exchange: HandOff<Piece>
        private var reader = StreamReader()
        /// The number of the last event that was handed on.
        private(set) var last: Int64?
        private(set) var hasEvents = false

        init(partition: Int, exchange: HandOff<Piece>, last: Int64?) {
            (self.partition, self.exchange, self.last) = (partition, exchange, last)
        }

        func write(_ buffer: ByteBuffer) async throws {
            guard let blocks = reader.blocks(in: buffer.readableBytesView) else { throw Problem.internalError }
            guard !blocks.isEmpty else { return }
            try await exchange.give(.blocks(blocks, partition: partition))
            for block in blocks {
                switch block {
                case .start(let number): last = number
                case .event(let number, _): (last, hasEvents) = (number, true)
                case .gap: break
                }
            }
        }

        func finish(_ trailers: HTTPFields?) async throws {}
    }
}
