import FencepostEngine
import FencepostGeometry
import FencepostHistory
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostService
import FencepostTesting
import Foundation
import GRDB
import Testing

@testable import FencepostStore

/// The answer of a query is what a replay of all fixes gives with the area as a region.
@Suite("Presences in an area") struct PresenceQueryTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var seed: UInt64
        var crossing: CrossingMode
        var center: Coordinate
        var testDescription: String { "\(crossing) near \(center.latitude), \(center.longitude), seed \(seed)" }
    }

    /// A city, both sides of the antimeridian, the equator, and far north.
    private static let centers = [(48.85, 2.35), (-17, 179.999), (0.001, -0.001), (78, 15)].map {
        Coordinate(latitude: $0.0, longitude: $0.1)
    }

    static let cases = centers.flatMap { center in
        [CrossingMode.confirmed, .confirmed, .confirmed, .raw, .coreLocation].enumerated().map {
            Case(seed: UInt64($0.offset + 1), crossing: $0.element, center: center)
        }
    }

    @Test(
        "are those of a replay of all fixes with the area as a region, for 25 areas each",
        arguments: SeedShare.of(cases))
    func equalsReplay(of item: Case) async throws {
        var random = SeededGenerator(seed: item.seed &* 6007 &+ UInt64(abs(item.center.latitude) * 100))
        let tracks = (0..<8).map { number in
            PresenceTrack(DeviceID("d/\(number)"), from: item.center, using: &random).fixes
        }
        var settings = MonitorSettings()
        settings.crossing = item.crossing
        settings.staleAfter = .seconds(900)
        let areas = (0..<25).map { _ in
            let known = tracks.randomElement(using: &random)?.randomElement(using: &random)?.location.coordinate
            return Self.area(near: Bool.random(using: &random) ? known : nil, item.center, using: &random)
        }
        let monitor = settings
        let counts = try await withStore { store in
            try await Self.save(tracks, in: store, using: &random)
            var counts = (evaluated: 0, presences: 0)
            for area in areas {
                let all = try tracks.map { try Self.replay($0, in: area, monitor) }
                let times = tracks.joined().map(\.location.timestamp.milliseconds)
                var ends = [times.randomElement(using: &random) ?? 0, times.randomElement(using: &random) ?? 0].sorted()
                if Bool.random(using: &random) { ends = [0, 4_000_000_000_000] }
                let (start, end) = (Timestamp(milliseconds: ends[0]), Timestamp(milliseconds: ends[1] + 1))
                let expected = all.joined().filter { $0.overlaps(from: start, to: end) }
                let query = PresenceQuery(area, settings: monitor, from: start, to: end)
                let page = try await query.page(of: store, after: nil, limit: 100_000)
                #expect(page.presences.map(Shown.init) == expected.map(Shown.init))
                #expect(page.next == nil)
                counts.evaluated += page.devices
                counts.presences += page.presences.count
                // The same in small pages, each of which may end early.
                let limit = Int.random(in: 1...5, using: &random)
                var (paged, cursor) = ([Presence](), PresenceQuery.Cursor?.none)
                repeat {
                    let next = try await query.page(
                        of: store, after: cursor, limit: limit, fixLimit: Bool.random(using: &random) ? 1 : nil)
                    #expect(next.presences.count <= limit)
                    paged += next.presences
                    cursor = next.next
                } while cursor != nil
                #expect(paged.map(Shown.init) == expected.map(Shown.init))
            }
            return counts
        }
        // The areas are near some devices and far from others.
        #expect(counts.presences > 10, "\(counts)")
        #expect(counts.evaluated < 25 * 8, "\(counts)")
    }

    /// What is compared of a presence: all but the numbers that other events of the device count too.
    struct Shown: Hashable, CustomStringConvertible {
        var device: DeviceID
        var events: [Event?]

        init(_ presence: Presence) {
            device = presence.deviceID
            events = [presence.entry, presence.exit].map { event in
                guard var event else { return nil }
                (event.sequence, event.why) = (0, nil)
                return event
            }
        }

        var description: String {
            "\(device) \(events.map { $0.map { "\($0.timestamp.rfc3339) \($0.id) \($0.confidence ?? -1)" } ?? "–" })"
        }
    }

    /// A replay that takes no short cut: all fixes, with visits, and each fix compared with all regions.
    private static func replay(
        _ fixes: [StoredLocation], in area: Region, _ settings: MonitorSettings
    ) throws -> [Presence] {
        var engine = MonitorEngine(RegionIndex(RegionCatalog([area])), settings: settings, isThorough: true)
        var (entry, found): (Event?, [Presence]) = (nil, [])
        for fix in fixes.filter({ !$0.isAhead }).map(\.location).sorted(by: { ReorderBuffer.precedes($0, $1) }) {
            _ = try engine.accept(fix) { event in
                switch event.occurrence {
                case .regionEntered: entry = event
                case .regionExited:
                    found.append(Presence(deviceID: fix.deviceID, entry: entry, exit: event))
                    entry = nil
                case .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched,
                    .alert, .fence, .proximity, .plan:
                    break
                }
            }
        }
        if let entry { found.append(Presence(deviceID: entry.deviceID, entry: entry, exit: nil)) }
        return found
    }

    /// Stores fixes in batches, some of them late, with maintenance between.
    private static func save(
        _ tracks: [[StoredLocation]], in store: SQLiteStore, using random: inout SeededGenerator
    ) async throws {
        var fixes = tracks.flatMap { $0 }.map { fix in
            let delay = Int.random(in: 0..<10, using: &random) == 0 ? Int64.random(in: 0...20_000, using: &random) : 0
            return (arrival: fix.location.timestamp + .seconds(delay), fix)
        }.sorted { $0.arrival < $1.arrival }[...]
        var position: LogPosition = 0
        while !fixes.isEmpty {
            position += 1
            let batch = fixes.prefix(Int.random(in: 1...600, using: &random))
            fixes = fixes.dropFirst(batch.count)
            var commit = Commit(position: position, receivedAt: batch.last?.arrival ?? MadeUp.start)
            commit.locations = batch.map(\.1)
            try await store.commit(commit)
            if Int.random(in: 0..<4, using: &random) == 0 {
                try await store.maintain(at: commit.receivedAt, isForced: true)
            }
        }
    }

    /// A circle, a polygon or two, of 30 m to 3 km, around a position or anywhere.
    private static func area(
        near position: Coordinate?, _ center: Coordinate, using random: inout SeededGenerator
    ) -> Region {
        let plane = LocalPlane(origin: position ?? center)
        let scatter = position == nil ? 6000.0 : 100
        func offset() -> (east: Double, north: Double) {
            (.random(in: -scatter...scatter, using: &random), .random(in: -scatter...scatter, using: &random))
        }
        let size = exp2(Double.random(in: 5...11.5, using: &random))
        if Int.random(in: 0..<3, using: &random) == 0 {
            let middle = offset()
            let circle = Circle(center: plane.unproject(east: middle.east, north: middle.north).wrapped, radius: size)
            return Region(id: RegionID("here"), shape: .circle(circle))
        }
        var rings: [String] = []
        let first = offset()
        for number in 0..<Int.random(in: 1...2, using: &random) {
            let middle = (east: first.east + Double(number) * 3 * size, north: first.north)
            let angles = (0..<Int.random(in: 3...9, using: &random)).map { _ in
                Double.random(in: 0..<(2 * .pi), using: &random)
            }.sorted()
            let corners = (angles + [angles[0]]).enumerated().map { index, angle in
                let distance = size * (0.4 + 0.6 * abs(sin(Double(index % angles.count) * 1.7)))
                let corner = plane.unproject(
                    east: middle.east + distance * cos(angle), north: middle.north + distance * sin(angle))
                // GeoJSON has no jump at the antimeridian.
                let turns = ((plane.origin.longitude - corner.longitude) / 360).rounded() * 360
                return "[\(corner.longitude + turns),\(corner.latitude)]"
            }
            rings.append("[[\(corners.joined(separator: ","))]]")
        }
        let text =
            #"{"type":"Feature","id":"here","properties":{},"geometry":{"type":"MultiPolygon","coordinates":["#
            + rings.joined(separator: ",") + "]}}"
        let reading = RegionFile.read(Array(text.utf8))
        // Few of them are not valid: a corner may lie on another edge.
        return reading.regions.first ?? area(near: position, center, using: &random)
    }
}

/// What finds the devices near an area.
@Suite("Bounds of segments") struct SegmentBoundsTests {
    private static let area = Region(
        id: RegionID("here"),
        shape: .circle(Circle(center: Coordinate(latitude: 48, longitude: 2), radius: 300)))

    private static func presences(_ store: SQLiteStore, _ area: Region = area) async throws -> [Presence] {
        let query = PresenceQuery(
            area, settings: MonitorSettings(), from: .distantPast, to: MadeUp.start + .seconds(1_000_000))
        return try await query.page(of: store, after: nil, limit: 1000).presences
    }

    /// A car that passes through the area between two fixes, of which each is several kilometres from it.
    private static let passing = (0..<12).map { (index: Int) -> StoredLocation in
        let plane = LocalPlane(origin: Coordinate(latitude: 48, longitude: 2))
        var fix = Location(
            deviceID: DeviceID("car"), timestamp: MadeUp.start + .seconds(Int64(index) * 115),
            coordinate: plane.unproject(east: 4600 * (Double(index) - 5.5), north: 0), horizontalAccuracy: 5)
        fix.speed = 40
        return StoredLocation(fix)
    }

    @Test("find a line between the fixes of two segments, and between those of a segment and of the log")
    func lines() async throws {
        for isArchived in [true, false] {
            try await withStore { store in
                for (position, part) in [Self.passing[..<6], Self.passing[6...]].enumerated() {
                    try await store.commit(.of(LogPosition(position + 1), at: 2000, Array(part)))
                    if position == 0 || isArchived { try await store.maintain(at: MadeUp.start, isForced: true) }
                }
                let found = try await Self.presences(store)
                #expect(found.count == 1 && found.first?.departure != nil)
            }
        }
    }

    @Test("are read from segments that have none, until maintenance has found them") func older() async throws {
        try await withStore { store in
            try await store.commit(.of(1, at: 2000, Self.passing + [.at("far", 5, latitude: -30), .at("near", 7)]))
            try await store.maintain(at: MadeUp.start, isForced: true)
            func stored() async throws -> [String] {
                try await store.read { db in
                    try String.fetchAll(
                        db,
                        sql: """
                            SELECT device_id || coalesce(south || ' ' || west || ' ' || north || ' ' || east, '') \
                            FROM segment ORDER BY id
                            """)
                }
            }
            let bounds = try await stored()
            #expect(bounds.count == 3 && !bounds.contains("near") && !bounds.contains("car"))
            let found = try await Self.presences(store)
            #expect(found.map(\.deviceID.rawValue) == ["car", "near"])
            try await store.write { db in
                try db.execute(sql: "UPDATE segment SET south = NULL, west = NULL, north = NULL, east = NULL")
            }
            #expect(try await Self.presences(store) == found)
            #expect(try await store.maintain(at: MadeUp.start).bounded == 3)
            #expect(try await stored() == bounds)
            #expect(try await Self.presences(store) == found)
            func failed() throws -> [String] {
                try Doctor.examine(store.path).filter { !$0.isPassed }.map(\.name)
            }
            #expect(try failed() == [])
            try await store.write { db in try db.execute(sql: "UPDATE segment SET east = east - 1 WHERE id = 1") }
            #expect(try failed() == ["segments"])
        }
    }

    @Test("go with what is erased, and with what has expired") func removed() async throws {
        try await withStore { store in
            try await store.commit(.of(1, at: 2000, Self.passing + [.at("near", 7)]))
            try await store.maintain(at: MadeUp.start, isForced: true)
            try await store.commit(.of(2, at: 3000, [.at("near", 900), .at("late", 901)]))
            #expect(try await Self.presences(store).map(\.deviceID.rawValue) == ["car", "late", "near"])
            try await store.erase(DeviceID("near"))
            #expect(try await Self.presences(store).map(\.deviceID.rawValue) == ["car", "late"])
            var retention = Retention()
            retention.locations = .seconds(500)
            _ = try await store.removeExpired(retention, now: MadeUp.start + .seconds(3000))
            #expect(try await Self.presences(store).map(\.deviceID.rawValue) == ["late"])
        }
    }

    @Test("contain all fixes and the short line between any two", arguments: 1...200 as ClosedRange<UInt64>)
    func contain(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let center = Double.random(in: -200...200, using: &random)
        let widths: [Double] = [0, 1e-7, 1, 90, 179, 400]
        let width = widths.randomElement(using: &random) ?? 0
        func fix() -> Coordinate {
            let degrees = width == 0 ? 0 : Double.random(in: -width / 2...width / 2, using: &random)
            let latitude = Double.random(in: -90...90, using: &random)
            return Coordinate(latitude: latitude, longitude: center + degrees).wrapped
        }
        func fixes() -> [Coordinate] {
            let count = Int.random(in: 1...5, using: &random)
            return (0..<count).map { _ in fix() }
        }
        func bounds(_ fixes: [Coordinate]) -> FixBounds {
            var builder = FixBounds.Builder()
            for fix in fixes { builder.add(fix) }
            return builder.bounds
        }
        let (a, b) = (fixes(), fixes())
        let both = bounds(a).union(bounds(b))
        expect(bounds(a), contains: a)
        expect(bounds(b), contains: b)
        expect(both, contains: a + b)
        if width <= 1 {
            let opposite = Coordinate(latitude: 0, longitude: center + 180).wrapped.longitude
            let far = Envelope(west: opposite, south: -90, east: opposite, north: 90)
            #expect(!both.touch(FixBounds(far)))
        }
    }

    private func expect(_ area: FixBounds, contains fixes: [Coordinate]) {
        for start in fixes {
            for end in fixes {
                var degrees = end.longitude - start.longitude
                if abs(degrees) > 180 { degrees -= degrees < 0 ? -360 : 360 }
                for share in [0, 0.25, 0.5, 1] {
                    let point = Coordinate(
                        latitude: start.latitude + (end.latitude - start.latitude) * share,
                        longitude: start.longitude + degrees * share
                    ).wrapped
                    let box = Envelope(
                        west: point.longitude, south: point.latitude, east: point.longitude, north: point.latitude)
                    #expect(area.touch(FixBounds(box)), "\(area) \(point)")
                }
            }
        }
    }
}

/// Days of a device: stays with noise and outliers, ways on foot and by car, silences, a clock that runs ahead.
private struct PresenceTrack {
    private(set) var fixes: [StoredLocation] = []
    private let device: DeviceID
    private let plane: LocalPlane
    private var time: Timestamp
    private var position: (east: Double, north: Double)
    private let reportsSpeeds: Bool

    init(_ device: DeviceID, from center: Coordinate, using random: inout SeededGenerator) {
        self.device = device
        plane = LocalPlane(origin: center)
        time = MadeUp.start + .seconds(Int64.random(in: 0...200_000, using: &random))
        position = (.random(in: -5000...5000, using: &random), .random(in: -5000...5000, using: &random))
        reportsSpeeds = Int.random(in: 0..<4, using: &random) > 0
        for _ in 0..<Int.random(in: 3...14, using: &random) {
            stay(using: &random)
            travel(using: &random)
        }
    }

    private mutating func add(_ east: Double, _ north: Double, speed: Double?, accuracy: Double?, isAhead: Bool = false)
    {
        var fix = Location(
            deviceID: device, timestamp: time, coordinate: plane.unproject(east: east, north: north).wrapped,
            horizontalAccuracy: accuracy)
        fix.speed = reportsSpeeds ? speed : nil
        // One device and time have one fix at a position.
        guard !fixes.contains(where: { FixKey($0.location) == FixKey(fix) }) else { return }
        fixes.append(StoredLocation(fix, isAhead: isAhead))
    }

    private mutating func stay(using random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...25, using: &random) {
            time = time + .milliseconds(Int64.random(in: 0...180_000, using: &random))
            if Int.random(in: 0..<20, using: &random) == 0 {
                time = time + .seconds(Int64.random(in: 600...40_000, using: &random))
            }
            let isOutlier = Int.random(in: 0..<15, using: &random) == 0
            let spread = isOutlier ? 4000.0 : 20
            let accuracy: Double? =
                Int.random(in: 0..<12, using: &random) == 0
                ? nil : isOutlier ? .random(in: 8...3000, using: &random) : .random(in: 4...60, using: &random)
            add(
                position.east + .random(in: -spread...spread, using: &random),
                position.north + .random(in: -spread...spread, using: &random), speed: 0, accuracy: accuracy,
                isAhead: Int.random(in: 0..<60, using: &random) == 0)
        }
    }

    private mutating func travel(using random: inout SeededGenerator) {
        let goal = (
            east: Double.random(in: -6000...6000, using: &random),
            north: Double.random(in: -6000...6000, using: &random)
        )
        let speed = Bool.random(using: &random) ? 1.4 : Double.random(in: 8...40, using: &random)
        let step = (east: goal.east - position.east, north: goal.north - position.north)
        let length = max(hypot(step.east, step.north), 1)
        var done = 0.0
        while done < length {
            let seconds = Int.random(in: 0..<9, using: &random) == 0 ? 130.0 : .random(in: 3...40, using: &random)
            done += seconds * speed
            time = time + .milliseconds(Int64(seconds * 1000))
            let share = min(done / length, 1)
            add(
                position.east + step.east * share, position.north + step.north * share, speed: speed,
                accuracy: .random(in: 4...15, using: &random))
        }
        position = goal
    }
}
