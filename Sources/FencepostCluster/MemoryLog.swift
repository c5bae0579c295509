internal import Synchronization

/// A log in memory, for tests: what a server does when nothing fails.
public final class MemoryLog: LogTransport {
    private struct State {
        var records: [StoredBytes] = []
        var sequences: [RecordID: UInt64] = [:]
    }

    private let state = Mutex(State())

    /// Creates an empty log.
    public init() {}

    public func publish(_ bytes: [UInt8], id: RecordID, behind last: UInt64) async -> PublishAnswer {
        state.withLock { state in
            if let sequence = state.sequences[id] { return .stored(sequence: sequence) }
            let end = state.records.last?.sequence ?? 0
            guard end == last else { return .refused }
            state.records.append(StoredBytes(sequence: end + 1, predecessor: end, bytes: bytes))
            state.sequences[id] = end + 1
            return .stored(sequence: end + 1)
        }
    }

    public func newest() async throws(LogUnanswered) -> StoredBytes? {
        state.withLock { $0.records.last }
    }

    public func read(behind last: UInt64, limit: Int) async throws(LogUnanswered) -> [StoredBytes] {
        state.withLock { Array($0.records.drop { $0.sequence <= last }.prefix(limit)) }
    }

    /// Removes records as a trim does.
    ///
    /// - Parameter sequence: the newest record to remove; the newest of the log stays in any case.
    public func trim(through sequence: UInt64) {
        state.withLock { state in
            let end = state.records.last?.sequence ?? 0
            state.records.removeAll { $0.sequence <= sequence && $0.sequence < end }
        }
    }
}
