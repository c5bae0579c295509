/// Why a copy cannot follow its cluster's log.
public enum ReplicaError: Error, Hashable, Sendable {
    /// Its rows are not those that the log's records have left.
    case differs
    /// A record does not follow the last one that was applied, by its position or epoch.
    case outOfOrder(sequence: UInt64)
    /// Records between a sequence and the next one are missing: they were trimmed while the copy was away.
    case missing(after: UInt64)
    /// The log has a schema that this version does not know.
    case newerSchema(Int, known: Int)
    /// A record of the log has an older schema than the copy.
    case olderSchema(Int, copy: Int)
    /// A commit in the log has a format that this version does not know.
    case otherFormat(UInt8)
    /// A commit in the log is damaged.
    case unreadable
    /// The record at a position has ended the process repeatedly, so it is not applied to this copy.
    case setAside(position: UInt64)
    /// The migration to a schema fails on this copy, or has ended the process repeatedly; the log has no record of it.
    case cannotUpgrade(Int, reason: String)
    /// The database belongs to another cluster, or to one that was created again.
    case otherCluster
    /// The database has content that the cluster does not know.
    case notEmpty
}

extension ReplicaError {
    /// Whether only a newer version of the program can go on.
    public var needsNewerVersion: Bool {
        if case .newerSchema = self { true } else { false }
    }
}

extension ReplicaError: CustomStringConvertible {
    /// A sentence for people, with what to do.
    public var description: String {
        switch self {
        case .differs:
            "This copy differs from its cluster's log. Move it away: the node fetches another one at its next start."
        case .outOfOrder(let sequence):
            "Record \(sequence) of the cluster's log does not follow what this copy has applied. "
                + "Move the copy away: the node fetches another one at its next start."
        case .missing(let sequence):
            "The cluster's log has lost the records behind \(sequence), which this copy has not applied. "
                + "Move the copy away: the node fetches another one at its next start."
        case .newerSchema(let schema, let known):
            "The cluster was upgraded to a newer Fencepost (schema \(schema), this one knows \(known)). "
                + "Install that version on this node."
        case .olderSchema(let schema, let copy):
            "This copy has schema \(copy), and its cluster's log has schema \(schema). "
                + "Move the copy away: the node fetches another one at its next start."
        case .otherFormat(let format):
            "A commit in the cluster's log has the unknown format \(format). Install the newest version on all nodes."
        case .unreadable: "A commit in the cluster's log is damaged."
        case .setAside(let position):
            "Applying the record at position \(position) of the cluster's log has ended this node's process repeatedly, so "
                + "the record is not applied: the node fetches the copy of a node that has passed it."
        case .cannotUpgrade(let schema, let reason):
            "The database cannot be upgraded to schema \(schema), so this node does not lead: \(reason) "
                + "Start a node of the former version, which leads again, and install a version in which this is mended."
        case .otherCluster:
            "This database is a copy of another cluster, or the cluster was created again in NATS. "
                + "Choose another cluster.name, or move the database away and start with a new one."
        case .notEmpty:
            "This database has content that the cluster does not know. Start with a new storage.path, "
                + "or begin a new cluster with it: `fencepost cluster import`."
        }
    }
}
