import FencepostCluster
import FencepostModel
import FencepostNATS
import FencepostStore
import Logging

/// Removes records from the log of a part: old ones when it is large, and those of erased devices.
struct LogRemoval: Sendable {
    /// The longest time that the erasure of a device waits for the other nodes.
    private static let erasureTime = Duration.seconds(15)
    /// Records that are overwritten one by one before the log is trimmed. The servers give back a block that is mostly unused
    /// and has 2 MiB or more, so this is a block of small records.
    private static let overwritten: UInt64 = 8192

    let link: PartitionLink
    let cluster: ClusterLink
    /// This run of the process.
    let run: UInt64
    let logger: Logger

    /// Removes old records when the log has half of its limit: down to a quarter, but nothing that a copy has yet to apply
    /// while there is room.
    ///
    /// - Parameter applied: the newest record that this node's copy has.
    /// - Returns: whether records were removed.
    /// - Throws: a `NATSError`.
    func trim(applied: UInt64) async throws -> Bool {
        let content = try await link.stream.content(on: link.connection)
        let reports = try await cluster.reports().compactMap { $0.part(link.part) }
        let needed = reports.filter { $0.role != .gone && $0.role != .noCopy }.map(\.sequence).min()
        guard
            let first = LogTrim.firstToKeep(
                LogTrim.Content(bytes: content.bytes, first: content.first, last: content.last),
                limit: min(link.stream.maximumBytes, content.limit ?? .max), needed: needed, applied: applied)
        else { return false }
        try await link.stream.trim(before: first, on: link.connection)
        logger.info("the log was trimmed", metadata: ["before": "\(first)", "bytes": "\(content.bytes)"])
        return true
    }

    /// Waits until the nodes that run have erased what the leader has, and removes all records from the log that have it. A
    /// node that is away meanwhile gets a new copy.
    ///
    /// - Parameter mark: the erasure.
    func removeErased(before mark: ReplicaMark) async {
        let end = ContinuousClock.now + Self.erasureTime
        while ContinuousClock.now < end {
            // One that led a moment ago has not reported yet that it follows.
            let others = (try? await cluster.reports())?.filter { $0.run != run }
                .compactMap { $0.part(link.part) }.filter(\.hasCopy)
            if let others, others.allSatisfy({ $0.position >= mark.position }) { break }
            try? await Task.sleep(for: .milliseconds(250))
        }
        do {
            // Older ones are in blocks that go as a whole.
            let first = try await link.stream.content(on: link.connection).first
            let newest = max(first, mark.sequence - min(mark.sequence, Self.overwritten))..<mark.sequence
            if first < mark.sequence { try await link.stream.erase(newest, on: link.connection) }
            try await link.stream.trim(before: mark.sequence, on: link.connection)
        } catch {
            logger.error(
                "erased data is in the log until it is trimmed; erase the device again", metadata: ["error": "\(error)"]
            )
        }
    }
}
