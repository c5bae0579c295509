import FencepostGEOS
import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The way of one generated device to its region and away again, and the fixes on it.
struct PlainDevice {
    private(set) var cell: PlainCell
    private(set) var path: PlainPath
    private(set) var fixes: [PlainFix] = []
    private var random: GeneratorRandom
    /// The errors of the last fix in metres, if they drift.
    private var drift = (east: 0.0, north: 0.0)

    init(_ cell: PlainCell, random: GeneratorRandom) {
        self.cell = cell
        self.random = random
        path = PlainPath(PlanePoint(east: 0, north: 0))
        makePath()
        measureAll()
    }

    // MARK: The way

    /// One to three times: comes from far away by a bent way, stays or passes, leaves, and rests there.
    private mutating func makePath() {
        let speed = cell.motion.metersPerSecond
        let interval = Double(cell.interval)
        let far = 2.2 * Double(cell.radius) + 5 * Double(cell.accuracy) + random.uniform(1.5...3) * interval * speed
        let target = target()
        if cell.stay != .pass, random.chance(0.1) {
            path = PlainPath(target)
        } else {
            path = PlainPath(target.moved(far, toward: angle()))
            move(to: target)
        }
        for visit in 1...(cell.interval <= 2 ? 1 : cell.interval <= 90 ? 2 : 3) {
            if visit > 1 {
                path.rest(interval * random.uniform(1.5...3) * random.pick([1, 1, 3]))
                move(to: target)
            }
            if cell.staySeconds > 0 { path.rest(cell.staySeconds) }
            // A pass goes on in about the same direction.
            let before = path.vertices.count > 1 ? path.vertices[path.vertices.count - 2].point : target
            let onward = atan2(target.north - before.north, target.east - before.east)
            let direction = cell.stay == .pass ? onward + random.uniform(-0.35...0.35) : angle()
            path.move(to: target.moved(far, toward: direction), speed: speed)
        }
        path.rest(random.uniform(1.6...2.6) * interval)
    }

    private mutating func target() -> PlanePoint {
        let size = Double(cell.radius)
        let offset: Double
        switch cell.margin {
        case .deep: offset = random.uniform(0...0.3) * size
        case .edge:
            let gap = Double(cell.accuracy) * random.uniform(0.5...1.5)
            offset = max(0.3 * size, size + (random.chance(0.5) ? gap : -gap))
        }
        return PlanePoint(east: 0, north: 0).moved(offset, toward: angle())
    }

    /// By a bend to the side of the straight line.
    private mutating func move(to point: PlanePoint) {
        let start = path.end.point
        let distance = start.distance(to: point)
        let direction = atan2(point.north - start.north, point.east - start.east)
        let bend = start.moved(distance * 0.4, toward: direction)
            .moved(distance * random.uniform(-0.2...0.2), toward: direction + .pi / 2)
        path.move(to: bend, speed: cell.motion.metersPerSecond)
        path.move(to: point, speed: cell.motion.metersPerSecond)
    }

    private mutating func angle() -> Double { random.uniform(0...2 * .pi) }

    // MARK: The fixes

    private mutating func measureAll() {
        let interval = Double(cell.interval)
        var times: [Double] = []
        var time = random.uniform(0...0.5) * interval
        while time < path.end.time {
            times.append((time * 1000).rounded() / 1000)
            time += interval * random.uniform(0.96...1.04)
        }
        var lastOutlier = 0
        for (index, time) in times.enumerated() {
            var fix = measure(at: time)
            // Two outliers are at least three fixes apart, and none is at an end of the recording.
            if index - lastOutlier >= 3, index < times.count - 2, random.chance(cell.outliers) {
                let jump = 400 * exp(random.uniform(0...2.7))
                fix.point = fix.point.moved(jump, toward: angle())
                fix.isOutlier = true
                if fix.speed != nil, cell.speed != .unknown, random.chance(0.5) { fix.speed = 0 }
                lastOutlier = index
            }
            fixes.append(fix)
        }
    }

    /// The true position with its error, and what the fields say.
    private mutating func measure(at time: Double) -> PlainFix {
        let (point, speed) = path.at(time)
        let deviation = Double(cell.accuracy) / 1.515
        let keep =
            cell.drift > 0 ? fixes.last.map { exp(-(time - $0.time) / Double(cell.drift)) } ?? 0 : 0
        let fresh = (1 - keep * keep).squareRoot() * deviation
        drift = (drift.east * keep + random.normal(fresh), drift.north * keep + random.normal(fresh))
        var fix = PlainFix(
            time: time, point: PlanePoint(east: point.east + drift.east, north: point.north + drift.north),
            stated: stated(), speed: stated(speed: speed))
        if cell.rest == .frozen, speed == 0, let last = fixes.last(where: { !$0.isOutlier }),
            path.at(last.time).speed == 0, path.at(last.time).point.distance(to: point) == 0
        {
            fix.point = last.point
        }
        return fix
    }

    private mutating func stated() -> Double? {
        let honest = Double(cell.accuracy) * random.uniform(0.9...1.1)
        func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
        switch cell.field {
        case .honest: return rounded(honest)
        case .absent: return nil
        case .optimistic: return rounded(0.6 * honest)
        case .constant: return 12
        }
    }

    /// - Returns: −1 for a speed that is said to be unknown.
    private mutating func stated(speed: Double) -> Double? {
        let exact = (speed * random.uniform(0.95...1.05) * 10).rounded() / 10
        switch cell.speed {
        case .absent: return nil
        case .zero: return 0
        case .unknown: return -1
        case .exact: return exact
        case .fast: return exact * 2.5
        }
    }

    // MARK: The truth

    /// The truth about a boundary. A silent device stops after a clear fix, and has one more fix hours later.
    mutating func truth(
        of boundary: inout PlainBoundary, _ plane: LocalPlane
    ) throws(GEOSError) -> PlainTruth {
        var truth = try truthAsRecorded(&boundary, plane)
        guard cell.isSilent else { return truth }
        cell.isSilent = false
        let crossings = truth.crossingTimes
        guard !crossings.isEmpty else { return truth }
        let chosen = crossings.count > 1 && random.chance(0.35) ? crossings.count - 2 : crossings.count - 1
        let isInside = chosen % 2 == 0 ? !truth.startsInside : truth.startsInside
        let end = chosen + 1 < crossings.count ? crossings[chosen + 1] : .infinity
        let limit = 2.5 * Double(cell.accuracy)
        guard
            let last = truth.fixes.indices.first(where: {
                truth.fixes[$0].time > crossings[chosen] && truth.fixes[$0].time < end
                    && truth.isClear($0, inside: isInside)
            }), abs(truth.fixes[last].trueDepth) > limit
        else { return truth }
        let silence = max(5 * 3600, 8 * Double(cell.interval))
        path.stop(at: fixes[last].time, resting: silence + 60)
        fixes.removeSubrange((last + 1)...)
        fixes.append(measure(at: fixes[last].time + silence))
        cell.isSilent = true
        truth = try truthAsRecorded(&boundary, plane)
        return truth
    }

    private func truthAsRecorded(
        _ boundary: inout PlainBoundary, _ plane: LocalPlane
    ) throws(GEOSError) -> PlainTruth {
        var fixes = fixes
        for index in fixes.indices {
            let real = path.at(fixes[index].time).point
            fixes[index].depth = try boundary.depth(of: plane.coordinate(fixes[index].point))
            fixes[index].trueDepth = try boundary.depth(of: plane.coordinate(real))
        }
        let (startsInside, times) = try boundary.crossings(of: path, plane)
        return PlainTruth(cell: cell, fixes: fixes, startsInside: startsInside, crossingTimes: times)
    }
}

extension LocalPlane {
    /// The position to a millionth of a degree, as devices send it.
    func coordinate(_ point: PlanePoint) -> Coordinate {
        var coordinate = unproject(east: point.east, north: point.north)
        coordinate.latitude = (coordinate.latitude * 1e6).rounded() / 1e6
        coordinate.longitude = (coordinate.longitude * 1e6).rounded() / 1e6
        return coordinate
    }
}
