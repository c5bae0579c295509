import FencepostModel
import FencepostSimulator

/// The states of a scenario after each step. It runs the scenario again.
struct ScenarioTrace {
    struct Moment {
        /// The state after the step.
        var device: DeviceState
        /// The time of the step; `nil` until one is known.
        var clock: Timestamp?
        /// The time from the start of the scenario to the start of the step.
        var elapsed: Duration
        var prompts: [Prompt] = []
        var warnings: [RuleWarning] = []
        var errors: [ServiceError] = []
        var callbacks: [ReportedStatus] = []
        var crash: Crash?
    }

    /// The state before the first step.
    let start: DeviceState
    let moments: [Moment]

    init(_ scenario: Scenario, gate: RelaunchGate) {
        var simulation = CoreLocationSimulation(scenario.device, gate: gate)
        start = simulation.device
        var moments: [Moment] = []
        for step in scenario.steps {
            var elapsed = simulation.elapsed
            if let at = step.at, let now = simulation.now, at > now { elapsed += at - now }
            let clock = step.at ?? simulation.now
            let actions = simulation.handle(step)
            var moment = Moment(device: simulation.device, clock: clock, elapsed: elapsed)
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
        // The outcome contains these, with their later results.
        case .deliver, .settle, .missingKeys, .appMust, .report: break
        }
    }
}
