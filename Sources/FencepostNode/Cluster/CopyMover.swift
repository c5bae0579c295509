import FencepostCluster
import FencepostModel
import FencepostService
import FencepostStore

/// Gives up a node's copies of partitions when the nodes that are to have them do.
actor CopyMover {
    /// Rounds for which the other nodes must have reported.
    private static let steadyRounds = 3
    /// The ends of a log that are kept. A copy has to have what was the oldest of them, about six seconds ago.
    private static let keptEnds = 4

    private let link: ClusterLink
    private let node: String
    private let plan: CopyPlan
    /// What the node does in each partition.
    private let parts: [PartitionNode]
    private var freshness = ReportFreshness()
    /// Whether the list of the copies of a partition has this node; no entry before that is known.
    private var listed: [ClusterPartition: Bool] = [:]
    /// The newest records of the logs of copies that are to go, by round.
    private var ends: [ClusterPartition: [UInt64]] = [:]

    /// - Parameters:
    ///   - link: the cluster.
    ///   - node: the name of this node.
    ///   - plan: of which parts it is to have copies.
    ///   - parts: what the node does in each part.
    init(_ link: ClusterLink, node: String, _ plan: CopyPlan, _ parts: [PartitionNode]) {
        (self.link, self.node, self.plan) = (link, node, plan)
        self.parts = parts.filter { $0.link.part != link.identity.partitioning.configuration }
    }

    /// Reads the members, notes new copies, and decides about those that other nodes are to have. It is called in every round of
    /// reports; what fails is done in the next one.
    ///
    /// - Throws: a `NATSError` or a `LogFailure`.
    func round() async throws {
        guard !parts.isEmpty else { return }
        try await plan.update()
        for part in parts {
            part.planDidChange()
            try await list(part)
        }
        let surplus = parts.filter { !plan.isHolder(of: $0.link.part) && $0.hasFile && !$0.isReleased }
        if surplus.isEmpty {
            (ends, freshness) = ([:], ReportFreshness())
        } else {
            try await giveUp(surplus)
        }
    }

    /// Notes whether the node has a copy.
    private func list(_ part: PartitionNode) async throws {
        let hasCopy = part.hasOpenCopy
        // A file that is not open may still get to the end of the log.
        guard hasCopy || !part.hasFile, listed[part.link.part] != hasCopy else { return }
        // A name that is there already is written again: who decides by a list of before this process may not remove its copy,
        // since this node's disk may be another one now.
        _ = try await NodeList.set(
            node, isIn: hasCopy, NodeList.copies(of: part.link.part), in: link.state, again: hasCopy)
        listed[part.link.part] = hasCopy
    }

    private func giveUp(_ surplus: [PartitionNode]) async throws {
        // Before the reports: who takes its name out later makes the replacement of the list fail.
        var lists: [ClusterPartition: NodeList] = [:]
        for part in surplus.map(\.link.part) {
            lists[part] = try await NodeList.read(NodeList.copies(of: part), in: link.state)
        }
        let reports = try await link.reports()
        freshness.note(reports.map { ($0.node, $0.time.milliseconds) })
        var leads = Dictionary(
            reports.map { report in (report.node, report.parts.count { $0.role == .leader }) },
            uniquingKeysWith: { first, _ in first })
        for part in surplus {
            guard let list = lists[part.link.part], let end = try await formerEnd(of: part.link) else { continue }
            let release = CopyRelease(
                placement: plan.placement, present: list.nodes,
                copies: reports.compactMap { copy(in: $0, of: part.link.part, leads) }, end: end)
            switch release.decision(of: node, in: part.link.part, leads: part.status.current.role == .leader) {
            case .keep: break
            case .handOver(let successor):
                leads[successor, default: 0] += 1
                part.handOver(to: successor)
            case .remove:
                // Where the answer is lost, the name is put in again in the next round.
                listed[part.link.part] = nil
                try await list.replace(with: list.nodes.subtracting([node]), in: link.state)
                listed[part.link.part] = false
                part.release()
            }
        }
    }

    /// The log's end some rounds ago; `nil` before it is known.
    private func formerEnd(of link: PartitionLink) async throws(LogFailure) -> UInt64? {
        guard let end = try await link.log.end() else { return nil }
        let known = (ends[link.part] ?? []).suffix(Self.keptEnds - 1) + [end]
        ends[link.part] = Array(known)
        return known.count == Self.keptEnds ? known.first : nil
    }

    private func copy(
        in report: NodeReport, of part: ClusterPartition, _ leads: [String: Int]
    ) -> CopyRelease.Copy? {
        guard let reported = report.part(part) else { return nil }
        return CopyRelease.Copy(
            node: report.node, isWell: reported.isWell,
            isOfThisVersion: (report.schema ?? 0) <= SQLiteStore.schemaVersion,
            isFresh: freshness.rounds(of: report.node) > Self.steadyRounds, sequence: reported.sequence,
            leads: leads[report.node] ?? 0)
    }
}
