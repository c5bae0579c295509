import ArgumentParser
import FencepostSimulator

/// The reading of disputed rules, for the commands that ask the simulator.
struct PolicyArguments: ParsableArguments {
    @Option(
        name: .long,
        help: "Interpretation of disputed rules: strict delivers less; lenient follows the best sources.")
    var policy = SimulatorPolicy.lenient

    var gate: RelaunchGate { RelaunchGate(policy: policy) }
}

/// The reading of disputed rules, and how late events are.
struct GateArguments: ParsableArguments {
    @OptionGroup var interpretation: PolicyArguments

    @Option(name: .long, help: "Deliver events late, and say how late: none, typical or tail.")
    var latency: DeliveryLatency = .none

    var gate: RelaunchGate {
        var parameters = SimulatorParameters()
        parameters.latency = latency
        return RelaunchGate(policy: interpretation.policy, parameters: parameters)
    }
}

/// The app whose declarations a command reads.
struct AppDeclarationArguments: ParsableArguments {
    @Option(
        name: .long, help: "The app's Info.plist, or an app, archive, project or folder with one.", completion: .file())
    var app: String?

    /// The declarations of the app; `nil` when none is named.
    func declaration() throws -> AppDeclaration? { try app.map { try DeclarationFiles.declaration(at: $0) } }
}
