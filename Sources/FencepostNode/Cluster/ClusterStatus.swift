import FencepostCluster
import FencepostModel
import FencepostNATS
import FencepostServer
import FencepostStore
import Logging
import Metrics
import Synchronization

/// What a node is at the moment in a part of its cluster, for its reports, `/readyz` and the metrics.
final class ClusterStatus: Sendable {
    /// The parts of it.
    struct Content: Hashable, Sendable {
        var role = NodeReport.Role.starting
        var mark: ReplicaMark?
        var problem: String?
        /// Whether its monitor stands by to lead.
        var standsBy = false
        /// How many events of that monitor and the leader's differed.
        var divergences = 0
        /// How often the log had something that no node wrote.
        var foreign = 0
    }

    private let content = Mutex(Content())
    private let leader = Mutex<@Sendable () -> String?>({ nil })
    private let leads: Gauge
    private let hasCopy: Gauge
    private let position: Gauge
    private let takeovers: Counter
    private let divergences: Counter
    private let foreign: Counter
    private let setAside: Counter

    /// - Parameter part: the part, for labels of metrics; `nil` where there is only one.
    init(_ part: ClusterPartition?) {
        let labels = part.map { [("part", "\($0)")] } ?? []
        leads = Gauge(label: "fencepost_cluster_leader", dimensions: labels)
        hasCopy = Gauge(label: "fencepost_cluster_copy", dimensions: labels)
        position = Gauge(label: "fencepost_cluster_log_position", dimensions: labels)
        takeovers = Counter(label: "fencepost_cluster_takeovers_total", dimensions: labels)
        divergences = Counter(label: "fencepost_cluster_divergence_total", dimensions: labels)
        foreign = Counter(label: "fencepost_cluster_foreign_records_total", dimensions: labels)
        setAside = Counter(label: "fencepost_cluster_set_aside_records_total", dimensions: labels)
    }

    /// The newest values.
    var current: Content { content.withLock { $0 } }

    /// What the ports of the node have to know while it does not lead.
    var upstream: NodeRouter.Upstream {
        let (current, leader) = (current, leader.withLock { $0 })
        let problem: String? =
            switch current.role {
            case .starting: current.problem
            case .failed: current.problem ?? "This node cannot follow its cluster."
            // What a follower cannot do at the moment, the leader perhaps can.
            case .follower, .leader, .fetching, .noCopy, .gone: nil
            }
        var upstream = NodeRouter.Upstream(leader: leader(), problem: problem, hasCopy: current.role != .noCopy)
        if current.role == .fetching { upstream.warning = current.problem }
        return upstream
    }

    /// Sets who knows where the leader answers, if another node leads.
    func follow(_ leader: @escaping @Sendable () -> String?) { self.leader.withLock { $0 = leader } }

    /// The check of `/readyz`: a node whose leadership has ended takes no requests.
    var check: HealthCheck {
        let current = current
        return HealthCheck(
            "cluster", problem: current.role == .leader ? nil : current.problem ?? "This node does not lead.")
    }

    /// Sets the role; a problem is a sentence.
    func set(_ role: NodeReport.Role, problem: String? = nil) {
        let former = content.withLock { content in
            defer { (content.role, content.problem) = (role, problem) }
            return content.role
        }
        leads.record(role == .leader ? 1 : 0)
        hasCopy.record(role == .leader || role == .follower ? 1 : 0)
        if role == .leader, former != .leader { takeovers.increment() }
    }

    /// Sets that the node has no copy, and is to have none.
    func setNoCopy() {
        set(.noCopy)
        content.withLock { $0.mark = nil }
        position.record(0)
    }

    /// Sets whether the monitor stands by to lead.
    func set(standsBy: Bool) { content.withLock { $0.standsBy = standsBy } }

    /// Counts events that only the evaluation of this node had, or only that of the leader.
    func add(divergences count: Int) {
        content.withLock { $0.divergences += count }
        divergences.increment(by: count)
    }

    /// Counts a record that the node does not apply, since it has ended its process repeatedly.
    func countSetAside() { setAside.increment() }

    /// Counts and logs what no node wrote into the log, which is skipped.
    func note(_ foreign: ReplicatedLog<NATSLog>.Foreign, _ logger: Logger) {
        let added = content.withLock { content in
            defer { content.foreign = foreign.count }
            return foreign.count - content.foreign
        }
        guard added > 0 else { return }
        self.foreign.increment(by: added)
        logger.warning(
            "the cluster's log has a record that no node wrote; it is skipped",
            metadata: ["sequence": "\(foreign.sequence)", "reason": "\(foreign.reason)", "count": "\(foreign.count)"])
    }

    /// Sets how far the copy is.
    func set(_ mark: ReplicaMark) {
        content.withLock { $0.mark = mark }
        position.record(mark.position)
    }
}
