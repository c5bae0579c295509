import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import Testing

@Suite("Monitor engine") struct MonitorEngineTests {
    /// A few regions round a square, one of them across the antimeridian.
    private func catalog(_ random: inout SeededGenerator) -> RegionCatalog {
        let center = Coordinate(latitude: -16.85, longitude: 179.999)
        let plane = LocalPlane(origin: center)
        return RegionCatalog(
            (0..<12).map { number in
                let middle = plane.unproject(
                    east: .random(in: -2000...(-200), using: &random),
                    north: .random(in: -1000...1000, using: &random))
                let id = RegionID("region-\(number)")
                if number % 3 == 0 {
                    return Region(
                        id: id, shape: .circle(Circle(center: middle, radius: .random(in: 20...400, using: &random))))
                }
                let ring = LocalPlane(origin: middle)
                let corners = (0..<5).map { corner in
                    ring.unproject(
                        east: 150 * [1, 0.2, -1, -0.8, 0.6][corner] * .random(in: 0.5...1, using: &random),
                        north: 150 * [0.1, 1, 0.4, -0.9, -1][corner] * .random(in: 0.5...1, using: &random))
                }
                let polygon = Polygon(exterior: LinearRing(corners + corners.prefix(1)))
                return Region(id: id, shape: .polygons(MultiPolygon([polygon])))
            })
    }

    private func walk(_ device: String, fixes: Int, _ random: inout SeededGenerator) -> [Location] {
        let plane = LocalPlane(origin: Coordinate(latitude: -16.85, longitude: 179.999))
        var (east, north, time) = (-1000.0, 0.0, Int64(1_772_353_800_000))
        return (0..<fixes).map { _ in
            east = min(max(east + .random(in: -120...120, using: &random), -2200), -100)
            north += .random(in: -120...120, using: &random)
            time += .random(in: 1000...60_000, using: &random)
            var location = Location(
                deviceID: DeviceID(device), timestamp: Timestamp(milliseconds: time),
                coordinate: plane.unproject(east: east, north: north))
            location.horizontalAccuracy = .random(in: 3...60, using: &random)
            return location
        }
    }

    private func events(
        _ fixes: [Location], _ catalog: RegionCatalog, _ crossing: CrossingMode
    ) throws -> [Event] {
        var settings = MonitorSettings()
        settings.crossing = crossing
        var engine = MonitorEngine(RegionIndex(catalog), settings: settings)
        var events: [Event] = []
        for fix in fixes { _ = try engine.accept(fix) { events.append($0) } }
        try engine.finish { events.append($0) }
        return events
    }

    @Test(
        "emits in raw mode the crossings between each fix and the one before", arguments: 1...25 as ClosedRange<UInt64>)
    func rawIsContainment(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let catalog = catalog(&random)
        let fixes = walk("a", fixes: 300, &random)
        let emitted = try events(fixes, catalog, .raw).compactMap { event -> String? in
            switch event.occurrence {
            case .regionEntered(let region): "\(event.timestamp.milliseconds) in \(region.id)"
            case .regionExited(let region, _): "\(event.timestamp.milliseconds) out \(region.id)"
            default: nil
            }
        }
        var expected: [String] = []
        var query = RegionQuery(RegionIndex(catalog))
        var before: Set<RegionID> = []
        for fix in fixes {
            let now = Set(try query.covering(fix.coordinate).compactMap { catalog[$0]?.id })
            expected += before.subtracting(now).sorted().map { "\(fix.timestamp.milliseconds) out \($0)" }
            expected += now.subtracting(before).sorted().map { "\(fix.timestamp.milliseconds) in \($0)" }
            before = now
        }
        #expect(emitted == expected)
        #expect(!expected.isEmpty)
    }

    @Test("emits for each device the same events, whatever comes between its fixes", arguments: CrossingMode.allCases)
    func devicesDoNotBearOnEachOther(crossing: CrossingMode) throws {
        var random = SeededGenerator(seed: 7)
        let catalog = catalog(&random)
        let tracks = ["a", "b", "c"].map { walk($0, fixes: 200, &random) }
        let mixed = tracks.joined().shuffled(using: &random).sorted { $0.timestamp < $1.timestamp }
        let together = try events(mixed, catalog, crossing)
        for track in tracks {
            let alone = try events(track, catalog, crossing)
            #expect(together.filter { $0.deviceID == track[0].deviceID } == alone)
            #expect(alone.map(\.sequence) == Array(1...max(alone.count, 1)).prefix(alone.count).map(\.self))
        }
        #expect(Set(together.map(\.id)).count == together.count)
    }

    @Test("lets a device out of a region that is gone, once")
    func removal() throws {
        let center = Coordinate(latitude: 0, longitude: 0)
        var catalog = RegionCatalog([Region(id: RegionID("a"), shape: .circle(Circle(center: center, radius: 100)))])
        var settings = MonitorSettings()
        settings.crossing = .raw
        var engine = MonitorEngine(RegionIndex(catalog), settings: settings)
        var events: [Event] = []
        let fix = Location(deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_353_800), coordinate: center)
        _ = try engine.accept(fix) { events.append($0) }
        catalog.update([], removing: [RegionID("a")])
        for _ in 0..<2 {
            try engine.replace(RegionIndex(catalog), at: fix.timestamp + .seconds(60)) { events.append($0) }
        }
        #expect(events.map(\.occurrence.type) == [.regionEntered, .regionExited])
        guard case .regionExited(_, reason: .deleted)? = events.last?.occurrence else {
            Issue.record("the exit has no reason")
            return
        }
    }

    @Test("explains a crossing with the distance of the boundary, also of a distant one")
    func distances() throws {
        let center = Coordinate(latitude: 48, longitude: 2)
        let catalog = RegionCatalog([Region(id: RegionID("a"), shape: .circle(Circle(center: center, radius: 300)))])
        let plane = LocalPlane(origin: center)
        for explains in [false, true] {
            var engine = MonitorEngine(RegionIndex(catalog), settings: MonitorSettings(), explains: explains)
            var events: [Event] = []
            for (number, east) in [900.0, 780, 160, 400].enumerated() {
                var fix = Location(
                    deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_353_800 + 30 * Int64(number)),
                    coordinate: plane.unproject(east: east, north: 0), horizontalAccuracy: 5)
                fix.speed = 9
                _ = try engine.accept(fix) { events.append($0) }
            }
            #expect(events.map(\.occurrence.type) == [.regionEntered, .regionExited])
            let distances = events.map { $0.why?.distance ?? .nan }
            #expect(abs(distances[0] + 140) < 1 && abs(distances[1] - 100) < 1)
        }
    }

    @Test("keeps at most 256 bytes of a device that is in no region, and 360 of one that is, its id apart")
    func size() throws {
        let center = Coordinate(latitude: 0, longitude: 0)
        let catalog = RegionCatalog([Region(id: RegionID("a"), shape: .circle(Circle(center: center, radius: 100)))])
        for (east, limit, mode) in [(5000.0, 256, .raw), (5000, 256, .confirmed), (0, 360, .raw), (0, 360, .confirmed)]
            as [(Double, Int, CrossingMode)]
        {
            var settings = MonitorSettings()
            (settings.crossing, settings.visits) = (mode, nil)
            var engine = MonitorEngine(RegionIndex(catalog), settings: settings)
            for step in 0..<3000 {
                var fix = Location(
                    deviceID: DeviceID("device-\(step % 1000)"),
                    timestamp: Timestamp(seconds: 1_772_353_800 + Int64(step)),
                    coordinate: LocalPlane(origin: center).unproject(east: east, north: 0), horizontalAccuracy: 8)
                (fix.speed, fix.course) = (3, 90)
                _ = try engine.accept(fix) { _ in }
            }
            #expect(engine.stateByteCount / engine.deviceCount <= limit)
        }
    }

    @Test("a fix that comes again soon does not make a device live, since it is not in the log")
    func duplicateIsNotLive() throws {
        var random = SeededGenerator(seed: 1)
        var engine = MonitorEngine(RegionIndex(catalog(&random)), settings: MonitorSettings())
        let fixes = walk("a", fixes: 2, &random)
        let late = fixes[0].timestamp + .seconds(8 * 3600)
        let first = try engine.accept(fixes[0], now: late) { _ in }
        let second = try engine.accept(fixes[0], now: fixes[0].timestamp + .seconds(1)) { _ in }
        #expect(first == .accepted && second == .duplicate)
        let isLiveAfterBoth = engine.isLive(DeviceID("a"))
        _ = try engine.accept(fixes[1], now: fixes[1].timestamp + .seconds(1)) { _ in }
        let isLiveAtLast = engine.isLive(DeviceID("a"))
        #expect(!isLiveAfterBoth && isLiveAtLast)
    }

    @Test("meets the clock only with devices whose fixes are live")
    func clock() throws {
        let center = Coordinate(latitude: 0, longitude: 0)
        var region = Region(id: RegionID("a"), shape: .circle(Circle(center: center, radius: 100)))
        region.dwells = [.seconds(60)]
        let catalog = RegionCatalog([region])
        let start = Timestamp(seconds: 1_772_353_800)
        var settings = MonitorSettings()
        settings.crossing = .raw
        for (age, expected) in [(Duration.seconds(5), 2), (.seconds(86_400), 1)] {
            var engine = MonitorEngine(RegionIndex(catalog), settings: settings)
            var events: [Event] = []
            let fix = Location(deviceID: DeviceID("d"), timestamp: start, coordinate: center)
            _ = try engine.accept(fix, now: start + age) { events.append($0) }
            try engine.advanceClock(to: start + age + .seconds(55)) { events.append($0) }
            #expect(events.count == expected)
            #expect(events.last?.detectedAt == (expected == 2 ? start + .seconds(60) : start))
        }
    }

    @Test(
        "emits a pass-through between two fixes of a straight drive, and none when the path is uncertain",
        arguments: [
            // Metres per second as reported, metres from the road, accuracy, seconds between fixes; whether it is emitted.
            (20.0, 0.0, 6.0, 10, true), (20, 15, 6, 10, true), (20, 60, 6, 10, false), (30, 0, 6, 10, false),
            (20, 0, 45, 10, false), (20, 0, 6, 200, false), (0, 0, 6, 10, false),
        ])
    func passes(speed: Double, offset: Double, accuracy: Double, interval: Int, isEmitted: Bool) throws {
        let plane = LocalPlane(origin: Coordinate(latitude: 38.71, longitude: -9.14))
        let cafe = Circle(center: plane.unproject(east: 100, north: offset), radius: 40)
        let catalog = RegionCatalog([Region(id: RegionID("cafe"), shape: .circle(cafe))])
        let fixes = (-4...4).map { step in
            var fix = Location(
                deviceID: DeviceID("van"), timestamp: Timestamp(seconds: 1_772_353_800 + Int64(step * interval)),
                coordinate: plane.unproject(east: Double(step) * 20 * Double(interval), north: 0),
                horizontalAccuracy: accuracy)
            (fix.speed, fix.course) = (speed, 90)
            return fix
        }
        let events = try events(fixes, catalog, .confirmed).filter { $0.occurrence.type != .deviceStale }
            .filter { $0.occurrence.type != .deviceRecovered }
        #expect(events.map(\.occurrence.type) == (isEmitted ? [.regionEntered, .regionExited] : []))
        guard isEmitted else { return }
        #expect(events[0].timestamp < events[1].timestamp)
        #expect(events[1].timestamp < events[1].detectedAt)
        #expect(events.map(\.sequence) == [1, 2])
    }

    @Test(
        "decides at once on clear fixes of a device without speeds, and waits after a leap",
        arguments: [
            // Seconds between fixes, and how far north of the middle of a region of 100 m each one is.
            (60, [1100, 550, 0, 0, 550, 1100], ["120 in", "240 out"]),
            (300, [1100, 0, 1100, 2200], ["300 in", "600 out"]),
            (30, [330, 0, 0, 330], ["30 in", "90 out"]), (60, [0, 1, 220, 220], ["0 in", "120 out"]),
            (60, [0, 1, 3300, 0, 0], ["0 in"]), (10, [440, 330, 220, 45, 0, 0], ["30 in"]),
        ])
    func clearFixes(interval: Int, meters: [Int], expected: [String]) throws {
        let plane = LocalPlane(origin: Coordinate(latitude: 38.71, longitude: -9.14))
        let catalog = RegionCatalog([
            Region(id: RegionID("r"), shape: .circle(Circle(center: plane.origin, radius: 100)))
        ])
        let start = Timestamp(seconds: 1_772_353_800)
        let fixes = meters.enumerated().map { index, north in
            Location(
                deviceID: DeviceID("d"), timestamp: start + .seconds(index * interval),
                coordinate: plane.unproject(east: 0, north: Double(north)), horizontalAccuracy: 8)
        }
        var settings = MonitorSettings()
        (settings.visits, settings.staleAfter) = (nil, nil)
        var engine = MonitorEngine(RegionIndex(catalog), settings: settings)
        var emitted: [String] = []
        for fix in fixes {
            _ = try engine.accept(fix) { event in
                let isEntry = event.occurrence.type == .regionEntered
                emitted.append("\((event.detectedAt - start).milliseconds / 1000) \(isEntry ? "in" : "out")")
            }
        }
        #expect(emitted == expected)
    }

    @Test("goes by the new dwell of a region that was replaced while a device is in it, at once")
    func replacedDwell() throws {
        let center = Coordinate(latitude: 48.85, longitude: 2.35)
        var region = Region(id: RegionID("park"), shape: .circle(Circle(center: center, radius: 200)))
        region.dwells = [.seconds(600)]
        var settings = MonitorSettings()
        settings.crossing = .raw
        settings.visits = nil
        let start = Timestamp(seconds: 1_772_353_800)
        func fix(after seconds: Int) -> Location {
            Location(deviceID: DeviceID("jane/phone"), timestamp: start + .seconds(seconds), coordinate: center)
        }
        var engine = MonitorEngine(RegionIndex(RegionCatalog([region])), settings: settings)
        var events: [Event] = []
        _ = try engine.accept(fix(after: 0)) { events.append($0) }
        region.dwells = [.seconds(120)]
        var catalog = engine.catalog
        catalog.update([region])
        let affected = try engine.replace(RegionIndex(catalog), at: start + .seconds(60)) { events.append($0) }
        #expect(affected == [DeviceID("jane/phone")])
        _ = try engine.accept(fix(after: 300)) { events.append($0) }
        #expect(events.map(\.occurrence.type.rawValue) == ["region.entered", "region.dwelled"])
        #expect(events.last?.timestamp == start + .seconds(120) && events.last?.detectedAt == start + .seconds(120))
    }

    @Test("emits the same events with its shortcuts as without, near a boundary and after gaps", arguments: 1...20)
    func shortcuts(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let center = Coordinate(latitude: 48.85, longitude: 2.35)
        let plane = LocalPlane(origin: center)
        let catalog = RegionCatalog([Region(id: RegionID("a"), shape: .circle(Circle(center: center, radius: 150)))])
        var time = Timestamp(seconds: 1_772_353_800)
        let fixes = (0..<3000).map { _ in
            // Far off for a while, then near the boundary, on both sides of it.
            let isFarOff = Int.random(in: 0..<3, using: &random) == 0
            let distance: Double = isFarOff ? 2000 : .random(in: 90...210, using: &random)
            time = time + .seconds([5, 20, 50, 300][Int.random(in: 0..<4, using: &random)])
            var fix = Location(
                deviceID: DeviceID("d"), timestamp: time, coordinate: plane.unproject(east: distance, north: 0),
                horizontalAccuracy: .random(in: 5...80, using: &random))
            if Bool.random(using: &random) { fix.speed = .random(in: 1...40, using: &random) }
            return fix
        }
        var emitted: [[Event]] = []
        for isThorough in [false, true] {
            var settings = MonitorSettings()
            settings.visits = nil
            var engine = MonitorEngine(RegionIndex(catalog), settings: settings, isThorough: isThorough)
            var events: [Event] = []
            for fix in fixes { _ = try engine.accept(fix) { events.append($0) } }
            emitted.append(events)
        }
        #expect(emitted[0] == emitted[1])
        #expect(emitted[0].count > 20)
    }

    @Test(
        "emits the same events when it explains them, each with the distance of its fix",
        arguments: CrossingMode.allCases, [1, 2, 3] as [UInt64])
    func distances(mode: CrossingMode, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let center = Coordinate(latitude: 48.85, longitude: 2.35)
        let plane = LocalPlane(origin: center)
        let catalog = RegionCatalog([Region(id: RegionID("a"), shape: .circle(Circle(center: center, radius: 150)))])
        var time = Timestamp(seconds: 1_772_353_800)
        let fixes = (0..<2000).map { _ in
            time = time + .seconds([5, 20, 50, 300][Int.random(in: 0..<4, using: &random)])
            return Location(
                deviceID: DeviceID("d"), timestamp: time,
                coordinate: plane.unproject(east: .random(in: -900...900, using: &random), north: 0),
                horizontalAccuracy: .random(in: 5...80, using: &random))
        }
        var settings = MonitorSettings()
        settings.crossing = mode
        settings.visits = nil
        let index = RegionIndex(catalog)
        var plain = MonitorEngine(index, settings: settings)
        var explained = MonitorEngine(index, settings: settings, explains: true)
        var (first, second): ([Event], [Event]) = ([], [])
        for fix in fixes {
            _ = try plain.accept(fix) { first.append($0) }
            _ = try explained.accept(fix) { second.append($0) }
        }
        #expect(first.count > 20)
        #expect(first.map(\.occurrence) == second.map(\.occurrence))
        #expect(second.allSatisfy { $0.why?.rule.usesDistanceOfFix != true || $0.why?.distance != nil })
    }
}
