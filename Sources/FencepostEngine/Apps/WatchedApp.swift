import FencepostJSON
public import FencepostModel
public import FencepostSimulator

/// A simulated app as it is watched.
public struct WatchedApp: Sendable {
    public var app: App
    public var stored: StoredApp
    /// The app on a device that nothing is known of yet, after the steps that were taken.
    public var simulation: CoreLocationSimulation

    public init(app: App, stored: StoredApp, simulation: CoreLocationSimulation) {
        self.app = app
        self.stored = stored
        self.simulation = simulation
    }

    /// Reads what is stored of an app: its definition as an app file, then the steps that were taken since.
    ///
    /// - Throws: when either cannot be read; warnings alone are passed over.
    public init(stored: StoredApp, gate: RelaunchGate = RelaunchGate()) throws(InvalidApp) {
        let (apps, problems) = AppFile.read(stored.definition.utf8, file: stored.id)
        guard apps.count == 1, let app = apps.first, !problems.contains(where: { $0.severity == .error }) else {
            throw InvalidApp(id: stored.id, diagnostics: problems)
        }
        var simulation = app.simulation(gate: gate)
        let reader = ScenarioReader(file: nil)
        for (index, text) in stored.steps.enumerated() {
            guard let document = try? JSONDocument(parsing: text) else {
                let problem = Diagnostic(
                    code: "invalid_json", file: stored.id, at: .index(index), "The step is no JSON.")
                throw InvalidApp(id: stored.id, diagnostics: [problem])
            }
            let (step, problems) = reader.step(document.root, at: JSONPointer())
            guard let step else { throw InvalidApp(id: stored.id, diagnostics: problems) }
            _ = simulation.handle(step)
        }
        self.init(app: app, stored: stored, simulation: simulation)
    }

    /// The same for the same definition, and for no other.
    var identity: String {
        var identity = Identity()
        identity.add(stored.definition)
        return identity.text(prefix: "")
    }
}

/// What is stored of an app, or was to be, and cannot be used.
public struct InvalidApp: Error, Hashable, Sendable {
    public var id: String
    public var diagnostics: [Diagnostic]

    public init(id: String, diagnostics: [Diagnostic]) {
        self.id = id
        self.diagnostics = diagnostics
    }
}
