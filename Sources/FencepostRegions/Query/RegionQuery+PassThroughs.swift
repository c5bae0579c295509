public import FencepostGEOS
public import FencepostGeometry
public import FencepostModel

extension RegionQuery {
    /// The regions that the straight segment between two coordinates passes through although it starts and ends
    /// outside.
    ///
    /// The segment is straight in longitude and latitude and takes the short way across the antimeridian. It is meant
    /// for two consecutive locations of a fast device: for segments of some kilometres, which are straight on the
    /// ground as well.
    public mutating func passThroughs(
        from start: Coordinate, to end: Coordinate
    ) throws(GEOSError) -> [PassThrough] {
        var longitude = end.longitude
        if longitude - start.longitude > 180 { longitude -= 360 }
        if longitude - start.longitude < -180 { longitude += 360 }
        let segment = StraightSegment(start, Coordinate(latitude: end.latitude, longitude: longitude))
        guard let envelope = Envelope(of: [segment.start, segment.end]), segment.start != segment.end else { return [] }
        let ends = Set(try covering(start) + covering(end))
        var intervals: [RegionHandle: [ClosedRange<Double>]] = [:]
        for (window, longitudeOffset) in envelope.parts {
            let shifted = StraightSegment(
                segment.start.shifted(eastBy: longitudeOffset), segment.end.shifted(eastBy: longitudeOffset))
            for layer in layers {
                search(window, in: layer)
                for candidate in candidates {
                    let part = layer.owner(candidate)
                    guard !ends.contains(part.region) else { continue }
                    let inside =
                        switch part.kind {
                        case .polygon(let outline): layer.outlines.intervals(of: shifted, inside: outline)
                        case .circle(let circle): layer.circles[circle].circle.intervals(of: shifted)
                        case .corridor(let outline, let halfWidth):
                            layer.outlines.intervals(of: shifted, within: halfWidth, of: outline)
                        case .antimeridianBoundary: [ClosedRange<Double>]()
                        }
                    if !inside.isEmpty { intervals[part.region, default: []] += inside }
                }
            }
        }
        var passThroughs: [PassThrough] = []
        for (region, found) in intervals {
            let merged = found.merged
            let deepest = merged.map {
                (interval: $0, depth: index.layer(of: region).depth(of: segment, along: $0, in: region))
            }
            .max { $0.depth < $1.depth }
            guard let deepest, deepest.depth > 0 else { continue }
            passThroughs.append(
                PassThrough(
                    region: region, entry: deepest.interval.lowerBound, exit: deepest.interval.upperBound,
                    depth: deepest.depth))
        }
        return passThroughs.sorted { $0.region < $1.region }
    }
}

extension RegionLayer {
    /// The distance in metres from the boundary at the deepest of nine sample points in an interval of a segment; 0
    /// when no sample is inside.
    fileprivate func depth(of segment: StraightSegment, along interval: ClosedRange<Double>, in region: RegionHandle)
        -> Double
    {
        let sampleCount = 10
        var deepest = 0.0
        for sample in 1..<sampleCount {
            let fraction =
                interval.lowerBound + (interval.upperBound - interval.lowerBound) * Double(sample) / Double(sampleCount)
            let point = segment.point(at: fraction).wrapped
            let plane = LocalPlane(origin: point)
            var distance = Double.infinity
            for part in parts(of: region) {
                switch part.kind {
                case .polygon(let outline), .antimeridianBoundary(let outline):
                    for longitudeOffset in [0.0, 360, -360] {
                        distance = min(
                            distance,
                            outlines.distance(
                                to: outline, in: plane, longitude: point.longitude + longitudeOffset, limit: 1e6,
                                includingAntimeridian: part.isOnAntimeridian))
                    }
                case .circle(let circle):
                    let circle = circles[circle].circle
                    distance = circle.radius - Geodesic.distance(circle.center, point)
                case .corridor(let outline, let halfWidth):
                    let toLine = outlines.distance(
                        to: outline, in: plane, longitude: point.longitude, limit: halfWidth,
                        includingAntimeridian: true)
                    // For several lines the nearest one counts.
                    distance = distance.isFinite ? max(distance, halfWidth - toLine) : halfWidth - toLine
                }
            }
            if distance.isFinite { deepest = max(deepest, distance) }
        }
        return deepest
    }
}

extension Circle {
    /// The interval of a segment in which the distance from the centre is at most the radius; empty if there is none.
    fileprivate func intervals(of segment: StraightSegment) -> [ClosedRange<Double>] {
        let distance = { (fraction: Double) in Geodesic.distance(center, segment.point(at: fraction)) }
        return Convex.interval(below: radius, distance)
    }
}

extension Outlines {
    /// The intervals of a segment that are inside a polygon.
    fileprivate func intervals(of segment: StraightSegment, inside outline: Int) -> [ClosedRange<Double>] {
        var crossings = [0.0, 1]
        let (x, y) = (segment.end.longitude - segment.start.longitude, segment.end.latitude - segment.start.latitude)
        guard let box = Envelope(of: [segment.start, segment.end]) else { return [] }
        forEachBlock(of: outline) {
            $0.intersects(box)
        } _: { block in
            let first = Int(blocks[block].first)
            for edge in first..<first + Int(blocks[block].edges) {
                let (a, b) = (vertices[edge], vertices[edge + 1])
                let (ex, ey) = (b.longitude - a.longitude, b.latitude - a.latitude)
                let cross = x * ey - y * ex
                guard cross != 0 else { continue }  // parallel: the adjacent edges cross the segment
                let (dx, dy) = (a.longitude - segment.start.longitude, a.latitude - segment.start.latitude)
                let along = (dx * ey - dy * ex) / cross
                let onEdge = (dx * y - dy * x) / cross
                if along > 0 && along < 1 && onEdge >= -1e-12 && onEdge <= 1 + 1e-12 { crossings.append(along) }
            }
        }
        crossings.sort()
        return zip(crossings, crossings.dropFirst()).compactMap { low, high in
            guard high > low else { return nil }
            let middle = segment.point(at: (low + high) / 2)
            guard abs(middle.longitude) <= 180 else { return nil }
            return locate(middle, in: outline) == .outside ? nil : low...high
        }
    }

    /// The intervals of a segment within a distance of a line, in the plane around the segment's midpoint.
    fileprivate func intervals(
        of segment: StraightSegment, within meters: Double, of outline: Int
    ) -> [ClosedRange<Double>] {
        let middle = segment.point(at: 0.5)
        let plane = LocalPlane(origin: middle)
        let (sx, sy) = (plane.metersPerDegreeOfLongitude, plane.metersPerDegreeOfLatitude)
        guard let box = Envelope(of: [segment.start, segment.end])?.expanded(by: meters) else { return [] }
        var found: [ClosedRange<Double>] = []
        forEachBlock(of: outline) {
            $0.intersects(box)
        } _: { block in
            let first = Int(blocks[block].first)
            for edge in first..<first + Int(blocks[block].edges) {
                let (a, b) = (vertices[edge], vertices[edge + 1])
                found += Convex.interval(below: meters) { fraction in
                    let point = segment.point(at: fraction)
                    return PlaneSegment.squaredDistanceFromOrigin(
                        (a.longitude - point.longitude) * sx, (a.latitude - point.latitude) * sy,
                        (b.longitude - point.longitude) * sx, (b.latitude - point.latitude) * sy
                    ).squareRoot()
                }
            }
        }
        return found
    }
}

/// Functions on 0...1 that decrease, then increase.
enum Convex {
    /// The interval in which such a function is at most a limit; empty if there is none.
    static func interval(below limit: Double, _ function: (Double) -> Double) -> [ClosedRange<Double>] {
        var (low, high) = (0.0, 1.0)
        for _ in 0..<60 {
            let (a, b) = (low + (high - low) / 3, high - (high - low) / 3)
            if function(a) < function(b) { high = b } else { low = a }
        }
        let bottom = [0, (low + high) / 2, 1].min { function($0) < function($1) } ?? 0
        guard function(bottom) <= limit else { return [] }
        func edge(from inside: Double, to outside: Double) -> Double {
            if function(outside) <= limit { return outside }
            var (inside, outside) = (inside, outside)
            for _ in 0..<50 {
                let middle = (inside + outside) / 2
                if function(middle) <= limit { inside = middle } else { outside = middle }
            }
            return inside
        }
        return [edge(from: bottom, to: 0)...edge(from: bottom, to: 1)]
    }
}

extension [ClosedRange<Double>] {
    /// The union of the intervals, in order.
    fileprivate var merged: [ClosedRange<Double>] {
        var result: [ClosedRange<Double>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound + 1e-9 {
                result[result.count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
