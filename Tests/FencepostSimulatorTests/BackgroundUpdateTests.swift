import FencepostJSON
import FencepostModel
import FencepostSimulator
import Testing

/// What the scenario files cannot set: the policy, and how late events are.
@Suite("Updates in the background") struct BackgroundUpdateTests {
    static func launched(_ policy: SimulatorPolicy) -> CoreLocationSimulation {
        var device = DeviceState()
        device.osVersion = OSVersion(26, 2)
        device.grant = .always
        device.lifecycle = .terminated
        device.infoPlist = PropertyKeys(["UIBackgroundModes:location"])
        device.services = [ServiceObject(.regionCircular, identifier: "home")]
        var simulation = CoreLocationSimulation(device, policy: policy)
        var updates = ServiceObject(.standardUpdates)
        updates.allowsBackgroundLocationUpdates = true
        _ = simulation.handle(Step(.event(ServiceEvent(.regionCircular, .exit, identifier: "home"))))
        _ = simulation.handle(Step(.start(updates)))
        _ = simulation.handle(Step(.wait(.seconds(60))))
        return simulation
    }

    @Test("that start there keep an app running, but not by the strict policy") func policies() {
        #expect(Self.launched(.lenient).device.lifecycle == .backgroundRunning)
        #expect(Self.launched(.strict).device.lifecycle == .suspended)
    }

    @Test("are evaluated for each filter, accuracy and system") func filters() {
        for (filter, accuracy, major, minor, isKept) in [
            (nil, nil, 26, 0, true), (-1.0, 100.0, 26, 0, true), (0, -2, 16, 4, true), (1, 100, 16, 4, false),
            (nil, 101, 16, 4, false), (1, nil, 16, 3, true), (nil, 3000, 15, 0, true),
        ] as [(Double?, Double?, Int, Int, Bool)] {
            var device = DeviceState()
            device.osVersion = OSVersion(major, minor)
            device.grant = .always
            device.lifecycle = .backgroundRunning
            device.infoPlist = PropertyKeys(["UIBackgroundModes:location"])
            var updates = ServiceObject(.standardUpdates)
            updates.allowsBackgroundLocationUpdates = true
            (updates.distanceFilter, updates.desiredAccuracy) = (filter, accuracy)
            device.services = [updates]
            #expect(device.isKeptRunning == isKept, "\(filter ?? 0) m, \(accuracy ?? 0) m, \(major).\(minor)")
        }
    }

    @Test("of a region that is registered again before its late crossing arrives are discarded", arguments: [60, 300])
    func lateCrossing(after seconds: Int) throws {
        let text = """
            {"name":"n","given":{"osVersion":"18.0","grant":"always","services":[{"service":"regionCircular","identifier":"a"}]},
             "steps":[{"do":"event","service":"regionCircular","kind":"exit","identifier":"a","at":"2026-09-01T08:00:00Z"},
              {"do":"stop","service":"regionCircular","identifier":"a","at":"2026-09-01T08:0\(seconds / 60):00Z"},
              {"do":"start","service":"regionCircular","identifier":"a","radius":200}]}
            """
        let read = try #require(ScenarioReader(file: nil).scenarios(text.utf8).0)
        var scenario = read.scenarios[0]
        scenario.delayEvents(by: .typical)
        let delivery = try #require(ScenarioRunner().run(scenario).deliveries.first)
        #expect(delivery.outcome == (seconds == 60 ? .dropped : .delivered))
        #expect((delivery.decidingRule == .region20) == (seconds == 60))
    }
}
