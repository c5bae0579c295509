import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import Testing

/// A phone that sends every so many seconds falls silent at the office for so many hours, and is heard again on its way.
@Suite("A silence at a place") struct SilenceSweepTests {
    private static let plane = LocalPlane(origin: Coordinate(latitude: 50, longitude: 10))
    private static let begin = Timestamp(seconds: 1_777_000_000)
    /// Metres from the office at which it is heard again, and the seconds of the way there.
    private static let distance = 2500.0
    private static let travel = 400 / 1.22 + 2100 / 6.0

    private struct Ends {
        var visit, exit: Double?
        var last, heard: Double
    }

    /// An hour of a ride to the office, three hours there, the silence, and a ride on to another place.
    private static func run(interval: Double, hole: Double) throws -> Ends {
        var fixes: [Location] = []
        func add(_ second: Double, east: Double) {
            let north = Double(Int(second / interval) * 7919 % 11) - 5
            fixes.append(
                Location(
                    deviceID: DeviceID("d"), timestamp: begin + .seconds(second),
                    coordinate: plane.unproject(east: east, north: north), horizontalAccuracy: 15))
        }
        var second = 0.0
        while second <= 4 * 3600 {
            add(second, east: min(0, 5 * (second - 3600)))
            second += interval
        }
        let last = second - interval
        let heard = last + hole
        second = heard
        while second < heard + 3 * 3600 {
            add(second, east: min(distance + 5 * (second - heard), 12_000))
            second += interval
        }
        var settings = MonitorSettings()
        settings.visits = VisitSettings()
        let office = Region(id: RegionID("office"), shape: .circle(Circle(center: plane.origin, radius: 100)))
        var engine = MonitorEngine(RegionIndex(RegionCatalog([office])), settings: settings)
        var ends = Ends(last: last, heard: heard)
        func take(_ event: Event) {
            let second = (event.timestamp - begin).seconds
            switch event.occurrence {
            case .visitDeparted where ends.visit == nil: ends.visit = second
            case .regionExited: ends.exit = second
            default: break
            }
        }
        for fix in fixes { _ = try engine.accept(fix, emit: take) }
        try engine.finish(emit: take)
        return ends
    }

    @Test(
        "ends when the phone is back, less the way, whatever its interval",
        arguments: [1, 1.5, 2, 3, 4, 6, 9, 12, 18, 24, 30, 35.5])
    func ends(hours: Double) throws {
        for interval in [30.0, 45, 60, 90, 120, 150, 180, 210, 230, 239, 240, 241, 250, 300, 420, 600, 750, 900] {
            let ends = try Self.run(interval: interval, hole: hours * 3600)
            let (visit, exit) = (try #require(ends.visit), try #require(ends.exit))
            #expect(
                abs(ends.heard - Self.travel - visit) <= max(120, interval),
                "every \(interval) s the visit ends \(ends.heard - visit) s before the phone is back")
            // How deep in the region it was is not known, so the boundary may be anywhere on the way.
            #expect(
                exit >= ends.heard - Self.travel - interval && exit < ends.heard,
                "every \(interval) s the exit is \(ends.heard - exit) s before the phone is back")
        }
    }

    @Test("longer than what a stay may contain ends with the last fix", arguments: [37, 40, 48.0])
    func tooLong(hours: Double) throws {
        for interval in [30.0, 60, 180, 239, 240, 241, 300, 600, 900] {
            let ends = try Self.run(interval: interval, hole: hours * 3600)
            #expect(try #require(ends.visit) == ends.last, "every \(interval) s")
        }
    }
}
