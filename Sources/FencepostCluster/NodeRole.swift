/// What a node is in a partition of its cluster at the moment, as its reports name it.
public enum NodeRole: String, Hashable, Sendable, CaseIterable {
    case starting, follower, leader, failed
    /// It fetches the copy of another node.
    case fetching
    /// It has no copy, and is to have none.
    case noCopy = "none"
    /// It was stopped.
    case gone
}
