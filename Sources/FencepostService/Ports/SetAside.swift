public import FencepostModel

/// A device or an import whose work has ended the process repeatedly, and which is therefore not worked on.
///
/// The locations of a device that is set aside are stored and acknowledged, and evaluated once it is released.
public struct SetAside: Hashable, Sendable {
    /// What it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A device, which is not evaluated.
        case device
        /// An import, whose fixes are not stored.
        case `import`
    }

    /// What it is.
    public var kind: Kind
    /// The id of the device, or of the import.
    public var id: String
    /// What ran when the process ended last.
    public var work: WorkJournal.Work
    /// How often it ended the process.
    public var ends: Int
    /// When it was set aside.
    public var since: Timestamp
    /// Whether it was released and its stored locations are being evaluated, so that it will be a device as any other.
    public var isReleased = false

    /// A device or an import that is set aside.
    ///
    /// - Parameters:
    ///   - kind: what it is.
    ///   - id: its id.
    ///   - work: what ran when the process ended last.
    ///   - ends: how often it ended the process.
    ///   - since: when it was set aside.
    public init(_ kind: Kind, _ id: String, work: WorkJournal.Work, ends: Int, since: Timestamp) {
        (self.kind, self.id, self.work, self.ends, self.since) = (kind, id, work, ends, since)
    }
}

/// What is set aside, on disk.
public protocol SetAsideStore: Sendable {
    /// All that is set aside, by kind and id.
    func setAside() async throws -> [SetAside]

    /// Sets devices and imports aside; what is so already is no longer released.
    func setAside(_ items: [SetAside]) async throws

    /// Lets an import go on that was set aside. A device is released by the monitor.
    ///
    /// - Returns: whether it was set aside.
    func releaseImport(_ id: String) async throws -> Bool
}
