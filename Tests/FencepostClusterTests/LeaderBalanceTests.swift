import FencepostCluster
import FencepostModel
import FencepostTesting
import Testing

@Suite("Balance of leaders") struct LeaderBalanceTests {
    /// Nodes that report what they lead with a delay of one round, and hand over within a round.
    private struct World {
        var leads: [String: Set<ClusterPartition>]
        static let all = Set(Partitioning(count: 256).parts)
        /// The parts of which a node has copies; all where it has no entry.
        var copies: [String: Set<ClusterPartition>] = [:]
        var balances: [String: LeaderBalance]
        var reported: [String: Set<ClusterPartition>]
        var changes = 0
        var time: Int64 = 0
        /// Nodes that were killed.
        var dead: Set<String> = []

        init(_ leads: [String: Set<ClusterPartition>]) {
            (self.leads, reported) = (leads, leads)
            balances = leads.mapValues { _ in LeaderBalance() }
        }

        mutating func round() {
            time += 1
            let nodes = reported.map { name, leads in
                LeaderBalance.Node(
                    name: name, report: dead.contains(name) ? 0 : time, leads: leads.sorted(),
                    holds: copies[name] ?? Self.all)
            }
            reported = leads
            for name in leads.keys.sorted() where !dead.contains(name) {
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
        for seed in SeedShare.of(0..<300) {
            var generator = SeededGenerator(seed: UInt64(seed))
            let names = (0..<Int.random(in: 1...6, using: &generator)).map { "node-\($0)" }
            let parts = Partitioning(count: Int.random(in: 2...64, using: &generator)).parts
            var leads: [String: Set<ClusterPartition>] = Dictionary(uniqueKeysWithValues: names.map { ($0, []) })
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

    @Test("Where nodes have copies of some parts, only those lead them, and no single change would even them out more")
    func copiesOfSome() {
        for seed in 0..<60 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let names = (0..<Int.random(in: 3...6, using: &generator)).map { "node-\($0)" }
            let parts = Partitioning(count: Int.random(in: 2...32, using: &generator)).parts
            let placement = CopyPlacement(members: Set(names), copies: 2)
            var world = World(Dictionary(uniqueKeysWithValues: names.map { ($0, []) }))
            for name in names { world.copies[name] = Set(parts.filter { placement.isHolder(name, of: $0) }) }
            for part in parts {
                let holders = placement.holders(of: part) ?? names
                world.leads[holders.randomElement(using: &generator) ?? names[0]]?.insert(part)
            }
            world.reported = world.leads
            for _ in 0..<300 { world.round() }
            let changes = world.changes
            for _ in 0..<100 { world.round() }
            #expect(world.changes == changes, "seed \(seed)")
            for (name, leads) in world.leads {
                #expect(world.copies[name]?.isSuperset(of: leads) == true)
                for part in leads {
                    let least =
                        names.filter { world.copies[$0]?.contains(part) ?? false }
                        .compactMap { world.leads[$0]?.count }.min() ?? 0
                    #expect(leads.count - least <= 1, "seed \(seed)")
                }
            }
        }
    }

    @Test("A node that has just come gets nothing at first, and one part at a time then")
    func newcomer() {
        var balance = LeaderBalance()
        let parts = Partitioning(count: 7).parts
        func nodes(_ names: [String], _ time: Int) -> [LeaderBalance.Node] {
            names.map {
                LeaderBalance.Node(name: $0, report: Int64(time), leads: $0 == "a" ? parts : [], holds: Set(parts))
            }
        }
        for time in 0..<20 { #expect(balance.next(nodes(["a"], time), node: "a") == nil) }
        let results = (20..<32).map { balance.next(nodes(["a", "b"], $0), node: "a") }
        #expect(results.prefix(5).allSatisfy { $0 == nil })
        #expect(results.compactMap(\.self).allSatisfy { $0.part == .partition(6) && $0.successor == "b" })
        #expect((1...3).contains(results.compactMap(\.self).count))
        // The node that leads less does nothing.
        var other = LeaderBalance()
        for time in 0..<20 { #expect(other.next(nodes(["a", "b"], time), node: "b") == nil) }
    }

    @Test("A node that was killed gets nothing, although its last report is still there")
    func killed() {
        var world = World(["a": Set(Partitioning(count: 5).parts), "b": []])
        world.dead = ["b"]
        for _ in 0..<60 { world.round() }
        #expect(world.leads["b"]?.isEmpty == true)
    }
}
