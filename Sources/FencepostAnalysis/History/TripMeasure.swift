internal import FencepostGeometry
internal import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The length, the speeds and the legs of a sequence of locations.
struct TripMeasure {
    let distance, movingSeconds, unknownSeconds, topSpeed: Double
    /// In the order of time, without gaps between them; at least one.
    let legs: [Trip.Leg]
    let line: [Coordinate]

    /// The leg that takes most of the time.
    var main: Trip.Leg? { legs.max { $0.seconds < $1.seconds } }

    /// The largest deviation of the line from the smoothed positions, in metres.
    private static let lineTolerance = 8.0
    /// A slower pace, in metres per second, is standing where it goes on for this many seconds.
    private static let standing = 0.4, leastStanding = 60.0
    /// Seconds: a longer pace says nothing about the top speed.
    private static let longestTopPace = 60.0
    /// The largest confidence that somebody walks: a vehicle in a jam is as slow.
    private static let walkingConfidence = 0.95
    private static let stillConfidence = 0.9

    /// `points`: in the order of time, at least two with different times.
    init(_ points: [TrackPoint]) {
        let track = TrackPaces(TrackSmoother(points).states())
        let paces = track.paces
        let isStanding = Self.standing(paces)
        let moving = zip(paces, isStanding).filter { !$1 }.map(\.0)
        distance = moving.reduce(0) { $0 + $1.meters }
        movingSeconds = moving.reduce(0) { $0 + $1.seconds }
        unknownSeconds = zip(points, points.dropFirst()).map { ($1.time - $0.time) }
            .filter { $0 > TimelineBuilder.maximumGap }.reduce(0) { $0 + $1.seconds }
        topSpeed = moving.filter { $0.seconds <= Self.longestTopPace }.sorted { $0.speed < $1.speed }
            .speed(notExceededFor: 0.95, of: \.seconds)
        line = Self.line(track.states[...])

        let isStill =
            distance == 0 || TrackCleaner.isWithin(max(100, 2 * TrackCleaner.typicalAccuracy(points)), points)
        let parts =
            isStill ? [Part(range: paces.indices, mode: .still, confidence: Self.stillConfidence)] : Self.parts(track)
        legs = parts.map { part in
            let (first, last) = (paces[part.range.lowerBound].first, paces[part.range.upperBound - 1].last)
            let moving = part.range.filter { !isStanding[$0] }
            return Trip.Leg(
                start: track.states[first].time, end: track.states[last].time,
                distance: moving.reduce(0) { $0 + paces[$1].meters },
                movingSeconds: moving.reduce(0) { $0 + paces[$1].seconds }, mode: part.mode,
                modeConfidence: part.confidence, line: Self.line(track.states[first...last]))
        }
    }

    private static func line(_ states: ArraySlice<TrackSmoother.State>) -> [Coordinate] {
        LineSimplifier.simplified(states.map(\.coordinate), tolerance: lineTolerance)
    }

    // MARK: Legs

    private struct Part {
        /// Of the paces.
        var range: Range<Int>
        var mode: TravelMode
        var confidence: Double
    }

    /// Parts with one mode each; neighbours of the same mode are one.
    private static func parts(_ track: TrackPaces) -> [Part] {
        var parts: [Part] = []
        for found in LegSplitter.parts(of: track.paces) {
            var part = Part(range: found.range, mode: .walking, confidence: walkingConfidence)
            if found.isRide {
                let estimate = TravelModeEstimate(RideFeatures(track, found.range))
                (part.mode, part.confidence) = (estimate.mode, estimate.confidence)
            } else {
                part.confidence = min(walkingConfidence, 1 / (1 + exp(-found.evidence)))
            }
            guard let last = parts.last, last.mode == part.mode else {
                parts.append(part)
                continue
            }
            // The longer one says more about how sure the mode is.
            if last.range.count >= part.range.count { part.confidence = last.confidence }
            part.range = last.range.lowerBound..<part.range.upperBound
            parts[parts.count - 1] = part
        }
        return parts
    }

    // MARK: Standing

    /// Whether each pace is part of a minute and more in which the device does not get on.
    ///
    /// Slow paces alone are no standing: who walks and waits at a light keeps the length of the way.
    private static func standing(_ paces: [TrackPaces.Pace]) -> [Bool] {
        var result = [Bool](repeating: false, count: paces.count)
        var first = 0
        while first < paces.count {
            let end = paces[first...].firstIndex { $0.speed >= standing } ?? paces.count
            if paces[first..<end].reduce(0, { $0 + $1.seconds }) >= leastStanding {
                for index in first..<end { result[index] = true }
            }
            first = max(end, first + 1)
        }
        return result
    }
}
