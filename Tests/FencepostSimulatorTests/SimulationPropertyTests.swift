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
        var simulation = CoreLocationSimulation(random.given)
        for step in random.steps {
            let actions = simulation.handle(step)
            let deliveries = actions.count { if case .deliver = $0 { true } else { false } }
            let reports = actions.count { if case .report = $0 { true } else { false } }
            #expect(reports == 1)
            if case .event = step.verb { #expect(deliveries == 1) }
        }
    }

    @Test("says the same again, byte for byte", arguments: seeds)
    func repeats(seed: UInt64) {
        let random = RandomScenario(seed: seed)
        let scenario = Scenario(name: "\(seed)", given: random.given, steps: random.steps)
        #expect(text(scenario) == text(scenario))
    }

    @Test("never says silently that nothing was done", arguments: seeds)
    func explains(seed: UInt64) {
        let random = RandomScenario(seed: seed)
        var simulation = CoreLocationSimulation(random.given)
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

    @Test("tells the app only what is news to it", arguments: seeds)
    func tellsNews(seed: UInt64) {
        var random = RandomScenario(seed: seed).given
        random.osVersion = OSVersion(13, 4)  // where accuracy is no news
        random.accuracy = .full
        var simulation = CoreLocationSimulation(random)
        var told = random.reportedStatus
        for step in RandomScenario(seed: seed).steps {
            // A new install has heard of nothing.
            if case .uninstall = step.verb { return }
            for case .callback(let status) in simulation.handle(step) {
                #expect(status != told)
                told = status
            }
        }
    }

    @Test("grants nothing that lasts beyond use", arguments: seeds)
    func lapses(seed: UInt64) {
        let random = RandomScenario(seed: seed)
        var simulation = CoreLocationSimulation(random.given)
        var wasInUse = random.given.isInUse
        for step in random.steps {
            _ = simulation.handle(step)
            let given = simulation.given
            if wasInUse, !given.isInUse {
                #expect(given.grant != .temporaryWhenInUse && given.accuracy != .temporaryFull)
            }
            wasInUse = given.isInUse
        }
    }

    private func text(_ scenario: Scenario) -> String {
        var writer = JSONWriter()
        writer.value(ScenarioRunner().run(scenario))
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
