import FencepostGeometry
import FencepostModel

extension VisitTrail {
    /// Whether the means of the first and of the second half of a cluster, by time, lie so far apart that the device
    /// moved on: a slow walk, or traffic that stops and goes.
    ///
    /// `center` is that of the cluster, in metres on the plane, and `centroidAccuracy` is in metres.
    func isDrifting(
        _ range: ClosedRange<Int>, _ center: (east: Double, north: Double), _ centroidAccuracy: Double,
        _ plane: LocalPlane, _ criteria: StayCriteria
    ) -> Bool {
        let middle = (self[range.lowerBound].time.milliseconds + self[range.upperBound].time.milliseconds) / 2
        var (earlier, later) = (HalfMean(), HalfMean())
        for index in range {
            let fix = self[index]
            guard Double(fix.accuracy) <= criteria.worstAccuracy else { continue }
            let (east, north) = plane.project(fix.coordinate)
            let (x, y) = (east - center.east, north - center.north)
            let limit =
                VisitRule.driftRadii * criteria.radius
                + VisitRule.positionUncertainty(accuracy: Double(fix.accuracy), centroidAccuracy: centroidAccuracy)
            // An outlier.
            guard x * x + y * y <= limit * limit else { continue }
            let before = index > range.lowerBound ? fix.seconds(since: self[index - 1]) : 0
            let after = index < range.upperBound ? self[index + 1].seconds(since: fix) : 0
            let isEarlier = fix.time.milliseconds <= middle
            if isEarlier { earlier.add(x, y, fix, seconds: before + after) }
            if !isEarlier || fix.time.milliseconds == middle { later.add(x, y, fix, seconds: before + after) }
        }
        guard earlier.weight > 0, later.weight > 0 else { return false }
        let (x, y) = (later.east - earlier.east, later.north - earlier.north)
        let limit =
            VisitRule.driftLimit * criteria.radius
            + VisitRule.driftAccuracy * (earlier.accuracy + later.accuracy) / 2
        return x * x + y * y > limit * limit
    }

    /// The mean position of some fixes, and their mean accuracy, in metres.
    private struct HalfMean {
        private(set) var east = 0.0
        private(set) var north = 0.0
        private(set) var accuracy = 0.0
        private(set) var weight = 0.0

        /// Adds a fix that stands for so many seconds; its position is in metres on the plane.
        mutating func add(_ east: Double, _ north: Double, _ fix: VisitFix, seconds: Double) {
            guard seconds > 0 else { return }
            let error = max(Double(fix.accuracy), VisitCentroid.leastError)
            let added = seconds / (error * error)
            weight += added
            let share = added / weight
            self.east += (east - self.east) * share
            self.north += (north - self.north) * share
            accuracy += (Double(fix.accuracy) - accuracy) * share
        }
    }
}
