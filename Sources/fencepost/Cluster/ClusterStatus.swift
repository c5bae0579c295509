import FencepostServer
import FencepostStore
import Metrics
import Synchronization

/// What a node is at the moment, for its reports, `/readyz` and the metrics.
final class ClusterStatus: Sendable {
    /// The parts of it.
    struct Content: Hashable, Sendable {
        var role = NodeReport.Role.starting
        var mark: ReplicaMark?
        var problem: String?
    }

    private struct Whereabouts: Sendable {
        var address = ""
        var leader: @Sendable () -> String? = { nil }
    }

    private let content = Mutex(Content())
    private let whereabouts = Mutex(Whereabouts())
    private let leads = Gauge(label: "fencepost_cluster_leader")
    private let position = Gauge(label: "fencepost_cluster_log_position")
    private let takeovers = Counter(label: "fencepost_cluster_takeovers_total")

    /// The newest values.
    var current: Content { content.withLock { $0 } }

    /// Where the other nodes send requests to this one.
    var address: String { whereabouts.withLock { $0.address } }

    /// What the ports of the node have to know while it does not lead.
    var standing: NodeFront.Standing {
        let (current, leader) = (current, whereabouts.withLock { $0.leader })
        let problem: String? =
            switch current.role {
            case .starting: current.problem
            case .failed: current.problem ?? "This node cannot follow its cluster."
            // What a follower cannot do at the moment, the leader perhaps can.
            case .follower, .leader, .fetching, .gone: nil
            }
        return NodeFront.Standing(leader: leader(), problem: problem)
    }

    /// Sets where the other nodes send requests to this one.
    func set(address: String) { whereabouts.withLock { $0.address = address } }

    /// Sets who knows where the leader answers, if another node leads.
    func follow(_ leader: @escaping @Sendable () -> String?) { whereabouts.withLock { $0.leader = leader } }

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
        if role == .leader, former != .leader { takeovers.increment() }
    }

    /// Sets how far the copy is.
    func set(_ mark: ReplicaMark) {
        content.withLock { $0.mark = mark }
        position.record(mark.position)
    }
}
