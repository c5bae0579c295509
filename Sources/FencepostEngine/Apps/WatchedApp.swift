import FencepostJSON
public import FencepostModel
public import FencepostSimulator

/// A simulated app that receives the events of devices.
public struct WatchedApp: Sendable {
    /// The app's definition.
    public var app: App
    /// The definition and the steps as they are stored.
    public var stored: StoredApp
    /// The app's state on a device without a state of its own: the initial state after all stored steps.
    public var simulation: CoreLocationSimulation

    /// An app with its stored form and its state.
    public init(app: App, stored: StoredApp, simulation: CoreLocationSimulation) {
        self.app = app
        self.stored = stored
        self.simulation = simulation
    }

    /// Reads a stored app: its definition as an app file, then its steps.
    ///
    /// - Throws: `InvalidApp` when either has an error. Warnings are ignored.
    public init(stored: StoredApp, gate: RelaunchGate = RelaunchGate()) throws(InvalidApp) {
        let (apps, problems) = AppFile.read(stored.definition.utf8, file: stored.id, isStored: true)
        guard apps.count == 1, let app = apps.first, !problems.contains(where: { $0.severity == .error }) else {
            throw InvalidApp(id: stored.id, diagnostics: problems)
        }
        var simulation = app.simulation(gate: gate)
        let reader = ScenarioReader(file: nil)
        for (index, text) in stored.steps.enumerated() {
            guard let document = try? JSONDocument(parsing: text) else {
                let problem = Diagnostic(
                    code: "invalid_json", file: stored.id, at: .index(index), "The step is not JSON.")
                throw InvalidApp(id: stored.id, diagnostics: [problem])
            }
            let (step, problems) = reader.step(document.root, at: JSONPointer())
            guard let step else { throw InvalidApp(id: stored.id, diagnostics: problems) }
            _ = simulation.handle(step)
        }
        self.init(app: app, stored: stored, simulation: simulation)
    }

    /// A hash of the definition.
    var identity: String {
        var identity = Identity()
        identity.add(stored.definition)
        return identity.text(prefix: "")
    }
}

/// An app that cannot be read.
public struct InvalidApp: Error, Hashable, Sendable {
    /// The app.
    public var id: String
    /// What is wrong with it.
    public var diagnostics: [Diagnostic]

    /// An error for an app.
    public init(id: String, diagnostics: [Diagnostic]) {
        self.id = id
        self.diagnostics = diagnostics
    }
}
