import FencepostGeometry
import FencepostModel

extension VisitTrail {
    /// The index of the fix of a cluster with which the device came to the door: the first one, unless that lies outside and the
    /// ones after it come nearer.
    ///
    /// Nearness is that of the mean of neighbouring fixes, so that errors without any relation between neighbours, which are as
    /// wide as the spread, are not taken for a way.
    ///
    /// - Parameters:
    ///   - range: the cluster.
    ///   - center: that of the cluster, in metres on the plane.
    ///   - spread: the median distance of its fixes from there, in metres.
    ///   - plane: where to measure.
    /// - Returns: the index, in the range.
    func doorIndex(
        in range: ClosedRange<Int>, _ center: (east: Double, north: Double), spread: Double, _ plane: LocalPlane
    ) -> Int {
        func offset(_ index: Int) -> (east: Double, north: Double, distance: Double) {
            let (east, north) = plane.project(self[index].coordinate)
            let (x, y) = (east - center.east, north - center.north)
            return (x, y, (x * x + y * y).squareRoot())
        }
        /// The distance of the mean of the fixes around one from the centre. One that is far away counts as less far.
        func meanDistance(_ index: Int) -> Double {
            let near = (index - VisitRule.doorNeighbors...index + VisitRule.doorNeighbors).clamped(to: range)
            var sum = (east: 0.0, north: 0.0)
            for index in near {
                let (east, north, distance) = offset(index)
                let share = min(1, VisitRule.doorOutlier * spread / max(distance, 1))
                sum.east += east * share
                sum.north += north * share
            }
            return (sum.east * sum.east + sum.north * sum.north).squareRoot() / Double(near.count)
        }
        let first = range.lowerBound
        let distance = offset(first).distance
        guard distance > VisitRule.outsideSpreads * spread else { return first }
        var (door, index, mean) = (first, first, meanDistance(first))
        // The first one is outside, wherever its neighbours are.
        while index < range.upperBound, index == first || mean > VisitRule.arrivalSpreads * spread {
            let next = meanDistance(index + 1)
            guard next <= mean + VisitRule.doorTolerance * spread else { break }
            (index, mean) = (index + 1, next)
            if distance - mean > VisitRule.doorSpeed * self[index].seconds(since: self[first]) { door = index }
        }
        return door
    }
}
