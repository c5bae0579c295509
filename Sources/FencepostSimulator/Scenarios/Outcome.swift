import FencepostJSON

/// What a scenario came to: its actions gathered, in the shape in which they are told.
public struct Outcome: Hashable, Sendable {
    public struct StepAccount: Hashable, Sendable {
        public var name: String
        public var report: StepReport
    }

    public var name: String
    public var failures: [Failure]?
    public var final: FinalState
    public var callbacks: [ReportedStatus] = []
    public var prompts: [Prompt] = []
    public var deliveries: [Delivery] = []
    public var errors: [ServiceError] = []
    public var crash: Crash?
    public var missingKeys: [String] = []
    public var appMust: [String] = []
    public var appNeedNot: [String] = []
    public var steps: [StepAccount] = []
    public var warnings: [RuleWarning] = []

    /// Where an expectation does not hold; both values as JSON text.
    public struct Failure: Hashable, Sendable {
        /// `deliveries[0].relaunch`.
        public var path: String
        public var expected: String
        public var actual: String
    }

    public var passed: Bool { failures?.isEmpty ?? true }

    public init(name: String, final: FinalState) {
        self.name = name
        self.final = final
    }

    /// Takes in what one step brought about.
    public mutating func record(_ actions: [Action], of step: Step) {
        for action in actions {
            switch action {
            case .prompt(let prompt): prompts.append(prompt)
            case .callback(let status): callbacks.append(status)
            case .deliver(let delivery): deliveries.append(delivery)
            case .settle(let index, let settlement): deliveries[index].settled = settlement
            case .fail(let error): errors.append(error)
            case .crash(let crash): self.crash = self.crash ?? crash
            case .missingKeys(let keys): missingKeys = (missingKeys + keys).uniqued
            case .appMust(let duty): appMust = (appMust + [duty]).uniqued
            case .warn(let warning):
                if !warnings.contains(where: { $0.rule == warning.rule }) { warnings.append(warning) }
            case .report(let report): steps.append(StepAccount(name: step.verb.name, report: report))
            }
        }
    }

    /// Takes in how things stand at the end.
    public mutating func close(_ simulation: CoreLocationSimulation) {
        final = simulation.final
        let (must, needNot) = simulation.duties
        appMust = (must + appMust).uniqued
        appNeedNot = needNot
    }
}

/// Runs a scenario and compares what comes of it with what it expects.
public struct ScenarioRunner: Hashable, Sendable {
    public var gate: RelaunchGate

    public init(gate: RelaunchGate = RelaunchGate()) {
        self.gate = gate
    }

    public func run(_ scenario: Scenario) -> Outcome {
        var simulation = CoreLocationSimulation(scenario.given, gate: gate)
        var outcome = Outcome(name: scenario.name, final: simulation.final)
        for step in scenario.steps { outcome.record(simulation.handle(step), of: step) }
        outcome.close(simulation)
        if let expected = scenario.expectation { outcome.failures = outcome.failures(against: expected) }
        return outcome
    }
}

extension Outcome {
    /// Where it differs from what is expected; only what the expectation names is compared.
    func failures(against expected: Expectation) -> [Failure] {
        var writer = JSONWriter()
        writer.value(self)
        guard let document = try? JSONDocument(parsing: writer.bytes) else { return [] }
        return expected.failures(of: document.root)
    }
}
