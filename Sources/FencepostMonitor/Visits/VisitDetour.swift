import FencepostModel

/// Three fixes in a row that lie well beyond any place with the last one: what shows that a trail does not end in a stay.
///
/// 32 bytes about the three, so that the fixes that follow can be held against them without the trail.
struct VisitDetour: Sendable {
    /// Of the first of the three.
    private var time = Timestamp.distantPast
    /// Degrees, rounded outwards.
    private var west: Float = 0
    private var south: Float = 0
    private var east: Float = 0
    private var north: Float = 0
    /// The worst of the three, in metres.
    private var accuracy: Float = 0

    /// None.
    init() {}

    init(_ first: VisitTrace, _ second: VisitTrace, _ third: VisitTrace) {
        time = first.time
        west = Float(min(first.longitude, second.longitude, third.longitude)).nextDown
        east = Float(max(first.longitude, second.longitude, third.longitude)).nextUp
        south = Float(min(first.latitude, second.latitude, third.latitude)).nextDown
        north = Float(max(first.latitude, second.latitude, third.latitude)).nextUp
        accuracy = max(first.accuracy, second.accuracy, third.accuracy)
    }

    /// Whether all three are surely well beyond a place with this fix, and not older than so many seconds.
    func isFar(from fix: VisitTrace, _ place: VisitTrail.Place, within span: Double) -> Bool {
        guard Double(fix.time.milliseconds - time.milliseconds) / 1000 < span, Double(accuracy) <= place.coarse else {
            return false
        }
        let longitude = max(Double(west) - fix.longitude, fix.longitude - Double(east), 0)
        let latitude = max(Double(south) - fix.latitude, fix.latitude - Double(north), 0)
        // Across the antimeridian the three are looked at one by one.
        guard longitude < 180, Double(east) - Double(west) < 180 else { return false }
        return Metric(at: fix).isFar(east: longitude, north: latitude, accuracy, place)
    }

    /// Measures roughly, to a thousandth of a degree's length at the equator: what is far is so by more.
    struct Metric {
        private let end: VisitTrace
        private let metersPerDegreeOfLongitude: Double

        private static let metersPerDegree = 111_200.0

        init(at end: VisitTrace) {
            self.end = end
            // The first terms of the cosine.
            let angle = end.latitude * .pi / 180
            let square = angle * angle
            let cosine = 1 - square * (1.0 / 2 - square * (1.0 / 24 - square / 720))
            metersPerDegreeOfLongitude = Metric.metersPerDegree * max(cosine, 0.001)
        }

        /// Whether a fix is well beyond a place with the end.
        func isFar(_ fix: VisitTrace, _ place: VisitTrail.Place) -> Bool {
            let longitude = abs(fix.longitude - end.longitude)
            return Double(fix.accuracy) <= place.coarse
                && isFar(
                    east: min(longitude, 360 - longitude), north: abs(fix.latitude - end.latitude), fix.accuracy,
                    place)
        }

        fileprivate func isFar(east: Double, north: Double, _ accuracy: Float, _ place: VisitTrail.Place) -> Bool {
            let blur =
                VisitRule.nearAccuracy * min(Double(accuracy), VisitRule.accuracyLimit)
                + VisitRule.nearAnchorAccuracy * min(Double(end.accuracy), VisitRule.accuracyLimit)
            let limit = VisitRule.wanderingRadii * (place.reach + blur)
            let (x, y) = (east * metersPerDegreeOfLongitude, north * Metric.metersPerDegree)
            return x * x + y * y > limit * limit
        }
    }
}
