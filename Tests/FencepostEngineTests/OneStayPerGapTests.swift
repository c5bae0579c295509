import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import Testing

/// A phone falls silent in one region and is heard again in another one that is apart from it.
@Suite("A silence between two regions") struct OneStayPerGapTests {
    private static let plane = LocalPlane(origin: Coordinate(latitude: 50, longitude: 10))
    private static let begin = Timestamp(seconds: 1_777_000_000)
    private static let home = RegionID("home")
    private static let school = RegionID("school")

    private struct Case: CustomStringConvertible {
        var interval, hole, distance, radius, accuracy: Double
        /// Seconds from the moment at which it is heard again to the one at which it is in the other region.
        var arrives: Double
        var description: String {
            "every \(interval) s, silent for \(hole / 3600) h, \(distance) m apart, radius \(radius) m, ±\(accuracy) m, "
                + "in the other region \(arrives) s after the silence"
        }

        init(using random: inout SeededGenerator) {
            interval = Double.random(in: 20...900, using: &random)
            hole = Double.random(in: 1...30, using: &random) * 3600
            radius = Double.random(in: 40...200, using: &random)
            distance = 2 * radius + Double.random(in: 50...20_000, using: &random)
            accuracy = Double.random(in: 5...60, using: &random)
            arrives = Bool.random(using: &random) ? 0 : Double.random(in: 0...1800, using: &random)
        }
    }

    private static func move(in world: Case, using random: inout SeededGenerator) throws -> (
        exit: Timestamp?, entry: Timestamp?
    ) {
        let regions = [(home, 0.0), (school, world.distance)].map { id, east in
            Region(
                id: id, shape: .circle(Circle(center: plane.unproject(east: east, north: 0), radius: world.radius)))
        }
        var settings = MonitorSettings()
        settings.visits = VisitSettings()
        var engine = MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: settings)
        var (exit, entry): (Timestamp?, Timestamp?)
        func take(_ event: Event) {
            switch event.occurrence {
            case .regionExited(let region, _) where region.id == home: exit = exit ?? event.timestamp
            case .regionEntered(let region) where region.id == school: entry = entry ?? event.timestamp
            default: break
            }
        }
        func send(at second: Double, east: Double) throws {
            let error = world.accuracy / 2
            let fix = Location(
                deviceID: DeviceID("d"), timestamp: begin + .seconds(second),
                coordinate: plane.unproject(
                    east: east + .random(in: -error...error, using: &random),
                    north: .random(in: -error...error, using: &random)),
                horizontalAccuracy: world.accuracy)
            _ = try engine.accept(fix, emit: take)
        }
        var second = 0.0
        while second < 3 * 3600 {
            try send(at: second, east: 0)
            second += world.interval
        }
        let heard = second + world.hole
        second = heard
        while second < heard + world.arrives + 3 * 3600 {
            let share = world.arrives == 0 ? 1 : min((second - heard) / world.arrives, 1)
            try send(at: second, east: world.distance * (world.arrives == 0 ? 1 : 0.5 + share / 2))
            second += world.interval
        }
        try engine.finish(emit: take)
        return (exit, entry)
    }

    @Test("is never spent in both", arguments: 0..<20)
    func never(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let world = Case(using: &random)
            let (exit, entry) = try Self.move(in: world, using: &random)
            let left = try #require(exit, "\(world)")
            let entered = try #require(entry, "\(world)")
            #expect(left <= entered, "\(world): in both for \((left - entered).seconds) s")
        }
    }
}
