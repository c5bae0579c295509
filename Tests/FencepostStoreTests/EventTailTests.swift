import FencepostFormats
import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import GRDB
import Synchronization
import Testing

@testable import FencepostStore

/// Events are found in the same way before, while and after they get into runs.
@Suite("Events in runs and outside of them") struct EventTailTests {
    /// What the store should hold, in plain arrays.
    struct Model {
        var events: [StoredEvent] = []

        func matching(_ filter: HistoryFilter) -> [StoredEvent] {
            events.filter { stored in
                let event = stored.event
                if let device = filter.deviceID, event.deviceID != device { return false }
                if let devices = filter.devices {
                    guard let id = event.deviceID, devices.contains(where: { $0.matches(id.rawValue) }) else {
                        return false
                    }
                }
                for choice in filter.chosen {
                    guard let id = event.deviceID, choice.contains(where: { $0.matches(id.rawValue) }) else {
                        return false
                    }
                }
                if let region = filter.regionID, event.regionID != region { return false }
                if let regions = filter.regionIDs {
                    guard let id = event.regionID, regions.contains(id) else { return false }
                }
                if !filter.types.isEmpty, !filter.types.contains(where: { $0.matches(event.type) }) { return false }
                if let from = filter.from, event.timestamp < from { return false }
                if let to = filter.to, event.timestamp >= to { return false }
                if let origins = filter.origins, !origins.contains(event.origin) { return false }
                return !filter.holdsOnly || event.supersededBy == nil
            }
        }

        func check(_ store: SQLiteStore, _ made: inout MadeUp) async throws {
            for _ in 0..<6 {
                let filter = EventTailTests.filter(&made)
                let limit = Int.random(in: 1...30, using: &made.random)
                let expected = matching(filter)
                var paged: [StoredEvent] = []
                while true {
                    let page = try await store.events(filter, after: paged.last?.number ?? 0, limit: limit)
                    if page.isEmpty { break }
                    #expect(page.count <= limit)
                    paged += page
                }
                #expect(paged == expected)
                let sorted = expected.sorted { ($0.event.timestamp, $0.number) < ($1.event.timestamp, $1.number) }
                for order in HistoryOrder.allCases {
                    var (byTime, time) = ([StoredEvent](), TimeCursor?.none)
                    while true {
                        let page = try await store.events(filter, after: time, limit: limit, order: order)
                        guard let last = page.last else { break }
                        #expect(page.count <= limit)
                        byTime += page
                        time = TimeCursor(timestamp: last.event.timestamp, number: last.number)
                    }
                    #expect(byTime == (order == .ascending ? sorted : sorted.reversed()))
                }
            }
            for stored in events.shuffled(using: &made.random).prefix(10) {
                #expect(try await store.event(id: stored.event.id) == stored)
            }
            #expect(try await store.event(id: "evt_none") == nil)
            try await checkEvaluation(store, &made)
        }

        private func checkEvaluation(_ store: SQLiteStore, _ made: inout MadeUp) async throws {
            let superseded = events.map(\.event).filter { $0.supersededBy != nil }
            let causes = superseded.map { $0.cause ?? $0.id } + ["evt_none"]
            var former: [String: HeldEvent] = [:]
            for event in superseded.sorted(by: { $0.revision < $1.revision }) {
                former[event.cause ?? event.id] = HeldEvent(event, detectedAt: event.detectedAt ?? event.timestamp)
            }
            let found = try await store.formerEvents(ofCauses: causes)
            #expect(found == former)
            let device = DeviceID("d\(Int.random(in: 0..<4, using: &made.random))")
            let input = try await store.evaluationInput(
                of: device, from: .distantPast, through: .distantFuture, limit: .max)
            let held = events.filter {
                $0.event.deviceID == device && $0.event.supersededBy == nil && $0.event.origin != .retraction
                    && $0.event.type != "app.relaunched" && $0.event.detectedAt != nil
            }
            let sorted = held.sorted {
                ($0.event.detectedAt ?? .distantPast, $0.number) < ($1.event.detectedAt ?? .distantPast, $1.number)
            }
            #expect(input.events.map(\.id) == sorted.map(\.event.id))
        }
    }

    private static let types = ["region.entered", "region.exited", "visit.arrived", "visit.departed", "app.relaunched"]

    static func filter(_ made: inout MadeUp) -> HistoryFilter {
        var filter = HistoryFilter()
        if made.chance(0.4) { filter.deviceID = DeviceID("d\(Int.random(in: 0..<4, using: &made.random))") }
        if made.chance(0.2) { filter.devices = [GlobPattern("d[12]"), GlobPattern("d*3"), GlobPattern("d1")] }
        if made.chance(0.3) { filter.regionID = RegionID("r\(Int.random(in: 0..<3, using: &made.random))") }
        if made.chance(0.2) { filter.chosen = [[GlobPattern("d?")], [GlobPattern("d1"), GlobPattern("*2")]] }
        if made.chance(0.2) { filter.regionIDs = made.chance(0.2) ? [] : [RegionID("r0"), RegionID("r2")] }
        if made.chance(0.3) { filter.types = [GlobPattern("visit.*"), GlobPattern("region.entered")] }
        if made.chance(0.2) { filter.types = [GlobPattern("none.*")] }
        if made.chance(0.3) { filter.from = MadeUp.start + .seconds(Int64.random(in: 0..<60, using: &made.random)) }
        if made.chance(0.3) { filter.to = MadeUp.start + .seconds(Int64.random(in: 30..<90, using: &made.random)) }
        if made.chance(0.2) { filter.origins = [.live, .correction] }
        filter.holdsOnly = made.chance(0.3)
        return filter
    }

    private static func event(_ number: Int, _ made: inout MadeUp) -> NewEvent {
        let type = types.randomElement(using: &made.random) ?? ""
        var event = NewEvent.made(
            "evt_\(number)", type, device: made.chance(0.9) ? "d\(Int.random(in: 0..<4, using: &made.random))" : nil,
            region: type.hasPrefix("region") ? "r\(Int.random(in: 0..<3, using: &made.random))" : nil,
            at: Int64.random(in: 0..<90, using: &made.random))
        if event.deviceID != nil {
            event.detectedAt = event.timestamp + .seconds(Int64.random(in: 0...30, using: &made.random))
        }
        if made.chance(0.2) { event.cause = "evt_cause\(number)" }
        if made.chance(0.2) { event.origin = EventOrigin.allCases.randomElement(using: &made.random) ?? .live }
        return event
    }

    @Test("are found from the moment at which the database has them, and take no place of others before")
    func staged() throws {
        let tail = EventTail()
        func stage(_ number: Int64, at time: Int64, _ type: String = "region.entered") {
            let facts = EventFacts(
                number: number, id: "evt_\(number)", cause: nil, type: type, device: "a", region: nil, timestamp: time,
                receivedAt: time, detectedAt: nil, visit: nil)
            tail.stage(facts, type: type, device: "a")
        }
        for number in 1...3 as ClosedRange<Int64> { stage(number, at: number * 10) }
        tail.publish()
        // A late event: before the others by its time.
        stage(4, at: 5, "region.exited")
        #expect(tail.view { _ in true }.numbers == [1, 2, 3, 4])
        #expect(tail.view(limit: 2) { _ in true }.numbers == [1, 2, 4])
        #expect(tail.view(byTime: .ascending, limit: 2) { _ in true }.numbers == [4, 1, 2])
        #expect(tail.view(byTime: .descending, limit: 2) { _ in true }.numbers == [3, 2, 4])
        #expect(tail.view { $0.timestamp > 5 }.numbers == [1, 2, 3])
        tail.publish()
        #expect(tail.view(byTime: .ascending, limit: 2) { _ in true }.numbers == [4, 1])
    }

    @Test(
        "are found as the model says, whatever is in runs",
        arguments: SeedShare.of(1...12 as ClosedRange<UInt64>))
    func agrees(seed: UInt64) async throws {
        let scratch = try Scratch()
        var made = MadeUp(seed: seed)
        var model = Model()
        var position: LogPosition = 0
        for _ in 0..<3 {
            var limits = SQLiteStore.MaintenanceLimits()
            (limits.eventBatch, limits.eventPages) = (9, made.chance() ? 1 : 250)
            limits.eventMerge = made.chance() ? 2 : 3
            try await withStore(scratch, limits: limits) { store in
                try await model.check(store, &made)
                for _ in 0..<25 {
                    position += 1
                    var commit = Commit.of(position, at: position)
                    for _ in 0..<Int.random(in: 0...9, using: &made.random) {
                        commit.events.append(Self.event(model.events.count + commit.events.count + 1, &made))
                    }
                    for event in commit.events {
                        let number = (model.events.last?.number ?? 0) + 1
                        model.events.append(StoredEvent(number: number, event: event, receivedAt: commit.receivedAt))
                    }
                    // Events that are stored already are ignored.
                    if let known = model.events.filter({ $0.event.supersededBy == nil }).randomElement(
                        using: &made.random)
                    {
                        commit.events.append(known.event)
                    }
                    if made.chance(0.3), let old = model.events.indices.randomElement(using: &made.random),
                        let next = model.events.last?.event, let device = model.events[old].event.deviceID,
                        next.id != model.events[old].event.id
                    {
                        var revision = HistoryRevision(
                            deviceID: device, after: .distantPast, through: .distantPast)
                        revision.superseded = [model.events[old].event.id: next.id]
                        commit.revision = revision
                    }
                    try await store.commit(commit)
                    for (id, next) in commit.revision?.superseded ?? [:] {
                        for index in model.events.indices where model.events[index].event.id == id {
                            model.events[index].event.supersededBy = next
                        }
                    }
                    if made.chance(0.2) {
                        try await store.maintain(at: commit.receivedAt, isForced: made.chance())
                    }
                }
                try await model.check(store, &made)
                if made.chance() {
                    try await store.maintain(at: MadeUp.start + .seconds(position), isForced: true)
                    #expect(store.eventTail.backlog == 0)
                    try await model.check(store, &made)
                }
            }
        }
    }

    @Test("get into runs when there are enough of them, and small runs become one")
    func isDue() async throws {
        let scratch = try Scratch()
        var limits = SQLiteStore.MaintenanceLimits()
        (limits.eventBatch, limits.eventMerge) = (10, 3)
        try await withStore(scratch, limits: limits) { store in
            func add(_ count: Int, _ position: LogPosition) async throws {
                var commit = Commit.of(position, at: position)
                commit.events = (0..<count).map { .made("evt_\(position)_\($0)") }
                try await store.commit(commit)
            }
            func runs() async throws -> [Int] { try await store.read { db in try EventRun.all(db).map(\.count) } }
            func runsOfPages() async throws -> Int? {
                try await store.read { db in try Int.fetchOne(db, sql: "SELECT count(DISTINCT run) FROM event_page") }
            }
            try await add(9, 1)
            #expect(try await store.maintain(at: MadeUp.start + .seconds(2)).indexed == 0)
            #expect(try await runs() == [] && store.eventTail.backlog == 9)
            try await add(1, 2)
            #expect(try await store.maintain(at: MadeUp.start + .seconds(2)).indexed == 10)
            #expect(try await runs() == [10] && store.eventTail.backlog == 0)
            try await add(12, 3)
            try await store.maintain(at: MadeUp.start)
            #expect(try await runs() == [10, 12])
            try await add(11, 4)
            try await store.maintain(at: MadeUp.start)
            #expect(try await runs() == [33])
            #expect(try await runsOfPages() == 1)
            // More than three times as many get one run at once.
            try await add(35, 5)
            try await store.maintain(at: MadeUp.start)
            #expect(try await runs() == [33, 30] && store.eventTail.backlog == 5)
            #expect(try await store.events(HistoryFilter(), after: 0, limit: 99).count == 68)
        }
        #expect(try Doctor.examine(scratch.database).first { $0.name == "eventLists" }?.isPassed == true)
    }

    @Test("pages of a run whose writing was interrupted are removed, and its events get another one")
    func interrupted() async throws {
        let scratch = try Scratch()
        var limits = SQLiteStore.MaintenanceLimits()
        limits.eventPages = 1
        for step in 0..<12 {
            try await withStore(scratch, limits: limits) { store in
                var commit = Commit.of(LogPosition(step + 1))
                commit.events = (0..<5).map { .made("evt_\(step)_\($0)", device: "d\($0)") }
                try await store.commit(commit)
                // Each task ends before one of its transactions.
                let task = Task { try await store.maintain(at: MadeUp.start, isForced: true) }
                for _ in 0..<step { await Task.yield() }
                task.cancel()
                _ = try? await task.value
                #expect(try await store.events(HistoryFilter(), after: 0, limit: 99).count == 5 * (step + 1))
            }
        }
        try await withStore(scratch, limits: limits) { store in
            try await store.maintain(at: MadeUp.start, isForced: true)
            let unused = try await store.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM event_page WHERE run NOT IN (SELECT id FROM event_run)")
            }
            #expect(unused == 0 && store.eventTail.backlog == 0)
            var filter = HistoryFilter()
            filter.deviceID = DeviceID("d3")
            #expect(try await store.events(filter, after: 0, limit: 99).count == 12)
        }
        #expect(try Doctor.examine(scratch.database).first { $0.name == "eventLists" }?.isPassed == true)
    }

    @Test(
        "that are not found by their lists any more are named by the doctor",
        arguments: [
            "UPDATE event_page SET postings = x'ff' WHERE list = 1", "DELETE FROM event_page WHERE list = 2",
            "UPDATE event SET device_id = 'x' WHERE number = 2", "UPDATE event SET timestamp = 0 WHERE number = 2",
            "UPDATE event SET visit_id = 'vis_x' WHERE number = 2", "DELETE FROM event_name",
            "UPDATE event_run SET last_time = 0", "INSERT INTO event_run SELECT 99, 1, 3, 3, 0, 9, 0",
            "UPDATE event_page SET key = key + 1 WHERE list = 5",
        ])
    func damaged(damage: String) async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            var commit = Commit.of(1)
            commit.events = (0..<5).map { .made("evt_\($0)", device: "d\($0)") }
            try await store.commit(commit)
            try await store.maintain(at: MadeUp.start, isForced: true)
        }
        func check() throws -> Doctor.Check? { try Doctor.examine(scratch.database).first { $0.name == "eventLists" } }
        #expect(try check()?.isPassed == true)
        let queue = try DatabaseQueue(path: scratch.database)
        try await queue.writeWithoutTransaction { db in try db.execute(sql: damage) }
        try queue.close()
        #expect(try check()?.isPassed == false)
    }

    @Test("leave nothing in lists when their device is erased, and others are found as before")
    func erased() async throws {
        let scratch = try Scratch()
        var limits = SQLiteStore.MaintenanceLimits()
        limits.eventBatch = 200
        try await withStore(scratch, limits: limits) { store in
            for position in 1...4 as ClosedRange<LogPosition> {
                var commit = Commit.of(position)
                commit.events = (0..<300).map { .made("evt_\(position)_\($0)", device: "d\($0 % 7)") }
                try await store.commit(commit)
                if position < 4 { try await store.maintain(at: MadeUp.start, isForced: position == 3) }
            }
            let numbers = try await store.read { db in
                try Int64.fetchSet(db, sql: "SELECT number FROM event WHERE device_id = 'd3'")
            }
            try await store.erase(DeviceID("d3"))
            func left() async throws -> Int {
                try await store.read { db in
                    var left = 0
                    for run in try EventRun.all(db) {
                        for list in EventList.allCases {
                            try EventPages(db: db, run: run.id, list: list).forEach { _, page in
                                left += page.postings.count { numbers.contains($0.number) }
                            }
                        }
                    }
                    return left
                }
            }
            let names = try await store.read { db in
                try String.fetchSet(db, sql: "SELECT name FROM event_name WHERE list = 2")
            }
            #expect(numbers.count > 160)
            #expect(try await left() == 0)
            // Some of them were in no run yet.
            try await store.maintain(at: MadeUp.start, isForced: true)
            #expect(try await left() == 0)
            #expect(names == ["d0", "d1", "d2", "d4", "d5", "d6"])
            var filter = HistoryFilter()
            for number in 0..<7 {
                filter.deviceID = DeviceID("d\(number)")
                let count = try await store.events(filter, after: 0, limit: 9999).count
                #expect(count == (number == 3 ? 0 : (0..<300).count { $0 % 7 == number } * 4))
            }
            // The device may come again.
            var commit = Commit.of(5)
            commit.events = [.made("evt_again", device: "d3")]
            try await store.commit(commit)
            try await store.maintain(at: MadeUp.start, isForced: true)
            filter.deviceID = nil
            filter.devices = [GlobPattern("*3")]
            #expect(try await store.events(filter, after: 0, limit: 9).map(\.event.id) == ["evt_again"])
        }
        #expect(try Doctor.examine(scratch.database).first { $0.name == "eventLists" }?.isPassed == true)
    }

    @Test("that retention removes take their runs with them")
    func expired() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            for position in 1...3 as ClosedRange<LogPosition> {
                var commit = Commit.of(position, at: position * 1000)
                commit.events = (0..<50).map { .made("evt_\(position)_\($0)", device: "d\($0 % 7)") }
                try await store.commit(commit)
                try await store.maintain(at: MadeUp.start, isForced: true)
            }
            var retention = Retention()
            retention.events = .seconds(500)
            let removed = try await store.removeExpired(retention, now: MadeUp.start + .seconds(2600), isGuarded: false)
            #expect(removed["events"] == 100)
            let (runs, pages) = try await store.read { db in
                (
                    try EventRun.all(db).map(\.count),
                    try Int.fetchOne(db, sql: "SELECT count(DISTINCT run) FROM event_page")
                )
            }
            #expect(runs == [50] && pages == 1)
            #expect(try await store.events(HistoryFilter(), after: 0, limit: 999).map(\.number) == Array(101...150))
            #expect(try await store.event(id: "evt_1_3") == nil)
        }
        #expect(try Doctor.examine(scratch.database).first { $0.name == "eventLists" }?.isPassed == true)
    }

    @Test(
        "leave the connection to writes that come, where maintenance writes in small transactions",
        arguments: [false, true])
    func pauses(isBusy: Bool) async throws {
        let scratch = try Scratch()
        var settings = StorageSettings()
        settings.path = scratch.database
        var limits = SQLiteStore.MaintenanceLimits()
        (limits.eventBatch, limits.eventPages) = (20, 1)
        let pauses = Atomic(0)
        let opened = Mutex(SQLiteStore?.none)
        let store = try SQLiteStore(
            settings, limits: limits,
            access: .inTurn { span in
                guard span > .zero else { return }
                pauses.add(1, ordering: .relaxed)
                if isBusy { _ = try? await opened.withLock { $0 }?.write { _ in } }
            })
        opened.withLock { $0 = store }
        var commit = Commit.of(1)
        commit.events = (0..<20).map { .made("evt_\($0)") }
        try await store.commit(commit)
        try await store.maintain(at: MadeUp.start)
        // A page of each list that has postings, and the row of the run.
        #expect(pauses.load(ordering: .relaxed) >= 4)
        #expect(store.eventTail.backlog == 0)
        opened.withLock { $0 = nil }
        try store.close()
    }

    @Test("are read once each by a stream that reads on while they are stored and get into runs")
    func concurrent() async throws {
        var limits = SQLiteStore.MaintenanceLimits()
        (limits.eventBatch, limits.eventPages, limits.eventMerge) = (20, 1, 4)
        try await withStore(limits: limits) { store in
            let total = 3000
            async let read: [Int64] = {
                var (numbers, cursor) = ([Int64](), Int64(0))
                while numbers.count < total {
                    let page = try await store.events(HistoryFilter(), after: cursor, limit: 37)
                    numbers += page.map(\.number)
                    cursor = page.last?.number ?? cursor
                    if page.isEmpty { await Task.yield() }
                }
                return numbers
            }()
            async let maintained: Void = {
                for _ in 0..<200 { try await store.maintain(at: MadeUp.start, isForced: true) }
            }()
            for position in 1...300 as ClosedRange<LogPosition> {
                var commit = Commit.of(position)
                commit.events = (0..<10).map { .made("evt_\(position)_\($0)") }
                try await store.commit(commit)
                #expect(try await store.event(id: "evt_\(position)_3") != nil)
            }
            try await maintained
            #expect(try await read == Array(1...Int64(total)))
        }
    }

    @Test("are seen by a program that only reads")
    func reading() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            for position in 1...2 as ClosedRange<LogPosition> {
                var commit = Commit.of(position)
                commit.events = [.made("evt_\(position)")]
                try await store.commit(commit)
                if position == 1 { try await store.maintain(at: MadeUp.start, isForced: true) }
            }
            var settings = StorageSettings()
            settings.path = scratch.database
            let reader = try SQLiteStore(reading: settings)
            #expect(try await reader.events(HistoryFilter(), after: 0, limit: 9).map(\.number) == [1, 2])
            #expect(try await reader.event(id: "evt_2")?.number == 2)
            try reader.close()
        }
    }

    @Test("a database of before keeps its events, messages, attempts and numbers")
    func migrates() async throws {
        let scratch = try Scratch()
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
        let schema = try String(contentsOf: folder.appending(path: "schema-9.sql"), encoding: .utf8)
        let queue = try DatabaseQueue(path: scratch.database)
        try await queue.write { db in
            try db.execute(sql: schema)
            try db.execute(
                sql: """
                    INSERT INTO store VALUES (1, 0, 0, 0, NULL, NULL, 0);
                    INSERT INTO endpoint VALUES ('ops', 1, '{}', '{}');
                    PRAGMA application_id = \(Migrations.applicationID);
                    PRAGMA user_version = 9;
                    """)
            for number in 1...9 {
                try db.execute(
                    sql: """
                        INSERT INTO event (id, type, device_id, region_id, timestamp, received_at, body, why, hash,
                          detected_at, superseded_by)
                        VALUES (?1, 'region.entered', 'jane', 'office', ?2, 7, ?3, 'why', ?2, ?2, ?4)
                        """,
                    arguments: ["evt_\(number)", number * 1000, "body \(number)", number == 2 ? "evt_3" : nil])
                try db.execute(
                    sql: """
                        INSERT INTO delivery (id, endpoint_id, event_id, event_type, device_id, is_ordered, status,
                          is_waiting, attempts, created_at, due, headers, body)
                        VALUES (?, 'ops', ?, 'region.entered', 'jane', 0, 1, 0, 1, 5, 6, '{}', 'message')
                        """, arguments: ["dlv_\(number)", "evt_\(number)"])
                try db.execute(
                    sql: "INSERT INTO attempt (delivery, number, started_at, nanoseconds) VALUES (?, 1, 8, 9)",
                    arguments: [number])
            }
            // The last ones are gone, and their numbers with them.
            try db.execute(sql: "PRAGMA foreign_keys = ON; DELETE FROM event WHERE number > 7")
        }
        try queue.close()
        try await withStore(scratch) { store in
            let events = try await store.events(HistoryFilter(), after: 0, limit: 99)
            #expect(events.map(\.event.id) == (1...7).map { "evt_\($0)" })
            #expect(events.map(\.event.body) == (1...7).map { "body \($0)" })
            #expect(events[1].event.supersededBy == "evt_3" && events[1].event.why == "why")
            #expect(try await store.event(id: "evt_4") == events[3])
            let records = try await store.deliveries(endpoint: "ops", status: nil, event: nil, after: 0, limit: 99)
            let known = records.filter { $0.number < 8 }
            #expect(known.map(\.record.pending.eventID) == (1...7).map { "evt_\($0)" })
            #expect(known.map(\.record.pending.eventTimestamp?.milliseconds) == (1...7).map { $0 * 1000 })
            #expect(known.allSatisfy { $0.record.attempts.count == 1 })
            #expect(try await store.eventNumbers() == (1, 9))
            try await store.append(.made("evt_new"), deliveries: [.made("evt_new")], at: MadeUp.start)
            #expect(try await store.event(id: "evt_new")?.number == 10)
            #expect(try await store.read { db in try Int.fetchOne(db, sql: "SELECT max(number) FROM delivery") } == 10)
        }
        let checks = try Doctor.examine(scratch.database).filter { !$0.isPassed }.map(\.name)
        // The made-up rows have no sequence, no true hash and no definition of the endpoint.
        #expect(Set(checks).isSubset(of: ["sequences", "contents", "crossings", "definitions"]))
    }
}
