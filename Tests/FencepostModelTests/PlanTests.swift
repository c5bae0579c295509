import FencepostModel
import FencepostTesting
import Foundation
import Testing

@Suite("Plan") struct PlanTests {
    private static let lisbon = TimeZone(identifier: "Europe/Lisbon") ?? .gmt

    private static func day(_ text: String) -> Int { Timestamp.day(date: text) ?? 0 }
    private static func time(_ text: String) -> Timestamp { Timestamp(rfc3339: text) ?? .distantPast }

    private static func plan(_ calendar: PlanCalendar, since: String = "2026-03-01T00:00:00Z") -> Plan {
        let stops = [
            Plan.Stop(region: RegionID("gate"), start: 22 * 60, end: 22 * 60 + 30),
            Plan.Stop(region: RegionID("hall"), start: 1440 + 90, end: 1440 + 150),
        ]
        return Plan(id: "night", stops, calendar, timeZone: lisbon, since: time(since))
    }

    @Test("has rounds on its days, but on no date that is excepted")
    func calendar() {
        let calendar = PlanCalendar(
            weekdays: [0, 2], dates: [Self.day("2026-03-07"), Self.day("2026-03-09")], except: [Self.day("2026-03-09")],
            first: Self.day("2026-03-03"), last: Self.day("2026-03-18"))
        var found: [String] = []
        var day = Self.day("2026-03-01")
        while let next = calendar.next(from: day) {
            found.append(Timestamp.date(day: next))
            day = next + 1
        }
        #expect(found == ["2026-03-04", "2026-03-07", "2026-03-11", "2026-03-16", "2026-03-18"])
    }

    @Test("finds the same next date as a look at each day", arguments: 1...40 as ClosedRange<UInt64>)
    func next(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func days(_ count: Int) -> [Int] { (0..<count).map { _ in Int.random(in: 100...160, using: &generator) } }
        let calendar = PlanCalendar(
            weekdays: (0..<7).filter { _ in Bool.random(using: &generator) }, dates: days(3), except: days(20),
            first: Bool.random(using: &generator) ? 110 : nil, last: Bool.random(using: &generator) ? 140 : nil)
        for day in 90...170 {
            let plain = (day...400).first { calendar.includes($0) }
            #expect(calendar.next(from: day) == plain)
        }
    }

    @Test("has windows by the clocks of its zone, also on the days on which they change")
    func windows() {
        let plan = Self.plan(PlanCalendar())
        func window(_ stop: Int, _ date: String) -> [String] {
            let window = plan.window(of: plan.stops[stop], on: Self.day(date))
            return [window.start.rfc3339, window.end.rfc3339]
        }
        #expect(window(0, "2026-03-07") == ["2026-03-07T22:00:00Z", "2026-03-07T22:30:00Z"])
        #expect(window(0, "2026-07-07") == ["2026-07-07T21:00:00Z", "2026-07-07T21:30:00Z"])
        // At 01:00 of 2026-03-29 clocks go to 02:00: 01:30 is skipped and counts by the offset before.
        #expect(window(1, "2026-03-28") == ["2026-03-29T01:30:00Z", "2026-03-29T01:30:00Z"])
        // At 02:00 of 2026-10-25 clocks go back to 01:00: of 01:30 the first counts.
        #expect(window(1, "2026-10-24") == ["2026-10-25T00:30:00Z", "2026-10-25T02:30:00Z"])
    }

    @Test("has the rounds that begin in its version")
    func versions() {
        var plan = Self.plan(PlanCalendar(), since: "2026-03-02T22:00:00Z")
        #expect(plan.nextRound(after: .distantPast)?.start == Self.time("2026-03-02T22:00:00Z"))
        plan.since = Self.time("2026-03-02T22:00:00.001Z")
        #expect(plan.nextRound(after: .distantPast)?.start == Self.time("2026-03-03T22:00:00Z"))
        plan.until = Self.time("2026-03-04T22:00:00Z")
        #expect(plan.nextRound(after: Self.time("2026-03-03T21:00:00Z")) != nil)
        #expect(plan.nextRound(after: Self.time("2026-03-03T22:00:00Z")) == nil)
    }

    @Test("is read as it was written")
    func coding() throws {
        var plan = Self.plan(PlanCalendar(weekdays: [1], dates: [9], except: [2, 1], first: 1, last: 99))
        (plan.name, plan.isOrdered, plan.devices) = ("Night", true, [GlobPattern("guard-*")])
        let read = try JSONDecoder().decode(Plan.self, from: JSONEncoder().encode(plan))
        #expect(read == plan)
    }

    @Test("applies to its devices, and to those of its groups once they are known")
    func devices() {
        var plan = Self.plan(PlanCalendar())
        (plan.devices, plan.groups) = ([GlobPattern("a")], ["guards"])
        let resolved = plan.resolved(in: ["guards": [GlobPattern("g/*")]])
        #expect(["a", "g/1", "b"].map { resolved.applies(to: DeviceID($0)) } == [true, true, false])
        #expect(!plan.applies(to: DeviceID("g/1")))
    }
}
