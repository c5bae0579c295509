import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostSimulator
import Foundation

/// The monitor's state in memory, from one load of the store to the next.
///
/// While a commit is in flight, the memory is ahead of the store. After a failed write the session is discarded, and the
/// next one starts from the stored state.
struct MonitorSession: ~Copyable {
    /// Fixes of all devices among which a duplicate is recognised without a query.
    static let memory = 1 << 16
    /// Fixes of all devices after which a dirty state gets a new checkpoint. It bounds the replay at a start to a few
    /// seconds.
    static let replayLimit = 2_000_000
    /// Time after which a dirty state gets a new checkpoint, so that the log of a quiet service stays short.
    static let checkpointAge = Duration.seconds(300)
    /// Checkpoints in one commit. The number is small to keep each commit short.
    static let checkpointsPerCommit = 64
    /// Checkpoints in one commit during a checkpoint sweep, and with a change.
    static let checkpointsPerSweepCommit = 256
    /// Key of the monitor's settings in `sources`.
    static let settingsKey = "settings"

    var engine: MonitorEngine
    var roster: AppRoster
    /// The current visit of each device that is on one.
    var visits: [DeviceID: Visit] = [:]
    var position: LogPosition
    /// As in `MonitorState`.
    var sources: [String: String]
    /// As of the load.
    var livePositions: [Location]
    var watchedApps: [WatchedApp]
    var store: any MonitorStore
    var composer: any MessageComposer
    let journal: WorkJournal
    /// What it does at the moment.
    var work: WorkJournal.Work
    /// The devices that are not evaluated.
    var aside: [DeviceID: DeviceAside]

    /// Whether it stood by, so that nothing was loaded.
    var stoodBy = false
    var tracker = DirtyTracker()
    var history: HistoryState
    /// The devices that have a fence, by the device of its owner; `nil` when that has to be found again.
    var fencesByOwner: [DeviceID: [DeviceID]]?
    /// The pairs of devices that rules watch; `nil` without a rule.
    var proximity: ProximityWatch?
    /// The devices whose past is to be compared with that of others again, as of the last evaluated batch.
    var proximityTasks: [DeviceID: ProximityTask] = [:]
    /// The devices that were set aside and are evaluated again, whose pairs are not followed yet.
    var returned: Set<DeviceID> = []
    /// Devices that get a snapshot with the current batch, by the engine's index.
    var dueSnapshots: Set<Int> = []
    /// Fixes accepted since the load.
    var fixes = 0
    var writer = JSONWriter()
    let encoder = StateEncoder()
    /// Commits of the current checkpoint sweep that are left before the change is applied regardless; 0 without a sweep.
    var sweepCommitsLeft = 0
    /// Reused between batches to avoid an allocation.
    var deviceIndices: [Int32] = []
    /// Stored regions and apps that cannot be read, and are therefore not watched.
    private(set) var unreadable: [MonitorStateError] = []

    /// Loads the store and replays the log. Events of the replay were emitted before and are dropped.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - composer: composes the messages of events.
    ///   - settings: those of the configuration.
    ///   - journal: gets the marks of its work.
    ///   - standby: what has followed the store until now; it replaces loading if it is as new.
    /// - Returns: the session.
    /// - Throws: what the store throws, or a `MonitorStateError`.
    static func load(
        store: any MonitorStore, composer: any MessageComposer, settings: MonitorSettings,
        journal: WorkJournal = WorkJournal(), standby: StandbyMonitor? = nil
    ) async throws -> MonitorSession {
        let settings = settings.adding(try await store.alertSources())
        if var taken = await standby?.take(), taken.session.lead(try await store.loadFrame(), store, composer) {
            #if DEBUG
                // Each test with a takeover checks it.
                let loaded = try await loadAll(store, composer, settings, journal)
                let difference = taken.session.difference(from: loaded)
                precondition(difference == nil, "what stood by is not what is stored: \(difference ?? "")")
            #endif
            var session = try await adopt(taken.session, settings)
            try await session.startProximity()
            return session
        }
        var session = try await adopt(try await loadAll(store, composer, settings, journal), settings)
        try await session.startProximity()
        return session
    }

    private static func loadAll(
        _ store: any MonitorStore, _ composer: any MessageComposer, _ settings: MonitorSettings, _ journal: WorkJournal
    ) async throws -> MonitorSession {
        let state = try await store.load()
        var session = try MonitorSession(
            state, settings: settings, store: store, composer: composer, journal: journal)
        try await session.resume(state.devices)
        session.work = .arrival
        return session
    }

    /// Its position is that of the state, whose log has to be replayed and whose checkpoints to be restored. It has six parameters,
    /// because a session has all of them from other places.
    ///
    /// - Throws: a `MonitorStateError`.
    init(
        _ state: MonitorState, settings: MonitorSettings, store: any MonitorStore, composer: any MessageComposer,
        journal: WorkJournal, work: WorkJournal.Work = .start
    ) throws {
        var regions: [(region: Region, added: UInt32)] = []
        var unreadable: [MonitorStateError] = []
        for stored in state.regions {
            let reading = RegionFile.read(
                Array(stored.feature.utf8), name: stored.id.rawValue, options: .stored)
            guard let region = reading.regions.first, region.id == stored.id else {
                unreadable.append(.unreadableRegion(stored.id.rawValue))
                continue
            }
            regions.append((region, stored.addedInRevision))
        }
        var apps: [WatchedApp] = []
        for stored in state.apps {
            do { apps.append(try WatchedApp(stored: stored)) } catch {
                unreadable.append(.unreadableApp(stored.id))
            }
        }
        // The replay must use the settings under which the log was evaluated.
        let settings = Self.settings(of: state.sources) ?? settings
        engine = MonitorEngine(
            RegionIndex(RegionCatalog(regions, revision: state.regionRevision)), settings: settings, explains: true,
            memory: Self.memory)
        watchedApps = apps
        roster = AppRoster(apps)
        self.store = store
        self.composer = composer
        (self.journal, self.work) = (journal, work)
        // Texts that are damaged may be equal when they are read.
        aside = Dictionary(
            state.setAside.filter { $0.kind == .device }.map {
                (DeviceID($0.id), DeviceAside(isReleased: $0.isReleased))
            }, uniquingKeysWith: { first, _ in first })
        self.unreadable = unreadable
        position = state.position
        sources = state.sources
        livePositions = state.livePositions
        history = HistoryState(state.evaluations)
    }

    /// The settings under which the log was evaluated; `nil` for a new store.
    private static func settings(of sources: [String: String]) -> MonitorSettings? {
        // Without them it is evaluated under those of the configuration.
        sources[settingsKey].flatMap { try? JSONDecoder().decode(MonitorSettings.self, from: Data($0.utf8)) }
    }

    // MARK: Load

    /// Restores the checkpoints, and replays the log behind them.
    private mutating func resume(_ checkpoints: [DeviceCheckpoint]) async throws {
        try restore(checkpoints)
        let positions = Dictionary(checkpoints.map { ($0.deviceID, $0.position) }, uniquingKeysWith: min)
        var last: LogPosition = 0
        while true {
            let entries = try await store.log(after: last, limit: 256)
            guard let end = entries.last else { break }
            for entry in entries { try replay(entry, after: positions) }
            last = end.position
        }
        endWork()
    }

    /// Adds devices with the states of their checkpoints.
    ///
    /// - Throws: a `MonitorStateError`.
    mutating func restore(_ checkpoints: [DeviceCheckpoint]) throws {
        let evaluated = aside.isEmpty ? checkpoints : checkpoints.filter { aside[$0.deviceID] == nil }
        try DeviceRecord.decode(evaluated, willRead: { [journal, work] in journal.begin(work, $0, in: .reader($1)) }) {
            record, checkpoint in
            beginWork(checkpoint.deviceID)
            engine.restore(record.engine)
            if let apps = record.apps { roster.restore(apps, for: checkpoint.deviceID) }
            visits[checkpoint.deviceID] = record.visit
            if let device = engine.deviceIndex(of: checkpoint.deviceID) {
                tracker.noteFired(device, through: record.firedThrough ?? .distantPast)
                tracker.setFixesSinceSnapshot(of: device, record.fixesSinceSnapshot ?? 0)
            }
        }
    }

    /// Evaluates an entry of the log for the devices whose checkpoint is before it; `each` gets the events.
    mutating func replay(
        _ entry: LogEntry, after positions: [DeviceID: LogPosition], _ each: ([EmittedEvent]) -> Void = { _ in }
    ) throws {
        func note(_ emitted: [EmittedEvent]) {
            noteVisits(emitted)
            each(emitted)
        }
        var events: [Event] = []
        for stored in entry.locations where positions[stored.location.deviceID] ?? 0 < entry.position {
            if !aside.isEmpty, aside[stored.location.deviceID] != nil {
                aside[stored.location.deviceID]?.skip(stored.location.timestamp)
                continue
            }
            beginWork(stored.location.deviceID)
            let verdict = try engine.accept(stored.location, now: entry.receivedAt) { events.append($0) }
            for event in events { note(roster.emit(event)) }
            events.removeAll(keepingCapacity: true)
            if verdict == .accepted, !roster.isEmpty { note(roster.moved(stored.location)) }
            fixes += 1
            if verdict == .accepted, let device = engine.deviceIndex(of: stored.location.deviceID) {
                tracker.countFix(of: device)
            }
            markDirty(stored.location.deviceID, at: entry.receivedAt)
        }
        guard entry.advancesClock else { return }
        let current = positions.filter { $0.value >= entry.position }
        let due = try engine.advanceClock(
            to: entry.receivedAt, except: { current[$0] != nil },
            willEvaluate: { [journal, work] in
                Self.begin(work, $0, in: journal)
            }
        ) { events.append($0) }
        for event in events { note(roster.emit(event)) }
        noteFired(through: entry.receivedAt)
        for device in due { markDirty(device, at: entry.receivedAt) }
    }

    /// A session with these settings.
    private static func adopt(
        _ session: consuming MonitorSession, _ settings: MonitorSettings
    ) async throws -> MonitorSession {
        if session.engine.settings != settings || session.sources[settingsKey] == nil {
            try await session.adopt(settings)
        }
        return session
    }

    /// Settings as they are stored.
    static func text(of settings: MonitorSettings) throws -> String {
        String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
    }

    /// Switches to other settings, with a checkpoint of every state, so that the log is never replayed under them.
    private mutating func adopt(_ settings: MonitorSettings) async throws {
        let text = try Self.text(of: settings)
        let affected = engine.replaceAlerts(settings.alerts, plans: settings.plans)
        var change = WatchChange(regionRevision: engine.catalog.revision)
        change.sources = [Self.settingsKey: text]
        var commit = Commit(position: position + 1, receivedAt: .distantPast)
        commit.checkpoints = try takeCheckpoints(all: true, and: affected, at: .distantPast)
        try await store.apply(change, with: commit)
        position += 1
        sources[Self.settingsKey] = text
        guard engine.settings != settings else { return }
        let states = engine.deviceIDs.compactMap { engine.state(of: $0) }
        engine = MonitorEngine(engine.index, settings: settings, explains: true, memory: Self.memory)
        for state in states { engine.restore(state) }
    }

    /// The rules for an evaluation of stored fixes, which are in order.
    var plainRules: WatchRules {
        var settings = engine.settings
        settings.reorderWindow = .zero
        return WatchRules(engine.catalog, settings)
    }

    /// Notes of which devices the clock has just fired deadlines.
    mutating func noteFired(through now: Timestamp) {
        for id in engine.firedDevices {
            guard let device = engine.deviceIndex(of: id) else { continue }
            tracker.noteFired(device, through: now - engine.settings.reorderWindow)
        }
    }

    // MARK: Devices

    /// In the order of the engine's indices.
    var statuses: [DeviceStatus] { (0..<engine.deviceCount).map { status(at: $0) } }

    func status(at device: Int) -> DeviceStatus {
        var status = engine.status(at: device)
        status.visit = visits[status.deviceID]
        status.isInPairs = proximity?.watches(status.deviceID) ?? false
        return status
    }

    mutating func noteVisits(_ events: [EmittedEvent]) {
        for item in events {
            switch item.event.occurrence {
            case .visitArrived(let visit): visits[item.event.deviceID] = visit
            case .visitDeparted: visits[item.event.deviceID] = nil
            case .regionEntered, .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched, .alert,
                .fence, .proximity, .plan:
                break
            }
        }
    }
}

/// Stored state that cannot be read.
enum MonitorStateError: Error, Hashable, CustomStringConvertible {
    case unreadableRegion(String)
    case unreadableApp(String)
    case unreadableState(String)

    var description: String {
        switch self {
        case .unreadableRegion(let id): "the stored region \(id) cannot be read; run `fencepost doctor` for details"
        case .unreadableApp(let id): "the stored app \(id) cannot be read; run `fencepost doctor` for details"
        case .unreadableState(let id):
            "the stored state of device \(id) cannot be read; run `fencepost doctor` for details"
        }
    }
}
