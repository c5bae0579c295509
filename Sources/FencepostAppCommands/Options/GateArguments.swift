package import ArgumentParser
package import FencepostSimulator

/// The reading of disputed rules, for the commands that ask the simulator.
package struct PolicyArguments: ParsableArguments {
    package init() {}

    @Option(
        name: .long,
        help: "Interpretation of disputed rules: strict delivers less; lenient follows the best sources.")
    package var policy = SimulatorPolicy.lenient

    package var gate: RelaunchGate { RelaunchGate(policy: policy) }
}

/// The reading of disputed rules, and how late events are.
package struct GateArguments: ParsableArguments {
    package init() {}

    @OptionGroup var interpretation: PolicyArguments

    @Option(name: .long, help: "Deliver events late, and say how late: none, typical or tail.")
    package var latency: DeliveryLatency = .none

    package var gate: RelaunchGate {
        var parameters = SimulatorParameters()
        parameters.latency = latency
        return RelaunchGate(policy: interpretation.policy, parameters: parameters)
    }
}

/// The app whose declarations a command reads.
package struct AppDeclarationArguments: ParsableArguments {
    package init() {}

    @Option(
        name: .long, help: "The app's Info.plist, or an app, archive, project or folder with one.", completion: .file())
    package var app: String?

    /// The declarations of the app; `nil` when none is named.
    package func declaration() throws -> AppDeclaration? { try app.map { try DeclarationFiles.declaration(at: $0) } }
}
