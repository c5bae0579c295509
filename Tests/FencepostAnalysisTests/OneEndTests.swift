import FencepostAnalysis
import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

/// A phone sleeps at some of its places, and what is said of a stay is asked of every view that a person can look at.
@Suite("The end of a stay") struct OneEndTests {
    private static let plane = LocalPlane(origin: Coordinate(latitude: 48.2, longitude: 16.37))
    private static let begin = Timestamp(seconds: 1_772_409_600)
    private static let device = DeviceID("jane")

    private struct Views {
        var exits: [Timestamp] = []
        var departures: [Timestamp] = []
        var timeline: DeviceTimeline
        var trips: [Trip]
    }

    /// Four stays at two places in turn, each with a silence that may go on during the way.
    private static func week(seed: UInt64) throws -> (fixes: [Location], regions: [Region]) {
        var random = SeededGenerator(seed: seed)
        let distance = Double.random(in: 1500...40_000, using: &random)
        let interval = Double.random(in: 30...300, using: &random)
        let regions = [("home", 0.0), ("work", distance)].map { id, east in
            Region(
                id: RegionID(id),
                shape: .circle(
                    Circle(
                        center: plane.unproject(east: east, north: 0),
                        radius: .random(in: 60...250, using: &random))))
        }
        var fixes: [Location] = []
        func send(_ second: Double, _ east: Double) {
            let error = Double.random(in: -6...6, using: &random)
            fixes.append(
                Location(
                    deviceID: device, timestamp: begin + .seconds(second),
                    coordinate: plane.unproject(east: east + error, north: error), horizontalAccuracy: 10))
        }
        var second = 0.0
        for stay in 0..<4 {
            let (here, there) = stay.isMultiple(of: 2) ? (0, distance) : (distance, 0)
            let leaves = second + .random(in: 3...12, using: &random) * 3600
            let sleeps = second + .random(in: 0.6...2, using: &random) * 3600
            let ride = 60 + distance / .random(in: 4...12, using: &random)
            let wakes = leaves + .random(in: 0.1...1.2, using: &random) * ride
            while second < leaves + ride {
                let share = min(max((second - leaves) / ride, 0), 1)
                if second < sleeps || second > wakes { send(second, here + share * (there - here)) }
                second += interval
            }
        }
        for _ in 0..<60 {
            send(second, 0)
            second += interval
        }
        return (fixes, regions)
    }

    private static func views(seed: UInt64) throws -> Views {
        let (fixes, regions) = try week(seed: seed)
        var settings = MonitorSettings()
        settings.visits = VisitSettings()
        let watched = RegionIndex(RegionCatalog(regions))
        var engine = MonitorEngine(watched, settings: settings)
        var recorder = DeviceRecorder(device: device)
        var (exits, departures): ([Timestamp], [Timestamp]) = ([], [])
        func record(_ event: Event) {
            recorder.add(event)
            switch event.occurrence {
            case .regionExited: exits.append(event.timestamp)
            case .visitDeparted: departures.append(event.timestamp)
            default: break
            }
        }
        for fix in fixes {
            _ = try engine.accept(fix, emit: record)
            recorder.add(fix)
        }
        try engine.finish(emit: record)
        let (timeline, trips) = recorder.finish()
        return Views(exits: exits, departures: departures, timeline: timeline, trips: trips)
    }

    @Test(
        "is one in its events, its visit, the timeline, the trips, the report and the summary",
        arguments: 1...40 as ClosedRange<UInt64>)
    func one(seed: UInt64) throws {
        let views = try Self.views(seed: seed)
        #expect(views.departures.count == 4 && views.exits.count == 4)
        let visits = views.timeline.visits.filter { $0.visit.departure != nil }
        #expect(visits.map(\.span.end) == views.departures)
        #expect(views.trips.map(\.start.time) == views.departures)
        let stays = views.timeline.stays.filter { !$0.isOpen }.map(\.span.end)
        for (departure, (exit, stay)) in zip(views.departures, zip(views.exits, stays)) {
            // The boundary is on the way, some minutes on foot.
            #expect(abs((exit - departure).seconds) <= 360, "the exit is \((exit - departure).seconds) s later")
            #expect(stay == departure || stay == exit, "\(stay) is neither \(departure) nor \(exit)")
        }
        let zone = TimeZone.gmt
        let total = views.timeline.stays.reduce(0) { $0 + $1.span.seconds }
        var report = TimeReport(timeZone: zone)
        report.add(views.timeline)
        #expect(abs(report.sortedRows().reduce(0) { $0 + $1.seconds } - total) < 1)
        var summary = SummaryBuilder(by: .region, period: .day, timeZone: zone)
        summary.add(views.timeline, trips: views.trips)
        #expect(abs(summary.finish().rows.reduce(0) { $0 + $1.insideSeconds } - total) < 1)
    }
}
