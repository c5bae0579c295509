#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A segment that is straight in longitude and latitude, as RFC 7946 defines edges; it is not a geodesic.
public struct StraightSegment: Hashable, Sendable {
    /// Longitudes are continuous from one end to the other.
    public let start, end: Coordinate

    /// A segment between two positions, straight in longitude and latitude.
    public init(_ start: Coordinate, _ end: Coordinate) {
        self.start = start
        self.end = end
    }

    /// The position at a fraction of the segment, 0 to 1; at 0 and 1 exactly the ends.
    public func point(at fraction: Double) -> Coordinate {
        if fraction == 1 { return end }
        return Coordinate(
            latitude: start.latitude + fraction * (end.latitude - start.latitude),
            longitude: start.longitude + fraction * (end.longitude - start.longitude))
    }

    /// The distance over the ground from a position to the nearest point of the segment, within a micrometre.
    ///
    /// It bisects the segment until a part is nearly straight on the ground, excludes parts that cannot contain the
    /// nearest point, and finds where the geodesic from the position arrives at a right angle.
    ///
    /// - Parameters:
    ///   - position: where the distance starts.
    ///   - limit: the largest distance of interest, in metres; a smaller limit excludes more.
    /// - Returns: metres; any number above `limit` for larger distances.
    public func distance(from position: Coordinate, limit: Double = .infinity) -> Double {
        var search = Search(segment: self, position: position)
        let (first, last) = (search.sample(0), search.sample(1))
        search.best = min(first.distance, last.distance, limit.nextUp)
        search.refine(first, last)
        return search.best
    }

    private struct Search {
        let segment: StraightSegment
        let position: Coordinate
        var best = Double.infinity

        init(segment: StraightSegment, position: Coordinate) {
            self.segment = segment
            self.position = position
        }

        struct Sample {
            let fraction, distance: Double
            /// The derivative of the distance along the segment, in metres per unit of fraction.
            let slope: Double
        }

        func sample(_ fraction: Double) -> Sample {
            let point = segment.point(at: fraction)
            let (distance, azimuth) = Geodesic.arrival(from: position, at: point)
            let plane = LocalPlane(origin: point)
            let east = plane.metersPerDegreeOfLongitude * (segment.end.longitude - segment.start.longitude)
            let north = plane.metersPerDegreeOfLatitude * (segment.end.latitude - segment.start.latitude)
            let radians = azimuth * .pi / 180
            return Sample(fraction: fraction, distance: distance, slope: east * sin(radians) + north * cos(radians))
        }

        /// An upper bound in metres of the length between two samples.
        func length(_ a: Sample, _ b: Sample) -> Double {
            let from = segment.point(at: a.fraction)
            let to = segment.point(at: b.fraction)
            let nearestToEquator =
                from.latitude.sign == to.latitude.sign ? min(abs(from.latitude), abs(to.latitude)) : 0
            let radians = Double.pi / 180
            let east = cos(nearestToEquator * radians) * (to.longitude - from.longitude) * radians
            let north = (to.latitude - from.latitude) * radians
            return Geodesic.largestRadius * (east * east + north * north).squareRoot()
        }

        mutating func refine(_ a: Sample, _ b: Sample) {
            best = min(best, a.distance, b.distance)
            let length = length(a, b)
            guard (a.distance + b.distance - length) / 2 < best else { return }
            let degrees = abs(segment.end.longitude - segment.start.longitude) * (b.fraction - a.fraction)
            if length <= 20_000 && degrees <= 2 {
                if a.slope < 0 && b.slope > 0 { descend(a, b, length: length) }
                return
            }
            let middle = sample((a.fraction + b.fraction) / 2)
            // The closer half first: it lowers `best` for the other one.
            if a.distance < b.distance {
                refine(a, middle)
                refine(middle, b)
            } else {
                refine(middle, b)
                refine(a, middle)
            }
        }

        /// Finds where the slope changes its sign (regula falsi, the Illinois variant).
        private mutating func descend(_ a: Sample, _ b: Sample, length: Double) {
            var (low, high) = (a, b)
            var (lowSlope, highSlope) = (a.slope, b.slope)
            let metersPerFraction = length / (b.fraction - a.fraction)
            for _ in 0..<100 where (high.fraction - low.fraction) * metersPerFraction > 2e-8 {
                let fraction = (low.fraction * highSlope - high.fraction * lowSlope) / (highSlope - lowSlope)
                let inner = min(max(fraction, low.fraction), high.fraction)
                let next = sample(inner)
                best = min(best, next.distance)
                if next.slope == 0 { return }
                if next.slope < 0 {
                    if (inner - low.fraction) * metersPerFraction < 1e-8 && low.fraction != a.fraction { return }
                    low = next
                    lowSlope = next.slope
                    highSlope /= 2
                } else {
                    if (high.fraction - inner) * metersPerFraction < 1e-8 && high.fraction != b.fraction { return }
                    high = next
                    highSlope = next.slope
                    lowSlope /= 2
                }
            }
        }
    }
}

extension Corridor {
    /// Whether the geodesic distance from the line is at most half the width, within a micrometre.
    ///
    /// It tests every segment; the region index excludes most of them first.
    public func covers(_ coordinate: Coordinate) -> Bool {
        distanceToLine(from: coordinate, limit: width / 2) <= width / 2
    }

    /// The distance in metres from the coordinate to the nearest point of the line; above `limit` any number above it.
    public func distanceToLine(from coordinate: Coordinate, limit: Double = .infinity) -> Double {
        var nearest = limit.nextUp
        for line in lines {
            for (start, end) in zip(line, line.dropFirst()) {
                nearest = min(nearest, StraightSegment(start, end).distance(from: coordinate, limit: nearest))
            }
        }
        return nearest
    }
}
