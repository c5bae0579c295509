import FencepostEngine
public import FencepostModel
public import FencepostService
import Synchronization

/// A monitor's store in memory, which fails when it is told to.
///
/// It checks what it is given: a commit whose position is not the next one ends the test.
public final class MemoryMonitorStore: MonitorStore {
    public struct Contents: Sendable {
        public var state = MonitorState()
        public var checkpoints: [DeviceID: DeviceCheckpoint] = [:]
        public var log: [LogEntry] = []
        public var locations: [StoredLocation] = []
        /// In the order in which they were stored; one of an id that was there is not stored again.
        public var events: [NewEvent] = []
        public var deliveries: [NewDelivery] = []
        public var quarantined: [QuarantineEntry] = []
        public var decisions: [NewDecision] = []
    }

    public struct Failure: Error {}

    private struct State {
        var contents = Contents()
        /// What was written ahead of a change, by its revision.
        var staged: [UInt32: (regions: [StoredRegion], removed: [RegionID])] = [:]
        var failures = 0
    }

    private let state = Mutex(State())

    public init() {}

    public var contents: Contents { state.withLock { $0.contents } }

    /// Lets the next writes fail, so many of them.
    public func fail(_ count: Int) { state.withLock { $0.failures = count } }

    public func load() async throws -> MonitorState {
        state.withLock { state in
            state.staged = [:]
            var loaded = state.contents.state
            loaded.devices = Array(state.contents.checkpoints.values)
            return loaded
        }
    }

    public func log(after position: LogPosition, limit: Int) async throws -> [LogEntry] {
        state.withLock { state in Array(state.contents.log.filter { $0.position > position }.prefix(limit)) }
    }

    public func stored(among fixes: [FixKey]) async throws -> Set<FixKey> {
        state.withLock { state in
            Set(fixes).intersection(state.contents.locations.map { FixKey($0.location) })
        }
    }

    public func commit(_ commit: Commit) async throws {
        try write { Self.write(commit, to: &$0.contents) }
    }

    public func checkpoint(_ checkpoints: [DeviceCheckpoint]) async throws {
        try write { state in
            for checkpoint in checkpoints { state.contents.checkpoints[checkpoint.deviceID] = checkpoint }
        }
    }

    public func stage(_ regions: [StoredRegion], removed: [RegionID], revision: UInt32) async throws {
        try write { state in
            precondition(state.contents.state.regionRevision < revision, "revision \(revision) is there already")
            state.staged[revision] = (regions, removed)
        }
    }

    public func apply(_ change: WatchChange, with commit: Commit) async throws {
        try write { state in
            let staged = change.isStaged ? state.staged.removeValue(forKey: change.regionRevision) : nil
            precondition(!change.isStaged || staged != nil, "nothing was written ahead")
            Self.apply(change, staged ?? (change.regions, change.removedRegions), commit, to: &state.contents)
        }
    }

    private static func apply(
        _ change: WatchChange, _ regions: (changed: [StoredRegion], removed: [RegionID]), _ commit: Commit,
        to contents: inout Contents
    ) {
        write(commit, to: &contents)
        contents.state.regionRevision = change.regionRevision
        let ids = Set(regions.changed.map(\.id)).union(regions.removed)
        contents.state.regions.removeAll { ids.contains($0.id) }
        contents.state.regions += regions.changed
        let apps = Set(change.apps.map(\.id)).union(change.removedApps)
        contents.state.apps.removeAll { apps.contains($0.id) }
        contents.state.apps += change.apps
        for device in change.removedDevices { contents.checkpoints[device] = nil }
        // The log is never replayed across a change.
        contents.log.removeAll()
        for (key, value) in change.sources { contents.state.sources[key] = value }
    }

    private func write(_ body: (inout State) -> Void) throws {
        try state.withLock { state in
            if state.failures > 0 {
                state.failures -= 1
                throw Failure()
            }
            body(&state)
        }
    }

    private static func write(_ commit: Commit, to contents: inout Contents) {
        precondition(commit.position == contents.state.position + 1, "commit \(commit.position) is not the next")
        contents.state.position = commit.position
        contents.locations += commit.locations
        let known = Set(contents.events.map(\.id))
        let new = commit.events.filter { !known.contains($0.id) }
        contents.events += new
        let ids = Set(new.map(\.id))
        contents.deliveries += commit.deliveries.filter { ids.contains($0.eventID) }
        contents.decisions += commit.decisions
        contents.quarantined += commit.quarantined
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
