import FencepostEngine
package import FencepostModel
package import FencepostService
import Synchronization

/// What the store has been asked to keep, over all starts of the service: the model against which the database is compared.
package final class Journal: Sendable {
    /// One commit or change, in the order of positions.
    package struct Entry: Sendable {
        package var commit: Commit
        package var change: WatchChange?
        /// True time when the write began.
        package var time: Timestamp
    }

    private struct State {
        var entries: [Entry] = []
        /// A write that has not returned, or that failed: it may be in the database nevertheless.
        var uncertain: Entry?
        /// The regions of the last change that was staged before it.
        var staged: (regions: [StoredRegion], removed: [RegionID]) = ([], [])
        /// How often a load has cut off entries.
        var truncations = 0
        /// For each acknowledged entry, the changes of the disk before its acknowledgement.
        var marks: [Int] = []
        var mark: (@Sendable () -> Int)?
    }

    private let state = Mutex(State())

    package init() {}

    /// The writes that are in the database, the last one perhaps.
    package var entries: [Entry] { state.withLock { $0.entries } }
    package var count: Int { state.withLock { $0.entries.count } }
    /// How often a power loss removed entries, with durability `relaxed`.
    package var truncations: Int { state.withLock { $0.truncations } }

    func begin(_ entry: Entry) {
        state.withLock { state in
            var entry = entry
            if var change = entry.change, change.isStaged {
                (change.regions, change.removedRegions) = state.staged
                entry.change = change
            }
            state.uncertain = entry
        }
    }

    func stage(_ regions: [StoredRegion], _ removed: [RegionID]) {
        state.withLock { $0.staged = (regions, removed) }
    }

    func succeed() {
        state.withLock { state in
            if let entry = state.uncertain { state.entries.append(entry) }
            state.uncertain = nil
            if let mark = state.mark { state.marks.append(mark()) }
        }
    }

    /// Lets each success be marked with a number.
    func setMark(_ mark: @escaping @Sendable () -> Int) { state.withLock { $0.mark = mark } }
    /// The numbers of all successes.
    var marks: [Int] { state.withLock { $0.marks } }

    /// Decides about an uncertain write by the position of the database.
    ///
    /// - Returns: the number of entries that are missing from the database.
    func resolve(position: LogPosition) -> Int {
        state.withLock { state in
            if let entry = state.uncertain, entry.commit.position <= position { state.entries.append(entry) }
            state.uncertain = nil
            let missing = state.entries.count - Int(position)
            if missing > 0 {
                state.entries.removeLast(missing)
                state.truncations += 1
            }
            return missing
        }
    }

    /// The first entries, as of an earlier moment.
    package func prefix(_ count: Int) -> Journal {
        let result = Journal()
        let (entries, truncations) = state.withLock { ($0.entries, $0.truncations) }
        result.state.withLock { ($0.entries, $0.truncations) = (Array(entries.prefix(count)), truncations) }
        return result
    }
}

/// A store that keeps a journal of what goes through it.
package struct JournaledStore: MonitorStore {
    let store: any MonitorStore
    let journal: Journal
    let now: @Sendable () -> Timestamp
    let report: @Sendable (Violation) -> Void
    /// Whether the disk has no fault now.
    let isWritable: @Sendable () -> Bool
    /// Whether the end of the journal may be missing: after a power loss with durability `relaxed`.
    let mayLoseEnd: Bool

    package func load() async throws -> MonitorState {
        let state = try await store.load()
        let missing = journal.resolve(position: state.position)
        if missing > 0, !mayLoseEnd {
            report(.lost("the database ends at \(state.position), \(missing) commit(s) before the last one"))
        }
        if missing < 0 {
            report(.unexpected("the database has commit \(state.position), the journal ends at \(journal.count)"))
        }
        return state
    }

    package func log(after position: LogPosition, limit: Int) async throws -> [LogEntry] {
        try await store.log(after: position, limit: limit)
    }

    package func stored(among fixes: [FixKey]) async throws -> Set<FixKey> { try await store.stored(among: fixes) }

    package func commit(_ commit: Commit) async throws {
        journal.begin(Journal.Entry(commit: commit, time: now()))
        try await store.commit(commit)
        journal.succeed()
    }

    package func alertSources() async throws -> AlertSources { try await store.alertSources() }

    package func proximityCheckpoint(of devices: [DeviceID], rules: [String]) async throws -> ProximityCheckpoint {
        try await store.proximityCheckpoint(of: devices, rules: rules)
    }

    package func proximityTasks() async throws -> [ProximityTask] { try await store.proximityTasks() }

    package func heldEvents(ofCauses causes: [String]) async throws -> [String: HeldEvent] {
        try await store.heldEvents(ofCauses: causes)
    }

    package func checkpoint(_ checkpoints: [DeviceCheckpoint]) async throws { try await store.checkpoint(checkpoints) }

    package func setAside(_ items: [SetAside]) async throws { try await store.setAside(items) }

    package func stage(_ regions: [StoredRegion], removed: [RegionID], revision: UInt32) async throws {
        journal.stage(regions, removed)
        try await store.stage(regions, removed: removed, revision: revision)
    }

    package func apply(_ change: WatchChange, with commit: Commit) async throws {
        journal.begin(Journal.Entry(commit: commit, change: change, time: now()))
        try await store.apply(change, with: commit)
        journal.succeed()
    }

    /// The store's own probe writes a file past SQLite, where no fault is simulated.
    package func probe() async throws {
        if !isWritable() { throw Violation.unexpected("the simulated disk does not write") }
    }
}
