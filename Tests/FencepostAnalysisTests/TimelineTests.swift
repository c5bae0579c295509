import FencepostAnalysis
import FencepostGeometry
public import FencepostModel
import FencepostTesting
import Foundation
import Testing

@Suite("The timeline of a device") struct TimelineTests {
    let device = DeviceID("van")
    /// 2026-03-02T00:00:00Z, a Monday.
    static let midnight = Timestamp(seconds: 1_772_409_600)
    func at(_ hours: Int, _ minutes: Int = 0) -> Timestamp {
        Self.midnight + .seconds(hours * 3600 + minutes * 60)
    }
    var day: TimeSpan { TimeSpan(Self.midnight, at(24)) }

    /// A van that is heard from 8:01 to 11:28, and is in the depot from then on.
    @Test("ends with what is known, and leaves the rest unknown") func van() {
        var builder = TimelineBuilder(device: device)
        for minute in 0...207 { builder.add(locationAt: at(8, 1) + .seconds(minute * 60)) }
        builder.add("depot", entered: true, at: at(8, 1), order: 1)
        builder.add("depot", entered: false, at: at(8, 25), order: 2)
        builder.add("depot", entered: true, at: at(10, 58), order: 3)
        let timeline = builder.finish()
        #expect(timeline.stays.map(\.span.seconds) == [24 * 60, 30 * 60])
        #expect(timeline.stays.map(\.isOpen) == [false, true])
        #expect(timeline.known == [TimeSpan(at(8, 1), at(11, 28))])
        #expect(timeline.unknown(in: day) == [TimeSpan(at(0), at(8, 1)), TimeSpan(at(11, 28), at(24))])
        var report = TimeReport(timeZone: .gmt)
        report.add(timeline)
        #expect(report.sortedRows().map(\.seconds) == [54 * 60])
    }

    @Test("cuts a stay in a region at a silence of more than 36 hours that no visit covers") func longSilence() {
        func stays(hours: Int, visit: Bool) -> [TimeSpan] {
            var builder = TimelineBuilder(device: device)
            for minute in 0...60 { builder.add(locationAt: at(0, minute)) }
            for minute in 0...60 { builder.add(locationAt: at(1 + hours, minute)) }
            builder.add("depot", entered: true, at: at(0), order: 1)
            if visit {
                builder.add(
                    Visit(
                        id: "vis_1", arrival: at(0), departure: at(2 + hours),
                        coordinate: Coordinate(latitude: 48, longitude: 11), horizontalAccuracy: 10))
            }
            return builder.finish().stays.map(\.span)
        }
        #expect(stays(hours: 36, visit: false) == [TimeSpan(at(0), at(38))])
        #expect(stays(hours: 37, visit: false) == [TimeSpan(at(0), at(1)), TimeSpan(at(38), at(39))])
        #expect(stays(hours: 37, visit: true) == [TimeSpan(at(0), at(39))])
    }

    @Test("begins a visit whose arrival is unknown with its first location") func unknownArrival() {
        var builder = TimelineBuilder(device: device)
        for hour in [0, 100] { builder.add(locationAt: at(hour)) }
        var visit = Visit(
            id: "vis_1", arrival: nil, departure: at(101), coordinate: Coordinate(latitude: 48, longitude: 11),
            horizontalAccuracy: 10)
        visit.arrivalLatest = at(100)
        builder.add(visit)
        #expect(builder.finish().visits.map(\.span) == [TimeSpan(at(100), at(101))])
    }

    @Test("counts a gap between locations as unknown, unless a stay or a visit covers it") func gaps() {
        var builder = TimelineBuilder(device: device)
        for hour in [8, 10, 12, 14] { builder.add(locationAt: at(hour)) }
        builder.add("home", entered: true, at: at(8), order: 1)
        builder.add("home", entered: false, at: at(10), order: 2)
        builder.add(
            Visit(
                id: "vis_1", arrival: at(12, 10), departure: at(13, 50),
                coordinate: Coordinate(latitude: 48, longitude: 11), horizontalAccuracy: 10))
        let unknown = builder.finish().unknown(in: TimeSpan(at(8), at(14)))
        #expect(
            unknown == [TimeSpan(at(10), at(12)), TimeSpan(at(12), at(12, 10)), TimeSpan(at(13, 50), at(14))].united)
    }

    @Test("begins a stay with the first location inside if the crossing is only an estimate") func estimates() {
        func stays(_ visit: Visit?) -> [TimeSpan] {
            var builder = TimelineBuilder(device: device)
            for hour in [1, 9, 10, 20] { builder.add(locationAt: at(hour)) }
            builder.add("home", entered: true, at: at(5), order: 1, within: TimeSpan(at(1), at(9)))
            builder.add("home", entered: false, at: at(15), order: 2, within: TimeSpan(at(10), at(20)))
            if let visit { builder.add(visit) }
            return builder.finish().stays.map(\.span)
        }
        #expect(stays(nil) == [TimeSpan(at(9), at(10))])
        // A visit there says more than the locations.
        let visit = Visit(
            id: "vis_1", arrival: at(8), departure: at(13), coordinate: Coordinate(latitude: 48, longitude: 11),
            horizontalAccuracy: 10, regions: ["home"])
        #expect(stays(visit) == [TimeSpan(at(8), at(13))])
    }

    @Test("pairs crossings by their time, in whatever order they are added")
    func order() {
        let crossings: [(RegionID, Bool, Timestamp, Int)] = [
            ("a", true, at(1), 1), ("b", true, at(2), 2), ("a", false, at(3), 3), ("a", true, at(4), 4),
            ("b", false, at(5), 5), ("a", false, at(6), 6),
        ]
        func timeline(_ order: [Int]) -> DeviceTimeline {
            var builder = TimelineBuilder(device: device)
            builder.add(locationAt: at(0))
            builder.add(locationAt: at(7))
            for index in order {
                let (region, entered, time, number) = crossings[index]
                builder.add(region, entered: entered, at: time, order: number)
            }
            return builder.finish()
        }
        let sorted = timeline(Array(0..<6))
        #expect(sorted.stays.map(\.span.seconds) == [7200, 10_800, 7200])
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20 { #expect(timeline(Array(0..<6).shuffled(using: &generator)) == sorted) }
    }

    @Test("adds up: the days of any span are the weeks and the months", arguments: 1...20 as ClosedRange<UInt64>)
    func additive(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let zone = try #require(TimeZone(identifier: "Europe/Lisbon"))
        var builder = TimelineBuilder(device: device)
        var (time, inside) = (Self.midnight, false)
        for index in 0..<400 {
            time = time + .seconds(Int.random(in: 60...40_000, using: &generator))
            builder.add(locationAt: time)
            if Bool.random(using: &generator) {
                inside.toggle()
                builder.add("a", entered: inside, at: time, order: index)
            }
        }
        let timeline = builder.finish()
        func total(_ period: SummaryPeriod, _ grouping: SummaryGrouping) -> (inside: Double, known: Double) {
            var summary = SummaryBuilder(by: grouping, period: period, timeZone: zone)
            summary.add(timeline, trips: [])
            let rows = summary.finish().rows
            return (rows.reduce(0) { $0 + $1.insideSeconds }, rows.reduce(0) { $0 + ($1.knownSeconds ?? 0) })
        }
        let whole = timeline.stays.reduce(0) { $0 + $1.span.seconds }
        for period in SummaryPeriod.allCases {
            #expect(abs(total(period, .device).inside - whole) < 0.01)
            #expect(abs(total(period, .region).inside - whole) < 0.01)
            #expect(abs(total(period, .device).known - timeline.known.seconds) < 0.01)
        }
    }

    @Test("has known and unknown time that are the whole span, in any period", arguments: 1...20 as ClosedRange<UInt64>)
    func wholeSpan(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let zone = try #require(TimeZone(identifier: "Europe/Lisbon"))
        let dayStart = try #require(DayStart(["00:00", "04:00", "23:59"].randomElement(using: &generator) ?? ""))
        var builder = TimelineBuilder(device: device)
        var (time, inside) = (Self.midnight, false)
        for index in 0..<200 {
            let longest = Bool.random(using: &generator) ? 1200 : 300_000
            time = time + .seconds(Int.random(in: 60...longest, using: &generator))
            builder.add(locationAt: time)
            if Bool.random(using: &generator) {
                inside.toggle()
                builder.add("a", entered: inside, at: time, order: index)
            }
        }
        let timeline = builder.finish()
        let ranges = [
            nil, TimeSpan(Self.midnight + .seconds(-200_000), time + .seconds(100_000)),
            TimeSpan(Self.midnight + .seconds(200_000), time + .seconds(-300_000)),
        ]
        for (range, period) in ranges.flatMap({ range in SummaryPeriod.allCases.map { (range, $0) } }) {
            var summary = SummaryBuilder(
                by: .device, period: period, timeZone: zone, dayStart: dayStart, range: range)
            summary.add(timeline, trips: [])
            let rows = summary.finish().rows
            let heard = try #require(timeline.heard)
            let whole = try #require(range.map { heard.clipped(to: $0) } ?? heard)
            for row in rows {
                let seconds = try #require(row.knownSeconds) + #require(row.unknownSeconds)
                #expect(abs(seconds - (row.period.clipped(to: whole)?.seconds ?? 0)) < 0.01)
            }
            let total = rows.reduce(0) { $0 + ($1.knownSeconds ?? 0) + ($1.unknownSeconds ?? 0) }
            #expect(abs(total - whole.seconds) < 0.01)
        }
        var report = TimeReport(timeZone: zone, dayStart: dayStart)
        report.add(timeline)
        let days = report.sortedDays().reduce(0) { $0 + $1.knownSeconds + $1.unknownSeconds }
        #expect(abs(days - (timeline.heard?.seconds ?? 0)) < 0.01)
    }

    @Test("divides a trip over midnight by the time on each side, and days may begin at another hour")
    func midnightTrip() throws {
        var journey = LegTests.Journey(every: 10, start: at(23, 30))
        journey.go(4500, 15)
        let trips = journey.trips()
        var builder = TimelineBuilder(device: device)
        for location in journey.locations { builder.add(locationAt: location.timestamp) }
        let timeline = builder.finish()
        func rows(_ dayStart: String) throws -> [Summary.Row] {
            var summary = SummaryBuilder(
                by: .device, period: .day, timeZone: .gmt, dayStart: try #require(DayStart(dayStart)))
            summary.add(timeline, trips: trips)
            return summary.finish().rows
        }
        let days = try rows("00:00")
        #expect(days.map(\.date) == ["2026-03-02", "2026-03-03"])
        #expect(days.map(\.trips) == [1, 1])
        for (day, seconds) in zip(days, [1800, 2700.0]) {
            #expect(abs(day.distance / (seconds * 15) - 1) < 0.03)
            #expect(abs(day.movingSeconds / seconds - 1) < 0.03)
            #expect(day.movingSeconds <= (day.knownSeconds ?? 0) + 1)
        }
        let night = try rows("04:00")
        #expect(night.map(\.date) == ["2026-03-02"])
        #expect(abs((night.first?.distance ?? 0) / (4500 * 15) - 1) < 0.03)
        #expect(DayStart("24:00") == nil && DayStart("4:00") == nil && DayStart("+4:00") == nil)
        // The clock changes on 2026-03-29 at 01:00. The day that began at 04:00 before it has 23 hours.
        let zone = try #require(TimeZone(identifier: "Europe/Lisbon"))
        let calendar = PeriodCalendar(.day, timeZone: zone, dayStart: try #require(DayStart("04:00")))
        #expect(calendar.period(containing: Timestamp(seconds: 1_774_740_000)).seconds == 23 * 3600)
    }

    @Test("has days of 23 and 25 hours, and weeks from Monday") func periods() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Lisbon"))
        let days = PeriodCalendar(.day, timeZone: zone)
        // Summer time began on 2026-03-29 and ends on 2026-10-25.
        #expect(days.period(containing: Timestamp(seconds: 1_774_785_600)).seconds == 23 * 3600)
        #expect(days.period(containing: Timestamp(seconds: 1_792_929_600)).seconds == 25 * 3600)
        let week = PeriodCalendar(.week, timeZone: zone)
        let found = week.period(containing: at(60))
        #expect(week.date(of: found.start) == "2026-03-02")
        #expect(found.seconds == 7 * 86_400)
    }
}

@Suite("Suggested places") struct SuggestedPlacesTests {
    @Test("are groups of visits, with a circle and typical hours") func places() throws {
        let office = Coordinate(latitude: 48.1, longitude: 11.5)
        let plane = LocalPlane(origin: office)
        var builder = TimelineBuilder(device: DeviceID("jane"))
        for day in 0..<10 {
            let start = TimelineTests.midnight + .seconds(day * 86_400)
            guard day % 7 < 5 else { continue }
            let offset = Double(day % 3) * 8
            builder.add(
                Visit(
                    id: "vis_\(day)", arrival: start + .seconds(9 * 3600), departure: start + .seconds(17 * 3600),
                    coordinate: plane.unproject(east: offset, north: -offset), horizontalAccuracy: 12,
                    regions: ["office"]))
        }
        // Once at another place, 200 m away.
        builder.add(
            Visit(
                id: "vis_x", arrival: TimelineTests.midnight + .seconds(18 * 3600),
                departure: TimelineTests.midnight + .seconds(19 * 3600),
                coordinate: plane.unproject(east: 200, north: 0), horizontalAccuracy: 12))
        var suggested = SuggestedPlaces(timeZone: .gmt)
        suggested.add(builder.finish(), extents: [:])
        let place = try #require(suggested.places().first)
        #expect(suggested.places().count == 1)
        #expect(place.visits == 8)
        #expect(place.typicalHours == "Mon–Fri 9–17")
        #expect(place.regions == ["office"])
        #expect(place.radius == 50)
        #expect(Geodesic.distance(place.center, office) < 15)
        #expect(suggested.places() == suggested.places())
        #expect(place.id.hasPrefix("plc_"))
    }
}

extension RegionID: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}
