import FencepostCluster
import FencepostModel
import FencepostTesting
import Testing

@Suite("Placement of copies") struct CopyPlacementTests {
    private static func members(_ count: Int) -> Set<String> { Set((1...count).map { "node-\($0)" }) }

    private static func holders(_ members: Set<String>, _ copies: Int, _ part: ClusterPartition) throws -> [String] {
        try #require(CopyPlacement(members: members, copies: copies).holders(of: part))
    }

    @Test("Each partition has as many copies as it is to have, on different members")
    func counts() throws {
        for count in 1...9 {
            let members = Self.members(count)
            for copies in 2...4 {
                for part in Partitioning(count: 64).devices {
                    let holders = try Self.holders(members, copies, part)
                    #expect(holders.count == min(copies, count))
                    #expect(Set(holders).count == holders.count && members.isSuperset(of: holders))
                }
            }
        }
    }

    @Test("Every node has the configuration, and everything where no number of copies is set")
    func everywhere() {
        let some = CopyPlacement(members: ["a", "b", "c"], copies: 2)
        #expect(some.holders(of: .configuration) == nil)
        #expect(some.isHolder("gateway", of: .configuration))
        #expect(!some.isHolder("gateway", of: .partition(0)))
        let all = CopyPlacement(members: ["a"], copies: nil)
        #expect(all.holders(of: .partition(3)) == nil)
        #expect(all.isHolder("gateway", of: .partition(3)))
    }

    /// Another version of the program must not place copies elsewhere: nodes of both would fetch and remove them in turn.
    @Test("The places are those of earlier versions")
    func vectors() throws {
        let members = Self.members(5)
        let holders = try (0..<8).map { try Self.holders(members, 2, .partition($0)) }
        #expect(
            holders == [
                ["node-5", "node-3"], ["node-5", "node-1"], ["node-5", "node-1"], ["node-5", "node-3"],
                ["node-3", "node-1"], ["node-5", "node-2"], ["node-4", "node-2"], ["node-2", "node-1"],
            ])
    }

    @Test("A member that joins takes over copies, and no others move")
    func join() throws {
        for count in 2...12 {
            for copies in 2...3 {
                var moves = 0
                let parts = Partitioning(count: 256).devices
                for part in parts {
                    let before = try Self.holders(Self.members(count), copies, part)
                    let after = try Self.holders(Self.members(count + 1), copies, part)
                    let joined = Set(after).subtracting(before)
                    #expect(joined.isEmpty || joined == ["node-\(count + 1)"])
                    #expect(Set(before).subtracting(after).count == (count < copies ? 0 : joined.count))
                    moves += joined.count
                }
                let share = Double(parts.count * min(copies, count + 1)) / Double(count + 1)
                #expect(Double(moves) < share * 1.4 && Double(moves) > share * 0.6, "\(count), \(copies): \(moves)")
            }
        }
    }

    @Test("When a member is removed, only what it had gets another holder")
    func leave() throws {
        for part in Partitioning(count: 256).devices {
            let before = try Self.holders(Self.members(6), 2, part)
            var members = Self.members(6)
            members.remove("node-4")
            let after = try Self.holders(members, 2, part)
            #expect(Set(before).subtracting(after) == (before.contains("node-4") ? ["node-4"] : []))
        }
    }

    @Test("More copies are those of fewer, and more")
    func nested() throws {
        for part in Partitioning(count: 64).devices {
            let three = try Self.holders(Self.members(7), 3, part)
            #expect(try Array(three.prefix(2)) == Self.holders(Self.members(7), 2, part))
        }
    }

    @Test("Members have about as many copies each, whatever their names", arguments: ["node-", "", "berlin-rack7-"])
    func even(_ prefix: String) throws {
        for count in [3, 4, 5, 8, 10] {
            let members = Set((0..<count).map { "\(prefix)\($0)" })
            var held: [String: Int] = [:]
            for part in Partitioning(count: 256).devices {
                for holder in try Self.holders(members, 2, part) { held[holder, default: 0] += 1 }
            }
            let share = 512.0 / Double(count)
            #expect(held.count == count)
            #expect(held.values.allSatisfy { Double($0) > share * 0.6 && Double($0) < share * 1.4 }, "\(held)")
        }
    }
}
