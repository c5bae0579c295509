import Dispatch
public import FencepostCluster
import FencepostService
import GRDB
import Synchronization

extension ReplicaStore {
    /// The name of a migration in the journal.
    private static func work(_ schema: Int) -> String { "schema-\(schema)" }

    /// Checks that the migration which this node would append has not ended its process too often.
    ///
    /// - Throws: `ReplicaError.cannotUpgrade`.
    public func checkUpgrade() throws {
        guard upgrade != nil, journal?.excessiveRecord(Self.work(known.latest))?.isFaulty ?? false else { return }
        throw ReplicaError.cannotUpgrade(known.latest, reason: "the migration has ended the process repeatedly.")
    }

    /// Migrates the copy, and appends the record of it before the transaction is committed. So no log ever has a migration that
    /// fails, or ends the process, on the copy of the node that appends it.
    ///
    /// - Parameters:
    ///   - record: a record with the upgrade, behind the newest one that is applied.
    ///   - log: the log that it is appended to.
    /// - Throws: a `LogFailure`, a `ReplicaError` or a `StoreError`; the copy is as it was then.
    public func upgradeAside(_ record: LogRecord, in log: some CommitLog) async throws {
        nonisolated(unsafe) let store = self  // because its only user waits
        try await withCheckedThrowingContinuation { continuation in
            // A migration takes minutes, and its transaction cannot be suspended.
            DispatchQueue.global().async {
                continuation.resume(with: Result { try store.upgrade(record, in: log) })
            }
        }
    }

    private func upgrade(_ record: LogRecord, in log: some CommitLog) throws {
        guard case .upgrade(let next) = record.content else { return }
        let (path, known, journal, former) = (path, known, journal, (mark: mark, schema: schema))
        var (mark, schema) = former
        do {
            try queue.writeWithoutTransaction { db in
                journal?.beginRecord(Self.work(next))
                defer { journal?.endRecords() }
                try db.inTransaction(.immediate) {
                    do {
                        try Self.bring(&schema, to: next, known, db)
                    } catch let error as DatabaseError {
                        let failure = StoreError(error, path: path)
                        if failure.isTemporary { throw failure }
                        throw ReplicaError.cannotUpgrade(next, reason: "\(failure)")
                    }
                    mark.sequence = try Self.wait(appending: record, behind: former.mark.sequence, in: log).get()
                    (mark.position, mark.epoch) = (record.position, record.epoch)
                    try mark.write(db)
                    return .commit
                }
            }
        } catch let error as ReplicaError {
            throw error
        } catch let error as LogFailure {
            throw error
        } catch {
            throw StoreError(error, path: path)
        }
        didUpgrade(mark, schema: schema)
    }

    private static func wait(
        appending record: LogRecord, behind last: UInt64, in log: some CommitLog
    ) -> Result<UInt64, LogFailure> {
        let (answered, answer) = (DispatchSemaphore(value: 0), Answer())
        Task.detached(priority: .userInitiated) {
            do throws(LogFailure) {
                let sequence = try await log.append(record, behind: last)
                answer.result.withLock { $0 = .success(sequence) }
            } catch {
                answer.result.withLock { $0 = .failure(error) }
            }
            answered.signal()
        }
        answered.wait()
        return answer.result.withLock { $0 }
    }

    private final class Answer: Sendable {
        let result = Mutex(Result<UInt64, LogFailure>.failure(.unavailable))
    }
}
