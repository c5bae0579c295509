import FencepostModel
import FencepostSimulator

/// A scenario run once more, step by step, with the state after each.
struct ScenarioTrace {
    struct Moment {
        /// The state once the step is done.
        var given: Given
        /// The step's own time; `nil` until one is known.
        var clock: Timestamp?
        /// From the start of the scenario to the start of the step.
        var elapsed: Duration
        var prompts: [Prompt] = []
        var warnings: [RuleWarning] = []
        var errors: [ServiceError] = []
        var callbacks: [ReportedStatus] = []
        var crash: Crash?
    }

    /// How things are before the first step.
    let start: Given
    let moments: [Moment]

    init(_ scenario: Scenario, gate: RelaunchGate) {
        var simulation = CoreLocationSimulation(scenario.given, gate: gate)
        start = simulation.given
        var moments: [Moment] = []
        for step in scenario.steps {
            var elapsed = simulation.elapsed
            if let at = step.at, let now = simulation.now, at > now { elapsed += at - now }
            let clock = step.at ?? simulation.now
            let actions = simulation.handle(step)
            var moment = Moment(given: simulation.given, clock: clock, elapsed: elapsed)
            for action in actions { moment.record(action) }
            moments.append(moment)
        }
        self.moments = moments
    }
}

extension ScenarioTrace.Moment {
    fileprivate mutating func record(_ action: Action) {
        switch action {
        case .prompt(let prompt): prompts.append(prompt)
        case .callback(let status): callbacks.append(status)
        case .fail(let error): errors.append(error)
        case .crash(let crash): self.crash = crash
        case .warn(let warning): warnings.append(warning)
        // Told by the outcome, which also knows what became of them later.
        case .deliver, .settle, .missingKeys, .appMust, .report: break
        }
    }
}
