import FencepostModel
import FencepostService
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization

/// Server-sent events from the store, read from where the reader is (rule A9).
///
/// What was stored is read a page at a time, and only when the page before has been written: a slow reader costs one
/// page of memory, and whoever does not take a page in time is cut off and comes back with the last id.
struct EventStream: Sendable {
    let store: any HistoryStore
    let signal: EventSignal
    let sleep: @Sendable (Duration) async throws -> Void
    let filter: HistoryFilter
    /// The last number that the reader knows; `nil` begins with what happens from now on.
    let start: Int64?
    let explains: Bool
    /// Whether events of the service itself are shown.
    let seesService: Bool
    /// Raised when the stream is to end.
    let closing = EventSignal()

    static let heartbeat = Duration.seconds(15)
    /// How long a page may take to be written.
    static let patience = Duration.seconds(30)
    private static let pageSize = 200

    /// What is written next, piece by piece.
    struct Lines: Sendable {
        fileprivate let stream: EventStream
        fileprivate var cursor: Int64?
        fileprivate var hasBegun = false

        /// - Returns: the next piece; it waits for an event, or for the time of a heartbeat. `nil` at the end.
        mutating func next() async throws -> String? {
            guard stream.closing.generation == 0 else { return nil }
            guard let cursor, hasBegun else { return try await begin() }
            while true {
                let generation = stream.signal.generation
                let events = try await stream.store.events(stream.filter, after: cursor, limit: EventStream.pageSize)
                if let last = events.last {
                    self.cursor = last.number
                    return events.reduce(into: "") { text, event in
                        guard stream.seesService || event.event.deviceID != nil else { return }
                        text += "id: \(event.number)\nevent: \(event.event.type)\n"
                        text += "data: \(event.json(explained: stream.explains))\n\n"
                    }
                }
                switch try await stream.wait(since: generation) {
                case .news: continue
                case .silence: return ": hb\n\n"
                case .end: return nil
                }
            }
        }

        private mutating func begin() async throws -> String {
            let (oldest, newest) = try await stream.store.eventNumbers()
            hasBegun = true
            var text = "retry: 3000\n\n"
            guard let start = stream.start else {
                cursor = newest
                return text
            }
            cursor = start
            if start > 0, start + 1 < oldest || start > newest {
                text += "event: gap\ndata: {\"oldest\":\(oldest)}\n\n"
                // A number beyond the newest is that of a store that is no more.
                if start > newest { cursor = oldest - 1 }
            }
            return text
        }
    }

    func lines() -> Lines { Lines(stream: self, cursor: nil) }

    private enum Wait { case news, silence, end }

    /// Waits for news, a heartbeat's time at most.
    private func wait(since generation: UInt64) async throws -> Wait {
        try await withThrowingTaskGroup(of: Wait.self) { group in
            group.addTask {
                await signal.wait(since: generation)
                return .news
            }
            group.addTask {
                await closing.wait(since: 0)
                return .end
            }
            group.addTask {
                try await sleep(EventStream.heartbeat)
                return .silence
            }
            defer { group.cancelAll() }
            let wait = try await group.next() ?? .end
            try Task.checkCancellation()
            return wait
        }
    }

    /// Writes until the reader goes, the service stops, or the reader takes too long.
    func write(
        to writer: inout any ResponseBodyWriter, watching connection: RequestBody, of channel: any Channel
    ) async throws {
        let progress = Progress()
        try await connection.consumeWithInboundCloseHandler { _ in
            try await withGracefulShutdownHandler {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await cutOff(channel, progress) }
                    defer { group.cancelAll() }
                    var lines = lines()
                    while let piece = try await lines.next() {
                        progress.begin()
                        try await writer.write(ByteBuffer(string: piece))
                        progress.end()
                    }
                }
            } onGracefulShutdown: {
                closing.raise()
            }
        } onInboundClosed: {
            closing.raise()
        }
        try await writer.finish(nil)
    }

    /// How far the writing has come.
    private final class Progress: Sendable {
        struct State: Hashable {
            var pieces = 0
            var isWriting = false
        }

        private let mutex = Mutex(State())

        var state: State { mutex.withLock { $0 } }
        func begin() { mutex.withLock { $0 = State(pieces: $0.pieces + 1, isWriting: true) } }
        func end() { mutex.withLock { $0.isWriting = false } }
    }

    /// Closes the connection when one piece is being written for too long.
    private func cutOff(_ channel: any Channel, _ progress: Progress) async throws {
        while true {
            let before = progress.state
            try await sleep(EventStream.patience)
            if before.isWriting, progress.state == before {
                channel.close(promise: nil)
                return
            }
        }
    }
}
