import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

@testable import FencepostEngine

/// Rounds of plans, in the time of the fixes and in silence.
@Suite("Rounds of plans") struct RoundTests {
    /// 2026-03-02, a Monday.
    private static let midnight = Timestamp(rfc3339: "2026-03-02T00:00:00Z") ?? .distantPast
    private static let places = [(48.85, 2.35), (48.86, 2.37), (48.87, 2.39)].map {
        Coordinate(latitude: $0.0, longitude: $0.1)
    }
    private static let away = Coordinate(latitude: 48.9, longitude: 2.3)
    private static let regions = places.enumerated().map { index, center in
        Region(id: RegionID("p\(index)"), shape: .circle(Circle(center: center, radius: 100)))
    }
    private static let walker = DeviceID("guard")

    private static func time(_ minutes: Double) -> Timestamp { midnight + .milliseconds(Int64(minutes * 60_000)) }

    private static func fix(_ minutes: Double, at place: Int?, accuracy: Double = 5) -> Location {
        Location(
            deviceID: walker, timestamp: time(minutes), coordinate: place.map { places[$0] } ?? away,
            horizontalAccuracy: accuracy)
    }

    /// Places with a window from one minute to another one.
    private static func plan(_ windows: [(place: Int, start: Int, end: Int)], stay: Duration = .zero) -> Plan {
        var plan = Plan(
            id: "night",
            windows.map { Plan.Stop(region: RegionID("p\($0.place)"), start: $0.start, end: $0.end, stay: stay) },
            PlanCalendar(weekdays: [], dates: [20_514]), timeZone: .gmt, since: midnight - .seconds(1))
        plan.devices = [GlobPattern("guard")]
        return plan
    }

    private static func engine(_ plan: Plan..., crossing: CrossingMode = .raw) -> MonitorEngine {
        var settings = MonitorSettings()
        (settings.crossing, settings.visits, settings.plans) = (crossing, nil, plan)
        return MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: settings, explains: true)
    }

    /// `missed 1 at 30.5 of 30 with 0.99`: what happened to which place, when it was detected and for when it is.
    private static func text(_ event: Event) -> String? {
        guard case .plan(let report) = event.occurrence else { return nil }
        func minutes(_ time: Timestamp) -> String {
            let minutes = (time - midnight).seconds / 60
            return minutes == minutes.rounded() ? String(Int(minutes)) : String((minutes * 100).rounded() / 100)
        }
        let times = "at \(minutes(event.detectedAt)) of \(minutes(event.timestamp))"
        switch report.kind {
        case .visited:
            let order = report.stop?.isInOrder == false ? " out of order" : ""
            return "visited \(report.stop?.number ?? 0) \(times)\(order)"
        case .late: return "late \(report.stop?.number ?? 0) \(times)"
        case .missed: return "missed \(report.stop?.number ?? 0) \(times)"
        case .completed(let summary):
            let order = summary.isInOrder == false ? " out of order" : ""
            return "completed \(summary.visited)/\(summary.late)/\(summary.missed) \(times)\(order)"
        }
    }

    private static func run(_ plan: Plan, _ fixes: [Location], crossing: CrossingMode = .raw) throws -> [String] {
        var engine = engine(plan, crossing: crossing)
        var events: [Event] = []
        for fix in fixes { _ = try engine.accept(fix) { events.append($0) } }
        return events.compactMap(text)
    }

    // MARK: Dialogues

    @Test("are visited, late and missed by their windows")
    func verdicts() throws {
        let plan = Self.plan([(0, 10, 20), (1, 30, 40), (2, 50, 60)])
        let fixes =
            [0, 5].map { Self.fix($0, at: nil) } + [
                Self.fix(15, at: 0), Self.fix(16, at: nil), Self.fix(45, at: 1), Self.fix(46, at: nil),
                Self.fix(70, at: nil),
                Self.fix(100, at: nil),
            ]
        #expect(
            try Self.run(plan, fixes) == [
                "visited 1 at 15 of 15", "missed 2 at 40.5 of 40", "late 2 at 45 of 45", "missed 3 at 60.5 of 60",
                "completed 1/1/1 at 90.5 of 90.5",
            ])
    }

    @Test("need the stay within the window, as fixes at the place show it")
    func stays() throws {
        let plan = Self.plan([(0, 10, 20)], stay: .seconds(300))
        // Touched for two minutes; there for long enough, but only in part within the window; there before the window.
        let touched =
            [0, 9].map { Self.fix($0, at: nil) } + [Self.fix(12, at: 0), Self.fix(14, at: nil), Self.fix(60, at: nil)]
        #expect(try Self.run(plan, touched) == ["missed 1 at 20.5 of 20", "completed 0/0/1 at 50.5 of 50.5"])
        let late = [Self.fix(0, at: nil)] + [17, 18, 21, 23].map { Self.fix($0, at: 0) }
        #expect(
            try Self.run(plan, late) == ["missed 1 at 20.5 of 20", "late 1 at 23 of 22", "completed 0/1/0 at 23 of 22"])
        let early = [1, 9, 14, 16, 18].map { Self.fix($0, at: 0) }
        #expect(try Self.run(plan, early) == ["visited 1 at 16 of 15", "completed 1/0/0 at 16 of 15"])
        // A fix away does not end a stay that was long enough before it.
        let left = [Self.fix(0, at: nil), Self.fix(11, at: 0), Self.fix(15, at: 0), Self.fix(17, at: nil)]
        #expect(try Self.run(plan, left).first == "visited 1 at 17 of 16")
    }

    @Test("state whether the order was kept")
    func order() throws {
        var plan = Self.plan([(0, 10, 60), (1, 10, 60)])
        plan.isOrdered = true
        let fixes = [Self.fix(0, at: nil), Self.fix(20, at: 1), Self.fix(30, at: 0), Self.fix(31, at: nil)]
        #expect(
            try Self.run(plan, fixes) == [
                "visited 2 at 20 of 20", "visited 1 at 30 of 30 out of order",
                "completed 2/0/0 at 30 of 30 out of order",
            ])
        plan.isOrdered = false
        #expect(try Self.run(plan, fixes).last == "completed 2/0/0 at 30 of 30")
    }

    @Test("are missed in silence at most 60 seconds after the window, less sure the less is known")
    func silence() throws {
        let plan = Self.plan([(0, 10, 20)])
        func missed(_ fixes: [Location]) throws -> Event {
            var engine = Self.engine(plan)
            var events: [Event] = []
            for fix in fixes { _ = try engine.accept(fix, now: fix.timestamp) { events.append($0) } }
            var now = Self.time(15)
            while now <= Self.time(40) {
                try engine.advanceClock(to: now) { events.append($0) }
                if events.contains(where: { $0.occurrence.type == .planMissed }) { break }
                now = now + .seconds(1)
            }
            #expect(now <= Self.time(21), "it was reported at \(now.rfc3339)")
            return try #require(events.last)
        }
        let known = stride(from: 0.0, through: 20.0, by: 0.5).map { Self.fix($0, at: nil) }
        let silent = try missed([Self.fix(0, at: nil)])
        let inaccurate = try missed(
            stride(from: 0.0, through: 20.0, by: 0.5).map { Self.fix($0, at: nil, accuracy: 9000) })
        // 1.8 km away, from where it could have come and gone in the gap.
        let near = stride(from: 0.0, through: 20.0, by: 0.5).map { Self.fix($0, at: 1) }
        let gap = try missed(near.filter { !(Self.time(11)..<Self.time(16)).contains($0.timestamp) })
        let sure = try missed(known)
        #expect(sure.confidence == 0.99 && silent.confidence == 0.5 && inaccurate.confidence == 0.5)
        #expect(gap.confidence ?? 0 > 0.6 && gap.confidence ?? 0 < 0.9)
        #expect(sure.why?.rule == .noVisitInWindow && sure.why?.distance ?? 0 > 5000)
        #expect(sure.location == nil && sure.timestamp == Self.time(20))
    }

    @Test("take a device that fell silent at a place to have stayed there, less surely")
    func silentStay() throws {
        let plan = Self.plan([(0, 10, 20)], stay: .seconds(300))
        var engine = Self.engine(plan)
        var events: [Event] = []
        for fix in [Self.fix(0, at: nil), Self.fix(11, at: 0), Self.fix(12, at: 0)] {
            _ = try engine.accept(fix, now: fix.timestamp) { events.append($0) }
        }
        try engine.advanceClock(to: Self.time(25)) { events.append($0) }
        let visited = try #require(events.first { $0.occurrence.type == .planVisited })
        #expect(Self.text(visited) == "visited 1 at 20.5 of 16" && visited.confidence == 0.6)
    }

    @Test("end with a change of the plan, without an event, and follow it from the next round on")
    func versions() throws {
        var old = Self.plan([(0, 10, 20)])
        old.calendar = PlanCalendar()
        var new = Self.plan([(1, 12, 20)])
        (new.calendar, new.since) = (PlanCalendar(), Self.time(15))
        old.until = Self.time(15)
        var engine = Self.engine(old, new)
        var events: [Event] = []
        for fix in [0, 11, 22, 1441, 1445, 1475, 1500].map({ Self.fix($0, at: $0 == 1475 ? 1 : nil) }) {
            _ = try engine.accept(fix) { events.append($0) }
        }
        #expect(
            events.compactMap(Self.text) == [
                "missed 1 at 1460.5 of 1460", "late 1 at 1475 of 1475", "completed 0/1/0 at 1475 of 1475",
            ])
    }

    @Test("are those of the devices that the plan names, from their first location on")
    func devices() throws {
        var plan = Self.plan([(0, 10, 20)])
        plan.devices = [GlobPattern("other")]
        #expect(try Self.run(plan, [0, 30].map { Self.fix($0, at: nil) }) == [])
        plan.devices = [GlobPattern("g*")]
        #expect(try Self.run(plan, [12, 30].map { Self.fix($0, at: nil) }) == [])
        #expect(try Self.run(plan, [9, 30].map { Self.fix($0, at: nil) }) == ["missed 1 at 20.5 of 20"])
    }

    // MARK: Properties

    /// Fixes of a device that is at places or away at random.
    private static func track(_ random: inout SeededGenerator) -> [Location] {
        var (minutes, fixes, place): (Double, [Location], Int?) = (-20, [], nil)
        while minutes < 200 {
            minutes += [0.25, 0.5, 1, 3, 12].randomElement(using: &random) ?? 1
            if Int.random(in: 0..<4, using: &random) == 0 {
                place = [0, 1, 2, nil].randomElement(using: &random) ?? nil
            }
            fixes.append(fix((minutes * 4).rounded() / 4, at: place, accuracy: .random(in: 3...60, using: &random)))
        }
        return fixes
    }

    private static func plan(_ random: inout SeededGenerator) -> Plan {
        var windows: [(place: Int, start: Int, end: Int)] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let start = Int.random(in: 0...120, using: &random)
            windows.append(
                (Int.random(in: 0..<3, using: &random), start, start + Int.random(in: 1...60, using: &random)))
        }
        var plan = plan(windows, stay: .seconds([0, 0, 60, 240].randomElement(using: &random) ?? 0))
        plan.grace = .seconds([0, 600, 1800].randomElement(using: &random) ?? 0)
        plan.isOrdered = Bool.random(using: &random)
        return plan
    }

    /// The verdict on a place by the definition, from exact fixes: the device is in a region from its first fix there to the fix
    /// after its last one.
    private static func verdict(_ stop: Plan.Stop, _ plan: Plan, _ fixes: [Location]) -> String {
        let window = plan.window(of: stop, on: 20_514)
        let center = places[Int(stop.region.rawValue.dropFirst()) ?? 0]
        var spans: [(from: Timestamp, to: Timestamp)] = []
        var since: Timestamp?
        for fix in fixes {
            if fix.coordinate == center {
                since = since ?? fix.timestamp
            } else if let from = since {
                spans.append((from, fix.timestamp))
                since = nil
            }
        }
        func spends(_ from: Timestamp, _ to: Timestamp, after least: Timestamp) -> Bool {
            spans.contains { span in
                let satisfied = max(span.from, from) + stop.stay
                return satisfied <= min(span.to, to) && satisfied > least
            }
        }
        if spends(window.start, window.end, after: .distantPast) { return "visited" }
        return spends(window.start, window.end + plan.grace, after: window.end) ? "late" : "missed"
    }

    @Test("have the verdicts that follow from the definition", arguments: 0..<200 as Range<UInt64>)
    func oracle(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let plan = Self.plan(&random)
        // Long after the end of the last window the device is away.
        let fixes = Self.track(&random) + [400, 401, 402].map { Self.fix($0, at: nil) }
        var engine = Self.engine(plan)
        var events: [Event] = []
        for fix in fixes { _ = try engine.accept(fix) { events.append($0) } }
        var found = [String](repeating: "none", count: plan.stops.count)
        var summaries: [PlanSummary] = []
        for event in events {
            guard case .plan(let report) = event.occurrence else { continue }
            if case .completed(let summary) = report.kind { summaries.append(summary) }
            guard let stop = report.stop else { continue }
            found[stop.number - 1] = String(event.occurrence.type.rawValue.dropFirst(5))
        }
        let wanted = plan.stops.map { Self.verdict($0, plan, fixes) }
        #expect(found == wanted)
        let summary = try #require(summaries.first)
        #expect(summaries.count == 1)
        for (word, count) in [("visited", summary.visited), ("late", summary.late), ("missed", summary.missed)] {
            #expect(count == wanted.filter { $0 == word }.count)
        }
        // Each verdict is reported once.
        let texts = events.compactMap { event -> String? in
            guard case .plan(let report) = event.occurrence else { return nil }
            return "\(event.occurrence.type.rawValue) \(report.stop?.number ?? 0)"
        }
        #expect(Set(texts).count == texts.count)
    }

    @Test("do not depend on restarts or on when the clock is looked at", arguments: 0..<120 as Range<UInt64>)
    func splits(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 1000)
        let plan = Self.plan(&random)
        let crossing: CrossingMode = Bool.random(using: &random) ? .raw : .confirmed
        let fixes = Self.track(&random)
        var whole = Self.engine(plan, crossing: crossing)
        var live = Self.engine(plan, crossing: crossing)
        var (expected, events): ([Event], [Event]) = ([], [])
        for fix in fixes { _ = try whole.accept(fix) { expected.append($0) } }
        for (index, fix) in fixes.enumerated() {
            _ = try live.accept(fix, now: fix.timestamp) { events.append($0) }
            if Int.random(in: 0..<4, using: &random) == 0, let state = live.state(of: Self.walker) {
                live = Self.engine(plan, crossing: crossing)
                live.restore(state)
            }
            guard index + 1 < fixes.count, Bool.random(using: &random) else { continue }
            // The clock may be looked at often before the next fix.
            var now = fix.timestamp
            while true {
                now = now + .seconds(Int.random(in: 1...240, using: &random))
                guard now < fixes[index + 1].timestamp else { break }
                try live.advanceClock(to: now) { events.append($0) }
            }
        }
        #expect(events.map(\.id) == expected.map(\.id))
        #expect(events == expected)
    }

    @Test("cost a device without plans nothing, and end with the plan")
    func adoption() throws {
        let plan = Self.plan([(0, 10, 20)])
        var engine = Self.engine()
        var events: [Event] = []
        _ = try engine.accept(Self.fix(5, at: nil)) { events.append($0) }
        #expect(engine.replaceAlerts([], plans: [plan]) == [Self.walker])
        _ = try engine.accept(Self.fix(12, at: 0)) { events.append($0) }
        #expect(events.compactMap(Self.text) == ["visited 1 at 12 of 12", "completed 1/0/0 at 12 of 12"])
        #expect(engine.replaceAlerts([], plans: []) == [Self.walker])
        #expect(engine.replaceAlerts([], plans: []) == [])
    }
}
