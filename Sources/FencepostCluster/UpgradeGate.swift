/// Decides when a node may lead that would give the database of its part a newer schema.
///
/// Nodes of older versions cannot follow from there on. So such a node waits while one of them can lead, and when none can, it
/// does not wait for them: a cluster without a leader is worse than a node that has to be upgraded first.
public struct UpgradeGate: Sendable {
    /// What another node has reported.
    public struct Node: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// A number that changes with every report of a node that runs, such as the report's time.
        public var report: Int64
        /// The newest schema that its version knows; 0 when it does not say.
        public var schema: Int
        /// Whether it may ever lead: it is no gateway, and has not begun to end.
        public var mayLead: Bool
        /// Whether it can lead the part at the moment: it follows or leads, and has no problem.
        public var isAble: Bool

        /// Creates a value. More than five parameters, because each is another part of the report.
        public init(name: String, report: Int64, schema: Int, mayLead: Bool, isAble: Bool) {
            (self.name, self.report, self.schema) = (name, report, schema)
            (self.mayLead, self.isAble) = (mayLead, isAble)
        }
    }

    /// Rounds without a new report that says that a node can lead, after which nobody waits for it: as for a lease that is not
    /// renewed, eight seconds.
    public static let maximumSilence = LeaseMachine.suspicion
    /// Between rounds.
    public static let interval = LeaseMachine.readInterval

    /// What is known of an older node.
    private struct Standing {
        var report: Int64
        /// For how many rounds it has not said that it can lead.
        var silence = 0
    }

    private let schema: Int
    private var standings: [String: Standing] = [:]

    /// Creates a gate that knows no node.
    ///
    /// - Parameter schema: the schema that this node would give the database.
    public init(schema: Int) {
        self.schema = schema
    }

    /// Whether this node may lead. It is called in every round, with reports that were read; rounds in which NATS did not answer
    /// do not count, so nobody is given up then.
    ///
    /// - Parameter others: what the other nodes have reported.
    /// - Returns: whether no older node can lead.
    public mutating func isOpen(_ others: [Node]) -> Bool {
        let known = standings
        standings = [:]
        for node in others where node.mayLead && node.schema < schema {
            var standing = known[node.name] ?? Standing(report: node.report)
            let isNew = known[node.name] == nil || standing.report != node.report && node.isAble
            standing.silence = isNew ? 0 : standing.silence + 1
            standing.report = node.report
            standings[node.name] = standing
        }
        return standings.values.allSatisfy { $0.silence >= Self.maximumSilence }
    }
}
