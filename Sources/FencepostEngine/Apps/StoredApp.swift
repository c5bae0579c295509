/// A simulated app as it is kept.
public struct StoredApp: Hashable, Sendable {
    public var id: String
    /// The app file, as `AppFile` reads it.
    public var definition: String
    /// The steps that were taken since, each an object of CONTRACT 6.2, oldest first.
    public var steps: [String]

    public init(id: String, definition: String, steps: [String] = []) {
        self.id = id
        self.definition = definition
        self.steps = steps
    }
}
