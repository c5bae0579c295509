import FencepostJSON
import FencepostModel
import FencepostSimulator
import FencepostTesting
import Testing

@Suite("Whatever is done, the simulation") struct SimulationPropertyTests {
    static let seeds = 1...400 as ClosedRange<UInt64>

    @Test("gives each event one delivery and each step one report", arguments: seeds)
    func counts(seed: UInt64) {
        let random = RandomScenario(seed: seed)
        var simulation = CoreLocationSimulation(random.device)
        for step in random.steps {
            let actions = simulation.handle(step)
            let deliveries = actions.count { if case .deliver = $0 { true } else { false } }
            let reports = actions.count { if case .report = $0 { true } else { false } }
            #expect(reports == 1)
            if case .event = step.verb { #expect(deliveries == 1) }
        }
    }

    @Test("gives the same bytes for the same steps", arguments: seeds)
    func repeats(seed: UInt64) {
        let random = RandomScenario(seed: seed)
        let scenario = Scenario(name: "\(seed)", device: random.device, steps: random.steps)
        #expect(text(scenario) == text(scenario))
    }

    @Test("gives a reason for every step without effect", arguments: seeds)
    func explains(seed: UInt64) {
        let random = RandomScenario(seed: seed)
        var simulation = CoreLocationSimulation(random.device)
        for step in random.steps {
            let isRequest =
                switch step.verb {
                case .request, .start: true
                default: false
                }
            guard isRequest, case .report(let report) = simulation.handle(step).last, report.effect == "none" else {
                continue
            }
            #expect(!report.notes.isEmpty, "\(step)")
        }
    }

    @Test("calls back only for a changed status", arguments: seeds)
    func callsBackForChanges(seed: UInt64) {
        var random = RandomScenario(seed: seed).device
        random.osVersion = OSVersion(13, 4)  // where accuracy is no news
        random.accuracy = .full
        var simulation = CoreLocationSimulation(random)
        var last = random.reportedStatus
        for step in RandomScenario(seed: seed).steps {
            switch step.verb {
            // A new installation has received no callback.
            case .uninstall, .offload, .restoreBackup: return
            // The rest of this test is about the system in which accuracy is no news.
            case .updateSystem: continue
            default: break
            }
            for case .callback(let status) in simulation.handle(step) {
                #expect(status != last)
                last = status
            }
        }
    }

    @Test("grants nothing that lasts beyond use", arguments: seeds)
    func lapses(seed: UInt64) {
        let random = RandomScenario(seed: seed)
        var simulation = CoreLocationSimulation(random.device)
        var wasInUse = random.device.isInUse
        for step in random.steps {
            _ = simulation.handle(step)
            let device = simulation.device
            if wasInUse, !device.isInUse {
                #expect(device.grant != .temporaryWhenInUse && device.accuracy != .temporaryFull)
            }
            wasInUse = device.isInUse
        }
    }

    private func text(_ scenario: Scenario) -> String {
        var writer = JSONWriter()
        writer.value(ScenarioRunner().run(scenario))
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
