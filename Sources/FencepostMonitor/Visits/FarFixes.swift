import FencepostModel

/// Three consecutive fixes that are certainly outside of any place that contains a later fix. They show that a trail does
/// not end in a stay.
///
/// Only their envelope is kept, in 32 bytes, so that the fixes that follow can be compared with it without a search.
struct FarFixes: Sendable {
    /// The time of the first of the three.
    private var time = Timestamp.distantPast
    /// Degrees, rounded outwards.
    private var west: Float = 0
    private var south: Float = 0
    private var east: Float = 0
    private var north: Float = 0
    /// The worst accuracy of the three, in metres.
    private var accuracy: Float = 0

    /// No fixes: older than any span.
    init() {}

    init(_ first: VisitFix, _ second: VisitFix, _ third: VisitFix) {
        time = first.time
        west = Float(min(first.longitude, second.longitude, third.longitude)).nextDown
        east = Float(max(first.longitude, second.longitude, third.longitude)).nextUp
        south = Float(min(first.latitude, second.latitude, third.latitude)).nextDown
        north = Float(max(first.latitude, second.latitude, third.latitude)).nextUp
        accuracy = max(first.accuracy, second.accuracy, third.accuracy)
    }

    /// Whether all three are certainly outside of any place that contains the fix, and not older than `span` seconds.
    func areFar(from fix: VisitFix, _ criteria: VisitTrail.StayCriteria, within span: Double) -> Bool {
        guard Double(fix.time.milliseconds - time.milliseconds) / 1000 < span,
            Double(accuracy) <= criteria.worstAccuracy
        else { return false }
        let longitude = max(Double(west) - fix.longitude, fix.longitude - Double(east), 0)
        let latitude = max(Double(south) - fix.latitude, fix.latitude - Double(north), 0)
        // The envelope is not valid across the antimeridian. There the caller searches the trail.
        guard longitude < 180, Double(east) - Double(west) < 180 else { return false }
        return Metric(at: fix).isFar(east: longitude, north: latitude, accuracy, criteria)
    }

    /// Measures distances from one fix approximately, with a relative error of at most a thousandth. The limit for "far"
    /// has a margin of more than that.
    struct Metric {
        private let end: VisitFix
        private let metersPerDegreeOfLongitude: Double

        private static let metersPerDegree = 111_200.0

        init(at end: VisitFix) {
            self.end = end
            // The first terms of the Taylor series of the cosine.
            let angle = end.latitude * .pi / 180
            let square = angle * angle
            let cosine = 1 - square * (1.0 / 2 - square * (1.0 / 24 - square / 720))
            metersPerDegreeOfLongitude = Metric.metersPerDegree * max(cosine, 0.001)
        }

        /// Whether a fix is certainly outside of any place that contains the end.
        func isFar(_ fix: VisitFix, _ criteria: VisitTrail.StayCriteria) -> Bool {
            let longitude = abs(fix.longitude - end.longitude)
            return Double(fix.accuracy) <= criteria.worstAccuracy
                && isFar(
                    east: min(longitude, 360 - longitude), north: abs(fix.latitude - end.latitude), fix.accuracy,
                    criteria)
        }

        fileprivate func isFar(
            east: Double, north: Double, _ accuracy: Float, _ criteria: VisitTrail.StayCriteria
        ) -> Bool {
            let uncertainty = VisitRule.positionUncertainty(
                accuracy: Double(accuracy), centroidAccuracy: Double(end.accuracy))
            let limit = VisitRule.driftRadii * (criteria.radius + uncertainty)
            let (x, y) = (east * metersPerDegreeOfLongitude, north * Metric.metersPerDegree)
            return x * x + y * y > limit * limit
        }
    }
}
