import FencepostModel
import FencepostSimulator
import Foundation
import Testing

@Suite("A simulation's snapshot") struct SnapshotTests {
    /// Encoded to bytes and decoded, as in another process.
    private func reloaded(_ simulation: CoreLocationSimulation) throws -> CoreLocationSimulation {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = try encoder.encode(simulation.snapshot)
        let snapshot = try JSONDecoder().decode(CoreLocationSimulation.Snapshot.self, from: bytes)
        #expect(try encoder.encode(snapshot) == bytes)
        return CoreLocationSimulation(snapshot, gate: simulation.gate)
    }

    /// Two simulations with equal state give the same results for every further step.
    private func expectNothingIsLost(_ device: DeviceState, _ steps: [Step], gate: RelaunchGate, _ name: String) throws
    {
        var simulation = CoreLocationSimulation(device, gate: gate)
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
            try expectNothingIsLost(scenario.device, scenario.steps, gate: RelaunchGate(), scenario.name)
        }
    }

    @Test("changes nothing that follows, after any random step", arguments: 1...60 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        let random = RandomScenario(seed: seed)
        try expectNothingIsLost(random.device, random.steps, gate: RelaunchGate(policy: .strict), "seed \(seed)")
    }

    @Test("keeps the keys under which services have stored it") func keys() throws {
        var device = DeviceState()
        device.services = [ServiceObject(.regionCircular, identifier: "office")]
        let bytes = try JSONEncoder().encode(CoreLocationSimulation(device).snapshot)
        let stored = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        // Absent optionals have no key.
        #expect(
            stored.keys.sorted() == [
                "deliveryCount", "elapsed", "given", "grantedAt", "isFreshlyLaunched", "known", "launches",
                "liveUpdatesArePaused", "openMonitors", "queue", "secondPromptScheduled", "stepCount",
                "usedLocationInBackground", "wasLaunched", "watch",
            ])
        let given = try #require(stored["given"] as? [String: Any])
        #expect(given.keys.contains("alwaysRequestUsed") && given.keys.contains("wasWokenByBeacon"))
        let service = try #require((given["services"] as? [[String: Any]])?.first)
        #expect(
            service.keys.sorted() == [
                "endedWithTheProcess", "identifier", "isBeyondLimit", "isUnclaimed", "service", "startedInUse",
            ])
    }

    @Test("holds no settings: it continues with the gate that it gets") func gate() {
        let simulation = CoreLocationSimulation(DeviceState())
        let strict = RelaunchGate(policy: .strict)
        #expect(CoreLocationSimulation(simulation.snapshot, gate: strict).gate == strict)
    }
}
