/// Which nodes report: a report stays in NATS for a minute after its node was lost.
public struct ReportFreshness: Sendable {
    /// Rounds without a new report after which a node counts as lost.
    static let silentRounds = 2

    private struct Standing {
        var report: Int64
        /// For how many rounds it was there, and for how many it has reported nothing new.
        var rounds = 0
        var silence = 0
    }

    private var standings: [String: Standing] = [:]

    /// Creates a value that knows no node.
    public init() {}

    /// Notes the reports of a round. Nodes without one are forgotten.
    ///
    /// - Parameter reports: nodes, with a number that changes with every report of a node that runs.
    public mutating func note(_ reports: [(node: String, report: Int64)]) {
        let known = standings
        standings = Dictionary(
            reports.map { node, report in
                var standing = known[node] ?? Standing(report: report)
                let isSilent = known[node] != nil && standing.report == report
                standing.silence = isSilent ? standing.silence + 1 : 0
                standing.rounds = standing.silence > Self.silentRounds ? 0 : standing.rounds + 1
                standing.report = report
                return (node, standing)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// For how many rounds a node has reported without a longer pause; 0 for one that is lost.
    public func rounds(of node: String) -> Int { standings[node]?.rounds ?? 0 }
}
