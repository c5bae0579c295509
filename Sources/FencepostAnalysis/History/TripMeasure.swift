internal import FencepostGeometry
internal import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The length, the speeds and the mode of a sequence of locations.
struct TripMeasure {
    let distance, movingSeconds, unknownSeconds, topSpeed: Double
    let mode: TravelMode
    let confidence: Double
    let line: [Coordinate]

    /// A step that is slower counts as standing, in metres per second.
    private static let movingSpeed = 0.5
    /// Half of the time in which motion is measured, in milliseconds.
    private static let motionWindow: Int64 = 8000
    /// The largest deviation of the line from the smoothed positions, in metres.
    private static let lineTolerance = 8.0

    private struct Step {
        var meters, seconds: Double
        var speed: Double { seconds > 0 ? meters / seconds : 0 }
    }

    /// - Precondition: at least two points, in the order of time.
    init(_ points: [TrackPoint]) {
        let kept = Self.withoutJumps(points)
        let states = TrackSmoother(kept).states()
        var steps: [Step] = []
        for (a, b) in zip(states, states.dropFirst()) {
            steps.append(
                Step(meters: Geodesic.distance(a.coordinate, b.coordinate), seconds: (b.time - a.time).seconds))
        }
        let isMoving = Self.motion(of: steps, states)
        let moving = zip(steps, isMoving).filter(\.1).map(\.0)
        distance = moving.reduce(0) { $0 + $1.meters }
        movingSeconds = moving.reduce(0) { $0 + $1.seconds }
        unknownSeconds = steps.reduce(0) { $0 + ($1.seconds > TimelineBuilder.maximumGap.seconds ? $1.seconds : 0) }
        let fastest = moving.sorted { $0.speed < $1.speed }
        topSpeed = Self.quantile(fastest, 0.95, weight: \.seconds)
        line = LineSimplifier.simplified(states.map(\.coordinate), tolerance: Self.lineTolerance)
        let extent = points.map { Geodesic.distance(points[0].coordinate, $0.coordinate) }.max() ?? 0
        let accuracy = points.compactMap(\.accuracy).sorted()
        let typical = accuracy.isEmpty ? 15 : accuracy[accuracy.count / 2]
        guard distance > 0, extent > max(100, 2 * typical) else {
            (mode, confidence) = (.still, 0.9)
            return
        }
        let estimate = TravelModeEstimate(
            .init(
                distance: distance, cruise: Self.quantile(fastest, 0.5, weight: \.meters), top: topSpeed,
                turns: Self.turns(of: states, steps, distance: distance)))
        (mode, confidence) = (estimate.mode, estimate.confidence)
    }

    // MARK: Outliers

    /// The points without single positions that the device cannot have reached: a way there and back at a speed that is
    /// far from all others of the track.
    static func withoutJumps(_ points: [TrackPoint]) -> [TrackPoint] {
        guard points.count > 4 else { return points }
        var speeds: [Double] = []
        for (a, b) in zip(points, points.dropFirst()) where b.time > a.time {
            speeds.append(Geodesic.distance(a.coordinate, b.coordinate) / (b.time - a.time).seconds)
        }
        speeds.sort()
        let usual = speeds.isEmpty ? 0 : speeds[speeds.count * 3 / 4]
        let limit = max(8, 3 * usual)
        var kept = [points[0]]
        for index in 1..<(points.count - 1) {
            let (before, point, after) = (kept[kept.count - 1], points[index], points[index + 1])
            let (there, back) = (
                Geodesic.distance(before.coordinate, point.coordinate),
                Geodesic.distance(point.coordinate, after.coordinate)
            )
            let seconds = (
                max((point.time - before.time).seconds, 0.5), max((after.time - point.time).seconds, 0.5)
            )
            let direct = Geodesic.distance(before.coordinate, after.coordinate)
            let error = (before.accuracy ?? 10) + 2 * (point.accuracy ?? 10) + (after.accuracy ?? 10)
            let isJump =
                there / seconds.0 > limit && back / seconds.1 > limit && there + back - direct > direct + error
            if !isJump { kept.append(point) }
        }
        kept.append(points[points.count - 1])
        return kept
    }

    // MARK: Motion

    /// Whether the device moves during each step: in the seconds around it, it gets on faster than a slow walk.
    ///
    /// Single steps are no measure, because the remaining error of dense locations is a speed.
    private static func motion(of steps: [Step], _ states: [TrackSmoother.State]) -> [Bool] {
        var (low, high) = (0, 0)
        return steps.indices.map { index in
            let middle = states[index].time.milliseconds / 2 + states[index + 1].time.milliseconds / 2
            while states[low].time.milliseconds < middle - motionWindow, low < index { low += 1 }
            high = max(high, index + 1)
            while high + 1 < states.count, states[high].time.milliseconds < middle + motionWindow { high += 1 }
            let seconds = (states[high].time - states[low].time).seconds
            guard seconds > 0 else { return false }
            // A turn back within the time is motion, so the largest distance from its start counts.
            var meters = Geodesic.distance(states[low].coordinate, states[high].coordinate)
            if meters / seconds < movingSpeed, high - low > 1 {
                let far = Geodesic.distance(states[low].coordinate, states[index].coordinate)
                meters = max(meters, 2 * far)
            }
            return meters / seconds >= movingSpeed
        }
    }

    /// The speed below which a share of the weight lies.
    ///
    /// `steps`: by speed.
    private static func quantile(_ steps: [Step], _ share: Double, weight: (Step) -> Double) -> Double {
        let total = steps.reduce(0) { $0 + weight($1) }
        var sum = 0.0
        for step in steps {
            sum += weight(step)
            if sum >= share * total { return step.speed }
        }
        return 0
    }

    /// The number of sharp turns; `nil` if most of the way has no locations close enough to each other.
    private static func turns(of states: [TrackSmoother.State], _ steps: [Step], distance: Double) -> Int? {
        let near = steps.reduce(0) { $0 + ($1.seconds <= 15 && $1.meters < 150 ? $1.meters : 0) }
        guard near > 0.7 * distance, distance > 300 else { return nil }
        // Headings over 40 m each, so that the error of single positions does not turn them.
        var (count, before): (Int, Double?) = (0, nil)
        var start = states[0]
        for (index, state) in states.enumerated().dropFirst() {
            let meters = Geodesic.distance(start.coordinate, state.coordinate)
            guard meters >= 40 else { continue }
            let heading = Geodesic.azimuth(from: start.coordinate, to: state.coordinate)
            let seconds = (state.time - start.time).seconds
            if let before, meters / max(seconds, 1) > 3 || steps[index - 1].speed > 3 {
                let turn = (heading - before).magnitude
                if min(turn, 360 - turn) > 50 { count += 1 }
            }
            before = heading
            start = state
        }
        return count
    }
}

/// Removes points of a line that do not change its course (Ramer, Douglas and Peucker).
enum LineSimplifier {
    /// `tolerance`: the largest distance in metres of a removed point from the line.
    static func simplified(_ line: [Coordinate], tolerance: Double) -> [Coordinate] {
        guard line.count > 2 else { return line }
        var keeps = [Bool](repeating: false, count: line.count)
        (keeps[0], keeps[line.count - 1]) = (true, true)
        var pending = [(0, line.count - 1)]
        while let (first, last) = pending.popLast() {
            guard last - first > 1 else { continue }
            let plane = LocalPlane(origin: line[first])
            let end = plane.project(line[last])
            let length = (end.east * end.east + end.north * end.north)
            var (farthest, index) = (tolerance, -1)
            for candidate in (first + 1)..<last {
                let point = plane.project(line[candidate])
                let along =
                    length > 0
                    ? min(max((point.east * end.east + point.north * end.north) / length, 0), 1) : 0
                let (dx, dy) = (point.east - along * end.east, point.north - along * end.north)
                let distance = (dx * dx + dy * dy).squareRoot()
                if distance > farthest { (farthest, index) = (distance, candidate) }
            }
            guard index > 0 else { continue }
            keeps[index] = true
            pending += [(first, index), (index, last)]
        }
        return zip(line, keeps).filter(\.1).map(\.0)
    }
}
