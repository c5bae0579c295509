import FencepostGeometry
import FencepostModel
import FencepostTesting
import Testing

@testable import FencepostMonitor

/// A device that comes in a straight line, stands at one place or passes through, goes on and comes back, with honest
/// accuracies and no outliers. Its regions are circles around the origin.
private struct PlainTrack {
    var fixes: [Location] = []
    /// Metres; the centre is the origin of the plane.
    var radius: Double
    static let plane = LocalPlane(origin: Coordinate(latitude: 37.55, longitude: 126.99))

    /// What differs from device to device.
    struct Traits {
        /// Seconds between two fixes.
        var interval: Double
        /// Metres.
        var accuracy: Double
        /// Metres per second.
        var pace: Double
        /// Whether the device reports its speed, 0 at rest.
        var reportsSpeed: Bool
    }

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let traits = Traits(
            interval: [5, 15, 30, 60, 120, 300, 600].randomElement(using: &random) ?? 60,
            accuracy: [5, 8, 15, 30].randomElement(using: &random) ?? 10,
            pace: [1.4, 5, 14, 30].randomElement(using: &random) ?? 5, reportsSpeed: Bool.random(using: &random))
        self.init(traits, &random)
    }

    init(_ traits: Traits, _ random: inout SeededGenerator) {
        radius = [100.0, 200, 400].filter { $0 > 5 * traits.accuracy }.randomElement(using: &random) ?? 400
        let outerDistance = radius * 1.6 + 6 * traits.accuracy + traits.pace * traits.interval * 2.5
        var time = 0.0
        for _ in 0..<3 {
            let angle = Double.random(in: 0...(2 * .pi), using: &random)
            travel(from: outerDistance, to: 0, toward: angle, &time, traits, &random)
            stand(at: 0, toward: angle, fixes: Int.random(in: 3...12, using: &random), &time, traits, &random)
            travel(from: 0, to: outerDistance, toward: angle, &time, traits, &random)
            stand(at: outerDistance, toward: angle, fixes: 3, &time, traits, &random)
        }
    }

    private mutating func travel(
        from start: Double, to end: Double, toward angle: Double, _ time: inout Double, _ traits: Traits,
        _ random: inout SeededGenerator
    ) {
        let duration = abs(end - start) / traits.pace
        var passed = 0.0
        while passed < duration {
            let distance = start + (end - start) * passed / duration
            add(distance, angle, speed: traits.pace, time + passed, traits, &random)
            passed += traits.interval
        }
        time += passed
    }

    private mutating func stand(
        at distance: Double, toward angle: Double, fixes count: Int, _ time: inout Double, _ traits: Traits,
        _ random: inout SeededGenerator
    ) {
        for _ in 0..<count {
            add(distance, angle, speed: 0, time, traits, &random)
            time += traits.interval
        }
    }

    private mutating func add(
        _ distance: Double, _ angle: Double, speed: Double, _ time: Double, _ traits: Traits,
        _ random: inout SeededGenerator
    ) {
        // Within the accuracy in four of five cases, and never beyond one and a half.
        let error = traits.accuracy * 1.5 * Double.random(in: 0...1, using: &random).squareRoot()
        let bearing = Double.random(in: 0...(2 * .pi), using: &random)
        var fix = Location(
            deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_000) + .milliseconds(Int64(time * 1000)),
            coordinate: Self.plane.unproject(
                east: distance * .cos(angle) + error * .cos(bearing),
                north: distance * .sin(angle) + error * .sin(bearing)),
            horizontalAccuracy: traits.accuracy)
        if traits.reportsSpeed { fix.speed = speed }
        fixes.append(fix)
    }

    func depth(_ fix: Location) -> Double { radius - Self.plane.distance(to: fix.coordinate) }

    /// The sides that clear fixes show, without repetitions: what a monitor has to report.
    var clearSides: [Bool] {
        var sides: [Bool] = []
        for fix in fixes {
            let depth = depth(fix)
            guard abs(depth) > 2.5 * (fix.horizontalAccuracy ?? 30), sides.last != (depth > 0) else { continue }
            sides.append(depth > 0)
        }
        return sides
    }

    /// The changes that a monitor reports: the side, and the index of the fix that decided.
    func changes(of fixes: [Location]? = nil) -> [(isInside: Bool, index: Int)] {
        var monitor = Device(radius: radius)
        return (fixes ?? self.fixes).enumerated().flatMap { index, fix in
            monitor.handle(fix).map { (isInside: $0.isInside, index: index) }
        }
    }
}

extension Double {
    fileprivate static func cos(_ angle: Double) -> Double { sin(angle + .pi / 2) }

    /// Good to a millionth, which is enough to place fixes.
    fileprivate static func sin(_ angle: Double) -> Double {
        var x = angle.truncatingRemainder(dividingBy: 2 * .pi)
        if x > .pi { x -= 2 * .pi }
        if x < -.pi { x += 2 * .pi }
        if x > .pi / 2 { x = .pi - x }
        if x < -.pi / 2 { x = -.pi - x }
        let square = x * x
        return x
            * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))))
    }
}

/// One device and one circle around the origin.
private struct Device {
    let radius: Double
    var trust = TrustEvaluator()
    var presence = ConfirmedPresence(.unknown)

    init(radius: Double) { self.radius = radius }

    mutating func handle(_ fix: Location) -> [PresenceChange] {
        var changes: [PresenceChange] = []
        while let deadline = presence.deadline, deadline <= fix.timestamp {
            if let change = presence.deadlineReached(deadline) { changes.append(change) }
        }
        let untrusted = trust.untrusted
        let (evidence, confirmsLast) = trust.evaluate(fix)
        if let untrusted, let change = presence.untrustedFixEnds(isConfirmed: confirmsLast, untrusted: untrusted, fix) {
            changes.append(change)
        }
        let distance = PlainTrack.plane.distance(to: fix.coordinate) - radius
        let proximity = Proximity(
            region: RegionHandle(0), covers: distance <= 0, signedDistance: distance, width: 2 * radius)
        if let change = presence.handle(distance > evidence.searchRadius ? nil : proximity, fix, evidence) {
            changes.append(change)
        }
        return changes
    }
}

@Suite("Confirmed presence on plain tracks") struct PlainTrackTests {
    @Test("reports every side that clear fixes show, and no other", arguments: 1...300 as ClosedRange<UInt64>)
    func isComplete(seed: UInt64) {
        let track = PlainTrack(seed: seed)
        #expect(track.clearSides.count >= 6)
        #expect(track.changes().map(\.isInside) == track.clearSides)
    }

    @Test("reports a side at the second clear fix at the latest", arguments: 1...300 as ClosedRange<UInt64>)
    func isPrompt(seed: UInt64) {
        let track = PlainTrack(seed: seed)
        for change in track.changes() {
            let before = track.fixes[..<change.index].reversed().prefix { fix in
                (track.depth(fix) > 0) == change.isInside
            }
            let clear = before.count { abs(track.depth($0)) > 2.5 * ($0.horizontalAccuracy ?? 30) }
            #expect(clear <= 1)
        }
    }

    @Test(
        "reports the same without speeds, with unknown ones and with zeros", arguments: 1...300 as ClosedRange<UInt64>)
    func speeds(seed: UInt64) {
        let track = PlainTrack(seed: seed)
        let expected = track.changes().map(\.isInside)
        for speed in [nil, 0.0] {
            let fixes = track.fixes.map { fix in
                var fix = fix
                fix.speed = speed
                return fix
            }
            #expect(track.changes(of: fixes).map(\.isInside) == expected)
        }
    }

    @Test("reports the same if everything happens faster or slower", arguments: 1...200 as ClosedRange<UInt64>)
    func scale(seed: UInt64) {
        let track = PlainTrack(seed: seed)
        let expected = track.changes().map(\.isInside)
        let start = track.fixes[0].timestamp
        for factor in [0.5, 2, 4] {
            let fixes = track.fixes.map { fix in
                var fix = fix
                fix.timestamp = start + .milliseconds(Int64((fix.timestamp - start).seconds * 1000 * factor))
                fix.speed = fix.speed.map { $0 / factor }
                return fix
            }
            // Beyond the speed of a fast train the steps are rightly flagged.
            let pace = track.fixes.compactMap(\.speed).max() ?? 30
            guard pace / factor <= 60 else { continue }
            #expect(track.changes(of: fixes).map(\.isInside) == expected, "\(factor)")
        }
    }

    @Test(
        "reports no less if a fix is added that agrees with its neighbours", arguments: 1...200 as ClosedRange<UInt64>)
    func agreeing(seed: UInt64) {
        let track = PlainTrack(seed: seed)
        let expected = track.changes().map(\.isInside)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let index = Int.random(in: 1..<track.fixes.count, using: &random)
            let (a, b) = (track.fixes[index - 1], track.fixes[index])
            guard abs(track.depth(a)) > 2.5 * (a.horizontalAccuracy ?? 30), (track.depth(a) > 0) == (track.depth(b) > 0)
            else { continue }
            var added = a
            added.timestamp = a.timestamp + .milliseconds((b.timestamp - a.timestamp).milliseconds / 2)
            added.coordinate = Coordinate(
                latitude: (a.coordinate.latitude + b.coordinate.latitude) / 2,
                longitude: (a.coordinate.longitude + b.coordinate.longitude) / 2)
            guard (track.depth(added) > 0) == (track.depth(a) > 0) else { continue }
            var fixes = track.fixes
            fixes.insert(added, at: index)
            #expect(track.changes(of: fixes).map(\.isInside) == expected)
        }
    }

    /// Of a device without network fixes. Those of one cell tower agree with each other, too.
    @Test("doubts no fix after two that agree with it", arguments: 1...300 as ClosedRange<UInt64>)
    func flagging(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let track = PlainTrack(seed: seed)
        let count = Int.random(in: 3..<track.fixes.count, using: &random)
        var evaluator = TrustEvaluator()
        for fix in track.fixes[..<count] { _ = evaluator.evaluate(fix) }
        let last = track.fixes[count - 1]
        let interval = last.timestamp - track.fixes[count - 2].timestamp
        let east = pow10(Double.random(in: 3...5.5, using: &random))
        for step in 1...6 {
            var fix = last
            fix.timestamp = last.timestamp + .milliseconds(interval.milliseconds * Int64(step))
            fix.coordinate = PlainTrack.plane.unproject(
                east: east + .random(in: -5...5, using: &random), north: .random(in: -5...5, using: &random))
            let evidence = evaluator.evaluate(fix).evidence
            if step > 2 { #expect(evidence.flag != .leap, "\(east) m, step \(step)") }
        }
    }

    private func pow10(_ exponent: Double) -> Double {
        var (result, rest) = (1.0, exponent)
        while rest >= 1 {
            result *= 10
            rest -= 1
        }
        // A straight line between powers of ten is enough for a random distance.
        return result * (1 + 9 * rest)
    }
}
