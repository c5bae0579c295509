import FencepostCluster
import FencepostModel
import FencepostNATS
import FencepostService
import Synchronization

/// Of which parts a node is to have copies, by the members of its cluster as they were read last.
final class CopyPlan: Sendable {
    private struct Known {
        var members: Set<String> = []
        /// The parts of which this node is to have copies.
        var held: Set<ClusterPartition> = []
    }

    private let settings: ClusterSettings
    private let state: NATSKeyValue
    private let known = Mutex(Known())

    /// A plan without members.
    ///
    /// - Parameters:
    ///   - settings: the node's settings.
    ///   - state: the bucket that has the members.
    init(_ settings: ClusterSettings, in state: NATSKeyValue) {
        (self.settings, self.state) = (settings, state)
    }

    /// Reads the members, and makes this node one of them, or takes it out where it is a gateway.
    ///
    /// - Throws: when NATS does not answer.
    func update() async throws(NATSError) {
        let members = try await NodeList.set(
            settings.node, isIn: settings.role == .member, NodeList.members, in: state)
        let placement = CopyPlacement(members: members, copies: settings.copies)
        let held = Set(settings.partitioning.parts.filter { placement.isHolder(settings.node, of: $0) })
        known.withLock { $0 = Known(members: members, held: held) }
    }

    /// Which nodes are to have copies.
    var placement: CopyPlacement { CopyPlacement(members: known.withLock { $0.members }, copies: settings.copies) }

    /// Whether this node is to have a copy of a part.
    func isHolder(of part: ClusterPartition) -> Bool {
        settings.copies == nil || known.withLock { $0.held.contains(part) }
    }
}
