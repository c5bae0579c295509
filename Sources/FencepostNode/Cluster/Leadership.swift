import FencepostModel
import FencepostServer
import FencepostService
import FencepostStore

/// What the service of a part has of its node while that leads the part.
struct Leadership: Sendable {
    /// The cluster's name.
    let name: String
    /// The part, and how devices are divided.
    let part: ClusterPartition
    let partitioning: Partitioning
    /// The part's database.
    let storage: StorageSettings
    /// What the node is in the part at the moment.
    let status: ClusterStatus
    /// The node's ports.
    let router: NodeRouter
    /// Reads what NATS knows of the cluster; `nil` when it does not answer.
    let report: @Sendable () async -> ClusterReport?
    /// Returns when the other nodes have erased what was erased before a position of the log, and the log has it no longer.
    let didErase: @Sendable (ReplicaMark) async -> Void
    /// The position of the newest record in the part's log.
    let position: @Sendable () -> UInt64
    /// What comes before and after the worker.
    let succession: WorkerSuccession
    /// The journal of the work on the part's database.
    let journal: WorkJournal
    /// The cluster's configuration, which this part mirrors; `nil` for the part that has it.
    let configuration: ConfigurationMirror.Source?

    /// Whether the part has the cluster's configuration.
    var hasConfiguration: Bool { configuration == nil }
}
