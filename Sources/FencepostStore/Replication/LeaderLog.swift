import Dispatch
public import FencepostCluster
public import FencepostModel
import GRDB
import Synchronization

/// Appends each transaction of a leader's database to its cluster's log, before it is committed.
///
/// After the first failure nothing is appended any more: the transaction is rolled back, and whether its record is in the log
/// only reading the log on can show, which is done by the copy before the node leads again.
public final class LeaderLog: Sendable {
    /// What a leader has written.
    public struct Figures: Hashable, Sendable {
        /// Transactions that were appended.
        public var commits = 0
        /// Their bytes.
        public var bytes = 0
    }

    private struct State {
        var mark: ReplicaMark
        var number: UInt64
        var failure: LogFailure?
        var figures = Figures()
    }

    /// The largest number of bytes in one record, below the default limit of NATS with its headers.
    static let partSize = 512 << 10

    private let log: any CommitLog
    private let run: UInt64
    private let partSize: Int
    private let now: @Sendable () -> Timestamp
    private let onFailure: @Sendable (LogFailure) -> Void
    private let didAppend: @Sendable () -> Void
    private let state: Mutex<State>

    /// Creates the log of a node that leads. More than five parameters, because tests end the process after a record.
    ///
    /// - Parameters:
    ///   - log: the log; its newest record is the one of the mark.
    ///   - mark: up to where the database has applied the log, with the epoch of this leader.
    ///   - firstID: the id of the next record; later ones count on.
    ///   - now: the time of records.
    ///   - onFailure: called once, when an append has failed: the node leads no longer.
    ///   - didAppend: called after each record, before its transaction is committed.
    public convenience init(
        _ log: any CommitLog, behind mark: ReplicaMark, firstID: RecordID, now: @escaping @Sendable () -> Timestamp,
        onFailure: @escaping @Sendable (LogFailure) -> Void, didAppend: @escaping @Sendable () -> Void = {}
    ) {
        self.init(
            log, behind: mark, firstID: firstID, partSize: Self.partSize, now: now, onFailure: onFailure,
            didAppend: didAppend)
    }

    /// More than five parameters: tests have smaller parts.
    init(
        _ log: any CommitLog, behind mark: ReplicaMark, firstID: RecordID, partSize: Int,
        now: @escaping @Sendable () -> Timestamp, onFailure: @escaping @Sendable (LogFailure) -> Void,
        didAppend: @escaping @Sendable () -> Void = {}
    ) {
        self.log = log
        self.didAppend = didAppend
        self.partSize = partSize
        self.now = now
        self.onFailure = onFailure
        run = firstID.run
        state = Mutex(State(mark: mark, number: firstID.number))
    }

    /// Up to where the log is appended.
    public var mark: ReplicaMark { state.withLock { $0.mark } }
    /// Whether an append has failed, after which every transaction is refused.
    public var hasFailed: Bool { state.withLock { $0.failure != nil } }
    /// What was appended.
    public var figures: Figures { state.withLock { $0.figures } }

    /// Appends a transaction, in parts if it is large. Blocks the thread of the database's writer until the log has answered.
    ///
    /// - Throws: `notLeading`; the transaction has to be rolled back.
    func append(_ transaction: ReplicatedTransaction) throws(StoreError) -> ReplicaMark {
        let bytes = transaction.encoded
        if bytes.count <= partSize {
            try append(.commit(bytes))
        } else {
            let count = (bytes.count + partSize - 1) / partSize
            let transfer = nextID()
            for index in 0..<count {
                let range = index * partSize..<min(bytes.count, (index + 1) * partSize)
                try append(
                    .part(LogRecord.Part(transfer: transfer, index: index, count: count, bytes: Array(bytes[range]))))
            }
        }
        return state.withLock { state in
            state.figures.commits += 1
            state.figures.bytes += bytes.count
            return state.mark
        }
    }

    /// Appends a note: each copy overwrites the unused parts of its pages when it has applied it.
    ///
    /// - Returns: up to where the log is appended, the note included.
    /// - Throws: `notLeading`, or an error of the database.
    func note(_ db: Database) throws -> ReplicaMark {
        try append(.note)
        let mark = mark
        do {
            try db.inTransaction(.immediate) {
                try mark.write(db)
                return .commit
            }
        } catch {
            commitFailed()
            throw error
        }
        return mark
    }

    /// Ends the leadership when an appended transaction could not be committed: the database has to be read on first.
    func commitFailed() { fail(.behind) }

    private func nextID() -> RecordID {
        state.withLock { state in
            defer { state.number += 1 }
            return RecordID(run: run, number: state.number)
        }
    }

    private func append(_ content: LogRecord.Content) throws(StoreError) {
        let (mark, failure) = state.withLock { ($0.mark, $0.failure) }
        if let failure { throw Self.error(failure) }
        let record = LogRecord(
            epoch: mark.epoch, position: mark.position + 1, id: nextID(), time: now(), content: content)
        switch wait(appending: record, behind: mark.sequence) {
        case .success(let sequence):
            state.withLock { state in
                state.mark.sequence = sequence
                state.mark.position += 1
            }
            didAppend()
        case .failure(let failure):
            fail(failure)
            throw Self.error(failure)
        }
    }

    private func fail(_ failure: LogFailure) {
        let isFirst = state.withLock { state in
            defer { state.failure = state.failure ?? failure }
            return state.failure == nil
        }
        if isFirst { onFailure(failure) }
    }

    private func wait(appending record: LogRecord, behind last: UInt64) -> Result<UInt64, LogFailure> {
        // A transaction cannot be suspended, so its thread, which is not one of the concurrency pool, waits.
        let answered = DispatchSemaphore(value: 0)
        let answer = Answer()
        let log = log
        Task.detached(priority: .userInitiated) {
            do throws(LogFailure) {
                answer.result.withLock { $0 = nil }
                let sequence = try await log.append(record, behind: last)
                answer.result.withLock { $0 = .success(sequence) }
            } catch {
                answer.result.withLock { $0 = .failure(error) }
            }
            answered.signal()
        }
        answered.wait()
        return answer.result.withLock { $0 } ?? .failure(.unavailable)
    }

    private final class Answer: Sendable {
        let result = Mutex<Result<UInt64, LogFailure>?>(nil)
    }

    private static func error(_ failure: LogFailure) -> StoreError {
        switch failure {
        case .deposed: StoreError(.notLeading, "Another node of the cluster leads now.")
        case .full: StoreError(.notLeading, "The cluster's log is full, or a disk of its servers.")
        case .unavailable: StoreError(.notLeading, "The cluster's log does not answer.")
        case .diverged, .behind, .hole, .tooLarge, .newerFormat, .forgotten:
            StoreError(.notLeading, "The cluster's log cannot be appended to: \(failure).")
        }
    }
}

extension LeaderLog {
    /// Runs a transaction on the writing connection: appends what it changed, and commits it then.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - schema: the version of the database's schema.
    ///   - body: what writes.
    /// - Returns: what the body returns.
    /// - Throws: `notLeading`, or the error of the body; nothing is written then.
    func transaction<T>(_ db: Database, schema: Int, _ body: (Database) throws -> T) throws -> T {
        var result: T?
        var isAppended = false
        do {
            try db.inTransaction(.immediate) {
                let counters = try ReplicatedTransaction.counters(db)
                let session = try ChangeSession(db)
                try session.record()
                result = try body(db)
                let changes = try session.changes()
                let changed = try ReplicatedTransaction.counters(db).filter { counters[$0.key] != $0.value }
                guard !changes.isEmpty || !changed.isEmpty else { return .commit }
                let mark = try append(
                    ReplicatedTransaction(
                        schema: schema,
                        counters: changed.sorted { $0.key < $1.key }.map { .init(table: $0.key, value: $0.value) },
                        changes: changes))
                isAppended = true
                try mark.write(db)
                return .commit
            }
        } catch {
            if isAppended { commitFailed() }
            throw error
        }
        guard let result else { throw StoreError(.invalid, "A transaction ended without a result.") }
        return result
    }
}
