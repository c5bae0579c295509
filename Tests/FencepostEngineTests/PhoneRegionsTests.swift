import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostRegions
import FencepostTesting
import Testing

@Suite("Regions of a phone") struct PhoneRegionsTests {
    private static let plane = LocalPlane(origin: Coordinate(latitude: 48.1, longitude: 11.5))

    private func regions(_ count: Int, within meters: Double, _ random: inout SeededGenerator) -> [Region] {
        (0..<count).map { number in
            let center = Self.plane.unproject(
                east: .random(in: -meters...meters, using: &random),
                north: .random(in: -meters...meters, using: &random))
            return Region(id: RegionID("r\(number)"), shape: .circle(Circle(center: center, radius: 120.4)))
        }
    }

    private func location(_ second: Int64, east: Double, north: Double = 0, accuracy: Double = 10) -> Location {
        Location(
            deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_353_800 + second),
            coordinate: Self.plane.unproject(east: east, north: north), horizontalAccuracy: accuracy)
    }

    /// What the phone has after messages.
    private func apply(_ message: [OwnTracksWaypoint], to phone: inout [Int: OwnTracksWaypoint]) -> Int {
        var most = phone.count
        for waypoint in message {
            phone[waypoint.number] = waypoint.circle == nil ? nil : waypoint
            most = max(most, phone.count)
        }
        return most
    }

    @Test(
        "never exceed the limit, come once in ten minutes, and are those that the budget chooses",
        arguments: 1...8 as ClosedRange<UInt64>)
    func properties(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let limit = Int.random(in: 2...20, using: &random)
        var catalog = RegionCatalog(regions(150, within: 10_000, &random))
        var index = RegionIndex(catalog)
        var (service, phone) = (PhoneRegions(), [Int: OwnTracksWaypoint]())
        var (sentAt, sent): (Int64?, Int) = (nil, 0)
        var (east, north, second) = (0.0, 0.0, Int64(0))
        for step in 0..<400 {
            east = min(max(east + .random(in: -400...450, using: &random), -9000), 9000)
            north = min(max(north + .random(in: -400...400, using: &random), -9000), 9000)
            second += .random(in: 1...200, using: &random)
            if step % 50 == 49, let id = Array(catalog.regions).randomElement(using: &random)?.region.id {
                catalog.update([], removing: [id])
                index = RegionIndex(catalog)
            }
            let here = location(second, east: east, north: north)
            let before = phone
            let message = try service.answer(to: here, index, limit: limit, now: here.timestamp)
            #expect(apply(message, to: &phone) <= limit)
            // Numbers are given once, and a waypoint is sent only when it is another one.
            #expect(Set(message.map(\.number)).count == message.count)
            guard !message.isEmpty else { continue }
            sent += 1
            if let sentAt {
                #expect(second - sentAt >= 600)
                #expect(message.allSatisfy { before[$0.number] != ($0.circle == nil ? nil : $0) })
            } else {
                #expect(message.map(\.number).sorted() == Array(1...20))
            }
            sentAt = second
            var query = RegionQuery(index)
            let choice = try RegionBudget(limit: limit).choice(at: here.coordinate, &query)
            let names = Set(choice.regions.compactMap { index.catalog[$0]?.id.rawValue })
            #expect(Set(phone.values.map(\.name)) == names.union(choice.circle == nil ? [] : ["Nearby"]))
            // A region that stays keeps its number.
            for (number, waypoint) in before where waypoint.name != "Nearby" && names.contains(waypoint.name) {
                #expect(phone[number]?.name == waypoint.name)
            }
        }
        #expect(sent > 5)
    }

    @Test("are sent once when all fit, and again when one changes or is removed") func changes() throws {
        var random = SeededGenerator(seed: 3)
        var catalog = RegionCatalog(regions(5, within: 2000, &random))
        var (service, phone) = (PhoneRegions(), [Int: OwnTracksWaypoint]())
        func answer(_ second: Int64, east: Double = 0) throws -> [OwnTracksWaypoint] {
            let here = location(second, east: east)
            return try service.answer(to: here, RegionIndex(catalog), limit: 20, now: here.timestamp)
        }
        #expect(apply(try answer(0), to: &phone) == 5)
        for minute in 1...60 { #expect(try answer(Int64(minute) * 60, east: Double(minute) * 500).isEmpty) }
        catalog.update([], removing: [RegionID("r3")])
        let removed = try answer(3700)
        #expect(removed.count == 1 && removed[0].circle == nil && phone[removed[0].number]?.name == "r3")
        #expect(apply(removed, to: &phone) == 5 && phone.count == 4)
        var moved = try #require(Array(catalog.regions).first?.region)
        moved.shape = .circle(Circle(center: Self.plane.unproject(east: 1, north: 1), radius: 77))
        catalog.update([moved])
        #expect(try answer(3800).isEmpty)
        let changed = try answer(4400)
        #expect(changed.count == 1 && changed[0].circle?.radius == 77)
    }

    @Test("come again when the answer was lost, and after older or poor locations not") func repeats() throws {
        var random = SeededGenerator(seed: 4)
        let index = RegionIndex(RegionCatalog(regions(100, within: 5000, &random)))
        var service = PhoneRegions()
        func answer(_ location: Location, at second: Int64) throws -> [OwnTracksWaypoint] {
            try service.answer(
                to: location, index, limit: 20, now: Timestamp(seconds: 1_772_353_800 + second))
        }
        #expect(try answer(location(100, east: 0, accuracy: 3000), at: 100).isEmpty)
        let first = try answer(location(101, east: 0), at: 101)
        #expect(first.count == 20)
        #expect(try answer(location(101, east: 0), at: 130) == first)
        #expect(try answer(location(50, east: 4000), at: 800).isEmpty)
        #expect(try answer(location(800, east: 4000, accuracy: 3000), at: 800).isEmpty)
        #expect(try !answer(location(801, east: 4000), at: 801).isEmpty)
        // A clock that is set back by an hour does not stop the answers.
        #expect(try !answer(location(900, east: -4000), at: -2800).isEmpty)
    }

    @Test("beyond the search radius leave a circle, so that a journey to them is noticed") func farAway() throws {
        var random = SeededGenerator(seed: 6)
        var all = regions(3, within: 1000, &random)
        all.append(
            Region(
                id: RegionID("far"),
                shape: .circle(Circle(center: Coordinate(latitude: 60, longitude: 11.5), radius: 200))))
        var query = RegionQuery(RegionIndex(RegionCatalog(all)))
        let budget = RegionBudget()
        let choice = try budget.choice(at: Self.plane.origin, &query)
        #expect(choice.regions.count == 3)
        #expect(choice.circle == RegionBudget.searchRadius - budget.margin)
    }

    @Test("are circles that contain their shapes") func circles() throws {
        var random = SeededGenerator(seed: 8)
        for _ in 0..<200 {
            let scale = Double.random(in: 10...50_000, using: &random)
            let positions = (0..<6).map { _ in
                LocalPlane(origin: Coordinate(latitude: 50, longitude: 179.9)).unproject(
                    east: .random(in: -scale...scale, using: &random),
                    north: .random(in: -scale...scale, using: &random))
            }
            let ring = LinearRing(positions + [positions[0]])
            let width = Double.random(in: 1...100, using: &random)
            let area = try #require(Circle(containing: .polygons(MultiPolygon([Polygon(exterior: ring)]))))
            let strip = try #require(Circle(containing: .corridor(Corridor(lines: [positions], width: width))))
            for position in positions {
                #expect(Geodesic.distance(area.center, position) <= area.radius)
                #expect(Geodesic.distance(strip.center, position) + width / 2 <= strip.radius)
            }
            #expect(area.radius == area.radius.rounded() && area.radius < 3 * scale + 2)
        }
        #expect(Circle(containing: .circle(Circle(center: Self.plane.origin, radius: 0)))?.radius == 1)
    }
}
