import FencepostCluster
import FencepostModel
import FencepostTesting
import Testing

@Suite("Balance of leaders") struct LeaderBalanceTests {
    /// Nodes that report what they lead with a delay of one round, and hand over within a round.
    private struct World {
        var leads: [String: Set<ClusterPart>]
        var balances: [String: LeaderBalance]
        var reported: [String: Set<ClusterPart>]
        var changes = 0

        init(_ leads: [String: Set<ClusterPart>]) {
            (self.leads, reported) = (leads, leads)
            balances = leads.mapValues { _ in LeaderBalance() }
        }

        mutating func round() {
            let nodes = reported.map { LeaderBalance.Node(name: $0.key, leads: $0.value.sorted()) }
            reported = leads
            for name in leads.keys.sorted() {
                guard let next = balances[name]?.next(nodes, node: name),
                    leads[name]?.remove(next.part) != nil
                else { continue }
                leads[next.successor]?.insert(next.part)
                changes += 1
            }
        }

        var counts: [Int] { leads.values.map(\.count) }
        var spread: Int { (counts.max() ?? 0) - (counts.min() ?? 0) }
    }

    @Test("Leaders even out from any distribution, no part is lost, and nothing changes afterwards")
    func evensOut() {
        for seed in 0..<300 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let names = (0..<Int.random(in: 1...6, using: &generator)).map { "node-\($0)" }
            let parts = Partitioning(count: Int.random(in: 2...64, using: &generator)).parts
            var leads: [String: Set<ClusterPart>] = Dictionary(uniqueKeysWithValues: names.map { ($0, []) })
            for part in parts { leads[names.randomElement(using: &generator) ?? names[0]]?.insert(part) }
            var world = World(leads)
            for _ in 0..<600 { world.round() }
            #expect(world.spread <= 1, "seed \(seed)")
            #expect(world.leads.values.reduce(into: Set()) { $0.formUnion($1) } == Set(parts), "seed \(seed)")
            #expect(world.counts.reduce(0, +) == parts.count)
            let changes = world.changes
            for _ in 0..<100 { world.round() }
            #expect(world.changes == changes, "seed \(seed)")
        }
    }

    @Test("A node that has just come gets nothing at first, and one part at a time then")
    func newcomer() {
        var balance = LeaderBalance()
        let parts = Partitioning(count: 7).parts
        let alone = [LeaderBalance.Node(name: "a", leads: parts)]
        for _ in 0..<20 { #expect(balance.next(alone, node: "a") == nil) }
        let both = alone + [LeaderBalance.Node(name: "b", leads: [])]
        let results = (0..<12).map { _ in balance.next(both, node: "a") }
        #expect(results.prefix(5).allSatisfy { $0 == nil })
        #expect(results.compactMap(\.self).allSatisfy { $0.part == .partition(6) && $0.successor == "b" })
        #expect((1...3).contains(results.compactMap(\.self).count))
        // The node that leads less does nothing.
        var other = LeaderBalance()
        for _ in 0..<20 { #expect(other.next(both, node: "b") == nil) }
    }
}
