/// Numbers for the records of one run of a node, none of them twice.
///
/// The servers answer a record whose id they have seen in the last two minutes as a repeat of that one, without storing it. So
/// the records by which a node takes over and those of each of its leaderships have numbers apart from each other.
public struct RecordNumbers: Hashable, Sendable {
    /// How many records one leadership can have.
    static let ofOneLeadership: UInt64 = 1 << 40
    private static let firstTakeover: UInt64 = 1 << 63

    private var takeovers: UInt64 = 0
    private var leaderships: UInt64 = 0

    /// The numbers of a run that begins.
    public init() {}

    /// The number of a record by which the node takes over.
    ///
    /// - Returns: the number.
    public mutating func takeover() -> UInt64 {
        takeovers += 1
        return Self.firstTakeover + takeovers
    }

    /// The number of the first record of a leadership; its later ones count on.
    ///
    /// - Returns: the number.
    public mutating func leadership() -> UInt64 {
        leaderships += 1
        return leaderships * Self.ofOneLeadership
    }
}
