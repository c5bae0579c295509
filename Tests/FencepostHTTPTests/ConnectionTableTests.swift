import FencepostTesting
import Testing

@testable import FencepostHTTP

@Suite("Open connections") struct ConnectionTableTests {
    private static func table(_ limit: Int, _ addressLimit: Int = 100, _ reserve: Int = 2) -> ConnectionTable {
        ConnectionTable(limit: limit, addressLimit: addressLimit, reserve: reserve)
    }

    @Test("beyond the limit replace the one that is idle longest") func leastRecentlyIdle() {
        var table = Self.table(3)
        let ids = (0..<3).map { _ in table.open(from: "a").id }
        table.setBusy(ids[0])
        table.setIdle(ids[0])
        #expect(table.open(from: "b").decision == .init(admission: .admitted, shed: ids[1], reason: .total))
        #expect(table.open(from: "b").decision.shed == ids[2])
        #expect(table.open(from: "b").decision.shed == ids[0])
        #expect(table.count == 3)
    }

    @Test("are kept while they are busy: the reserve is for health checks, and then they are refused") func reserve() {
        var table = Self.table(2)
        for _ in 0..<2 { table.setBusy(table.open(from: "a").id) }
        var reserve: [ConnectionTable.ID] = []
        for _ in 0..<2 {
            let (id, decision) = table.open(from: "b")
            #expect(decision == .init(admission: .healthOnly, shed: nil, reason: .total))
            table.setBusy(id)
            reserve.append(id)
        }
        #expect(table.open(from: "c").decision == .init(admission: .refused, shed: nil, reason: .total))
        #expect(table.count == 4)
        table.close(reserve[0])
        #expect(table.open(from: "c").decision.admission == .healthOnly)
    }

    @Test("of one address beyond its limit replace those of that address only") func address() {
        var table = Self.table(100, 2)
        let other = table.open(from: "b").id
        let own = (0..<2).map { _ in table.open(from: "a").id }
        #expect(table.open(from: "a").decision == .init(admission: .admitted, shed: own[0], reason: .address))
        #expect(table.shed(atMost: 1) == [other])
    }

    @Test(
        "never exceed the limits, and are all known, for any course of events", arguments: 1...50 as ClosedRange<UInt64>
    )
    func invariants(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = Self.table(20, 8, 3)
        var open: [ConnectionTable.ID: (address: String, isIdle: Bool)] = [:]
        for _ in 0..<2000 {
            let id = open.keys.sorted().randomElement(using: &random)
            switch (Int.random(in: 0..<5, using: &random), id) {
            case (1, let id?):
                table.close(id)
                open[id] = nil
            case (2, let id?):
                table.setBusy(id)
                open[id]?.isIdle = false
            case (3, let id?):
                table.setIdle(id)
                open[id]?.isIdle = true
            default:
                let address = "a\(Int.random(in: 0..<4, using: &random))"
                let (id, decision) = table.open(from: address)
                if let shed = decision.shed {
                    #expect(open.removeValue(forKey: shed)?.isIdle == true)
                }
                if decision.admission != .refused { open[id] = (address, true) }
                if decision.admission == .admitted { #expect(open.count <= 20) }
            }
            #expect(table.count == open.count && open.count <= 23)
            for address in 0..<4 { #expect(open.values.count { $0.address == "a\(address)" } <= 11) }
        }
    }
}
