import FencepostCluster
import FencepostOperation
import FencepostStore

extension PartitionLink {
    /// Appends a record by which a node takes over, and applies it to the node's copy.
    ///
    /// - Parameters:
    ///   - content: what the record holds.
    ///   - copy: the copy, which has applied the log to its end.
    ///   - epoch: that of the node that takes over.
    ///   - id: an id that was never used.
    /// - Throws: a `LogFailure`, a `ReplicaError` or a `StoreError`.
    func append(_ content: LogRecord.Content, to copy: ReplicaStore, epoch: UInt64, id: RecordID) async throws {
        let last = copy.mark.sequence
        let record = LogRecord(
            epoch: epoch, position: copy.mark.position + 1, id: id, time: WallClock.now, content: content)
        if case .upgrade = content { return try await copy.upgradeAside(record, in: log) }
        let sequence = try await log.append(record, behind: last)
        try await copy.applyAside([LoggedRecord(sequence: sequence, predecessor: last, content: .record(record))])
    }
}
