import FencepostJSON

/// The result of a scenario: its actions, collected by kind, and the final state.
public struct Outcome: Hashable, Sendable {
    /// The verb and the report of one step.
    public struct StepRecord: Hashable, Sendable {
        /// The verb of the step.
        public var name: String
        /// The report on the step.
        public var report: StepReport
    }

    /// The name of the scenario.
    public var name: String
    /// The differences from the expectation; `nil` without an expectation.
    public var failures: [Failure]?
    /// The state after the last step.
    public var final: FinalState
    /// The reported statuses, one for each callback.
    public var callbacks: [ReportedStatus] = []
    /// The prompts, in order.
    public var prompts: [Prompt] = []
    /// The decisions about events, in order.
    public var deliveries: [Delivery] = []
    /// The errors that the app received.
    public var errors: [ServiceError] = []
    /// The first crash; `nil` when the app did not crash.
    public var crash: Crash?
    /// The keys that the declaration lacks.
    public var missingKeys: [String] = []
    /// What the app has to do itself.
    public var appMust: [String] = []
    /// What the app does not have to do.
    public var appNeedNot: [String] = []
    /// The steps with their reports.
    public var steps: [StepRecord] = []
    /// The warnings, one for each rule.
    public var warnings: [RuleWarning] = []
    /// The differences from the device that the scenario was recorded on; `nil` for a scenario that was written.
    public var disagreements: [Disagreement]?
    /// The device that the scenario was recorded on.
    public var recorded: RecordingOrigin?

    /// A difference from the expectation. Both values are JSON text.
    public struct Failure: Hashable, Sendable {
        /// The path of the value: `deliveries[0].relaunch`.
        public var path: String
        /// The expected value.
        public var expected: String
        /// The actual value.
        public var actual: String
    }

    /// Whether the outcome is as expected, and as on the device. An outcome without an expectation passes.
    public var passed: Bool { (failures?.isEmpty ?? true) && (disagreements?.isEmpty ?? true) }

    /// Makes an outcome without actions.
    public init(name: String, final: FinalState) {
        self.name = name
        self.final = final
    }

    /// Adds the actions of one step.
    public mutating func record(_ actions: [Action], of step: Step) {
        for action in actions {
            switch action {
            case .prompt(let prompt): prompts.append(prompt)
            case .callback(let status): callbacks.append(status)
            case .deliver(let delivery): deliveries.append(delivery)
            case .settle(let index, let settlement): deliveries[index].settled = settlement
            case .fail(let error): errors.append(error)
            case .crash(let crash): self.crash = self.crash ?? crash
            case .missingKeys(let keys): missingKeys = (missingKeys + keys).withoutDuplicates
            case .appMust(let duty): appMust = (appMust + [duty]).withoutDuplicates
            case .warn(let warning):
                if !warnings.contains(where: { $0.rule == warning.rule }) { warnings.append(warning) }
            case .report(let report): steps.append(StepRecord(name: step.verb.name, report: report))
            }
        }
    }

    /// Adds the final state and the tasks of the app.
    public mutating func close(_ simulation: CoreLocationSimulation) {
        final = simulation.final
        let device = simulation.device
        if device.sessions.contains(where: { $0.session == .backgroundActivitySession }), device.system.isAtLeast(17),
            device.platform.isHandheld || device.platform == .watchOS, !device.infoPlist.declaresBackgroundLocation
        {
            missingKeys = (missingKeys + [PropertyKeys.backgroundModeLocation]).withoutDuplicates
        }
        let (must, needNot) = simulation.launchTasks
        appMust = (must + appMust).withoutDuplicates
        appNeedNot = needNot
    }
}

/// Runs scenarios and compares their outcomes with the expectations.
public struct ScenarioRunner: Hashable, Sendable {
    /// Decides the deliveries.
    public var gate: RelaunchGate

    /// Makes a runner.
    public init(gate: RelaunchGate = RelaunchGate()) {
        self.gate = gate
    }

    /// Runs a scenario.
    ///
    /// - Returns: the outcome, with the failures if the scenario has an expectation.
    public func run(_ scenario: Scenario) -> Outcome {
        var simulation = CoreLocationSimulation(scenario.device, gate: gate)
        var outcome = Outcome(name: scenario.name, final: simulation.final)
        var comparison = DeviceComparison()
        for (index, step) in scenario.steps.enumerated() {
            let prompts = outcome.prompts.count
            outcome.record(simulation.handle(step), of: step)
            comparison.compare(
                step, at: index, promptShown: outcome.prompts.count > prompts, simulation.device,
                outcome.steps.last?.report)
        }
        outcome.close(simulation)
        if scenario.recorded != nil || scenario.steps.contains(where: { $0.seen != nil }) {
            comparison.finish(outcome)
            outcome.disagreements = comparison.disagreements
            outcome.recorded = scenario.recorded
        }
        if let expected = scenario.expectation { outcome.failures = outcome.failures(against: expected) }
        return outcome
    }
}

extension Outcome {
    /// The differences from the expectation. Only members that the expectation names are compared.
    func failures(against expected: Expectation) -> [Failure] {
        var writer = JSONWriter()
        writer.value(self)
        guard let document = try? JSONDocument(parsing: writer.bytes) else { return [] }
        return expected.failures(of: document.root)
    }
}
