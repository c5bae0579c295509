import FencepostEngine
public import FencepostFormats
public import FencepostModel
public import FencepostService
import Synchronization

/// A monitor's store in memory, whose writes fail on demand.
///
/// It behaves as `SQLiteStore`; the contract suites of the store's tests run on both.
public final class MemoryMonitorStore: MonitorStore {
    /// Everything that was stored. Lists are in the order in which their elements were stored.
    public struct Contents: Sendable {
        /// The state without its checkpoints.
        public var state = MonitorState()
        /// The last checkpoint of each device.
        public var checkpoints: [DeviceID: DeviceCheckpoint] = [:]
        /// Log entries after the last change.
        public var log: [LogEntry] = []
        /// Fixes.
        public var locations: [StoredLocation] = []
        /// Events; an event is stored once.
        public var events: [NewEvent] = []
        /// The visits of the events.
        public var visits: [NewVisit] = []
        /// Messages of the events.
        public var deliveries: [NewDelivery] = []
        /// Rejected records.
        public var quarantined: [QuarantineEntry] = []
        /// Decisions about apps.
        public var decisions: [NewDecision] = []
        /// Reports of phones.
        public var reports: [PhoneReport] = []
        /// Number of commits, with those of changes.
        public var commitCount = 0
        /// Rules and groups, which only tests set.
        public var alerts = AlertSources()
    }

    /// A write that failed.
    public enum Failure: Error, Hashable {
        /// `fail` was called.
        case requested
        /// The position of a commit is not the next one.
        case outOfOrder
        /// Regions were staged for a revision that has some already.
        case stagedTwice
    }

    private struct State {
        var contents = Contents()
        /// Staged regions by revision.
        var staged: [UInt32: (regions: [StoredRegion], removed: [RegionID])] = [:]
        var failures = 0
    }

    private let state = Mutex(State())

    /// An empty store.
    public init() {}

    /// Everything that was stored.
    public var contents: Contents { state.withLock { $0.contents } }

    /// Makes the next writes fail.
    ///
    /// - Parameter count: number of writes.
    public func fail(_ count: Int) { state.withLock { $0.failures = count } }

    /// The contents; staged regions are dropped.
    public func load() async throws -> MonitorState {
        state.withLock { state in
            state.staged = [:]
            var loaded = state.contents.state
            loaded.devices = state.contents.checkpoints.values.sorted {
                $0.deviceID.rawValue.precedes($1.deviceID.rawValue)
            }
            loaded.regions.sort { $0.id.rawValue.precedes($1.id.rawValue) }
            loaded.apps.sort { $0.id.precedes($1.id) }
            loaded.livePositions.sort { $0.deviceID.rawValue.precedes($1.deviceID.rawValue) }
            return loaded
        }
    }

    /// What `setAlerts` has set.
    public func alertSources() async throws -> AlertSources { state.withLock { $0.contents.alerts } }

    /// Sets the rules of the API and the groups.
    public func setAlerts(_ sources: AlertSources) { state.withLock { $0.contents.alerts = sources } }

    /// Entries after a position, in order.
    public func log(after position: LogPosition, limit: Int) async throws -> [LogEntry] {
        state.withLock { state in Array(state.contents.log.filter { $0.position > position }.prefix(limit)) }
    }

    /// Which of these fixes are among all committed ones.
    public func stored(among fixes: [FixKey]) async throws -> Set<FixKey> {
        state.withLock { state in
            Set(fixes).intersection(state.contents.locations.map { FixKey($0.location) })
        }
    }

    /// Adds a commit; fails as `fail` requested.
    public func commit(_ commit: Commit) async throws {
        try write { try Self.write(commit, to: &$0.contents) }
    }

    /// Replaces the checkpoints of devices; fails as `fail` requested.
    public func checkpoint(_ checkpoints: [DeviceCheckpoint]) async throws {
        try write { state in
            for checkpoint in checkpoints { state.contents.checkpoints[checkpoint.deviceID] = checkpoint }
        }
    }

    /// Keeps regions for `apply`; a revision may be staged only once.
    public func stage(_ regions: [StoredRegion], removed: [RegionID], revision: UInt32) async throws {
        try write { state in
            guard state.staged[revision] == nil else { throw Failure.stagedTwice }
            state.staged[revision] = (regions, removed)
        }
    }

    /// Adds a commit with a change, whose regions may be staged.
    public func apply(_ change: WatchChange, with commit: Commit) async throws {
        try write { state in
            let staged = change.isStaged ? state.staged[change.regionRevision] ?? ([], []) : nil
            try Self.apply(change, staged ?? (change.regions, change.removedRegions), commit, to: &state.contents)
            if change.isStaged { state.staged[change.regionRevision] = nil }
        }
    }

    /// Adds what is set aside, or adds to its ends.
    public func setAside(_ items: [SetAside]) async throws {
        try write { state in
            for var item in items {
                let known = state.contents.state.setAside.firstIndex { $0.kind == item.kind && $0.id == item.id }
                if let known { item.ends += state.contents.state.setAside.remove(at: known).ends }
                state.contents.state.setAside.append(item)
            }
        }
    }

    private static func apply(
        _ change: WatchChange, _ regions: (changed: [StoredRegion], removed: [RegionID]), _ commit: Commit,
        to contents: inout Contents
    ) throws(Failure) {
        try write(commit, to: &contents)
        contents.state.regionRevision = change.regionRevision
        let ids = Set(regions.changed.map(\.id)).union(regions.removed)
        contents.state.regions.removeAll { ids.contains($0.id) }
        contents.state.regions += regions.changed
        let apps = Set(change.apps.map(\.id)).union(change.removedApps)
        contents.state.apps.removeAll { apps.contains($0.id) }
        contents.state.apps += change.apps
        contents.state.evaluations.removeAll { change.removedDevices.contains($0.deviceID) }
        for device in change.removedDevices {
            contents.state.setAside.removeAll { $0.kind == .device && $0.id == device.rawValue }
            contents.checkpoints[device] = nil
            contents.state.livePositions.removeAll { $0.deviceID == device }
        }
        // The log is never replayed across a change.
        contents.log.removeAll()
        for (key, value) in change.sources { contents.state.sources[key] = value }
    }

    private func write(_ body: (inout State) throws -> Void) throws {
        try state.withLock { state in
            if state.failures > 0 {
                state.failures -= 1
                throw Failure.requested
            }
            try body(&state)
        }
    }

    private static func write(_ commit: Commit, to contents: inout Contents) throws(Failure) {
        guard commit.position == contents.state.position + 1 else { throw Failure.outOfOrder }
        contents.state.position = commit.position
        contents.commitCount += 1
        contents.locations += commit.locations + commit.imported.joined()
        for task in commit.evaluations {
            contents.state.evaluations.removeAll { $0.deviceID == task.deviceID }
            contents.state.evaluations.append(task)
        }
        contents.state.evaluations.removeAll { commit.finishedEvaluations.contains($0.deviceID) }
        for device in commit.released {
            for index in contents.state.setAside.indices where contents.state.setAside[index].id == device.rawValue {
                contents.state.setAside[index].isReleased = true
            }
        }
        contents.state.setAside.removeAll { item in commit.restored.contains { $0.rawValue == item.id } }
        let known = Set(contents.events.map(\.id))
        let new = commit.events.filter { !known.contains($0.id) }
        contents.events += new
        for visit in new.compactMap(\.visit) {
            contents.visits.removeAll { $0.id == visit.id }
            contents.visits.append(visit)
        }
        contents.deliveries += commit.deliveries.filter { !known.contains($0.eventID) }
        contents.decisions += commit.decisions.filter { !known.contains($0.eventID) }
        contents.quarantined += commit.quarantined
        contents.reports += commit.reports
        for location in commit.livePositions {
            contents.state.livePositions.removeAll { $0.deviceID == location.deviceID }
            contents.state.livePositions.append(location)
        }
        for checkpoint in commit.checkpoints { contents.checkpoints[checkpoint.deviceID] = checkpoint }
        if commit.isLogged {
            contents.log.append(
                LogEntry(
                    position: commit.position, receivedAt: commit.receivedAt, locations: commit.locations,
                    advancesClock: commit.advancesClock))
        }
    }
}

extension String {
    /// Byte order, as in SQLite.
    fileprivate func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
