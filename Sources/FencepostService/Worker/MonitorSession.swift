import FencepostEngine
import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostSimulator
import Foundation

/// The monitor's state between one reading of the store and the next, and every turn that it takes.
///
/// What it holds is ahead of the store while a commit is on its way; when that fails the session is thrown away, and
/// the next one begins with what the store has.
struct MonitorSession: ~Copyable {
    /// Fixes of all devices among which a repeated one is recognised without the store.
    static let memory = 1 << 16
    /// A device's state is written again when so many fixes of all devices came since it was first out of date: what a
    /// start replays at most, some seconds.
    static let replayLimit = 2_000_000
    /// And after this time, so that the log of a quiet service is short.
    static let checkpointAge = Duration.seconds(300)
    /// Checkpoints in one commit: few, so that none takes long.
    static let checkpointsPerCommit = 64
    /// Where a change of regions waits for states to be written: how many are, with each commit and in the end with it.
    static let checkpointsBeforeChange = 256

    var engine: MonitorEngine
    var roster: AppRoster
    var visits: [DeviceID: Visit] = [:]
    var position: LogPosition
    /// As in `MonitorState`.
    var sources: [String: String]
    /// As they were when the session began.
    let livePositions: [Location]
    var watchedApps: [WatchedApp]
    let store: any MonitorStore
    let composer: any MessageComposer

    var notes = DeviceNotes()
    /// Fixes that were taken since the store was read.
    var fixes = 0
    var writer = JSONWriter()
    let encoder = StateEncoder()
    /// How often states are still to be written ahead of a change before it is made all the same.
    var rounds = 0
    // Kept between turns so that its storage is.
    private var places: [Int32] = []

    /// Reads the store and replays the log; the events of the replay were told before, and are not told again.
    ///
    /// - Throws: what the store throws, or a `MonitorStateError`.
    static func load(
        store: any MonitorStore, composer: any MessageComposer, settings: MonitorSettings
    ) async throws -> MonitorSession {
        let state = try await store.load()
        var regions: [(region: Region, added: UInt32)] = []
        for stored in state.regions {
            let reading = RegionFile.read(Array(stored.feature.utf8), name: stored.id.rawValue)
            guard let region = reading.regions.first else {
                throw MonitorStateError.unreadableRegion(stored.id.rawValue)
            }
            regions.append((region, stored.addedInRevision))
        }
        let apps = try state.apps.map { try WatchedApp(stored: $0) }
        // Events of the log were told under the settings of then.
        let loggedSettings = try state.sources[settingsKey].map {
            try JSONDecoder().decode(MonitorSettings.self, from: Data($0.utf8))
        }
        var session = MonitorSession(
            index: RegionIndex(RegionCatalog(regions, revision: state.regionRevision)),
            settings: loggedSettings ?? settings, apps: apps, store: store, composer: composer,
            state: state)
        try await session.restore(state.devices)
        if session.engine.settings != settings || loggedSettings == nil {
            try await session.adopt(settings)
        }
        return session
    }

    private init(
        index: RegionIndex, settings: MonitorSettings, apps: [WatchedApp], store: any MonitorStore,
        composer: any MessageComposer, state: MonitorState
    ) {
        engine = MonitorEngine(index, settings: settings, memory: Self.memory)
        roster = AppRoster(apps)
        self.store = store
        self.composer = composer
        position = state.position
        sources = state.sources
        livePositions = state.livePositions
        watchedApps = apps
    }

    static let settingsKey = "settings"

    mutating func restore(_ checkpoints: [DeviceCheckpoint]) async throws {
        var positions: [DeviceID: LogPosition] = [:]
        for checkpoint in checkpoints {
            let record: DeviceRecord
            do {
                record = try DeviceRecord(checkpoint.state)
            } catch {
                throw MonitorStateError.unreadableState(checkpoint.deviceID.rawValue)
            }
            engine.restore(record.engine)
            if let apps = record.apps { roster.restore(apps, for: checkpoint.deviceID) }
            visits[checkpoint.deviceID] = record.visit
            positions[checkpoint.deviceID] = checkpoint.position
        }
        // Where every device has a checkpoint, what is older than all of them bears on none.
        var last: LogPosition = 0
        while true {
            let entries = try await store.log(after: last, limit: 256)
            guard let end = entries.last else { break }
            for entry in entries { try replay(entry, after: positions) }
            last = end.position
        }
    }

    mutating func replay(_ entry: LogEntry, after positions: [DeviceID: LogPosition]) throws {
        var told: [Event] = []
        for stored in entry.locations where positions[stored.location.deviceID] ?? 0 < entry.position {
            let verdict = try engine.accept(stored.location, now: entry.receivedAt) { told.append($0) }
            for event in told { note(roster.tell(event)) }
            told.removeAll(keepingCapacity: true)
            if verdict == .accepted, !roster.isEmpty { note(roster.moved(stored.location)) }
            fixes += 1
            markDirty(stored.location.deviceID, at: entry.receivedAt)
        }
        guard entry.advancesClock else { return }
        let current = positions.filter { $0.value >= entry.position }
        let due = try engine.advanceClock(to: entry.receivedAt, except: { current[$0] != nil }) { told.append($0) }
        for event in told { note(roster.tell(event)) }
        for device in due { markDirty(device, at: entry.receivedAt) }
    }

    mutating func note(_ told: [AppRoster.Told]) {
        for item in told {
            switch item.event.occurrence {
            case .visitArrived(let visit): visits[item.event.deviceID] = visit
            case .visitDeparted: visits[item.event.deviceID] = nil
            case .regionEntered, .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched: break
            }
        }
    }

    /// Goes on under other settings.
    mutating func adopt(_ settings: MonitorSettings) async throws {
        let text = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
        var change = WatchChange(regionRevision: engine.catalog.revision)
        change.sources = [Self.settingsKey: text]
        var commit = Commit(position: position + 1, receivedAt: .distantPast)
        commit.checkpoints = try takeCheckpoints(all: true, at: .distantPast)
        try await store.apply(change, with: commit)
        position += 1
        sources[Self.settingsKey] = text
        let states = engine.deviceIDs.compactMap { engine.state(of: $0) }
        engine = MonitorEngine(engine.index, settings: settings, memory: Self.memory)
        for state in states { engine.restore(state) }
    }

    // MARK: Devices

    /// Where devices are, in the order of the engine's places.
    var statuses: [DeviceStatus] { (0..<engine.deviceCount).map { status(at: $0) } }

    func status(at place: Int) -> DeviceStatus {
        var status = engine.status(at: place)
        status.visit = visits[status.deviceID]
        return status
    }

    // MARK: Turns

    /// What one turn came to.
    struct Turn: Sendable {
        var receipts: [SubmissionReceipt] = []
        var commit: Commit
        /// What is to be shown after it.
        var news = BoardNews()

        /// Whether it has to be written as a commit of its own.
        var isCommit: Bool {
            commit.isLogged || !commit.events.isEmpty || !commit.livePositions.isEmpty || !commit.quarantined.isEmpty
                || !commit.reports.isEmpty
        }
    }

    /// Evaluates submissions in their order, and what is due by the clock; nothing is written yet.
    ///
    /// - Parameter written: the turn before, where it is on its way to the store and may not be there yet.
    mutating func evaluate(
        _ submissions: [Submission], at now: Timestamp, ticks: Bool, while written: Turn?
    ) async throws -> Turn {
        var turn = Turn(commit: Commit(position: position + 1, receivedAt: now))
        notes.begin()
        // The one lookup of each fix's device; -1 for one that is new.
        places.removeAll(keepingCapacity: true)
        var doubtful: [FixKey] = []
        for submission in submissions {
            for location in submission.locations {
                let place = engine.place(of: location.deviceID)
                places.append(Int32(place ?? -1))
                if !(place.map { engine.remembers(location, at: $0) } ?? false) { doubtful.append(FixKey(location)) }
            }
        }
        turn.commit.locations.reserveCapacity(places.count)
        var stored = doubtful.isEmpty ? [] : try await store.stored(among: doubtful)
        var asked = Set(doubtful)
        // What this turn has taken, from the first fix on that memory alone cannot judge.
        var taken: Set<FixKey>?
        var told: [Event] = []
        let isWindowed = engine.settings.reorderWindow > .zero
        var number = 0
        for submission in submissions {
            var receipt = SubmissionReceipt()
            for location in submission.locations {
                var place = places[number] >= 0 ? Int(places[number]) : engine.place(of: location.deviceID)
                number += 1
                var isStored = false
                if !(place.map { engine.remembers(location, at: $0) } ?? false) {
                    let key = FixKey(location)
                    if asked.insert(key).inserted, try await !store.stored(among: [key]).isEmpty { stored.insert(key) }
                    if taken == nil {
                        taken = Set(
                            (turn.commit.locations + (written?.commit.locations ?? [])).map { FixKey($0.location) })
                    }
                    isStored = stored.contains(key) || taken?.contains(key) ?? false
                }
                guard !isStored else {
                    receipt.duplicates += 1
                    continue
                }
                let verdict = try engine.accept(location, at: &place, now: now) { told.append($0) }
                if !told.isEmpty {
                    for event in told { try add(roster.tell(event), to: &turn, in: submission.traceparent) }
                    told.removeAll(keepingCapacity: true)
                }
                switch verdict {
                case .duplicate:
                    receipt.duplicates += 1
                    continue
                case .late:
                    receipt.accepted += 1
                    receipt.late += 1
                case .accepted:
                    receipt.accepted += 1
                    if !roster.isEmpty { try add(roster.moved(location), to: &turn, in: submission.traceparent) }
                }
                if let place {
                    if isWindowed {
                        // What is shown may be a fix that was held back.
                        notes.change(place)
                    } else if verdict == .accepted {
                        notes.see(place, fix: turn.commit.locations.count, condition: engine.condition(at: place))
                    }
                    notes.markDirty(place, fixes: fixes, at: now)
                }
                turn.commit.locations.append(StoredLocation(location, isLate: verdict == .late))
                if taken != nil { taken?.insert(FixKey(location)) }
            }
            turn.commit.livePositions += submission.livePositions
            turn.commit.quarantined += submission.quarantined
            turn.commit.reports += submission.reports
            turn.receipts.append(receipt)
        }
        if ticks {
            let due = try engine.advanceClock(to: now) { told.append($0) }
            for event in told { try add(roster.tell(event), to: &turn) }
            turn.commit.advancesClock = !due.isEmpty
            for device in due {
                change(device)
                markDirty(device, at: now)
            }
        }
        fixes += turn.commit.locations.count
        turn.commit.checkpoints = try takeCheckpoints(all: false, at: now)
        turn.news = news(of: turn.commit)
        return turn
    }

    /// More than where it is has changed of a device.
    mutating func change(_ device: DeviceID) {
        if let place = engine.place(of: device) { notes.change(place) }
    }

    /// What is to be shown of the devices that this turn touched.
    private mutating func news(of commit: Commit) -> BoardNews {
        var news = BoardNews()
        news.live = commit.livePositions
        news.sightings.reserveCapacity(notes.touched.count)
        for place in notes.touched {
            let note = notes.list[place]
            if note.isChanged {
                news.statuses.append(BoardNews.Status(place: place, status: status(at: place)))
                notes.show(place, condition: engine.condition(at: place))
            } else if note.sighting >= 0 {
                news.sightings.append(BoardNews.Sighting(place: Int32(place), fix: note.sighting))
            }
        }
        return news
    }

    /// What writes a turn; `nil` when there is nothing to write. Writes have to follow on one another, and after an
    /// error of one the memory is of no use.
    mutating func write(of turn: Turn) -> (@Sendable () async throws -> Void)? {
        let (store, commit, position) = (store, turn.commit, position)
        if turn.isCommit {
            self.position += 1
            return { try await store.commit(commit) }
        }
        guard !commit.checkpoints.isEmpty else { return nil }
        return {
            try await store.checkpoint(
                commit.checkpoints.map {
                    DeviceCheckpoint(deviceID: $0.deviceID, position: position, state: $0.state)
                })
        }
    }

    /// Makes a change together with what follows from it; both are durable on return.
    mutating func apply(_ change: WatchChange, _ turn: consuming Turn, and others: [DeviceID] = []) async throws
        -> Turn
    {
        turn.commit.checkpoints = try takeCheckpoints(all: true, and: others, at: turn.commit.receivedAt)
        turn.news = news(of: turn.commit)
        try await store.apply(change, with: turn.commit)
        position += 1
        for (key, value) in change.sources { sources[key] = value }
        return turn
    }

    /// - Parameter traceparent: of the request that caused the events; `nil` for those that the clock or a change of
    ///   the regions caused.
    mutating func add(
        _ told: [AppRoster.Told], to turn: inout Turn, in traceparent: String? = nil
    ) throws {
        note(told)
        for item in told {
            change(item.event.deviceID)
            let record = EventRecord(item, &writer)
            turn.commit.events.append(record.event)
            turn.commit.decisions += record.decisions
            var messages = composer.messages(for: item.event, decisions: item.deliveries)
            if let traceparent {
                for index in messages.indices { messages[index].headers["traceparent"] = traceparent }
            }
            turn.commit.deliveries += messages
        }
    }
}

/// Why a stored state cannot be gone on with.
enum MonitorStateError: Error, CustomStringConvertible {
    case unreadableRegion(String)
    case unreadableApp(String)
    case unreadableState(String)

    var description: String {
        switch self {
        case .unreadableRegion(let id): "the stored region \(id) cannot be read; `fencepost doctor` tells more"
        case .unreadableApp(let id): "the stored app \(id) cannot be read; `fencepost doctor` tells more"
        case .unreadableState(let id): "the stored state of device \(id) cannot be read; `fencepost doctor` tells more"
        }
    }
}
