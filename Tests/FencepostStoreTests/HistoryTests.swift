import FencepostModel
import FencepostService
import FencepostTesting
import GRDB
import Synchronization
import Testing

@testable import FencepostStore

@Suite("Stored fixes") struct StoredFixesTests {
    /// What the store should hold, in plain arrays.
    struct Model {
        var fixes: [String: [StoredLocation]] = [:]
        var commits: [LogPosition: [StoredLocation]] = [:]
        var checkpoints: [String: LogPosition] = [:]

        func sorted(_ device: String) -> [StoredLocation] {
            (fixes[device] ?? []).sorted { $0.location.timestamp < $1.location.timestamp }
        }

        func check(_ store: SQLiteStore, _ made: inout MadeUp) async throws {
            for device in fixes.keys.sorted() {
                let id = DeviceID(device)
                let all = sorted(device)
                #expect(try await store.locations(of: id, from: nil, to: nil, after: nil, limit: 10_000) == all)
                // Page by page.
                var (paged, cursor) = ([StoredLocation](), LocationCursor?.none)
                let limit = Int.random(in: 1...40, using: &made.random)
                while true {
                    let page = try await store.locations(of: id, from: nil, to: nil, after: cursor, limit: limit)
                    guard let last = page.last?.location.timestamp else { break }
                    paged += page
                    cursor = LocationCursor(
                        timestamp: last, skip: paged.count { $0.location.timestamp == last })
                }
                #expect(paged == all)
                try await checkNewestFirst(store, id, all, limit: limit)
                guard let from = all.randomElement(using: &made.random)?.location.timestamp,
                    let to = all.randomElement(using: &made.random)?.location.timestamp
                else { continue }
                #expect(
                    try await store.locations(of: id, from: from, to: to, after: nil, limit: 10_000)
                        == all.filter { $0.location.timestamp >= from && $0.location.timestamp < to })
                #expect(
                    try await store.locations(
                        of: id, from: from, to: to, after: nil, limit: 10_000, includesAhead: true, order: .descending)
                        == all.filter { $0.location.timestamp >= from && $0.location.timestamp < to }.reversed())
            }
            var keys: [FixKey] = []
            for fixes in fixes.values {
                keys += fixes.shuffled(using: &made.random).prefix(20).map { FixKey($0.location) }
            }
            let strangers = keys.map { key in
                var other = key
                other.latitude += 1e-9
                return other
            }
            #expect(try await store.stored(among: keys + strangers) == Set(keys))
        }

        /// The other order is the reverse, page by page.
        private func checkNewestFirst(
            _ store: SQLiteStore, _ device: DeviceID, _ all: [StoredLocation], limit: Int
        ) async throws {
            var (paged, cursor) = ([StoredLocation](), LocationCursor?.none)
            while true {
                let page = try await store.locations(
                    of: device, from: nil, to: nil, after: cursor, limit: limit, includesAhead: true,
                    order: .descending)
                guard let last = page.last else { break }
                #expect(page.count <= limit)
                paged += page
                let same = all.filter { $0.location.timestamp == last.location.timestamp }
                cursor = LocationCursor(
                    timestamp: last.location.timestamp, skip: try #require(same.firstIndex(of: last)))
            }
            #expect(paged == all.reversed())
        }

        /// What a start replays holds every fix that a device's checkpoint does not.
        func checkReplay(_ store: SQLiteStore) async throws {
            var found: [LogPosition: [StoredLocation]] = [:]
            var last: LogPosition = 0
            while true {
                let part = try await store.log(after: last, limit: 7)
                guard let end = part.last?.position else { break }
                for entry in part { found[entry.position] = entry.locations }
                last = end
            }
            for (position, locations) in commits {
                if let entry = found[position] {
                    #expect(entry == locations)
                } else {
                    #expect(locations.allSatisfy { checkpoints[$0.location.deviceID.rawValue] ?? 0 >= position })
                }
            }
        }
    }

    @Test(
        "are the same before and after they were sorted, merged and trimmed",
        arguments: SeedShare.of(1...12 as ClosedRange<UInt64>))
    func agrees(seed: UInt64) async throws {
        let scratch = try Scratch()
        var made = MadeUp(seed: seed)
        var model = Model()
        let devices = (0..<Int.random(in: 1...6, using: &made.random)).map { "d\($0)" }
        var position: LogPosition = 0
        // Small pieces, so that there is something between them.
        var limits = SQLiteStore.MaintenanceLimits()
        (limits.batch, limits.sliceDevices, limits.mergeCount) = (100, 1, 3)
        for _ in 0..<4 {
            try await withStore(scratch, limits: limits) { store in
                #expect(try await store.load().position == position)
                try await model.check(store, &made)
                for _ in 0..<15 {
                    position += 1
                    // Few moments, so that many fixes share one.
                    let fixes = (0..<Int.random(in: 0...40, using: &made.random)).map { _ in
                        made.location(devices, within: made.chance() ? 200 : 1_000_000)
                    }
                    try await store.commit(.of(position, at: position, fixes))
                    if !fixes.isEmpty { model.commits[position] = fixes }
                    for fix in fixes { model.fixes[fix.location.deviceID.rawValue, default: []].append(fix) }
                    if made.chance(0.3), let device = devices.randomElement(using: &made.random) {
                        let at = LogPosition.random(
                            in: (model.checkpoints[device] ?? 0)...position, using: &made.random)
                        model.checkpoints[device] = at
                        try await store.checkpoint([
                            DeviceCheckpoint(deviceID: DeviceID(device), position: at, state: [])
                        ])
                    }
                    if made.chance(0.3) {
                        async let report = store.maintain(at: MadeUp.start, isForced: true)
                        if made.chance() { try await model.check(store, &made) }
                        _ = try await report
                    }
                }
                try await model.check(store, &made)
                try await model.checkReplay(store)
            }
        }
    }

    @Test("leave the log once nobody needs them there")
    func trims() async throws {
        try await withStore { store in
            for position in 1...50 as ClosedRange<LogPosition> {
                try await store.commit(
                    .of(position, (0..<300).map { .at("d\($0)", position, latitude: Double($0) / 10 - 40) }))
            }
            var report = try await store.maintain(at: MadeUp.start)
            #expect(report == MaintenanceReport())
            // They are old enough, but a start would replay them.
            report = try await store.maintain(at: MadeUp.start + .seconds(301))
            #expect(report.archived == 15_000 && report.trimmed == 0)
            try await store.checkpoint(
                (0..<300).map { DeviceCheckpoint(deviceID: DeviceID("d\($0)"), position: 50, state: []) })
            report = try await store.maintain(at: MadeUp.start + .seconds(302))
            #expect(report.archived == 0 && report.trimmed == 49)
            #expect(try await store.load().position == 50)
            #expect(try await store.log(after: 0, limit: 99).map(\.position) == [50])
            let fixes = try await store.locations(of: DeviceID("d7"), from: nil, to: nil, after: nil, limit: 99)
            #expect(fixes.map(\.location.timestamp) == (1...50).map { MadeUp.start + .seconds($0) })
        }
    }

    @Test("leave the log only after the deadlines that were evaluated between them and a checkpoint")
    func keepsDeadlines() async throws {
        try await withStore { store in
            try await store.commit(.of(1, [.at("a", 1), .at("b", 1)]))
            var clock = Commit(position: 2, receivedAt: MadeUp.start + .seconds(60))
            (clock.advancesClock, clock.clockDevices) = (true, [DeviceID("a")])
            try await store.commit(clock)
            try await store.commit(.of(3, [.at("b", 70)]))
            let checkpoint = { (device: String, position: LogPosition) in
                DeviceCheckpoint(deviceID: DeviceID(device), position: position, state: [])
            }
            try await store.checkpoint([checkpoint("a", 1), checkpoint("b", 3)])
            try await store.maintain(at: MadeUp.start + .seconds(500), isForced: true)
            #expect(try await store.log(after: 0, limit: 99).map(\.position) == [2, 3])
            try await store.checkpoint([checkpoint("a", 2)])
            try await store.maintain(at: MadeUp.start + .seconds(600), isForced: true)
            #expect(try await store.log(after: 0, limit: 99).map(\.position) == [3])
        }
    }

    @Test("wait for the next call when the task that archives them is cancelled")
    func archivingStops() async throws {
        let scratch = try Scratch()
        var settings = StorageSettings()
        settings.path = scratch.database
        var limits = SQLiteStore.MaintenanceLimits()
        limits.sliceDevices = 1
        // Cancels the task that works on the database, before its eighth step.
        let left = Mutex(Int?.none)
        let store = try SQLiteStore(
            settings, limits: limits,
            access: .inTurn { _ in
                let isNow = left.withLock { left in
                    left = left.map { $0 - 1 }
                    return left == 0
                }
                if isNow { withUnsafeCurrentTask { $0?.cancel() } }
            })
        try await store.commit(.of(1, (0..<300).map { .at("d\($0)", 1) }))
        func rows() async throws -> Int {
            try await store.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM segment") ?? 0 }
        }
        left.withLock { $0 = 8 }
        let archiving = Task { try await store.maintain(at: MadeUp.start, isForced: true) }
        await #expect(throws: StoreError.self) { try await archiving.value }
        let written = try await rows()
        #expect((1..<10).contains(written))
        try await store.maintain(at: MadeUp.start, isForced: true)
        #expect(try await rows() == 300)
        try store.close()
    }

    @Test("of one device lie in few rows")
    func merges() async throws {
        try await withStore { store in
            for position in 1...40 as ClosedRange<LogPosition> {
                try await store.commit(.of(position, at: position, (0..<30).map { .at("a", position * 100 + $0) }))
                try await store.maintain(at: MadeUp.start, isForced: true)
            }
            let rows = try await store.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM segment") }
            #expect(rows ?? 99 <= 1 + SQLiteStore.MaintenanceLimits().mergeCount)
            let fixes = try await store.locations(of: DeviceID("a"), from: nil, to: nil, after: nil, limit: 9999)
            #expect(fixes.count == 1200)
        }
    }
}

@Suite("Stored history") struct StoredHistoryTests {
    @Test("is found by every filter")
    func filters() async throws {
        try await withStore { store in
            var made = MadeUp(seed: 1)
            let types = ["region.entered", "region.exited", "visit.arrived", "device.stale", "a[b].c"]
            var all: [NewEvent] = []
            for position in 1...40 as ClosedRange<LogPosition> {
                var commit = Commit.of(position, at: position)
                for _ in 0..<5 {
                    let event = NewEvent.made(
                        "evt_\(all.count)", types.randomElement(using: &made.random) ?? "",
                        device: made.chance(0.1) ? nil : made.chance() ? "jane" : "tom",
                        region: made.chance() ? "office" : nil, at: Int64.random(in: 0...50, using: &made.random))
                    all.append(event)
                    commit.events.append(event)
                }
                try await store.commit(commit)
            }
            for _ in 0..<100 {
                var filter = HistoryFilter()
                if made.chance() { filter.deviceID = DeviceID("jane") }
                if made.chance() { filter.regionID = RegionID("office") }
                if made.chance() {
                    filter.from = MadeUp.start + .seconds(Int64.random(in: -5...55, using: &made.random))
                }
                if made.chance() { filter.to = MadeUp.start + .seconds(Int64.random(in: -5...55, using: &made.random)) }
                let patterns = ["region.*", "*", "visit.arrived", "a[b].?", "[a-z]*", "none"]
                if made.chance() {
                    filter.types = (0..<Int.random(in: 1...2, using: &made.random)).map { _ in
                        GlobPattern(patterns.randomElement(using: &made.random) ?? "")
                    }
                }
                let expected = all.filter { event in
                    (filter.deviceID == nil || event.deviceID == filter.deviceID)
                        && (filter.regionID == nil || event.regionID == filter.regionID)
                        && (filter.from.map { event.timestamp >= $0 } ?? true)
                        && (filter.to.map { event.timestamp < $0 } ?? true)
                        && (filter.types.isEmpty || filter.types.contains { $0.matches(event.type) })
                }.map(\.id)
                var (found, cursor) = ([String](), Int64(0))
                while true {
                    let page = try await store.events(filter, after: cursor, limit: 23)
                    guard let last = page.last else { break }
                    found += page.map(\.event.id)
                    cursor = last.number
                }
                #expect(found == expected, "\(filter)")
            }
        }
    }

    @Test("never gives a number twice, not even after the newest event is gone")
    func numbers() async throws {
        try await withStore { store in
            #expect(try await store.eventNumbers() == (1, 0))
            var commit = Commit.of(1)
            commit.events = [.made("evt_1"), .made("evt_2")]
            try await store.commit(commit)
            #expect(try await store.eventNumbers() == (1, 2))
            try await store.erase(DeviceID("jane"))
            #expect(try await store.eventNumbers() == (3, 2))
            var next = Commit.of(2)
            next.events = [.made("evt_3")]
            try await store.commit(next)
            #expect(try await store.events(HistoryFilter(), after: 0, limit: 9).map(\.number) == [3])
        }
    }

    @Test("goes when its time is over, by when it came")
    func retention() async throws {
        try await withStore { store in
            let day: Int64 = 86_400
            try await store.save(Endpoint.made())
            for position in 1...40 as ClosedRange<LogPosition> {
                var commit = Commit.of(position, at: position * day, [.at("a", position), .at("b", position)])
                commit.events = [.made("evt_\(position)", at: position)]
                commit.deliveries = [.made("evt_\(position)")]
                commit.quarantined = [
                    QuarantineEntry(
                        receivedAt: commit.receivedAt, format: "gpx", deviceID: nil, index: 0, code: "x", detail: "")
                ]
                commit.checkpoints = [
                    DeviceCheckpoint(deviceID: DeviceID("a"), position: position, state: [])
                ]
                try await store.commit(commit)
                if position == 20 || position == 30 { try await store.maintain(at: commit.receivedAt, isForced: true) }
            }
            let pending = try await store.due(for: "ops", at: .distantFuture, excluding: [], limit: 99)
            try await store.settle(
                pending.filter { $0.eventID != "evt_1" }.map { Settlement($0.id, .delivered) }, events: [],
                deliveries: [])
            var retention = Retention()
            retention.locations = .seconds(5 * day)
            retention.events = .seconds(12 * day)
            retention.deliveries = .seconds(3 * day)
            let now = MadeUp.start + .seconds(40 * day) + .milliseconds(1)
            let removed = try await store.removeExpired(retention, now: now)
            #expect(removed["locations"] == 70 && removed["quarantine"] == 35)
            #expect(removed["events"] == 28 && removed["deliveries"] == 9)
            for device in ["a", "b"] {
                let left = try await store.locations(of: DeviceID(device), from: nil, to: nil, after: nil, limit: 99)
                #expect(left.map(\.location.timestamp) == (36...40).map { MadeUp.start + .seconds($0) })
                #expect(try await store.stored(among: [FixKey(StoredLocation.at(device, 35).location)]).isEmpty)
                #expect(try await store.stored(among: [FixKey(StoredLocation.at(device, 36).location)]).count == 1)
            }
            // The one that was not over is still tried: its event is gone, and so is the message.
            #expect(try await store.backlog().pending == 0)
            #expect(try await store.removeExpired(retention, now: now).values.allSatisfy { $0 == 0 })
            // b was never checkpointed: a start replays all of it, whatever is shown.
            try await store.maintain(at: now, isForced: true)
            #expect(try await store.log(after: 0, limit: 99).count == 40)
            let left = try await store.locations(of: DeviceID("b"), from: nil, to: nil, after: nil, limit: 99)
            #expect(left.count == 5)
        }
    }

    @Test("frees the messages that wait for those of an expired event")
    func expiredHead() async throws {
        try await withStore { store in
            try await store.save(Endpoint.made())
            for position in 1...3 as ClosedRange<LogPosition> {
                var commit = Commit.of(position, at: position * 86_400, [.at("jane", position)])
                commit.events = [.made("evt_\(position)", at: position)]
                commit.deliveries = [.made("evt_\(position)", isOrdered: true)]
                try await store.commit(commit)
            }
            var retention = Retention()
            retention.events = .seconds(86_400)
            _ = try await store.removeExpired(retention, now: MadeUp.start + .seconds(3 * 86_400 - 1))
            let due = try await store.due(for: "ops", at: .distantFuture, excluding: [], limit: 9)
            #expect(due.map(\.eventID) == ["evt_2"])
        }
    }

    @Test("goes in parts when retention is guarded, so that a wrong clock removes little")
    func guardedRetention() async throws {
        try await withStore { store in
            let day: Int64 = 86_400
            for position in 1...41 as ClosedRange<LogPosition> {
                var commit = Commit.of(position, at: position * day, [.at("a", position)])
                commit.events = [.made("evt_\(position)", at: position)]
                try await store.commit(commit)
            }
            // 400 days ahead: everything is expired.
            let ahead = MadeUp.start + .seconds(441 * day)
            var retention = Retention()
            retention.events = .seconds(30 * day)
            let removed = try await store.removeExpired(retention, now: ahead, isGuarded: true)
            #expect(removed["locations"] == 4 && removed["events"] == 4)
            let again = try await store.removeExpired(retention, now: ahead, isGuarded: true)
            #expect(again["locations"] == 4 && again["events"] == 4)
            // The same as without the guard, when nothing is unusual.
            let now = MadeUp.start + .seconds(41 * day)
            #expect(try await store.removeExpired(retention, now: now, isGuarded: true)["locations"] == 2)
        }
    }
}
