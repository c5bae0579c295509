import FencepostHTTP
import FencepostModel
import FencepostMonitor
import FencepostServer
import FencepostService
import FencepostStore

extension PartitionNode {
    /// What the parts of a node share.
    struct Process: Sendable {
        let cluster: ClusterSettings
        let link: ClusterLink
        /// Identifies this run of the process.
        let run: UInt64
        /// Where the other nodes send requests to this one.
        let address: String
        /// The certificates by which nodes know each other; `nil` for plain connections.
        let tls: PeerTLS?
        let events: ProcessEvents
        let router: NodeRouter
        /// The time by which the node decodes locations.
        let clock: ServiceClock
        /// The monitor's settings, where one stands by while the node follows.
        let standby: MonitorSettings?
        /// Whether this node may give databases a newer schema.
        let upgrades: UpgradeWatch
        /// The cluster's configuration on this node, where it is a part of its own.
        let configuration: ConfigurationMirror.Source
        /// Of which parts the node is to have copies.
        let plan: CopyPlan
        /// Runs the service over the database until it is stopped.
        let lead: @Sendable (LeaderLog, Leadership) async throws -> Void
    }

    /// Whether each node that may lead the part next could do so without loading, in this version, and there is one.
    var isAwaited: Bool {
        get async {
            guard let reports = try? await process.link.reports() else { return false }
            let next = reports.filter { report in
                report.run != process.run && report.mayLead && report.part(link.part)?.isWell ?? false
            }
            return !next.isEmpty
                && next.allSatisfy {
                    $0.version == FencepostVersion.current && $0.part(link.part)?.standsBy ?? false
                }
        }
    }
}
