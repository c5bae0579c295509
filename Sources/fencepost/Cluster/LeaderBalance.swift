import FencepostModel

/// Decides when a node hands a part to another one, so that all lead about as many.
///
/// Only the node that leads most does so, one part at a time, and only to a node that has followed for a while: so nodes that
/// restart one after the other do not make leaders change all the time.
struct LeaderBalance: Sendable {
    /// Reports for which a node has to have followed, two seconds each.
    static let steadyRounds = 5
    /// Rounds after a change in which nothing is changed again.
    static let restingRounds = 3

    /// For how many rounds each node has followed or led every part.
    private var rounds: [String: Int] = [:]
    private var resting = 0

    /// Creates a value that knows no node.
    init() {}

    /// Changes nothing for some rounds.
    mutating func rest() { resting = Self.restingRounds }

    /// What a node is to hand over now.
    ///
    /// - Parameters:
    ///   - reports: those of all nodes.
    ///   - node: the name of this one.
    /// - Returns: a part and the node that is to lead it; `nil` for nothing.
    mutating func next(_ reports: [NodeReport], node: String) -> (part: ClusterPart, successor: String)? {
        let ready = reports.filter { report in
            report.mayLead && !report.parts.isEmpty
                && report.parts.allSatisfy { [.follower, .leader].contains($0.role) && $0.problem == nil }
        }
        rounds = Dictionary(uniqueKeysWithValues: ready.map { ($0.node, rounds[$0.node, default: 0] + 1) })
        guard resting == 0 else {
            resting -= 1
            return nil
        }
        let leads = ready.map { report in (report.node, report.parts.filter { $0.role == .leader }.count) }
        guard let most = leads.max(by: { ($0.1, $0.0) < ($1.1, $1.0) }), most.0 == node,
            let least = leads.filter({ rounds[$0.0, default: 0] > Self.steadyRounds })
                .min(by: { ($0.1, $0.0) < ($1.1, $1.0) }), least.1 + 1 < most.1,
            let own = ready.first(where: { $0.node == node }),
            let part = own.parts.last(where: { $0.role == .leader })
        else { return nil }
        rest()
        return (part.part, least.0)
    }
}
