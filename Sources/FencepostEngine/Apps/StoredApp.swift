/// A simulated app as it is stored.
public struct StoredApp: Hashable, Sendable {
    /// The app's id.
    public var id: String
    /// The text of an app file with this one app; `AppFile` reads it.
    public var definition: String
    /// The steps performed since the definition was stored, oldest first; each a JSON object that `ScenarioReader` reads.
    public var steps: [String]

    /// A stored app.
    public init(id: String, definition: String, steps: [String] = []) {
        self.id = id
        self.definition = definition
        self.steps = steps
    }
}
