import FencepostCluster
import FencepostModel
import FencepostStore

/// Whether this node may lead parts whose databases it would give a newer schema, by what the other nodes report.
actor UpgradeWatch {
    private let link: ClusterLink
    private let node: String
    private var gates: [ClusterPartition: UpgradeGate]
    private var open: Set<ClusterPartition> = []
    private var next = ContinuousClock.now

    /// - Parameters:
    ///   - link: the cluster.
    ///   - node: the name of this node.
    init(_ link: ClusterLink, node: String) {
        (self.link, self.node) = (link, node)
        gates = Dictionary(
            uniqueKeysWithValues: link.parts.map { ($0.part, UpgradeGate(schema: SQLiteStore.schemaVersion)) })
    }

    /// Whether no node of an older version can lead a part. To be called again and again while that is to be known.
    ///
    /// - Parameter part: the part.
    /// - Returns: false also while NATS does not answer.
    func isOpen(_ part: ClusterPartition) async -> Bool {
        if ContinuousClock.now >= next {
            next = .now + UpgradeGate.interval
            await look()
        }
        return open.contains(part)
    }

    private func look() async {
        guard let reports = try? await link.reports() else {
            open = []
            return
        }
        let others = reports.filter { $0.node != node && $0.role != .gone }
        for part in gates.keys {
            let nodes = others.map { report in
                UpgradeGate.Node(
                    name: report.node, report: report.time.milliseconds, schema: report.schema ?? 0,
                    mayLead: report.mayLead, isAble: report.part(part)?.isWell ?? false)
            }
            if gates[part]?.isOpen(nodes) == true { open.insert(part) } else { open.remove(part) }
        }
    }
}
