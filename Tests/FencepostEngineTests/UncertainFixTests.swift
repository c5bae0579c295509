import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import Testing

/// Fixes that cannot be true, among good ones: they change nothing else, whatever they say.
@Suite("An uncertain fix") struct UncertainFixTests {
    private static let home = Coordinate(latitude: 50, longitude: 10)
    private static let begin = Timestamp(milliseconds: 1_777_000_000_000)
    private static let regions = [("home", 0.0), ("work", 6000.0)].map { id, east in
        Region(
            id: RegionID(id),
            shape: .circle(Circle(center: LocalPlane(origin: home).unproject(east: east, north: 0), radius: 150)))
    }

    /// A fix so many metres to the east of home, with an error of some metres that follows from its time.
    private static func fix(
        _ seconds: Int, east: Double, accuracy: Double = 12, speed: Double? = nil
    ) -> Location {
        let north = Double(seconds * 7919 % 11) - 5
        var location = Location(
            deviceID: DeviceID("van"), timestamp: begin.after(Int64(seconds) * 1000),
            coordinate: LocalPlane(origin: home).unproject(east: east, north: north), horizontalAccuracy: accuracy)
        location.speed = speed
        return location
    }

    /// Half an hour at home, ten minutes on the way, half an hour at work: a fix each minute.
    private static let day = (0..<70).map { minute in
        fix(minute * 60, east: minute < 30 ? 0 : minute < 40 ? 600 * Double(minute - 29) : 6000)
    }

    private struct Run {
        let events: [Event]
        let counts: MonitorCounts
        let lastLocation: Location?
        let clockOffset: Int?
        let verdicts: [ReorderBuffer.Verdict]

        /// Evaluates recorded fixes in the order of a file, or live ones, which arrive at the given times.
        init(_ fixes: [Location], at arrivals: [Timestamp]? = nil, holdsLeaps: Bool = true) throws {
            var settings = MonitorSettings()
            settings.visits = VisitSettings()
            var engine = MonitorEngine(
                RegionIndex(RegionCatalog(UncertainFixTests.regions)), settings: settings, holdsLeaps: holdsLeaps)
            var (events, verdicts): ([Event], [ReorderBuffer.Verdict]) = ([], [])
            for (index, fix) in fixes.enumerated() {
                verdicts.append(try engine.accept(fix, now: arrivals?[index]) { events.append($0) })
            }
            try engine.finish { events.append($0) }
            (self.events, self.verdicts, counts) = (events, verdicts, engine.counts)
            let status = engine.deviceIndex(of: DeviceID("van")).map { engine.status(at: $0) }
            (lastLocation, clockOffset) = (status?.lastLocation, status?.clockOffset)
        }

        var lines: [String] { events.map { "\($0.occurrence.type.rawValue) \($0.timestamp) \($0.detectedAt)" } }
        var crossings: Int {
            events.count { $0.occurrence.type == .regionExited || $0.occurrence.type == .regionEntered }
        }
    }

    // MARK: Time

    @Test("that is ahead of its neighbours in a file moves nothing", arguments: [1260, 36_000, 80_000])
    func aheadInFile(seconds: Int) throws {
        let expected = try Run(Self.day)
        #expect(expected.crossings == 3)
        for index in 1..<(Self.day.count - 2) {
            var fixes = Self.day
            var wrong = fixes[index]
            wrong.timestamp = wrong.timestamp.after(Int64(seconds) * 1000)
            fixes.insert(wrong, at: index)
            let run = try Run(fixes)
            #expect(run.lines == expected.lines, "at \(index)")
            #expect(run.counts.ahead == 1 && run.counts.late == 0 && run.counts.accepted == Self.day.count)
            #expect(run.lastLocation == expected.lastLocation)
        }
    }

    @Test("that is 1024 weeks behind its neighbours in a file moves nothing") func rolledOver() throws {
        let expected = try Run(Self.day)
        for index in 1..<Self.day.count {
            var fixes = Self.day
            var wrong = fixes[index]
            wrong.timestamp = wrong.timestamp.after(-1024 * 7 * 86_400_000)
            fixes.insert(wrong, at: index)
            let run = try Run(fixes)
            #expect(run.lines == expected.lines && run.lastLocation == expected.lastLocation, "at \(index)")
            #expect(run.counts.ahead == 1 && run.counts.late == 0 && run.counts.accepted == Self.day.count)
            var leaps = LeapFilter()
            let kept = fixes.flatMap { leaps.take($0) } + leaps.finish()
            #expect(kept.count == Self.day.count && leaps.ahead.map(\.timestamp) == [wrong.timestamp])
        }
    }

    @Test("may be one after a silence, which a file shows by those that follow", arguments: [700, 14_400, 200_000])
    func silence(seconds: Int) throws {
        for index in 1..<Self.day.count {
            var fixes = Self.day
            for later in index..<fixes.count {
                fixes[later].timestamp = fixes[later].timestamp.after(Int64(seconds) * 1000)
            }
            let run = try Run(fixes)
            #expect(run.lines == (try Run(fixes, holdsLeaps: false)).lines)
            #expect(run.counts.ahead == 0 && run.counts.accepted == fixes.count)
        }
    }

    @Test("that is ahead of its arrival is never evaluated") func aheadOfArrival() throws {
        let arrivals = Self.day.map { $0.timestamp.after(2000) }
        let expected = try Run(Self.day, at: arrivals)
        for seconds in [90, 36_000] {
            var (fixes, times) = (Self.day, arrivals)
            var wrong = fixes[12]
            wrong.timestamp = wrong.timestamp.after(Int64(seconds) * 1000)
            fixes.insert(wrong, at: 12)
            times.insert(arrivals[12], at: 12)
            let run = try Run(fixes, at: times)
            #expect(run.lines == expected.lines)
            #expect(run.verdicts[12] == .ahead && run.verdicts.count { $0 == .accepted } == Self.day.count)
            #expect(run.lastLocation == expected.lastLocation && run.clockOffset == nil)
        }
    }

    @Test("is none of those of a clock that is ahead by the same time again and again") func clockOffset() throws {
        // Another time zone: the first two are not evaluated, and the device is heard from then on.
        let run = try Run(Self.day, at: Self.day.map { $0.timestamp.after(-7_200_000 + 1500) })
        #expect(run.verdicts.prefix(3) == [.ahead, .ahead, .accepted])
        #expect(run.verdicts.dropFirst(3).allSatisfy { $0 == .accepted })
        #expect(run.clockOffset == 7199 && run.crossings == 3)
        // A repetition says nothing of the clock.
        let same = Array(repeating: Self.day[0], count: 5)
        let repeated = try Run(same, at: same.map { $0.timestamp.after(-3_600_000) })
        #expect(repeated.verdicts == [.ahead, .duplicate, .duplicate, .duplicate, .duplicate])
    }

    // MARK: Place

    @Test("of jammed satellites moves nothing, however many agree", arguments: [1, 3, 10]) func jammed(count: Int)
        throws
    {
        let expected = try Run(Self.day)
        var fixes = Self.day
        for index in 12..<min(12 + count, fixes.count - 12) {
            fixes[index].coordinate = Coordinate(latitude: 48.3, longitude: 13.1)
        }
        let run = try Run(fixes)
        #expect(run.crossings == 3)
        #expect(run.events.count == expected.events.count)
        #expect(run.lastLocation == expected.lastLocation)
    }

    @Test("is the first one, if those after it agree elsewhere") func wrongStart() throws {
        var fixes = Self.day
        fixes[0].coordinate = Coordinate(latitude: 48.3, longitude: 13.1)
        #expect(try Run(fixes).crossings == 3)
    }

    @Test("is trusted once a fast train could have come there") func arrived() throws {
        // 97 km in no time, and it stays there.
        let away = Coordinate(latitude: 50, longitude: 11.35)
        let fixes = (0..<90).map { minute in
            var fix = Self.fix(minute * 60, east: 0)
            if minute >= 20 { fix.coordinate = away }
            return fix
        }
        let exits = try Run(fixes).events.filter { $0.occurrence.type == .regionExited }
        #expect(exits.count == 1 && exits[0].detectedAt <= fixes[20 + 24].timestamp)
    }

    @Test(
        "that is coarse makes no pair of events", arguments: [200, 800, 1414, 2500, 5000], [300, 600, 1000, 2000, 5000])
    func coarse(accuracy: Int, distance: Int) throws {
        for (interval, speed) in [(300, nil), (60, nil), (300, 0), (60, 0)] as [(Int, Double?)] {
            var fixes = (0..<40).map { Self.fix($0 * interval, east: 0, speed: speed) }
            // Whether the device ever reported a speed makes no difference.
            if speed != nil { fixes[0].speed = 1 }
            fixes[20] = Self.fix(20 * interval, east: Double(distance), accuracy: Double(accuracy), speed: speed)
            #expect(try Run(fixes).crossings == 1, "every \(interval) s, speed \(speed ?? -1)")
        }
    }

    @Test(
        "from a network makes no pair of events, among others at rest", arguments: [35, 65, 100, 150],
        [200, 300, 600, 1000, 2000, 5000, 50_000])
    func network(accuracy: Int, distance: Int) throws {
        for interval in [2, 5, 10, 30, 60, 120, 300, 600, 900] {
            for (usual, speed) in [(4, nil), (12, nil), (12, 0)] as [(Double, Double?)] {
                var fixes = (0..<40).map { Self.fix($0 * interval, east: 0, accuracy: usual, speed: speed) }
                fixes[20] = Self.fix(20 * interval, east: Double(distance), accuracy: Double(accuracy), speed: speed)
                #expect(
                    try Run(fixes).crossings == 1, "every \(interval) s, the others ±\(usual) m, speed \(speed ?? -1)")
            }
        }
    }

    @Test("farther away than a start leads makes no pair of events, however accurate", arguments: [3, 5, 10, 20])
    func leapAndBack(accuracy: Int) throws {
        for (interval, distances) in [
            (2, [200, 450, 2000]), (5, [200, 450, 2000]), (10, [300, 450, 2000]), (30, [700, 2000]),
            (60, [1400, 5000]),
            (120, [3400, 9000]), (300, [9000, 50_000]),
        ] {
            for distance in distances {
                var fixes = (0..<40).map { Self.fix($0 * interval, east: 0) }
                fixes[20] = Self.fix(20 * interval, east: Double(distance), accuracy: Double(accuracy))
                #expect(try Run(fixes).crossings == 1, "\(distance) m, every \(interval) s")
            }
        }
    }

    @Test("decides together with the next one there, or alone if the device falls silent", arguments: [5, 60, 300])
    func second(interval: Int) throws {
        for (distance, accuracy) in [(400, 65), (450, 40), (20 * interval + 250, 10)] {
            var fixes = (0..<20).map { Self.fix($0 * interval, east: 0) }
            for index in 20..<24 {
                fixes.append(
                    Self.fix(index * interval, east: Double(distance), accuracy: Double(accuracy + index - 20)))
            }
            let exits = try Run(fixes).events.filter { $0.occurrence.type == .regionExited }
            #expect(exits.count == 1 && exits[0].detectedAt <= fixes[21].timestamp, "\(distance) m")
            fixes.removeLast(3)
            fixes.append(Self.fix(20 * interval + 7200, east: Double(distance), accuracy: Double(accuracy)))
            let silent = try Run(fixes).events.filter { $0.occurrence.type == .regionExited }
            #expect(silent.count == 1 && silent[0].timestamp <= fixes[20].timestamp, "\(distance) m")
            #expect(silent[0].detectedAt <= fixes[20].timestamp.after(900_000), "\(distance) m")
        }
    }

    @Test("that is coarse shows absence together with others, two accuracies away") func absence() throws {
        var fixes = (0..<60).map { Self.fix($0 * 300, east: 0) }
        for index in 20..<60 { fixes[index] = Self.fix(index * 300, east: 42_000, accuracy: 2500) }
        let exits = try Run(fixes).events.filter { $0.occurrence.type == .regionExited }
        #expect(exits.count == 1)
        #expect(exits[0].detectedAt <= fixes[20 + 8].timestamp && (exits[0].confidence ?? 0) > 0.6)
    }

    @Test("is any, if a device alternates between two places each second") func alternating() throws {
        let fixes = (0..<1200).map { Self.fix($0, east: $0.isMultiple(of: 2) ? 0 : 6000) }
        let run = try Run(fixes)
        #expect(run.crossings == 1 && run.events.count <= 2)
    }
}
