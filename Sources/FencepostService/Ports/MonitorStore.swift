public import FencepostEngine
public import FencepostModel

/// Where the monitor keeps what it must not lose. One monitor uses it at a time.
public protocol MonitorStore: Sendable {
    /// What is there at the start, without the log.
    func load() async throws -> MonitorState

    /// Log entries after a position in their order, a part at a time; empty at the end.
    func log(after position: LogPosition, limit: Int) async throws -> [LogEntry]

    /// Which of these fixes are stored. Asked only for fixes older than what is remembered in memory.
    func stored(among fixes: [FixKey]) async throws -> Set<FixKey>

    /// Writes a commit; when it returns, all of it is durable.
    ///
    /// - Throws: when nothing of it was written (a full disk). The caller's state is then ahead of the store's and has
    ///   to be loaded anew.
    func commit(_ commit: Commit) async throws

    /// Writes newer states of devices, without anything that happened.
    func checkpoint(_ checkpoints: [DeviceCheckpoint]) async throws

    /// Writes many regions of a change ahead of it, in small parts between which commits go on. They count from
    /// `apply` on, and are gone where something ends in between: `load` removes what was written ahead of no change.
    ///
    /// - Parameters:
    ///   - removed: regions that the change removes.
    ///   - revision: that of the regions after the change; nothing else is written ahead for it.
    func stage(_ regions: [StoredRegion], removed: [RegionID], revision: UInt32) async throws

    /// Writes a change of what is watched, together with what it brings about.
    ///
    /// - Precondition: `commit.checkpoints` holds every device whose state is newer than its last checkpoint, so that the
    ///   log never has to be replayed across a change.
    func apply(_ change: WatchChange, with commit: Commit) async throws

    /// Tries whether the store writes: takes some space and gives it back.
    ///
    /// - Throws: when it does not.
    func probe() async throws
}

extension MonitorStore {
    public func probe() async throws { try await checkpoint([]) }
}

/// What a monitor starts from.
public struct MonitorState: Sendable {
    /// The position of the last commit.
    public var position: LogPosition = 0
    public var devices: [DeviceCheckpoint] = []
    public var regions: [StoredRegion] = []
    /// Rises with every change of the regions.
    public var regionRevision: UInt32 = 0
    public var apps: [StoredApp] = []
    /// What was last taken from the config: `region/<id>` or `app/<id>` and a hash of what the file said, and
    /// `settings` with those of the monitor.
    ///
    /// A file counts when it changes, so that a change over HTTP outlives a restart with the same file.
    public var sources: [String: String] = [:]
    /// The last live position of each device that sent one (rule I23).
    public var livePositions: [Location] = []

    public init() {}
}

/// A region as it is kept: its GeoJSON feature, and since which revision it is there.
public struct StoredRegion: Hashable, Sendable {
    public var id: RegionID
    /// One GeoJSON feature, as `RegionFile` reads it.
    public var feature: String
    public var addedInRevision: UInt32

    public init(id: RegionID, feature: String, addedInRevision: UInt32) {
        self.id = id
        self.feature = feature
        self.addedInRevision = addedInRevision
    }
}

/// A change of what is watched.
public struct WatchChange: Sendable {
    /// Regions that are new or other than before.
    public var regions: [StoredRegion] = []
    public var removedRegions: [RegionID] = []
    /// Whether its regions were written ahead by `MonitorStore.stage`, so that they need not be written here.
    public var isStaged = false
    /// The revision of the regions after the change.
    public var regionRevision: UInt32
    public var apps: [StoredApp] = []
    public var removedApps: [String] = []
    /// Devices whose state is forgotten; what they did stays until `HistoryStore.erase`.
    public var removedDevices: [DeviceID] = []
    /// What was taken from the config's files, or is there no more; as in `MonitorState.sources`.
    public var sources: [String: String?] = [:]

    public init(regionRevision: UInt32) {
        self.regionRevision = regionRevision
    }
}
