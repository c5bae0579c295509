import FencepostGeometry
import FencepostModel
import FencepostService
import Hummingbird
import NIOCore
import Synchronization

/// Server-sent events from the store (rule A9).
///
/// A page of events is read when the page before it has been written, so a slow client needs memory for one page. The
/// connection of a client that does not take a page in time is closed; it reconnects with the last id that it received.
struct EventStream: Sendable {
    let store: any HistoryStore
    let signal: EventSignal
    let sleep: @Sendable (Duration) async throws -> Void
    /// Which events it has. It is asked for again after `heartbeat`, since groups change meanwhile, and when `revision` is
    /// another one.
    let filter: @Sendable () async throws -> HistoryFilter
    /// The revision of the regions, where their tags matter: an event of a region comes after the revision that has it.
    var revision: @Sendable () -> UInt32 = { 0 }
    /// Number of the last event that the client has; `nil` starts with the next new event.
    let start: Int64?
    let explains: Bool
    /// Whether events about the service itself are included.
    let includesServiceEvents: Bool
    /// Whether a comment at the beginning says after which number the stream goes on, for a node that merges streams.
    var reportsStart = false
    /// Whether the caller may still read; the stream ends when not. It is asked before each page, and after `heartbeat` also
    /// without one.
    let isAllowed: @Sendable () async -> Bool
    /// The time, for the next question.
    let now: @Sendable () -> Timestamp
    /// Raised when the server ends.
    var serverClosing = EventSignal()
    /// Raised to end the stream.
    let closing = EventSignal()

    static let mediaType = "text/event-stream"
    static let heartbeat = Duration.seconds(15)
    /// Maximum time for writing a chunk.
    static let maximumWait = Duration.seconds(30)
    /// Each reader that does not read keeps one page in memory (rule L9).
    private static let pageSize = 32

    /// The stream's text in chunks.
    struct Chunks: Sendable {
        fileprivate let stream: EventStream
        fileprivate var cursor: Int64?
        fileprivate var hasBegun = false
        /// When the caller's rights are asked for again.
        fileprivate var nextCheck = Timestamp.distantPast
        fileprivate var filter: (value: HistoryFilter, revision: UInt32, until: Timestamp)?

        /// Waits for events, and at most for the interval of the heartbeat.
        ///
        /// - Returns: the next chunk; `nil` at the end.
        mutating func next() async throws -> String? {
            guard stream.closing.generation == 0, stream.serverClosing.generation == 0 else { return nil }
            guard let cursor, hasBegun else { return try await begin() }
            while true {
                let generation = stream.signal.generation
                let events = try await stream.store.events(
                    try await currentFilter(), after: cursor, limit: EventStream.pageSize)
                // Events that the filter leaves out must not put the question off.
                if !events.isEmpty || stream.now() >= nextCheck { guard await isStillAllowed() else { return nil } }
                if let last = events.last {
                    self.cursor = last.number
                    return events.reduce(into: "") { text, event in
                        guard stream.includesServiceEvents || event.event.deviceID != nil else { return }
                        text += "id: \(event.number)\nevent: \(event.event.type)\n"
                        text += "data: \(event.json(explained: stream.explains))\n\n"
                    }
                }
                switch try await stream.wait(since: generation) {
                case .eventsStored: continue
                case .timeout: return await isStillAllowed() ? ": hb\n\n" : nil
                case .end: return nil
                }
            }
        }

        private mutating func currentFilter() async throws -> HistoryFilter {
            let (now, revision) = (stream.now(), stream.revision())
            if let filter, now < filter.until, revision == filter.revision { return filter.value }
            let value = try await stream.filter()
            filter = (value, revision, now + EventStream.heartbeat)
            return value
        }

        private mutating func isStillAllowed() async -> Bool {
            nextCheck = stream.now() + EventStream.heartbeat
            return await stream.isAllowed()
        }

        private mutating func begin() async throws -> String {
            let (oldest, newest) = try await stream.store.eventNumbers()
            hasBegun = true
            nextCheck = stream.now() + EventStream.heartbeat
            var text = "retry: 3000\n\n"
            guard let start = stream.start else {
                cursor = newest
                return text + startComment
            }
            cursor = start
            if start > 0, start < oldest.subtractingClamped(1) || start > newest {
                text += "event: gap\ndata: {\"oldest\":\(oldest)}\n\n"
                // A number after the newest one comes from another database.
                if start > newest { cursor = oldest - 1 }
            }
            return text + startComment
        }

        private var startComment: String {
            guard stream.reportsStart, let cursor else { return "" }
            return ": at \(cursor)\n\n"
        }
    }

    func chunks() -> Chunks { Chunks(stream: self, cursor: nil) }

    private enum Wait { case eventsStored, timeout, end }

    /// Waits until events are stored, and at most for the interval of the heartbeat.
    private func wait(since generation: UInt64) async throws -> Wait {
        try await withThrowingTaskGroup(of: Wait.self) { group in
            group.addTask {
                await signal.wait(since: generation)
                return .eventsStored
            }
            for closing in [closing, serverClosing] {
                group.addTask {
                    await closing.wait(since: 0)
                    return .end
                }
            }
            group.addTask {
                try await sleep(EventStream.heartbeat)
                return .timeout
            }
            defer { group.cancelAll() }
            let wait = try await group.next() ?? .end
            try Task.checkCancellation()
            return wait
        }
    }

    /// Writes until the client disconnects, the service stops, or the client takes too long for a chunk.
    func write(
        to writer: inout any ResponseBodyWriter, watching connection: RequestBody?, of channel: any Channel
    ) async throws {
        if let connection {
            try await connection.consumeWithInboundCloseHandler { _ in
                try await writeChunks(to: &writer, channel)
            } onInboundClosed: {
                closing.raise()
            }
        } else {
            try await writeChunks(to: &writer, channel)
        }
        try await writer.finish(nil)
    }

    private func writeChunks(to writer: inout any ResponseBodyWriter, _ channel: any Channel) async throws {
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await closeWhenStuck(channel, progress) }
            defer { group.cancelAll() }
            var chunks = chunks()
            while let chunk = try await chunks.next() {
                progress.begin()
                try await writer.write(ByteBuffer(string: chunk))
                progress.end()
            }
        }
    }

    /// The chunk that is being written.
    private final class Progress: Sendable {
        struct State: Hashable {
            var chunks = 0
            var isWriting = false
        }

        private let mutex = Mutex(State())

        var state: State { mutex.withLock { $0 } }
        func begin() { mutex.withLock { $0 = State(chunks: $0.chunks + 1, isWriting: true) } }
        func end() { mutex.withLock { $0.isWriting = false } }
    }

    /// Closes the connection when the write of a chunk takes longer than `maximumWait`.
    private func closeWhenStuck(_ channel: any Channel, _ progress: Progress) async throws {
        while true {
            let before = progress.state
            try await sleep(EventStream.maximumWait)
            if before.isWriting, progress.state == before {
                channel.close(promise: nil)
                return
            }
        }
    }
}
