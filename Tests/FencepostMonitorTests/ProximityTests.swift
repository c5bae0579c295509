import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostMonitor

/// Two people on a street, and what is reported of them.
private struct PairStreet {
    static let start = Timestamp(rfc3339: "2026-03-06T08:00:00Z") ?? .distantPast
    static let plane = LocalPlane(origin: Coordinate(latitude: 38.71, longitude: -9.14))

    var watch: ProximityWatch
    /// What holds, by device pair.
    var held: [(first: String, transition: ProximityTransition)] = []
    var withdrawn = 0

    init(_ rules: [ProximityRule]) { watch = ProximityWatch(rules) }

    static func location(
        _ device: String, _ seconds: Double, at metres: Double, accuracy: Double? = 8, speed: Double? = nil
    ) -> Location {
        var location = Location(
            deviceID: DeviceID(device), timestamp: start + .milliseconds(Int64((seconds * 1000).rounded())),
            coordinate: plane.unproject(east: metres, north: 0), horizontalAccuracy: accuracy)
        location.speed = speed
        return location
    }

    mutating func take(_ locations: [Location]) {
        for location in locations { _ = watch.take(location) }
        for change in watch.evaluate() {
            withdrawn += change.withdrawn.count
            let first = watch.id(change.pair.first).rawValue + " " + watch.id(change.pair.second).rawValue
            held.removeAll { old in old.first == first && change.withdrawn.contains { $0.isSame(as: old.transition) } }
            for moved in change.moved {
                for index in held.indices where held[index].first == first && held[index].transition.isSame(as: moved) {
                    held[index].transition = moved
                }
            }
            held += change.added.map { (first, $0) }
        }
    }

    /// What holds, in order of time.
    var story: [String] {
        held.sorted {
            ($0.transition.timestamp, $0.transition.rank, $0.first) < (
                $1.transition.timestamp, $1.transition.rank, $1.first
            )
        }
        .map { item in
            let event = item.transition.event(
                of: watch.rules[0], DeviceID(String(item.first.split(separator: " ")[0])),
                DeviceID(String(item.first.split(separator: " ")[1])))
            let seconds = Int((event.timestamp - Self.start).seconds)
            return "\(seconds) \(event.deviceID) \(event.occurrence.type.rawValue)"
        }
    }
}

/// Positions of a walk, one every ten seconds, as metres along the street.
private func walk(_ device: String, _ positions: [(from: Int, to: Int, start: Double, end: Double)]) -> [Location] {
    positions.flatMap { part in
        stride(from: part.from, to: part.to, by: 10).map { second in
            let share = Double(second - part.from) / Double(part.to - part.from)
            return PairStreet.location(device, Double(second), at: part.start + share * (part.end - part.start))
        }
    }
}

@Suite("Proximity") struct ProximityTests {
    private static let rule = ProximityRule(id: "pair", distance: 100)
    private static let meeting =
        walk("jane", [(0, 300, 0, 400), (300, 900, 400, 400), (900, 1200, 400, 0), (1200, 1500, 0, 0)])
        + walk("rex", [(5, 1505, 400, 400)]).map { $0 }

    private static func ordered(_ locations: [Location]) -> [Location] {
        locations.sorted { ($0.timestamp, $0.deviceID.rawValue) < ($1.timestamp, $1.deviceID.rawValue) }
    }

    @Test("reports once that two devices meet, and once that they part") func meets() {
        var street = PairStreet([Self.rule])
        for location in Self.ordered(Self.meeting) { street.take([location]) }
        #expect(street.story.map { String($0.split(separator: " ")[2]) } == ["proximity.entered", "proximity.exited"])
        let times = street.held.map { ($0.transition.timestamp - PairStreet.start).seconds }
        // Jane is 100 m from Rex after 225 s, and 120 m after 990 s.
        #expect(abs(times[0] - 225) < 30 && abs(times[1] - 990) < 40)
        #expect(street.withdrawn == 0)
        let entered = street.held[0].transition
        #expect(entered.distance < 100 && entered.uncertainty > 0 && entered.confidence ?? 0 > 0.85)
    }

    @Test("says why: the rule, the distance to the limit and the uncertainty") func explains() throws {
        var street = PairStreet([Self.rule])
        street.take(Self.meeting)
        let event = street.held[0].transition.event(of: Self.rule, DeviceID("jane"), DeviceID("rex"))
        let why = try #require(event.why)
        #expect(
            [.positionsAgree, .positionHeld].contains(why.rule) && why.distance ?? 0 < 0 && !why.pendingFixes.isEmpty)
        guard case .proximity(let report) = event.occurrence else {
            Issue.record("no report")
            return
        }
        #expect(report.other == DeviceID("rex") && report.limit == 100 && event.location != nil)
    }

    @Test("gives the same in any order and split of arrival", arguments: 1...60 as ClosedRange<UInt64>)
    func isOfAnyOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var rule = Self.rule
        rule.dwell = .seconds(120)
        rule.reportsUnaccompanied = true
        var fixes: [Location] = []
        for device in ["a", "b", "c"] {
            var (time, east) = (Double.random(in: 0...20, using: &random), Double.random(in: 0...300, using: &random))
            var pace = 0.0
            while time < 2400 {
                if Int.random(in: 0..<12, using: &random) == 0 { pace = Double.random(in: -2...2, using: &random) }
                let step = Double.random(in: 5...40, using: &random)
                east = min(max(east + pace * step, -300), 600)
                time += step
                let outlier = Int.random(in: 0..<40, using: &random) == 0 ? 700.0 : 0
                let noise = Double.random(in: -20...20, using: &random) + outlier
                // Some times are equal.
                let moment = Int.random(in: 0..<4, using: &random) == 0 ? (time / 20).rounded() * 20 : time
                fixes.append(
                    PairStreet.location(
                        device, moment, at: east + noise, accuracy: Double.random(in: 4...40, using: &random)))
            }
        }
        var ordered = PairStreet([rule])
        for location in Self.ordered(fixes) { ordered.take([location]) }
        var live = PairStreet([rule])
        // As phones send: each fix up to some minutes late.
        let arrivals = fixes.map { ($0, $0.timestamp + .seconds(Double.random(in: 0...300, using: &random))) }
        for (location, _) in arrivals.sorted(by: { $0.1 < $1.1 }) { live.take([location]) }
        var whole = PairStreet([rule])
        whole.take(fixes.shuffled(using: &random))
        var parts = PairStreet([rule])
        var rest = fixes.shuffled(using: &random)[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Int.random(in: 1...30, using: &random)))
            rest = rest.dropFirst(part.count)
            parts.take(part)
        }
        #expect(live.story == ordered.story)
        #expect(whole.story == ordered.story)
        #expect(parts.story == ordered.story)
    }

    @Test("alternates between near and apart", arguments: 1...30 as ClosedRange<UInt64>)
    func alternates(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var street = PairStreet([Self.rule])
        var fixes: [Location] = []
        for second in stride(from: 0.0, to: 3000, by: 12) {
            fixes.append(PairStreet.location("a", second, at: Double.random(in: 0...40, using: &random), accuracy: 30))
            fixes.append(
                PairStreet.location("b", second + 4, at: 60 + Double.random(in: 0...120, using: &random), accuracy: 30))
        }
        for fix in fixes { street.take([fix]) }
        let kinds = street.held.map(\.transition.kind)
        #expect(zip(kinds, kinds.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test("does not believe one wrong position") func outlier() {
        var street = PairStreet([Self.rule])
        var fixes: [Location] = []
        for second in stride(from: 0, to: 1200, by: 10) {
            fixes.append(PairStreet.location("a", Double(second), at: second == 600 ? 900 : 0))
            fixes.append(PairStreet.location("b", Double(second) + 3, at: 900))
        }
        for fix in fixes { street.take([fix]) }
        #expect(street.story == [])
    }

    @Test("holds the position of a silent device, which grows less certain") func silence() {
        var street = PairStreet([Self.rule])
        // Rex sends once an hour, at one place.
        var fixes = (0...4).map { PairStreet.location("rex", Double($0) * 3600, at: 500, accuracy: 15) }
        fixes += walk("jane", [(7000, 7400, 0, 500), (7400, 8000, 500, 500)])
        for fix in Self.ordered(fixes) { street.take([fix]) }
        #expect(street.story.first?.hasSuffix("jane proximity.entered") == true)
        #expect(street.held.first?.transition.rule == .positionHeld)
        // A position that is 200 m uncertain says nothing.
        var vague = PairStreet([Self.rule])
        vague.take([PairStreet.location("rex", 0, at: 0, accuracy: 300)] + walk("jane", [(10, 600, 0, 0)]))
        #expect(vague.story == [])
    }

    @Test("reports a dwell once, after its time") func dwells() {
        var rule = Self.rule
        rule.dwell = .seconds(300)
        var street = PairStreet([rule])
        for location in Self.ordered(Self.meeting) { street.take([location]) }
        let kinds = street.story.map { $0.split(separator: " ")[2] }
        #expect(kinds == ["proximity.entered", "proximity.dwelled", "proximity.exited"])
        let times = street.held.map(\.transition.timestamp)
        #expect(times[1] - times[0] == .seconds(300))
    }

    @Test("reports the device that goes away while the other stays, and not when both go") func unaccompanied() {
        var rule = Self.rule
        rule.reportsUnaccompanied = true
        var street = PairStreet([rule])
        for location in Self.ordered(Self.meeting) { street.take([location]) }
        #expect(street.story.last?.hasSuffix("jane proximity.unaccompanied") == true)
        var both = PairStreet([rule])
        let parting =
            walk("jane", [(0, 600, 0, 0), (600, 1200, 0, -600)])
            + walk("rex", [(5, 605, 10, 10), (605, 1205, 10, 610)])
        for location in Self.ordered(parting) { both.take([location]) }
        #expect(both.story.last?.hasSuffix("proximity.exited") == true)
        // Of a rule with two sides only the first is reported.
        rule.devices = [GlobPattern("rex")]
        rule.others = [GlobPattern("jane")]
        var sided = PairStreet([rule])
        for location in Self.ordered(Self.meeting) { sided.take([location]) }
        #expect(
            sided.story.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
                == ["rex proximity.entered", "rex proximity.exited"])
    }

    @Test("applies in its hours alone") func hours() {
        var rule = Self.rule
        // From 08:00 to 08:10.
        rule.hours = Schedule(
            timeZone: TimeZone(identifier: "UTC") ?? .current,
            weekly: [Schedule.Opening(weekdays: Set(0..<7), start: 480, end: 490)])
        var street = PairStreet([rule])
        for location in Self.ordered(Self.meeting) { street.take([location]) }
        #expect(street.held.map(\.transition.kind) == [.entered, .exited(isClosed: true)])
        #expect(street.story.last?.hasPrefix("600 ") == true)
    }

    @Test(
        "starts again from what was kept, as if it had not ended, also for what comes late",
        arguments: 1...60 as ClosedRange<UInt64>)
    func restarts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var arrivals: [(time: Double, fix: Location)] = []
        for device in ["jane", "rex"] {
            var (time, east) = (Double.random(in: 0...20, using: &random), Double.random(in: 0...80, using: &random))
            while time < 9000 {
                // Some are silent for long, so that a position is held from before the kept span.
                let isSilent = Int.random(in: 0..<40, using: &random) == 0
                time += isSilent ? 3000 : [10.0, 15, 30].randomElement(using: &random) ?? 10
                east = min(max(east + Double.random(in: -15...15, using: &random), -100), 300)
                let lag = Int.random(in: 0..<3, using: &random) == 0 ? Double.random(in: 0...4000, using: &random) : 0
                arrivals.append((time + lag, PairStreet.location(device, time, at: east, accuracy: 12)))
            }
        }
        let fixes = arrivals.sorted { $0.time < $1.time }.map(\.fix)
        var whole = PairStreet([Self.rule])
        var street = PairStreet([Self.rule])
        for (index, location) in fixes.enumerated() {
            whole.take([location])
            street.take([location])
            #expect(street.story == whole.story)
            guard Int.random(in: 0..<6, using: &random) == 0 else { continue }
            var next = PairStreet([Self.rule])
            next.held = street.held
            for device in ["jane", "rex"] {
                next.watch.restore(fixes[...index].filter { $0.deviceID.rawValue == device }, of: DeviceID(device))
            }
            if !street.held.isEmpty {
                next.watch.restore(
                    street.held.map(\.transition), after: .separate(since: nil), of: DeviceID("jane"), DeviceID("rex"),
                    ruleKey: Self.rule.stateKey)
            }
            next.watch.settle()
            street = next
        }
        #expect(!whole.held.isEmpty)
    }

    @Test("names fixes that only history can use, and takes what history has found") func past() throws {
        var street = PairStreet([Self.rule])
        let old = walk("jane", [(0, 1800, 0, 0)]) + walk("rex", [(5, 1805, 20, 20)])
        // Both go on elsewhere for two hours, before the old locations of Rex come.
        let later = walk("jane", [(1800, 9000, 5000, 5000)]) + walk("rex", [(1805, 9005, 9000, 9000)])
        for location in Self.ordered(old.filter { $0.deviceID.rawValue == "jane" } + later) { street.take([location]) }
        #expect(street.watch.takeLate().isEmpty)
        street.take(old.filter { $0.deviceID.rawValue == "rex" })
        let late = try #require(street.watch.takeLate()[DeviceID("rex")])
        #expect(late.lowerBound == PairStreet.start + .seconds(5))
        #expect(street.story == [])
        let pair = try #require(street.watch.watchedPairs(of: DeviceID("rex")).first)
        #expect(street.watch.evaluableFrom(pair) > late.upperBound)
        let change = street.watch.rebase(
            .near(since: PairStreet.start, hasDwelled: false), at: street.watch.evaluableFrom(pair), of: pair)
        #expect(change.added.map(\.kind) == [.exited(isClosed: false)])
    }

    @Test("counts pairs, and watches no device against itself") func pairs() {
        var rule = Self.rule
        var among = ProximityWatch([rule])
        for number in 0..<10 { among.add(DeviceID("d\(number)")) }
        #expect(among.pairCount == 45)
        rule.devices = [GlobPattern("d*")]
        rule.others = [GlobPattern("d1"), GlobPattern("x")]
        #expect(rule.deviceOnBothSides == nil)
        rule.devices = [GlobPattern("d1")]
        #expect(rule.deviceOnBothSides == "d1")
        #expect(Self.rule.stateKey != ProximityRule(id: "pair", distance: 101).stateKey)
        var watched = ProximityWatch([rule])
        #expect(watched.add(DeviceID("d1")) && !watched.add(DeviceID("stranger")))
    }

    @Test("finds pairs across the antimeridian") func antimeridian() {
        var watch = ProximityWatch([Self.rule])
        func fix(_ device: String, _ longitude: Double, _ second: Int) -> Location {
            Location(
                deviceID: DeviceID(device), timestamp: PairStreet.start + .seconds(second),
                coordinate: Coordinate(latitude: -17, longitude: longitude), horizontalAccuracy: 5)
        }
        var kinds: [ProximityTransition.Kind] = []
        for second in stride(from: 0, to: 200, by: 10) {
            _ = watch.take(fix("a", 179.9999, second))
            _ = watch.take(fix("b", -179.9999, second + 2))
            kinds += watch.evaluate().flatMap(\.added).map(\.kind)
        }
        #expect(kinds == [.entered])
    }
}
