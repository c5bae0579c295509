/// A record of a part's log that a node does not apply, since it has ended the node's process repeatedly.
struct SetAsideRecord {
    /// Its position in the log.
    let position: UInt64
    /// Whether faults of its own ended the process, not only signals from outside.
    let isFaulty: Bool

    /// What the node does, for people.
    var sentence: String {
        "Applying record \(position) of the log has ended this node's process repeatedly. The node waits for the copy of a node "
            + "that has passed it."
    }
}
