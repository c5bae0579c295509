public import FencepostModel

/// Decides when a node hands a part to another one, so that all lead about as many.
///
/// Only the node that leads most does so, one part at a time, and only to a node that has followed for a while: so nodes that
/// restart one after the other do not make leaders change all the time.
public struct LeaderBalance: Sendable {
    /// A node that follows or leads every part, and may lead.
    public struct Node: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// A number that changes with every report of a node that runs, such as the report's time.
        public var report: Int64
        /// The parts that it leads.
        public var leads: [ClusterPart]

        /// Creates a value.
        public init(name: String, report: Int64, leads: [ClusterPart]) {
            (self.name, self.report, self.leads) = (name, report, leads)
        }
    }

    /// Rounds in which a node has to have been ready before it gets a part.
    static let steadyRounds = 5
    /// Rounds after a change in which nothing is changed again: reports need a while to show it.
    static let restingRounds = 3

    /// Rounds without a new report after which a node counts as lost: its report stays for a minute.
    static let silentRounds = 2

    /// What is known of a node.
    private struct Standing {
        var report: Int64
        /// For how many rounds it was ready, and for how many it has reported nothing new.
        var rounds = 0
        var silence = 0
    }

    private var standings: [String: Standing] = [:]
    private var resting = 0

    /// Creates a value that knows no node.
    public init() {}

    /// Changes nothing for some rounds.
    public mutating func rest() { resting = Self.restingRounds }

    /// What a node is to hand over now. It is called in every round.
    ///
    /// - Parameters:
    ///   - ready: the nodes that could lead any part.
    ///   - node: the name of this one.
    /// - Returns: a part, and the node that is to lead it; `nil` for nothing.
    public mutating func next(_ ready: [Node], node: String) -> (part: ClusterPart, successor: String)? {
        let known = standings
        standings = Dictionary(
            ready.map { node in
                var standing = known[node.name] ?? Standing(report: node.report)
                let isSilent = known[node.name] != nil && standing.report == node.report
                standing.silence = isSilent ? standing.silence + 1 : 0
                standing.rounds = standing.silence > Self.silentRounds ? 0 : standing.rounds + 1
                standing.report = node.report
                return (node.name, standing)
            }, uniquingKeysWith: { first, _ in first })
        guard resting == 0 else {
            resting -= 1
            return nil
        }
        guard let most = ready.max(by: { ($0.leads.count, $0.name) < ($1.leads.count, $1.name) }), most.name == node,
            let least = ready.filter({ (standings[$0.name]?.rounds ?? 0) > Self.steadyRounds })
                .min(by: { ($0.leads.count, $0.name) < ($1.leads.count, $1.name) }),
            least.leads.count + 1 < most.leads.count, let part = most.leads.max()
        else { return nil }
        rest()
        return (part, least.name)
    }
}
