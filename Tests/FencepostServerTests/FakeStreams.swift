import FencepostHTTP
import FencepostModel
import FencepostService
import FencepostTesting
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

@testable import FencepostServer

/// A test double of partitions with event streams, whose leaders are lost again and again.
final class FakeStreams: PartitionCaller {
    private struct State {
        /// The numbers of each partition's events, which rise.
        var logs: [[Int64]]
        var random: SeededGenerator
        var losses = 0
        var written = 0
    }

    private let state: Mutex<State>
    private let signal = EventSignal()
    /// How many leaders are lost in all.
    private let losses: Int

    init(_ partitions: Int, losses: Int, seed: UInt64) {
        self.losses = losses
        state = Mutex(State(logs: Array(repeating: [], count: partitions), random: SeededGenerator(seed: seed)))
    }

    var logs: [[Int64]] { state.withLock { $0.logs } }
    /// How many pieces were written to those who read.
    var written: Int { state.withLock { $0.written } }

    func add(to partition: Int) {
        state.withLock { state in
            let next = (state.logs[partition].last ?? 0) + Int64.random(in: 1...3, using: &state.random)
            state.logs[partition].append(next)
        }
        signal.raise()
    }

    func answer(to request: PartitionRequest, from part: ClusterPartition) async throws -> Response {
        guard case .partition(let partition) = part else { throw Problem.notFound("part") }
        if isLost() { throw Problem.notLeading("It changes.") }
        let start = request.headers[.lastEventID].flatMap { Int64($0) } ?? logs[partition].last ?? 0
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { [self] writer in
                var last = start
                try await send("retry: 3000\n\n: at \(start)\n\n", to: &writer)
                while true {
                    let generation = signal.generation
                    let events = logs[partition].filter { $0 > last }.prefix(3)
                    var text = ""
                    for number in events { text += "id: \(number)\nevent: a\ndata: \(partition)/\(number)\n\n" }
                    last = events.last ?? last
                    if text.isEmpty {
                        await signal.wait(since: generation)
                        try Task.checkCancellation()
                    } else {
                        try await send(text, to: &writer)
                    }
                }
            })
    }

    private func isLost() -> Bool {
        state.withLock { state in
            guard state.losses < losses, Int.random(in: 0..<4, using: &state.random) == 0 else { return false }
            state.losses += 1
            return true
        }
    }

    /// Writes a text in pieces, of which a loss cuts the last one anywhere.
    private func send(_ text: String, to writer: inout any ResponseBodyWriter) async throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = state.withLock { Int.random(in: 1...max(1, rest.count), using: &$0.random) }
            let isLost = isLost()
            let piece = rest.prefix(isLost ? count / 2 : count)
            try await writer.write(ByteBuffer(bytes: piece))
            state.withLock { $0.written += 1 }
            if isLost { throw CancellationError() }
            rest = rest.dropFirst(count)
        }
    }
}
