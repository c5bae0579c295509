import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a device was at a time, from the fixes around it.
struct ProximityEstimate {
    /// Fixes farther apart in time say nothing about what lies between them.
    static let longestGap = Duration.seconds(600)

    /// The position.
    var coordinate: Coordinate
    /// Radius of 68 % confidence in metres.
    var accuracy: Double
    /// Whether it is the position of an earlier fix, since none has followed.
    var isHeld: Bool

    /// The position at a time, without the fixes after a step; `nil` before the first fix, in a long gap, and where a fix is not
    /// settled.
    ///
    /// - Parameters:
    ///   - track: the fixes of the device.
    ///   - time: the time of the position.
    ///   - count: the number of fixes up to the step.
    init?(_ track: ProximityTrack, at time: Timestamp, through count: Int) {
        let fixes = track.fixes
        // The last fix up to the time; it is one of the last ones up to the step.
        var index = count - 1
        while index >= 0, fixes[index].timestamp > time { index -= 1 }
        guard index >= 0 else { return nil }
        let before = fixes[index]
        guard Self.isSettled(fixes, index) else { return nil }
        if before.timestamp == time {
            (coordinate, accuracy, isHeld) = (before.coordinate, before.accuracy, false)
            return
        }
        guard index + 1 < count else {
            let span = Double(time.milliseconds - before.timestamp.milliseconds) / 1000
            (coordinate, isHeld) = (before.coordinate, true)
            accuracy = Self.accuracy(of: before, after: index > 0 ? fixes[index - 1] : nil, held: span)
            return
        }
        let after = fixes[index + 1]
        guard after.timestamp - before.timestamp <= Self.longestGap, Self.isSettled(fixes, index + 1) else {
            return nil
        }
        let whole = Double(after.timestamp.milliseconds - before.timestamp.milliseconds) / 1000
        let passed = Double(time.milliseconds - before.timestamp.milliseconds) / 1000
        let part = passed / whole
        var east = after.coordinate.longitude - before.coordinate.longitude
        if east > 180 { east -= 360 } else if east < -180 { east += 360 }
        var longitude = before.coordinate.longitude + part * east
        if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
        coordinate = Coordinate(
            latitude: before.coordinate.latitude
                + part * (after.coordinate.latitude - before.coordinate.latitude),
            longitude: longitude)
        let speed = proximityDistance(before.coordinate, after.coordinate) / whole
        let (a, b) = ((1 - part) * before.accuracy, part * after.accuracy)
        // A way between two fixes is no straight line: as a Brownian bridge, wider for the faster.
        let bridge = (35 * speed + 0.5) * passed * (whole - passed) / whole
        accuracy = (a * a + b * b + bridge).squareRoot()
        isHeld = false
    }

    /// How far a device may be from its last fix after some seconds, as a radius of 68 % confidence.
    ///
    /// It goes on as fast as it went, may begin to walk at once, and wanders later.
    private static func accuracy(of fix: ProximityFix, after former: ProximityFix?, held span: Double) -> Double {
        var speed = max(fix.speed, 0)
        if fix.speed < 0, let former {
            let seconds = Double(fix.timestamp.milliseconds - former.timestamp.milliseconds) / 1000
            let distance = proximityDistance(former.coordinate, fix.coordinate)
            let noise = (fix.accuracy * fix.accuracy + former.accuracy * former.accuracy).squareRoot()
            if seconds <= 120 { speed = max(distance - noise, 0) / seconds }
        }
        let (onwards, start) = (speed * span, min(span, 40))
        return (fix.accuracy * fix.accuracy + onwards * onwards + start * start + 0.05 * span).squareRoot()
    }

    /// Whether a device can have come from the fix before to this one. One wrong position decides nothing so: neither it nor
    /// the one after it is settled.
    static func isSettled(_ fixes: [ProximityFix], _ index: Int) -> Bool {
        guard index > 0 else { return true }
        let (former, fix) = (fixes[index - 1], fixes[index])
        let seconds = Double(fix.timestamp.milliseconds - former.timestamp.milliseconds) / 1000
        if seconds > 300 {
            return proximityDistance(former.coordinate, fix.coordinate) <= 40 * seconds
                + 3 * (former.accuracy + fix.accuracy)
        }
        // As fast as it went or says that it goes, or on foot, and half as fast again.
        var pace = max(fix.speed, former.speed, 2)
        if index > 1 {
            let first = fixes[index - 2]
            let span = Double(former.timestamp.milliseconds - first.timestamp.milliseconds) / 1000
            if span <= 300 { pace = max(pace, proximityDistance(first.coordinate, former.coordinate) / span) }
        }
        return proximityDistance(former.coordinate, fix.coordinate)
            <= 1.5 * pace * seconds + 2 * (former.accuracy + fix.accuracy)
    }
}

/// The distance of two positions in metres, by the radii of curvature between them: exact to 1 in 10,000 up to 100 km.
func proximityDistance(_ a: Coordinate, _ b: Coordinate) -> Double {
    let latitude = (a.latitude + b.latitude) / 2 * .pi / 180
    var turn = b.longitude - a.longitude
    if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
    let eccentricity = Geodesic.flattening * (2 - Geodesic.flattening)
    let (sine, cosine) = (sin(latitude), cos(latitude))
    let root = 1 - eccentricity * sine * sine
    let normal = Geodesic.semiMajorAxis / root.squareRoot()
    let meridional = normal * (1 - eccentricity) / root
    let north = (b.latitude - a.latitude) * .pi / 180 * meridional
    let east = turn * .pi / 180 * normal * cosine
    return (north * north + east * east).squareRoot()
}
