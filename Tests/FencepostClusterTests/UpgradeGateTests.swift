import FencepostCluster
import Testing

@Suite("Gate of an upgrade") struct UpgradeGateTests {
    /// A gate of a node whose version has schema 13.
    private final class Gate {
        private var gate = UpgradeGate(schema: 13)

        func isOpen(_ others: [UpgradeGate.Node]) -> Bool { gate.isOpen(others) }
    }

    private func node(
        _ name: String = "old", report: Int64 = 1, schema: Int = 12, mayLead: Bool = true, isAble: Bool = true
    ) -> UpgradeGate.Node {
        UpgradeGate.Node(name: name, report: report, schema: schema, mayLead: mayLead, isAble: isAble)
    }

    @Test("is open without other nodes, and among nodes of its version and newer ones") func ownVersion() {
        let gate = Gate()
        #expect(gate.isOpen([]))
        #expect(gate.isOpen([node("a", schema: 13), node("b", schema: 14)]))
    }

    @Test("is closed as long as an older node reports that it can lead, and open at once when it has ended")
    func older() {
        let gate = Gate()
        for round in 0..<Int64(1000) {
            // A report every two seconds.
            #expect(!gate.isOpen([node("new", schema: 13), node(report: round / 8)]))
        }
        #expect(gate.isOpen([node("new", schema: 13)]))
    }

    @Test("is open at once when an older node begins to end, and for gateways") func ending() {
        let gate = Gate()
        #expect(!gate.isOpen([node()]))
        #expect(gate.isOpen([node(report: 2, mayLead: false)]))
        // It was started again.
        #expect(!gate.isOpen([node(report: 3)]))
    }

    @Test("does not wait for an older node that is silent, or cannot lead", arguments: [true, false])
    func unable(isSilent: Bool) {
        let gate = Gate()
        var rounds = 0
        while !gate.isOpen([node(report: isSilent ? 1 : Int64(rounds), isAble: isSilent)]) {
            rounds += 1
            guard rounds <= UpgradeGate.maximumSilence else { break }
        }
        #expect(rounds == UpgradeGate.maximumSilence)
        // It goes on.
        #expect(!gate.isOpen([node(report: 1_000_000)]))
    }

    @Test("waits for each older node alone") func several() {
        let gate = Gate()
        for round in 0..<Int64(100) {
            #expect(!gate.isOpen([node("silent"), node("alive", report: round)]))
        }
        #expect(gate.isOpen([node("silent")]))
    }
}
