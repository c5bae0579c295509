import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostServiceTesting
import FencepostTesting
import Foundation
import Logging
import Testing

@testable import FencepostService
@testable import FencepostStore

/// After any split, order and arrival time of fixes, what holds is the result of all fixes in time order.
@Suite("Late data") struct LateDataTests {
    /// How the fixes of a device come.
    enum Arrival: CaseIterable {
        /// Long after they happened, in any order.
        case recorded
        /// Mostly as they happen, with deadlines by the clock; some late.
        case live
        /// As live ones, with a reorder window.
        case windowed
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var seed: UInt64
        var crossing: CrossingMode
        var arrival: Arrival
        var testDescription: String { "\(arrival) \(crossing) \(seed)" }
    }

    static let cases = Arrival.allCases.flatMap { arrival in
        CrossingMode.allCases.flatMap { crossing in
            (1...2 as ClosedRange<UInt64>).map { Case(seed: $0, crossing: crossing, arrival: arrival) }
        }
    }

    @Test("gives the events, visits and states of all fixes in time order", arguments: SeedShare.of(cases))
    func isTheOrderOfTime(of item: Case) async throws {
        var random = SeededGenerator(seed: item.seed &* 7919 &+ UInt64(item.arrival.hashValue & 0))
        let devices = (0..<2).map { DeviceID("phone/\($0)") }
        let tracks = devices.map { SeededTrack(seed: random.next(), device: $0).fixes }
        var settings = MonitorSettings()
        settings.crossing = item.crossing
        settings.staleAfter = Bool.random(using: &random) ? .seconds(900) : nil
        if item.arrival == .windowed { settings.reorderWindow = .seconds(90) }
        if item.seed.isMultiple(of: 2) { settings.alerts = SeededTrack.alerts }
        settings.plans = SeededTrack.plans
        let last = tracks.joined().map(\.timestamp).max() ?? SeededTrack.start
        let parcels = Parcel.split(tracks, item.arrival, &random)
        let waits = parcels.map { _ in Int.random(in: 0..<6, using: &random) == 0 }
        let commands = parcels.map { _ in FenceStep.random(devices, &random) }
        let monitor = settings
        let end = item.arrival == .recorded ? last + .seconds(86_400 * 20) : last + .seconds(5000)
        let time = ManualTime(item.arrival == .recorded ? end : SeededTrack.start)

        // Rules of the API are evaluated as those of the configuration.
        var configured = settings
        let stored = item.crossing == .confirmed ? settings.alerts : []
        if !stored.isEmpty { configured.alerts = [] }
        configured.plans = []
        let started = configured
        try await withStore { store in
            try await Self.withService(store, started, time) { worker, history in
                _ = try await worker.editRegions { _ in RegionEdit(changed: SeededTrack.regions) }
                for rule in stored {
                    let text = RuleFile.text(of: rule)
                    #expect(try await store.changeRule(rule.id, of: .alert, from: nil, to: text, limit: 99) == .done)
                }
                for (id, versions) in Dictionary(grouping: SeededTrack.plans, by: \.id) {
                    let row = StoredPlan(id: id, versions: versions)
                    #expect(try await store.changePlan(row, from: nil, limit: 9) == .done)
                }
                try await worker.alertRulesDidChange()
                for ((parcel, waits), command) in zip(zip(parcels, waits), commands) {
                    if let now = parcel.arrival, now > time.clock.wall() { time.advance(by: now - time.clock.wall()) }
                    try await Self.submit(parcel, to: worker)
                    if let command { _ = try await worker.changeFence(of: command.device, command.command) }
                    if waits {
                        _ = try await history.waitUntilEvaluated(Set(devices), atMost: .seconds(30))
                    }
                }
                if time.clock.wall() < end { time.advance(by: end - time.clock.wall()) }
                try await Task.sleep(for: .milliseconds(60))
                #expect(try await history.waitUntilEvaluated(Set(devices), atMost: .seconds(60)))
                try await Task.sleep(for: .milliseconds(60))
                for (device, track) in zip(devices, tracks) {
                    let expected = try Expected(
                        track, monitor, now: item.arrival == .recorded ? nil : end - monitor.reorderWindow,
                        try await store.fenceRecords(of: device))
                    try await expected.compare(to: store, of: device)
                    #expect(expected.events.contains { $0.occurrence.type == .planMissed })
                    let status = worker.device(device)
                    #expect(status?.regions == expected.status.regions)
                    #expect(status?.lastLocation == expected.status.lastLocation)
                    #expect(status?.isStale == expected.status.isStale)
                    #expect(status?.visit == expected.visit)
                    #expect(status?.fence == expected.status.fence)
                }
            }
            let doctor = try Doctor.examine(store.path)
            #expect(doctor.filter { !$0.isPassed }.map { "\($0.name): \($0.problems)" } == [])
        }
    }

    @Test("is evaluated against the regions of its time, or on request against those of today")
    func regionVersions() async throws {
        var settings = MonitorSettings()
        (settings.crossing, settings.visits) = (.raw, nil)
        let device = DeviceID("jane")
        let time = ManualTime(SeededTrack.start)
        func fix(_ seconds: Int, _ center: Int) -> Location {
            Location(
                deviceID: device, timestamp: SeededTrack.start + .seconds(seconds),
                coordinate: SeededTrack.centers[center])
        }
        func region(_ center: Int) -> Region {
            Region(
                id: RegionID("moved"), shape: .circle(Circle(center: SeededTrack.centers[center], radius: 100)))
        }
        let monitor = settings
        let (first, moved) = (region(0), region(1))
        let (live, after, late) = (fix(100, 0), fix(1100, 0), fix(500, 0))
        try await withStore { store in
            try await Self.withService(store, monitor, time) { worker, history in
                func held() async throws -> [String] {
                    var filter = HistoryFilter()
                    (filter.holdsOnly, filter.origins) = (true, [.live, .history, .correction])
                    return try await store.events(filter, after: nil, limit: 99).map { event in
                        "\(event.event.type) \((event.event.timestamp - SeededTrack.start).milliseconds / 1000)"
                    }
                }
                func settle() async throws {
                    #expect(try await history.waitUntilEvaluated([device], atMost: .seconds(20)))
                }
                _ = try await worker.editRegions { _ in RegionEdit(changed: [first]) }
                time.advance(by: .seconds(150))
                try await Self.submit(Parcel(fixes: [live]), to: worker)
                time.advance(by: .seconds(900))
                _ = try await worker.editRegions { _ in RegionEdit(changed: [moved]) }
                try await Self.submit(Parcel(fixes: [after]), to: worker)
                #expect(try await held() == ["region.entered 100", "region.exited 1100"])
                try await Self.submit(Parcel(fixes: [late]), to: worker)
                try await settle()
                #expect(try await held() == ["region.entered 100", "region.exited 1100"])
                #expect(try await store.events(HistoryFilter(), after: Int64(0), limit: 99).count == 2)

                var task = EvaluationTask(
                    device, from: SeededTrack.start, through: after.timestamp, receivedAt: after.timestamp,
                    cause: .request)
                task.regions = .today
                try await history.requestEvaluation(task)
                try await settle()
                #expect(try await held() == [])
                let all = try await store.events(HistoryFilter(), after: Int64(0), limit: 99).map(\.event)
                #expect(all.filter { $0.type == "event.retracted" }.count == 2)
                #expect(all.filter { $0.supersededBy != nil }.count == 2)
            }
        }
    }

    // MARK: The service

    static func withService(
        _ store: SQLiteStore, _ settings: MonitorSettings, _ time: ManualTime,
        _ body: @escaping @Sendable (MonitorWorker, HistoryService) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let brief: @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .milliseconds(2)) }
        let worker = MonitorWorker(
            store: store, composer: NoMessages(), settings: settings, clock: time.clock, logger: logger, sleep: brief)
        let history = HistoryService(store: store, worker: worker, logger: logger, sleep: brief)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            group.addTask { await history.run() }
            await worker.waitUntilStarted()
            try await body(worker, history)
            group.cancelAll()
        }
    }

    static func submit(_ parcel: Parcel, to worker: MonitorWorker) async throws {
        guard parcel.isImport else {
            var submission = Submission(format: "native")
            submission.locations = parcel.fixes
            _ = try await worker.submit(submission)
            return
        }
        var slice = ImportSlice()
        slice.locations = parcel.fixes.sorted { $0.timestamp < $1.timestamp }
        _ = try await worker.take(.archive(slice))
    }
}

/// A change of a fence between two parcels.
struct FenceStep: Sendable {
    var device: DeviceID
    var command: FenceCommand

    /// Mostly none. The device of the owner is the other one.
    static func random(_ devices: [DeviceID], _ random: inout SeededGenerator) -> FenceStep? {
        guard Int.random(in: 0..<14, using: &random) == 0 else { return nil }
        let index = Int.random(in: devices.indices, using: &random)
        var settings = FenceSettings(radius: [20, 60, 300][Int.random(in: 0..<3, using: &random)])
        if Bool.random(using: &random) { settings.owner = devices[(index + 1) % devices.count] }
        // The tracks begin at 06:13 in UTC.
        if Bool.random(using: &random) {
            let minutes = [(385, 410), (420, 440), (460, 540)]
            settings.schedule = Schedule(
                timeZone: .gmt,
                weekly: minutes.map { Schedule.Opening(weekdays: Set(0..<7), start: $0.0, end: $0.1) })
        }
        let command: FenceCommand =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: .disarm(keepsSchedule: Bool.random(using: &random))
            case 1...3:
                .arm(
                    settings,
                    until: Bool.random(using: &random)
                        ? SeededTrack.start + .seconds(Int.random(in: 2000...9000, using: &random)) : nil)
            default: settings.schedule == nil ? .arm(settings, until: nil) : .schedule(settings)
            }
        return FenceStep(device: devices[index], command: command)
    }
}

/// Fixes that arrive together.
struct Parcel: Sendable {
    var fixes: [Location]
    var isImport = false
    /// `nil` for no particular time.
    var arrival: Timestamp?

    static func split(
        _ tracks: [[Location]], _ arrival: LateDataTests.Arrival, _ random: inout SeededGenerator
    ) -> [Parcel] {
        let all = tracks.joined().sorted { ($0.timestamp, $0.deviceID.rawValue) < ($1.timestamp, $1.deviceID.rawValue) }
        switch arrival {
        case .recorded:
            var rest = all
            if Bool.random(using: &random) { rest.shuffle(using: &random) }
            var parcels: [Parcel] = []
            while !rest.isEmpty {
                let count = min(rest.count, Int.random(in: 1...200, using: &random))
                let isImport = Int.random(in: 0..<3, using: &random) == 0
                parcels.append(Parcel(fixes: Array(rest.prefix(count)), isImport: isImport))
                rest.removeFirst(count)
            }
            return Bool.random(using: &random) ? parcels.shuffled(using: &random) : parcels
        case .live, .windowed:
            var parcels: [Parcel] = []
            for fix in all {
                // A fifth of the fixes comes late: in a tunnel, or from another source.
                let delay =
                    Int.random(in: 0..<5, using: &random) == 0
                    ? Int.random(in: 30...4000, using: &random) : Int.random(in: 0...3, using: &random)
                parcels.append(
                    Parcel(
                        fixes: [fix], isImport: delay > 3 && Int.random(in: 0..<3, using: &random) == 0,
                        arrival: fix.timestamp + .seconds(delay)))
            }
            parcels.sort { ($0.arrival ?? .distantPast) < ($1.arrival ?? .distantPast) }
            // Each device is live from its first fix on.
            return parcels
        }
    }
}

/// What an engine gives for all fixes of a device in time order.
struct Expected {
    var events: [Event] = []
    var status: DeviceStatus
    var visit: Visit?

    /// `now`: the time up to which deadlines are due by the clock; `nil` for a device that is not live.
    /// `fences`: the changes of its fence, in their order.
    init(_ fixes: [Location], _ settings: MonitorSettings, now: Timestamp?, _ fences: [FenceRecord] = []) throws {
        var fences = fences[...]
        var plain = settings
        plain.reorderWindow = .zero
        var engine = MonitorEngine(RegionIndex(RegionCatalog(SeededTrack.regions)), settings: plain, explains: true)
        var events: [Event] = []
        for fix in fixes.sorted(by: { ReorderBuffer.precedes($0, $1) }) {
            while let record = fences.first, record.time <= fix.timestamp {
                try engine.changeFence(record) { events.append($0) }
                fences.removeFirst()
            }
            _ = try engine.accept(fix, now: now == nil ? nil : fix.timestamp) { events.append($0) }
        }
        for record in fences { try engine.changeFence(record) { events.append($0) } }
        if let now { try engine.advanceClock(to: now) { events.append($0) } }
        self.events = events
        status = engine.status(at: 0)
        for event in events { visit.follow(event) }
    }

    func compare(to store: SQLiteStore, of device: DeviceID) async throws {
        var filter = HistoryFilter()
        filter.deviceID = device
        let all = try await store.events(filter, after: Int64(0), limit: .max)
        let sequences = all.compactMap { $0.event.message?.sequence }
        #expect(sequences == Array(1...max(all.count, 1)).prefix(all.count).map { $0 })
        let held = all.filter { $0.event.supersededBy == nil && $0.event.origin != .retraction }
        let stored = Set(held.compactMap { $0.event.message.map(EventContent.text) })
        let wanted = Set(
            events.map { event in
                EventContent.text(
                    of: EventMessage(.occurrence(event, decisions: []), receivedAt: event.detectedAt))
            })
        #expect(stored.count == held.count)
        #expect(wanted.subtracting(stored).sorted() == [])
        #expect(stored.subtracting(wanted).sorted() == [])
        let ids = Set(events.map(\.id))
        for item in held where item.event.revision == 1 { #expect(ids.contains(item.event.id)) }
        var visits: [String: Visit] = [:]
        for visit in events.compactMap(\.occurrence.visit) { visits[visit.id] = visit }
        let rows = try await store.visits(filter, after: Int64(0), limit: .max)
        #expect(Set(rows.map(\.visit.id)) == Set(visits.keys))
        for row in rows { #expect(row.visit.end == visits[row.visit.id]?.departure) }
    }
}

/// A day of a phone: stays and ways through a few regions, with gaps, outliers and fixes of the same time.
struct SeededTrack {
    static let start = Timestamp(seconds: 1_772_000_000)
    static let centers = [(48.85, 2.35), (48.86, 2.37), (48.842, 2.33)].map {
        Coordinate(latitude: $0.0, longitude: $0.1)
    }
    static let regions: [Region] = zip(["a", "b", "c"], centers).map { name, center in
        var region = Region(id: RegionID(name), shape: .circle(Circle(center: center, radius: 250)))
        region.dwells = [.seconds(300)]
        return region
    }

    /// Rules that the clock decides. The tracks begin at 06:13 in UTC.
    static let alerts = [
        AlertRule(id: "silent", .silent(longerThan: .seconds(400))),
        AlertRule(id: "absent", .absent(from: RegionID("a"), by: DailyTime(minute: 7 * 60, timeZone: .gmt))),
        AlertRule(
            id: "present", .present(in: RegionID("b"), at: DailyTime(minute: 7 * 60 + 30, timeZone: .gmt)), hold: .zero),
    ]

    /// Two rounds, whose windows are short and follow each other. One ends with a change of the plan.
    static let plans: [Plan] = {
        func stop(_ region: String, _ start: Int, _ end: Int, _ stay: Int64 = 0) -> Plan.Stop {
            Plan.Stop(region: RegionID(region), start: start, end: end, stay: .seconds(stay))
        }
        var first = Plan(
            id: "first", [stop("a", 390, 400), stop("b", 395, 420, 120), stop("c", 420, 470, 300)], PlanCalendar(),
            timeZone: .gmt, since: start)
        (first.isOrdered, first.grace) = (true, .seconds(900))
        var second = Plan(
            id: "second", [stop("b", 375, 380), stop("a", 430, 431), stop("c", 500, 560)], PlanCalendar(),
            timeZone: .gmt,
            since: start - .seconds(60))
        second.until = start + .seconds(6000)
        var third = second
        (third.since, third.until, third.grace) = (start + .seconds(6000), nil, .zero)
        third.stops = [stop("a", 480, 490), stop("b", 480, 500, 60)]
        return [first, second, third]
    }()

    let fixes: [Location]

    init(seed: UInt64, device: DeviceID) {
        var random = SeededGenerator(seed: seed)
        var fixes: [Location] = []
        var time = Self.start
        var position = Self.centers[0]
        func add(_ coordinate: Coordinate, speed: Double?, accuracy: Double) {
            var fix = Location(deviceID: device, timestamp: time, coordinate: coordinate, horizontalAccuracy: accuracy)
            fix.coordinate.latitude = (fix.coordinate.latitude * 1e6).rounded() / 1e6
            fix.coordinate.longitude = (fix.coordinate.longitude * 1e6).rounded() / 1e6
            fix.speed = speed
            fixes.append(fix)
        }
        for _ in 0..<6 {
            // A stay.
            for _ in 0..<Int.random(in: 5...40, using: &random) {
                time = time + .seconds(Int.random(in: 5...90, using: &random))
                if Int.random(in: 0..<30, using: &random) == 0 { time = time + .seconds(1800) }
                let isOutlier = Int.random(in: 0..<25, using: &random) == 0
                let spread = isOutlier ? 0.01 : 0.0002
                add(
                    Coordinate(
                        latitude: position.latitude + .random(in: -spread...spread, using: &random),
                        longitude: position.longitude + .random(in: -spread...spread, using: &random)),
                    speed: isOutlier ? nil : 0,
                    accuracy: isOutlier ? 500 : Double(Int.random(in: 5...40, using: &random)))
                if Int.random(in: 0..<40, using: &random) == 0 {
                    add(
                        Coordinate(latitude: position.latitude + 0.0003, longitude: position.longitude), speed: 0,
                        accuracy: 25)
                }
            }
            // A way to another place.
            let goal = Self.centers.randomElement(using: &random) ?? position
            let from = position
            let steps = Int.random(in: 5...20, using: &random)
            for step in 1...steps {
                time = time + .seconds(Int.random(in: 5...30, using: &random))
                let share = Double(step) / Double(steps)
                position = Coordinate(
                    latitude: from.latitude + (goal.latitude - from.latitude) * share,
                    longitude: from.longitude + (goal.longitude - from.longitude) * share)
                add(position, speed: 8, accuracy: 10)
            }
        }
        self.fixes = fixes
    }
}
