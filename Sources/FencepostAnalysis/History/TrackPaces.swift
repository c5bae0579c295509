internal import FencepostGeometry
internal import FencepostModel

/// A smoothed track in paces: straight pieces of at least `TrackPaces.least` seconds.
///
/// Single steps are no measure of speed, because the remaining error of dense positions is a speed.
struct TrackPaces {
    struct Pace {
        /// Indices of the states at both ends.
        let first, last: Int
        let seconds: Double
        /// Straight from end to end, and along the smoothed way.
        let straight, meters: Double
        /// Metres per second from end to end.
        var speed: Double { straight / seconds }
    }

    /// Seconds.
    static let least = 15.0

    let states: [TrackSmoother.State]
    let paces: [Pace]

    init(_ states: [TrackSmoother.State]) {
        self.states = states
        var paces: [Pace] = []
        var (first, meters) = (0, 0.0)
        for index in states.indices.dropFirst() {
            let before = states[index - 1]
            let step = Geodesic.distance(before.coordinate, states[index].coordinate)
            meters += before.bend * step
            let seconds = (states[index].time - states[first].time).seconds
            guard seconds >= Self.least || index == states.count - 1, seconds > 0 else { continue }
            let straight =
                first == index - 1 ? step : Geodesic.distance(states[first].coordinate, states[index].coordinate)
            paces.append(Pace(first: first, last: index, seconds: seconds, straight: straight, meters: meters))
            (first, meters) = (index, 0)
        }
        self.paces = paces
    }
}
