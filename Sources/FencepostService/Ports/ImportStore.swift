public import FencepostModel

/// The import of a history file, as it is stored.
public struct ImportJob: Hashable, Sendable {
    /// How far an import is.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// Its file is being staged; an import in this state is removed at a start.
        case staging
        /// Its fixes are being stored.
        case storing
        /// Its fixes are stored; the history of their devices is being evaluated.
        case evaluating
        /// The store cannot write, for example on a full disk. It continues when the store writes again.
        case paused
        case done, cancelled
    }

    /// `imp_…`
    public var id: String
    /// How far it is.
    public var state: State
    /// Name of the file; `nil` when it had none.
    public var file: String?
    /// The format of the file.
    public var format: String
    /// When it was requested.
    public var createdAt: Timestamp
    /// Fixes of the file.
    public var locations: Int
    /// Fixes that are stored so far.
    public var stored = 0
    /// Fixes that were stored already.
    public var duplicates = 0
    /// Records that are not locations.
    public var ignored: Int
    /// Events by type that the import brought about so far, corrections included.
    public var events: [String: Int] = [:]
    /// The rejected records, as a JSON array.
    public var rejected: String
    /// How often each member of a location was beyond its range and dropped (rule L10), by name.
    public var dropped: [String: Int] = [:]
    /// The device that may see it, for a bound token; `nil` for all.
    public var deviceID: DeviceID?

    /// An import of which nothing is stored.
    public init(
        id: String, file: String?, format: String, createdAt: Timestamp, locations: Int, ignored: Int, rejected: String
    ) {
        (self.id, state, self.file, self.format) = (id, .staging, file, format)
        (self.createdAt, self.locations, self.ignored, self.rejected) = (createdAt, locations, ignored, rejected)
    }
}

/// The change of an import that a commit brings.
public struct ImportProgress: Hashable, Sendable {
    /// The import.
    public var id: String
    /// Stored fixes that are added.
    public var stored = 0
    /// Duplicates that are added.
    public var duplicates = 0
    /// Events that are added.
    public var events: [String: Int] = [:]
    /// The slice that is done and removed; `nil` without one.
    public var slice: Int?
    /// The state after it; `nil` for no change.
    public var state: ImportJob.State?

    /// No change of an import.
    public init(_ id: String) { self.id = id }
}

/// The imports of history files that take long: a queue on disk.
public protocol ImportStore: Sendable {
    /// Adds an import in the state `staging`.
    func add(_ job: ImportJob) async throws
    /// Adds a part of an import's fixes.
    ///
    /// `number`: from 0, in the order of the parts.
    func stage(_ fixes: [Location], number: Int, of job: String) async throws
    /// Makes a staged import ready to be stored, with the numbers of the job, which are known at the end of the file.
    func begin(_ job: ImportJob) async throws
    /// The first import whose fixes are not all stored; `nil` without one.
    func nextImport() async throws -> ImportJob?
    /// The first part of an import that is not stored; `nil` when all are.
    func nextSlice(of job: String) async throws -> (number: Int, fixes: [Location], isLast: Bool)?
    /// An import; `nil` when there is none.
    func importJob(_ id: String) async throws -> ImportJob?
    /// Imports, the newest first.
    func imports(limit: Int) async throws -> [ImportJob]
    /// Sets the state of an import.
    func setState(_ state: ImportJob.State, ofImport id: String) async throws
    /// Cancels an import: removes the parts that are not stored. What is stored stays and is evaluated.
    ///
    /// - Returns: whether it was under way.
    func cancelImport(_ id: String) async throws -> Bool
    /// How far the evaluation of an import's devices is, 0 to 1; `nil` when it is done.
    func evaluationProgress(ofImport id: String) async throws -> Double?
}
