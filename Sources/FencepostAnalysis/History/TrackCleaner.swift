internal import FencepostGeometry
internal import FencepostModel

/// Removes positions that say nothing about the way of a device.
enum TrackCleaner {
    /// Metres per second: nothing that carries a phone is faster.
    static let fastest = 340.0
    /// Of a position without a stated accuracy, in metres.
    static let unknownAccuracy = 15.0
    /// A position at an end is coarse if its accuracy is worse than this, in metres, and than `coarseFactor` times the
    /// typical one of the track.
    private static let coarse = 100.0, coarseFactor = 3.0

    /// The points that one device can have reached, without single jumps.
    static func cleaned(_ points: [TrackPoint]) -> [TrackPoint] { withoutJumps(reachable(points)) }

    /// The points without coarse ones at the ends: a cell tower there is no part of the way.
    static func trimmed(_ points: ArraySlice<TrackPoint>) -> ArraySlice<TrackPoint> {
        let limit = max(coarse, coarseFactor * typicalAccuracy(points))
        func isCoarse(_ point: TrackPoint) -> Bool { point.accuracy.map { $0 > limit } ?? false }
        let kept = points.drop(while: isCoarse)
        guard let last = kept.lastIndex(where: { !isCoarse($0) }) else { return points }
        return kept[...last]
    }

    /// Whether all points are within a distance in metres of the first one.
    static func isWithin(_ meters: Double, _ points: some Collection<TrackPoint>) -> Bool {
        guard let first = points.first else { return true }
        return points.allSatisfy { point in
            Geodesic.distanceBound(first.coordinate, point.coordinate) <= meters
                || Geodesic.distance(first.coordinate, point.coordinate) <= meters
        }
    }

    /// Half of the accuracies are at most this, in metres.
    static func typicalAccuracy(_ points: some Sequence<TrackPoint>) -> Double {
        let sorted = points.compactMap(\.accuracy).sorted()
        return sorted.isEmpty ? unknownAccuracy : sorted[sorted.count / 2]
    }

    /// The parts of a track between impossible steps that one device can have gone, beginning with that of most points.
    ///
    /// Several positions far away agree with each other, so agreement proves nothing: what counts is whether the way there
    /// and back is possible.
    private static func reachable(_ points: [TrackPoint]) -> [TrackPoint] {
        var parts: [Range<Int>] = []
        var first = 0
        for index in points.indices.dropFirst() where !isPossible(points[index - 1], points[index]) {
            parts.append(first..<index)
            first = index
        }
        parts.append(first..<points.count)
        guard parts.count > 1, let main = parts.indices.max(by: { parts[$0].count < parts[$1].count }) else {
            return points
        }
        var kept = [parts[main]]
        for part in parts[(main + 1)...] {
            let before = points[kept[kept.count - 1].upperBound - 1]
            if isPossible(before, points[part.lowerBound]) { kept.append(part) }
        }
        for part in parts[..<main].reversed() {
            let after = points[kept[0].lowerBound]
            if isPossible(points[part.upperBound - 1], after) { kept.insert(part, at: 0) }
        }
        return kept.flatMap { points[$0] }
    }

    private static func isPossible(_ a: TrackPoint, _ b: TrackPoint) -> Bool {
        let error = (a.accuracy ?? unknownAccuracy) + (b.accuracy ?? unknownAccuracy)
        // A second for times without fractions.
        let longest = fastest * ((b.time - a.time).seconds + 1) + 2 * error
        return Geodesic.distanceBound(a.coordinate, b.coordinate) <= longest
            || Geodesic.distance(a.coordinate, b.coordinate) <= longest
    }

    /// The points without single positions that the device cannot have reached: a way there and back at a speed that is
    /// far from all others of the track.
    private static func withoutJumps(_ points: [TrackPoint]) -> [TrackPoint] {
        guard points.count > 4 else { return points }
        // Each distance is needed up to three times, and takes most of the time of this function.
        let steps = zip(points, points.dropFirst()).map { Geodesic.distance($0.coordinate, $1.coordinate) }
        var speeds: [Double] = []
        for (index, step) in steps.enumerated() where points[index + 1].time > points[index].time {
            speeds.append(step / (points[index + 1].time - points[index].time).seconds)
        }
        speeds.sort()
        let usual = speeds.isEmpty ? 0 : speeds[speeds.count * 3 / 4]
        let limit = max(8, 3 * usual)
        var (kept, last) = ([points[0]], 0)
        for index in 1..<(points.count - 1) {
            let (before, point, after) = (points[last], points[index], points[index + 1])
            let there =
                last == index - 1 ? steps[last] : Geodesic.distance(before.coordinate, point.coordinate)
            let back = steps[index]
            let seconds = (
                max((point.time - before.time).seconds, 0.5), max((after.time - point.time).seconds, 0.5)
            )
            if there / seconds.0 > limit, back / seconds.1 > limit {
                let direct = Geodesic.distance(before.coordinate, after.coordinate)
                let error = (before.accuracy ?? 10) + 2 * (point.accuracy ?? 10) + (after.accuracy ?? 10)
                if there + back - direct > direct + error { continue }
            }
            kept.append(point)
            last = index
        }
        kept.append(points[points.count - 1])
        return kept
    }
}
