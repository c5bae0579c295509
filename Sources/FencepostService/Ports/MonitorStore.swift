public import FencepostEngine
public import FencepostModel

/// The durable state of the monitor: log, checkpoints, regions and apps. One monitor uses it at a time.
public protocol MonitorStore: Sendable {
    /// The stored state without the log. Removes regions that were staged for a change that was not applied.
    func load() async throws -> MonitorState

    /// As `load`, without checkpoints, regions and apps.
    func loadFrame() async throws -> MonitorState

    /// Log entries after a position, in order.
    ///
    /// - Returns: up to `limit` entries; empty at the end.
    func log(after position: LogPosition, limit: Int) async throws -> [LogEntry]

    /// Which of these fixes are stored. The monitor asks only for fixes older than its memory.
    func stored(among fixes: [FixKey]) async throws -> Set<FixKey>

    /// Writes a commit; durable on return.
    ///
    /// - Throws: when the store cannot write, or when the position is not the next one. Nothing is written then, and the
    ///   caller must load its state again.
    func commit(_ commit: Commit) async throws

    /// Writes checkpoints without a commit.
    func checkpoint(_ checkpoints: [DeviceCheckpoint]) async throws

    /// Stages the regions of a change before the change, in small transactions between which commits proceed.
    ///
    /// Staged regions take effect with `apply`. `load` removes those of a change that was not applied.
    ///
    /// - Parameters:
    ///   - regions: regions that the change adds or replaces.
    ///   - removed: regions that the change removes.
    ///   - revision: the revision of the regions after the change. Nothing else may be staged for it.
    /// - Throws: when the store cannot write, or the task is cancelled. The change must not be applied then.
    func stage(_ regions: [StoredRegion], removed: [RegionID], revision: UInt32) async throws

    /// Writes a change of regions, apps or devices in one transaction with a commit; durable on return.
    ///
    /// - Precondition: `commit.checkpoints` has every device whose state is newer than its last checkpoint, so that the
    ///   log is never replayed across a change.
    func apply(_ change: WatchChange, with commit: Commit) async throws

    /// Sets devices and imports aside, as in `SetAsideStore`.
    func setAside(_ items: [SetAside]) async throws

    /// The alert rules of the API, and the groups that rules name.
    func alertSources() async throws -> AlertSources

    /// The newest fixes of devices, and what has happened to the pairs of rules; `rules` are their state keys.
    func proximityCheckpoint(of devices: [DeviceID], rules: [String]) async throws -> ProximityCheckpoint

    /// The devices whose past is to be compared with that of others again.
    func proximityTasks() async throws -> [ProximityTask]

    /// The events that hold, by the ids that the evaluation gave them.
    func heldEvents(ofCauses causes: [String]) async throws -> [String: HeldEvent]

    /// Checks whether the store can write: allocates some space and frees it.
    ///
    /// - Throws: when it cannot.
    func probe() async throws
}

extension MonitorStore {
    /// Loads all.
    public func loadFrame() async throws -> MonitorState { try await load() }

    /// None, for stores whose monitor has the rules of the configuration alone.
    public func alertSources() async throws -> AlertSources { AlertSources() }

    /// Nothing, for stores that keep no pairs.
    public func proximityCheckpoint(of devices: [DeviceID], rules: [String]) async throws -> ProximityCheckpoint {
        ProximityCheckpoint()
    }

    /// None.
    public func proximityTasks() async throws -> [ProximityTask] { [] }

    /// None.
    public func heldEvents(ofCauses causes: [String]) async throws -> [String: HeldEvent] { [:] }

    /// Writes nothing.
    public func probe() async throws { try await checkpoint([]) }
}

/// The stored state with which a monitor starts.
public struct MonitorState: Sendable {
    /// The position of the last commit.
    public var position: LogPosition = 0
    /// The last checkpoint of each device.
    public var devices: [DeviceCheckpoint] = []
    /// All regions.
    public var regions: [StoredRegion] = []
    /// Increases with every change of the regions.
    public var regionRevision: UInt32 = 0
    /// All apps.
    public var apps: [StoredApp] = []
    /// Hashes of the objects last read from configuration files, with the keys `region/<id>` and `app/<id>`; and the
    /// monitor's settings with the key `settings`.
    ///
    /// A file takes effect only when its content changes. A change over HTTP so survives a restart with the same file.
    public var sources: [String: String] = [:]
    /// The last live position of each device that sent one (rule I23).
    public var livePositions: [Location] = []
    /// The devices whose history has to be evaluated again.
    public var evaluations: [EvaluationTask] = []
    /// What is set aside.
    public var setAside: [SetAside] = []

    /// The state of an empty store.
    public init() {}
}

/// A region as it is stored.
public struct StoredRegion: Hashable, Sendable {
    /// The region's id.
    public var id: RegionID
    /// One GeoJSON feature; `RegionFile` reads it.
    public var feature: String
    /// The first revision with this region.
    public var addedInRevision: UInt32

    /// A stored region.
    public init(id: RegionID, feature: String, addedInRevision: UInt32) {
        self.id = id
        self.feature = feature
        self.addedInRevision = addedInRevision
    }
}

/// A change of regions, apps or devices, as it is stored.
public struct WatchChange: Sendable {
    /// New and replaced regions.
    public var regions: [StoredRegion] = []
    /// Removed regions.
    public var removedRegions: [RegionID] = []
    /// Whether `MonitorStore.stage` has written the regions. Then `regions` and `removedRegions` are empty.
    public var isStaged = false
    /// The revision of the regions after the change.
    public var regionRevision: UInt32
    /// New and replaced apps.
    public var apps: [StoredApp] = []
    /// Removed apps.
    public var removedApps: [String] = []
    /// Devices whose state is removed. Their history stays until `HistoryStore.erase`.
    public var removedDevices: [DeviceID] = []
    /// The newest fix of each removed device. Its history is not evaluated again up to there.
    public var removedThrough: [DeviceID: Timestamp] = [:]
    /// Changes of `MonitorState.sources`; a `nil` value removes the key.
    public var sources: [String: String?] = [:]

    /// A change of nothing.
    public init(regionRevision: UInt32) {
        self.regionRevision = regionRevision
    }
}
