import FencepostAnalysis
import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

/// Days of people whose phones sleep, ride trains, are wrong or sit indoors, described as those people would.
@Suite("A day") struct DayTests {
    @Test("is described as the person who lived it would", arguments: try Day.all())
    func story(day: Day) throws {
        let now = try day.described()
        #expect(now == day.text, "now:\n\(now)")
    }

    @Test(
        "is the same anywhere on earth", arguments: try Day.all(),
        [(0.0, 0.0), (-33.4, -70.7), (64.1, -21.9), (-16.5, 179.99)])
    func anywhere(day: Day, center: (latitude: Double, longitude: Double)) throws {
        let plane = LocalPlane(origin: Coordinate(latitude: center.latitude, longitude: center.longitude))
        #expect(try day.described(in: plane) == day.text)
    }

    @Test("is unknown where no stay is and locations are far apart, and nowhere else", arguments: try Day.all())
    func unknown(day: Day) throws {
        let record = try day.recorded()
        let stays = record.timeline.stays.map(\.span) + record.timeline.visits.map(\.span)
        let heard = try #require(record.timeline.heard)
        let unknown = record.timeline.unknown(in: heard)
        // At no fix, where either answer is right.
        var (moment, index) = (heard.start + .seconds(17), 0)
        while moment < heard.end {
            while record.times[index + 1] < moment { index += 1 }
            let isHeard = record.times[index + 1] - record.times[index] <= TimelineBuilder.maximumGap
            let isKnown = isHeard || stays.contains { $0.start <= moment && moment < $0.end }
            #expect(unknown.contains { $0.start <= moment && moment < $0.end } == !isKnown, "\(moment)")
            moment = moment + .seconds(60)
        }
    }
}

/// A day as a text file: what the phone sends, and then, after `>`, what is recorded of it.
///
/// The world is a street; a position is a number of metres along it.
///
///     region home 0 r=100                     a circle
///     from 7:00 to 7:30 every 60 at 0         a fix each minute, with an error of some metres
///     from 7:30 to 8:00 every 15 at 0..9000   the same on the way
///     from 8:00 to 8:01 every 60 at 9000      one fix
///         also acc=65 (accuracy and errors, 10 m without it), speed (states speeds), exact (without errors),
///         ahead=10:00 (the clock of the phone), visit (a stay that a file states: one fix at each end)
///
/// Times are hours and minutes of the first day; 31:00 is 7 o'clock on the second.
struct Day: CustomTestStringConvertible {
    let name: String
    let text: String

    var testDescription: String { name }

    static let start = Timestamp(seconds: 1_772_409_600)
    private static let vienna = LocalPlane(origin: Coordinate(latitude: 48.2, longitude: 16.37))
    private static let device = DeviceID("jane")

    struct Mistake: Error { let line: String }

    static func all() throws -> [Day] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Days")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "txt" }.sorted { $0.path < $1.path }
            .map { Day(name: $0.lastPathComponent, text: try String(contentsOf: $0, encoding: .utf8)) }
    }

    /// The text with what is recorded now.
    func described(in plane: LocalPlane = vienna) throws -> String {
        let inputs = text.split(separator: "\n").filter { !$0.hasPrefix(">") }.map(String.init)
        let record = try recorded(in: plane)
        let parts =
            Self.stays(record.timeline, record.confidences, in: plane) + Self.trips(record.trips)
            + Self.unknown(record.timeline)
        let lines = parts.sorted { ($0.at, $0.line) < ($1.at, $1.line) }.map { "> " + $0.line }
        return (inputs + lines).joined(separator: "\n") + "\n"
    }

    /// What the engine reports of the day, as it does for a file; by visit how sure it is; and the times of the fixes that it
    /// takes.
    func recorded(in plane: LocalPlane = vienna) throws -> (
        timeline: DeviceTimeline, trips: [Trip], confidences: [String: Double], times: [Timestamp]
    ) {
        let (regions, fixes) = try inputs(in: plane)
        var settings = MonitorSettings()
        settings.visits = VisitSettings()
        var engine = MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: settings)
        var recorder = DeviceRecorder(device: Self.device)
        var (confidences, times): ([String: Double], [Timestamp]) = ([:], [])
        func record(_ event: Event) {
            recorder.add(event)
            if case .visitDeparted(let visit) = event.occurrence { confidences[visit.id] = event.confidence }
        }
        var leaps = LeapFilter()
        func take(_ fix: Location) throws {
            guard try engine.accept(fix, emit: record) == .accepted else { return }
            recorder.add(fix)
            times.append(fix.timestamp)
        }
        for fix in fixes { for ready in leaps.take(fix) { try take(ready) } }
        for ready in leaps.finish() { try take(ready) }
        try engine.finish(emit: record)
        let (timeline, trips) = recorder.finish()
        return (timeline, trips, confidences, times)
    }

    // MARK: What the phone sends

    private func inputs(in plane: LocalPlane) throws -> (regions: [Region], fixes: [Location]) {
        var (regions, fixes): ([Region], [Location]) = ([], [])
        var random = SeededGenerator(seed: 36)
        for line in text.split(separator: "\n") where !line.hasPrefix("#") && !line.hasPrefix(">") {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "region" where words.count == 4:
                guard let center = Double(words[2]), let radius = Double(words[3].dropFirst(2)) else {
                    throw Mistake(line: String(line))
                }
                regions.append(
                    Region(
                        id: RegionID(words[1]),
                        shape: .circle(
                            Circle(center: plane.unproject(east: center, north: 0), radius: radius))))
            case "from": fixes += try Self.fixes(words, in: plane, &random)
            default: throw Mistake(line: String(line))
            }
        }
        return (regions, fixes)
    }

    private static func fixes(_ words: [String], in plane: LocalPlane, _ random: inout SeededGenerator) throws
        -> [Location]
    {
        let mistake = Mistake(line: words.joined(separator: " "))
        guard words.count >= 8, let from = second(words[1]), let to = second(words[3]), let step = Double(words[5])
        else { throw mistake }
        let ends = words[7].split(separator: ".").compactMap { Double($0) }
        guard let first = ends.first, let last = ends.last else { throw mistake }
        var (accuracy, isExact, hasSpeeds, trigger, ahead) = (10.0, false, false, String?.none, 0.0)
        for option in words.dropFirst(8) {
            let parts = option.split(separator: "=").map(String.init)
            switch (parts[0], parts.last.flatMap(Double.init), parts.last.flatMap(second)) {
            case ("acc", let value?, _): accuracy = value
            case ("ahead", _, let value?): ahead = value
            case ("exact", _, _): isExact = true
            case ("speed", _, _): hasSpeeds = true
            case ("visit", _, _): (isExact, trigger) = (true, Location.statedStay)
            default: throw mistake
            }
        }
        let speed = (last - first) / (to - from)
        return stride(from: from, to: to, by: step).map { second in
            func error() -> Double { isExact ? 0 : Double.random(in: -0.8...0.8, using: &random) * accuracy }
            var fix = Location(
                deviceID: device, timestamp: start + .seconds(second + ahead),
                coordinate: plane.unproject(east: first + speed * (second - from) + error(), north: error()),
                horizontalAccuracy: accuracy)
            if hasSpeeds { fix.speed = abs(speed) }
            fix.trigger = trigger
            return fix
        }
    }

    private static func second(_ word: String) -> Double? {
        let parts = word.split(separator: ":").compactMap { Double($0) }
        guard parts.count >= 2 else { return nil }
        return 3600 * parts[0] + 60 * parts[1] + (parts.count > 2 ? parts[2] : 0)
    }

    // MARK: What is recorded of it

    private typealias Lines = [(at: Timestamp, line: String)]

    private static func stays(
        _ timeline: DeviceTimeline, _ confidences: [String: Double], in plane: LocalPlane
    ) -> Lines {
        timeline.stays.map { ($0.span.start, "\(clock($0.span)) in \($0.region)") }
            + timeline.visits.map { stay in
                let east = plane.project(stay.visit.coordinate).east
                var line = "\(clock(stay.span)) stays at \(Int((east / 50).rounded()) * 50) m"
                if let confidence = confidences[stay.visit.id] { line += ", \(Int((confidence * 100).rounded())) %" }
                if let earliest = stay.visit.arrivalEarliest, let latest = stay.visit.arrivalLatest {
                    line += ", came \(clock(TimeSpan(earliest, latest)))"
                }
                if let earliest = stay.visit.departureEarliest, let latest = stay.visit.departureLatest {
                    line += ", left \(clock(TimeSpan(earliest, latest)))"
                }
                return (stay.span.start, line)
            }
    }

    private static func trips(_ trips: [Trip]) -> Lines {
        trips.map { trip in
            let legs = trip.legs.map {
                "\($0.mode.rawValue) \(($0.distance / 100).rounded() / 10) km"
            }
            return (
                trip.start.time, "\(clock(TimeSpan(trip.start.time, trip.end.time))) \(legs.joined(separator: ", "))"
            )
        }
    }

    private static func unknown(_ timeline: DeviceTimeline) -> Lines {
        timeline.heard.map { timeline.unknown(in: $0) }?.filter { $0.seconds >= 60 }
            .map { ($0.start, "\(clock($0)) unknown") } ?? []
    }

    private static func clock(_ span: TimeSpan) -> String { "\(clock(span.start)) to \(clock(span.end))" }

    private static func clock(_ time: Timestamp) -> String {
        let minute = Int((time - start).seconds / 60)
        return "\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)"
    }
}
