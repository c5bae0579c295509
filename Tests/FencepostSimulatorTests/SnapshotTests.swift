import FencepostModel
import FencepostSimulator
import Foundation
import Testing

@Suite("A simulation's snapshot") struct SnapshotTests {
    /// Through bytes and back, as another process would do it.
    private func reloaded(_ simulation: CoreLocationSimulation) throws -> CoreLocationSimulation {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = try encoder.encode(simulation.snapshot)
        let snapshot = try JSONDecoder().decode(CoreLocationSimulation.Snapshot.self, from: bytes)
        #expect(try encoder.encode(snapshot) == bytes)
        return CoreLocationSimulation(snapshot, gate: simulation.gate)
    }

    /// Two simulations that are equal in all that they hold say the same of every step that follows.
    private func expectNothingIsLost(_ given: Given, _ steps: [Step], gate: RelaunchGate, _ name: String) throws {
        var simulation = CoreLocationSimulation(given, gate: gate)
        for (index, step) in steps.enumerated() {
            var again = try reloaded(simulation)
            #expect(again == simulation, "\(name) before step \(index)")
            #expect(again.handle(step) == simulation.handle(step), "\(name), step \(index)")
            simulation = again
        }
        #expect(try reloaded(simulation) == simulation, "\(name) at its end")
    }

    @Test("changes nothing that follows, after any step of any scenario", arguments: try ScenarioTests.files())
    func scenarios(file: String) throws {
        for scenario in try ScenarioTests.scenarios(in: file) {
            try expectNothingIsLost(scenario.given, scenario.steps, gate: RelaunchGate(), scenario.name)
        }
    }

    @Test("changes nothing that follows, whatever is done", arguments: 1...60 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        let random = RandomScenario(seed: seed)
        try expectNothingIsLost(random.given, random.steps, gate: RelaunchGate(policy: .strict), "seed \(seed)")
    }

    @Test("holds no settings: it goes on by those that it is given") func gate() {
        let simulation = CoreLocationSimulation(Given())
        let strict = RelaunchGate(policy: .strict)
        #expect(CoreLocationSimulation(simulation.snapshot, gate: strict).gate == strict)
    }
}
