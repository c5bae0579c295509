public import FencepostModel

/// What is known of a partition's copies, by which a node decides whether it may give up its own.
///
/// A copy goes only when every node that is to have one has proved that it has it. So a node that is away, reports that are
/// old, and nodes that know other members or numbers of copies can only make a node keep more than it needs.
public struct CopyRelease: Hashable, Sendable {
    /// The copy of another node, as that has reported it.
    public struct Copy: Hashable, Sendable {
        /// The name of the node.
        public var node: String
        /// Whether it follows or leads the partition without a problem.
        public var isWell: Bool
        /// Whether its version knows no newer schema of the database. One of a newer version does not lead in place of the
        /// deciding node, and the cluster may stay at the older version.
        public var isOfThisVersion: Bool
        /// Whether the node has reported for some rounds without a pause.
        public var isFresh: Bool
        /// The sequence of the newest record that it has applied.
        public var sequence: UInt64
        /// How many parts the node leads.
        public var leads: Int

        /// Creates a value.
        public init(
            node: String, isWell: Bool, isOfThisVersion: Bool, isFresh: Bool, sequence: UInt64, leads: Int
        ) {
            (self.node, self.isWell, self.isOfThisVersion) = (node, isWell, isOfThisVersion)
            (self.isFresh, self.sequence, self.leads) = (isFresh, sequence, leads)
        }
    }

    /// What a node is to do with its copy.
    public enum Decision: Hashable, Sendable {
        /// Keep it, and follow.
        case keep
        /// Let another node lead, and keep it until then.
        case handOver(to: String)
        /// Take its name from the list of those that have one, and remove it when nobody has changed the list meanwhile.
        case remove
    }

    /// The fewest copies that have to remain.
    public static let fewest = 2

    /// Which nodes are to have copies.
    public var placement: CopyPlacement
    /// The nodes that have a copy, and will take their names from this list before they remove it.
    public var present: Set<String>
    /// What other nodes have reported, read after the list.
    public var copies: [Copy]
    /// The sequence of the log's newest record some seconds ago, which a copy that follows has applied.
    public var end: UInt64

    /// Creates a value.
    public init(placement: CopyPlacement, present: Set<String>, copies: [Copy], end: UInt64) {
        (self.placement, self.present, self.copies, self.end) = (placement, present, copies, end)
    }

    /// What a node is to do with its copy of a part.
    ///
    /// - Parameters:
    ///   - node: the name of the node.
    ///   - part: the part.
    ///   - leads: whether the node leads it.
    /// - Returns: `keep` wherever anything is in doubt.
    public func decision(of node: String, in part: ClusterPartition, leads: Bool) -> Decision {
        guard let holders = placement.holders(of: part), !holders.contains(node), holders.count >= Self.fewest else {
            return .keep
        }
        let level = copies.filter { copy in
            holders.contains(copy.node) && present.contains(copy.node) && copy.isWell && copy.isOfThisVersion
                && copy.isFresh && copy.sequence >= end
        }
        guard Set(level.map(\.node)) == Set(holders) else { return .keep }
        guard leads, let successor = level.min(by: { ($0.leads, $0.node) < ($1.leads, $1.node) }) else {
            return .remove
        }
        return .handOver(to: successor.node)
    }
}
