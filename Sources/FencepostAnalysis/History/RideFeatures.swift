internal import FencepostGeometry
internal import FencepostModel

/// What the paces of a part of a trip show of the vehicle. Speeds are in metres per second and come from positions alone.
struct RideFeatures {
    /// Metres.
    var distance = 0.0
    /// The speed that is not exceeded on half of the distance.
    var cruise = 0.0
    /// The speeds that are not exceeded for half and for 95 % of the time in motion.
    var median = 0.0, top = 0.0
    /// Halts between two fast parts: the speed falls from more than `haltPeak` to a third of it and rises again.
    var halts = 0
    /// Degrees of turn for each kilometre between pieces of 300 m; `nil` where it is never fast long enough to show any.
    var bends: Double?
    /// The share of the distance in silences of more than a minute and three times the usual interval, 0 to 1.
    var silent = 0.0
    /// The longest time in seconds at `flightSpeed` or faster.
    var flightSeconds = 0.0

    /// Nothing on the ground is this fast for minutes.
    static let flightSpeed = 100.0
    /// A slower pace is standing.
    private static let movingSpeed = 0.7
    private static let haltPeak = 11.0, haltShare = 0.35
    /// Seconds: how long before and after a halt it has to be fast, how long it takes at most, and how long its paces are.
    private static let haltWindow = 150.0, longestHalt = 200.0, longestHaltPace = 100.0
    /// Pieces of a way at this speed turn only where the way does.
    private static let bendSpeed = 6.0, bendPiece = 300.0

    init(_ track: TrackPaces, _ range: Range<Int>) {
        let paces = Array(track.paces[range])
        distance = paces.reduce(0) { $0 + $1.straight }
        let moving = paces.filter { $0.speed > Self.movingSpeed }.sorted { $0.speed < $1.speed }
        cruise = moving.speed(notExceededFor: 0.5, of: \.straight)
        median = moving.speed(notExceededFor: 0.5, of: \.seconds)
        top = moving.speed(notExceededFor: 0.95, of: \.seconds)
        halts = Self.halts(paces)
        bends = Self.bends(paces, track.states)
        let intervals = paces.map { $0.seconds / Double($0.last - $0.first) }.sorted()
        let limit = max(60, 3 * (intervals.isEmpty ? 0 : intervals[intervals.count / 2]))
        silent = paces.reduce(0) { $0 + ($1.seconds > limit ? $1.straight : 0) } / max(distance, 1)
        var seconds = 0.0
        for pace in paces {
            seconds = pace.speed >= Self.flightSpeed ? seconds + pace.seconds : 0
            flightSeconds = max(flightSeconds, seconds)
        }
    }

    private static func halts(_ paces: [TrackPaces.Pace]) -> Int {
        func peak(from index: Int, by step: Int) -> Double {
            var (next, seconds, fastest) = (index + step, 0.0, 0.0)
            while paces.indices.contains(next), seconds < haltWindow {
                fastest = max(fastest, paces[next].speed)
                seconds += paces[next].seconds
                next += step
            }
            return fastest
        }
        var (count, index) = (0, 0)
        while index < paces.count {
            let limit = min(peak(from: index, by: -1), peak(from: index, by: 1))
            var seconds = 0.0
            if limit > haltPeak, paces[index].seconds < longestHaltPace {
                while index < paces.count, paces[index].speed < haltShare * limit {
                    seconds += paces[index].seconds
                    index += 1
                }
            }
            if seconds > 0, seconds < longestHalt { count += 1 }
            index += 1
        }
        return count
    }

    private static func bends(_ paces: [TrackPaces.Pace], _ states: [TrackSmoother.State]) -> Double? {
        var (degrees, meters) = (0.0, 0.0)
        var first: Int?
        var heading: Double?
        for pace in paces {
            guard pace.speed > bendSpeed, pace.seconds < longestHaltPace else {
                (first, heading) = (nil, nil)
                continue
            }
            let start = states[first ?? pace.first].coordinate
            let end = states[pace.last].coordinate
            let piece = Geodesic.distance(start, end)
            guard piece >= bendPiece else {
                first = first ?? pace.first
                continue
            }
            let next = Geodesic.azimuth(from: start, to: end)
            if let heading {
                let turn = (next - heading).magnitude
                degrees += min(turn, 360 - turn)
                meters += piece
            }
            (first, heading) = (nil, next)
        }
        return meters > 1000 ? degrees / meters * 1000 : nil
    }
}

extension [TrackPaces.Pace] {
    /// The speed that is not exceeded for a share of a weight.
    ///
    /// - Precondition: the paces are in the order of their speed.
    func speed(notExceededFor share: Double, of weight: KeyPath<TrackPaces.Pace, Double>) -> Double {
        let total = reduce(0) { $0 + $1[keyPath: weight] }
        var sum = 0.0
        for pace in self {
            sum += pace[keyPath: weight]
            if sum >= share * total { return pace.speed }
        }
        return 0
    }
}
