import FencepostServer
import FencepostService
import FencepostStore
import Logging
import Synchronization

/// Copies of other nodes in place of one that cannot go on.
extension PartNode {
    /// How the search for a copy has ended.
    enum Fetch {
        case fetched
        /// No node that runs has passed the record that is set aside, although it was never at fault itself.
        case isInnocent
        /// The copy is not needed any more.
        case isOver
    }

    /// Fetches a copy from the leader or another node, again and again until one comes that is newer than a record, and has passed
    /// the one that this node does not apply.
    func fetch(behind sequence: UInt64?, passing deadly: SetAsideRecord? = nil) async throws -> Fetch {
        status.set(.fetching, problem: deadly?.sentence)
        runner.setCanLead(false)
        while isNeeded {
            let reports = try? await process.link.reports()
            let others = (reports ?? []).filter { $0.run != run && $0.part(link.part)?.hasCopy ?? false }
                .filter { $0.part(link.part)?.position ?? 0 >= deadly?.position ?? 0 }.map(\.address)
            let leader = status.standing.leader
            var sources = [leader].compactMap(\.self) + others.filter { $0 != leader }
            // A whole copy that is no use would be sent again and again.
            if deadly != nil { sources.removeAll { !others.contains($0) } }
            if let deadly, sources.isEmpty, reports != nil, !deadly.isFaulty { return .isInnocent }
            do {
                if try await fetcher.fetch(from: sources, behind: sequence) {
                    // Its file was removed with the old copy.
                    journal.close()
                    replacements.withLock { $0 += 1 }
                    return .fetched
                }
            } catch let error where Self.isPassing(error) {
                logger.error("the copy that has come cannot be stored", metadata: ["error": "\(error)"])
            }
            try await Task.sleep(for: .seconds(1))
        }
        return .isOver
    }

    /// Replaces the copy by another node's, since the log was trimmed while this one was away; `nil` when the process is to end.
    func replace(
        _ copy: ReplicaStore, behind sequence: UInt64
    ) async throws -> (copy: ReplicaStore, isNeeded: Bool)? {
        logger.warning("the log was trimmed while this node was away", metadata: ["after": "\(sequence)"])
        try copy.close()
        let fetched = try await fetch(behind: sequence)
        return try await reopen().map { ($0, fetched == .fetched) }
    }

    /// Replaces the copy by that of a node which has passed a record, since applying it has ended this node's process repeatedly;
    /// `nil` when the process is to end.
    ///
    /// A copy that left the record out would differ from the others, and the log may have records that build on it.
    func pass(
        _ position: UInt64, _ copy: ReplicaStore
    ) async throws -> (copy: ReplicaStore, isNeeded: Bool)? {
        let ended = copy.ends(ofRecordAt: position)
        let deadly = SetAsideRecord(position: position, isFaulty: ended?.isFaulty ?? true)
        logger.error(
            "a record is set aside, since it ended the process repeatedly; see docs/runbook.md",
            metadata: [
                "position": "\(position)", "faults": "\(ended?.faults ?? 0)", "kills": "\(ended?.kills ?? 0)",
            ])
        status.countSetAside()
        let sequence = copy.mark.sequence
        try copy.close()
        let fetched = try await fetch(behind: sequence, passing: deadly)
        let opened = try await reopen()
        if fetched == .isInnocent {
            logger.warning(
                "no node has passed the record; it is applied again, since the process was killed by others",
                metadata: ["position": "\(position)"])
            opened?.forgetEnds(ofRecordAt: position)
        }
        return opened.map { ($0, fetched != .isOver) }
    }
}
