public import FencepostModel

/// Decides when a node hands a part to another one, so that all lead about as many.
///
/// Only the node that leads most of those that can hand one over does so, one part at a time, and only to a node that has
/// followed for a while: so nodes that restart one after the other do not make leaders change all the time.
public struct LeaderBalance: Sendable {
    /// A node that may lead.
    public struct Node: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// A number that changes with every report of a node that runs, such as the report's time.
        public var report: Int64
        /// The parts that it leads.
        public var leads: [ClusterPartition]
        /// The parts that it could lead, with those that it leads: it has copies of them.
        public var holds: Set<ClusterPartition>

        /// Creates a value.
        public init(name: String, report: Int64, leads: [ClusterPartition], holds: Set<ClusterPartition>) {
            (self.name, self.report, self.leads, self.holds) = (name, report, leads, holds)
        }
    }

    /// Rounds in which a node has to have been ready before it gets a part.
    static let steadyRounds = 5
    /// Rounds after a change in which nothing is changed again: reports need a while to show it.
    static let restingRounds = 3

    private var freshness = ReportFreshness()
    private var resting = 0

    /// Creates a value that knows no node.
    public init() {}

    /// Changes nothing for some rounds.
    public mutating func rest() { resting = Self.restingRounds }

    /// What a node is to hand over now. It is called in every round.
    ///
    /// - Parameters:
    ///   - ready: the nodes that could lead.
    ///   - node: the name of this one.
    /// - Returns: a part, and the node that is to lead it; `nil` for nothing.
    public mutating func next(_ ready: [Node], node: String) -> (part: ClusterPartition, successor: String)? {
        freshness.note(ready.map { ($0.name, $0.report) })
        guard resting == 0 else {
            resting -= 1
            return nil
        }
        let steady = ready.filter { freshness.rounds(of: $0.name) > Self.steadyRounds }
        guard let fewest = steady.map(\.leads.count).min() else { return nil }
        let givers = ready.filter { $0.leads.count > fewest + 1 }
        for giver in givers.sorted(by: { ($0.leads.count, $0.name) > ($1.leads.count, $1.name) }) {
            guard let move = Self.move(from: giver, to: steady) else { continue }
            guard giver.name == node else { return nil }
            rest()
            return (move.part, move.successor.name)
        }
        return nil
    }

    /// The part that a node can hand to the node that leads fewest of those that have a copy of one of its parts.
    private static func move(from giver: Node, to steady: [Node]) -> (part: ClusterPartition, successor: Node)? {
        var best: (part: ClusterPartition, successor: Node)?
        for part in giver.leads.sorted(by: >) {
            guard
                let least = steady.filter({ $0.holds.contains(part) })
                    .min(by: { ($0.leads.count, $0.name) < ($1.leads.count, $1.name) }),
                least.leads.count + 1 < giver.leads.count,
                least.leads.count < best?.successor.leads.count ?? .max
            else { continue }
            best = (part, least)
        }
        return best
    }
}
