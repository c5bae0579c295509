public import FencepostModel

/// Which nodes of a cluster are to have copies of its parts.
///
/// Every node computes it from the same members, so nothing has to assign copies. A partition has its copies on the members
/// with the highest hashes of (node, partition): rendezvous hashing, Thaler and Ravishankar, IEEE/ACM Transactions on
/// Networking 6(1), 1998. So a member that joins takes copies over and causes no other moves, and one that leaves causes moves
/// only of what it had. The holders of fewer copies are the first of those of more.
public struct CopyPlacement: Hashable, Sendable {
    /// The nodes that can have copies of partitions, also those that are away.
    public var members: Set<String>
    /// How many copies a partition is to have; `nil` for one on every node.
    public var copies: Int?

    /// Creates a value.
    public init(members: Set<String>, copies: Int?) {
        (self.members, self.copies) = (members, copies)
    }

    /// The members that are to have a copy of a part, fewer than `copies` where there are not as many.
    ///
    /// - Parameter part: the part.
    /// - Returns: the names, the highest hash first; `nil` for every node, as of the configuration.
    public func holders(of part: ClusterPartition) -> [String]? {
        guard let copies, case .partition(let number) = part else { return nil }
        let ranked = members.map { (node: $0, rank: Self.rank($0, number)) }
            .sorted { ($0.rank, $0.node) > ($1.rank, $1.node) }
        return ranked.prefix(copies).map(\.node)
    }

    /// Whether a node is to have a copy of a part.
    ///
    /// - Parameters:
    ///   - node: the name of the node.
    ///   - part: the part.
    /// - Returns: true for every node where `holders(of:)` is `nil`.
    public func isHolder(_ node: String, of part: ClusterPartition) -> Bool {
        holders(of: part)?.contains(node) ?? true
    }

    /// FNV-1a-64 of `node/number`, mixed.
    private static func rank(_ node: String, _ number: Int) -> UInt64 {
        // The last bytes, in which names such as node-1 and node-2 differ, change only a few bits of FNV-1a. So without mixing
        // some nodes would get most copies. This is the finalizer of MurmurHash3 (Appleby).
        var hash = FNV1a64("\(node)/\(number)".utf8).hash
        hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
        return hash ^ hash >> 33
    }
}
