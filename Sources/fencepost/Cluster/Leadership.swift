import FencepostServer
import FencepostStore

/// What the service has of its node while that leads a cluster.
struct Leadership: Sendable {
    /// The cluster's name.
    let name: String
    /// What the node is at the moment.
    let status: ClusterStatus
    /// The node's ports.
    let front: NodeFront
    /// Reads what NATS knows of the cluster; `nil` when it does not answer.
    let report: @Sendable () async -> ClusterReport?
    /// Returns when the other nodes have erased what was erased before a position of the log, and the log has it no longer.
    let didErase: @Sendable (ReplicaMark) async -> Void
}
