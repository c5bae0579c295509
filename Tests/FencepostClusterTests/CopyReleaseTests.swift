import FencepostCluster
import FencepostModel
import FencepostTesting
import Testing

@Suite("Release of copies") struct CopyReleaseTests {
    private static let part = ClusterPartition.partition(3)

    /// A partition whose holders are level: anyone else may remove its copy.
    private static func level(_ copies: Int = 2, of members: Set<String> = ["a", "b", "c", "d", "e"]) -> CopyRelease {
        let placement = CopyPlacement(members: members, copies: copies)
        let holders = placement.holders(of: part) ?? []
        return CopyRelease(
            placement: placement, present: members,
            copies: holders.enumerated().map {
                CopyRelease.Copy(node: $1, isWell: true, isOfThisVersion: true, isFresh: true, sequence: 100, leads: $0)
            }, end: 100)
    }

    private static let surplus: String = {
        let placement = level().placement
        return placement.members.sorted().first { !placement.isHolder($0, of: part) } ?? ""
    }()

    @Test("A copy goes when all holders are level; one that leads hands over first, to the holder that leads fewest")
    func level() throws {
        let level = Self.level()
        let first = try #require(level.copies.first).node
        #expect(level.decision(of: Self.surplus, in: Self.part, leads: false) == .remove)
        #expect(level.decision(of: Self.surplus, in: Self.part, leads: true) == .handOver(to: first))
        #expect(level.decision(of: "gateway", in: Self.part, leads: false) == .remove)
    }

    @Test("A holder keeps its copy, and every node the configuration, and everything where all have all")
    func kept() throws {
        for holder in Self.level().copies.map(\.node) {
            #expect(Self.level().decision(of: holder, in: Self.part, leads: false) == .keep)
        }
        #expect(Self.level().decision(of: Self.surplus, in: .configuration, leads: false) == .keep)
        var all = Self.level()
        all.placement.copies = nil
        #expect(all.decision(of: Self.surplus, in: Self.part, leads: false) == .keep)
    }

    @Test("Anything uncertain about any holder keeps the copy", arguments: [2, 3])
    func uncertain(_ copies: Int) throws {
        let level = Self.level(copies)
        let node = try #require(level.placement.members.sorted().first { !level.placement.isHolder($0, of: Self.part) })
        #expect(level.decision(of: node, in: Self.part, leads: false) == .remove)
        for index in level.copies.indices {
            let changes: [(String, (inout CopyRelease) -> Void)] = [
                ("it has no report", { $0.copies.remove(at: index) }),
                ("it fetches, or has a problem", { $0.copies[index].isWell = false }),
                ("it is of a newer version", { $0.copies[index].isOfThisVersion = false }),
                ("its report is old", { $0.copies[index].isFresh = false }),
                ("it is behind", { $0.copies[index].sequence = 99 }),
                ("it has taken its name out", { $0.present.remove($0.copies[index].node) }),
                ("another node has reported twice", { $0.copies[index] = $0.copies[(index + 1) % $0.copies.count] }),
            ]
            for (what, change) in changes {
                var release = level
                change(&release)
                for leads in [false, true] {
                    #expect(release.decision(of: node, in: Self.part, leads: leads) == .keep, "\(what)")
                }
            }
        }
    }

    @Test("One holder is not enough, nor is none")
    func tooFew() {
        for members: Set<String> in [[], ["a"]] {
            #expect(Self.level(of: members).decision(of: "z", in: Self.part, leads: false) == .keep)
        }
    }

    // MARK: - Nodes that decide at the same time

    @Test(
        "Two nodes may both decide to go, each since the other has a copy; only one of them can change the list"
    )
    func mutual() throws {
        let all = Self.level(of: ["a", "b", "c"])
        let last = try #require(all.placement.members.first { !all.placement.isHolder($0, of: Self.part) })
        let first = try #require(all.copies.first).node
        // Another node knows that the first holder was removed, so that the third one takes its place.
        var later = all
        later.placement.members.remove(first)
        later.copies = ["a", "b", "c"].map {
            CopyRelease.Copy(node: $0, isWell: true, isOfThisVersion: true, isFresh: true, sequence: 100, leads: 0)
        }
        #expect(all.decision(of: last, in: Self.part, leads: false) == .remove)
        #expect(later.decision(of: first, in: Self.part, leads: false) == .remove)
        // The one that is second reads the list again.
        later.present.remove(last)
        #expect(later.decision(of: first, in: Self.part, leads: false) == .keep)
    }

    /// Nodes that know old lists and old reports, restart with other settings, lose disks and are removed.
    private struct World {
        var members: Set<String> = ["n0", "n1", "n2", "n3"]
        /// The list in NATS, with a revision.
        var present: (nodes: Set<String>, revision: Int)
        /// What each node has applied; nodes without a copy are not there.
        var copies: [String: UInt64]
        var end: UInt64 = 100
        var reports: [String: CopyRelease.Copy] = [:]
        /// What a node has read and acts by later.
        var read: [String: Read] = [:]
        var settings: [String: Int] = [:]
        var dead: Set<String> = []
        var removals = 0
        /// How many disks were lost.
        var losses = 0

        struct Read {
            var present: (nodes: Set<String>, revision: Int)
            var members: Set<String>
            var end: UInt64
            var losses: Int
            /// Read after the list.
            var reports: [CopyRelease.Copy]?
        }

        init() {
            copies = Dictionary(uniqueKeysWithValues: ["n0", "n1", "n2", "n3"].map { ($0, 100) })
            present = (Set(copies.keys), 1)
            for node in copies.keys { settings[node] = 2 }
        }

        /// How many copies have all that the log had when a node began to decide.
        func complete(_ end: UInt64) -> Int { copies.values.count { $0 >= end } }

        mutating func kill(_ node: String) {
            dead.insert(node)
            reports[node]?.isFresh = false
            if complete(end) > 2, copies.removeValue(forKey: node) != nil { losses += 1 }
        }

        /// It starts, and writes the list.
        mutating func revive(_ node: String, isRemoved: Bool) {
            dead.remove(node)
            read[node] = nil
            if isRemoved { members.remove(node) }
            let isIn = copies[node] != nil
            present = (isIn ? present.nodes.union([node]) : present.nodes.subtracting([node]), present.revision + 1)
        }

        /// It adds itself to the members, fetches a copy if it is to have one, and writes the list.
        mutating func join(_ node: String) {
            members.insert(node)
            let placement = CopyPlacement(members: members, copies: settings[node] ?? 2)
            if placement.isHolder(node, of: part), copies[node] == nil { copies[node] = copies.values.max() }
            guard copies[node] != nil, !present.nodes.contains(node) else { return }
            present = (present.nodes.union([node]), present.revision + 1)
        }

        /// It does what it decides by what it has read, perhaps after a long pause.
        mutating func act(_ node: String, _ removed: (_ complete: Int) -> Void) {
            guard copies[node] != nil, let known = read.removeValue(forKey: node), let reports = known.reports else {
                return
            }
            let release = CopyRelease(
                placement: CopyPlacement(members: known.members, copies: settings[node] ?? 2),
                present: known.present.nodes, copies: reports, end: known.end)
            guard release.decision(of: node, in: part, leads: false) == .remove,
                known.present.revision == present.revision
            else { return }
            present = (present.nodes.subtracting([node]), present.revision + 1)
            copies[node] = nil
            removals += 1
            removed(complete(known.end) + losses - known.losses)
        }
    }

    @Test("Whatever nodes know, two complete copies remain after each removal, but for disks that were lost meanwhile")
    func simulation() throws {
        var removals = 0
        for seed in 0..<2000 {
            var generator = SeededGenerator(seed: UInt64(seed))
            var world = World()
            for step in 0..<600 {
                Self.step(&world, &generator) { left in
                    #expect(left >= 2, "seed \(seed), step \(step)")
                }
            }
            removals += world.removals
        }
        #expect(removals > 400, "copies are removed at all")
    }

    /// One step of one node. A disk is lost only where two other complete copies remain, since nothing can help otherwise.
    private static func step(
        _ world: inout World, _ generator: inout SeededGenerator, _ removed: (_ complete: Int) -> Void
    ) {
        let node = "n\(Int.random(in: 0..<5, using: &generator))"
        let isAlive = !world.dead.contains(node)
        switch Int.random(in: 0..<40, using: &generator) {
        case 0: world.end += 1
        case 1: world.settings[node] = Int.random(in: 2...3, using: &generator)
        case 2 where world.dead.isEmpty: world.kill(node)
        case 3...7 where !isAlive: world.revive(node, isRemoved: Bool.random(using: &generator))
        // It is paused for so long that somebody removes it, and goes on.
        case 8 where world.members.count > 2: world.members.remove(node)
        case 9...11 where isAlive: world.join(node)
        case 12...17 where isAlive && world.copies[node] != nil: world.copies[node] = world.end
        case 18...24 where isAlive:
            // It reports, also that it has none.
            world.reports[node] = CopyRelease.Copy(
                node: node, isWell: world.copies[node] != nil, isOfThisVersion: true, isFresh: true,
                sequence: world.copies[node] ?? 0,
                leads: 0)
        case 25...29 where isAlive && world.copies[node] != nil:
            world.read[node] = World.Read(
                present: world.present, members: world.members, end: world.end, losses: world.losses)
        case 30...34 where isAlive: world.read[node]?.reports = Array(world.reports.values)
        case 35... where isAlive: world.act(node, removed)
        default: break
        }
    }
}
