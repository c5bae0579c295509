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
    ///
    /// - Parameters:
    ///   - start: a valid position.
    ///   - end: a valid position.
    ///   - containingEnd: the result of `covering(_:into:)` for `end`, if it is known.
    ///   - minimumDepth: metres. Of the pass-throughs that are less deep, those that are found soon are left out.
    /// - Returns: the pass-throughs, by handle.
    /// - Throws: `GEOSError` if GEOS fails on a region.
    public mutating func passThroughs(
        from start: Coordinate, to end: Coordinate, containingEnd: [RegionHandle]? = nil, minimumDepth: Double = 0
    ) throws(GEOSError) -> [PassThrough] {
        var longitude = end.longitude
        if longitude - start.longitude > 180 { longitude -= 360 }
        if longitude - start.longitude < -180 { longitude += 360 }
        let segment = StraightSegment(start, Coordinate(latitude: end.latitude, longitude: longitude))
        guard segment.start != segment.end else { return [] }
        if containingEnd == nil { try setContaining(end) }
        let atEnd = containingEnd ?? containing
        // Whether `containing` has the regions at the start. They are looked up when a candidate needs them.
        var knowsStart = false
        var found: [(region: RegionHandle, intervals: [ClosedRange<Double>])] = []
        for (window, longitudeOffset) in segment.envelope.parts {
            let shifted = StraightSegment(
                segment.start.shifted(eastBy: longitudeOffset), segment.end.shifted(eastBy: longitudeOffset))
            for layer in layers {
                search(window, along: shifted, in: layer)
                for candidate in candidates {
                    let part = layer.owner(candidate)
                    guard !atEnd.contains(part.region) else { continue }
                    // A segment that starts outside and crosses no edge is outside. This takes less time than to look up
                    // the regions at the start.
                    if case .polygon(let outline) = part.kind, !layer.outlines.crosses(outline, shifted) { continue }
                    if !knowsStart {
                        try setContaining(start)
                        knowsStart = true
                    }
                    guard !containing.contains(part.region) else { continue }
                    let inside: [ClosedRange<Double>]
                    switch part.kind {
                    case .polygon(let outline): inside = layer.outlines.intervals(of: shifted, inside: outline)
                    case .circle(let circle): inside = layer.circles[circle].circle.intervals(of: shifted)
                    case .corridor(let outline, let halfWidth):
                        inside = layer.outlines.intervals(of: shifted, within: halfWidth, of: outline)
                    case .antimeridianBoundary: continue
                    }
                    if !inside.isEmpty { found.append((part.region, inside)) }
                }
            }
        }
        guard !found.isEmpty else { return [] }
        // Elsewhere an interval may end at an edge that is no boundary on the ground.
        let isSimple = abs(start.longitude) < 179 && abs(end.longitude) < 179 && abs(start.latitude) < 80
        return passThroughs(found, segment, isSimple ? minimumDepth : 0)
    }

    /// The deepest interval of each region, in the order of the handles.
    private func passThroughs(
        _ found: [(region: RegionHandle, intervals: [ClosedRange<Double>])], _ segment: StraightSegment,
        _ minimumDepth: Double
    ) -> [PassThrough] {
        var passThroughs: [PassThrough] = []
        let length = LocalPlane(origin: segment.start).distance(to: segment.end)
        for (slot, (region, first)) in found.enumerated()
        where !found[..<slot].contains(where: { $0.region == region }) {
            let all = found[slot...].filter { $0.region == region }.flatMap(\.intervals)
            let layer = index.layer(of: region)
            let deepest = (all.count > 1 ? all.merged : first)
                .compactMap { interval -> (interval: ClosedRange<Double>, depth: Double)? in
                    let longest = minimumDepth > 0 ? layer.length(of: interval, ofLength: length, in: region) : nil
                    if let longest, longest / 2 < minimumDepth { return nil }
                    return (interval, layer.depth(of: segment, along: interval, notLongerThan: longest, in: region))
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
    /// Metres that an interval of a segment of this length is not longer than, if both of its ends are on a boundary; else
    /// `nil`. Then no point of it is farther from the boundary than from the nearer end.
    ///
    /// Both ends of an interval within polygons are on a boundary, unless it reaches an end of the segment. Two per cent
    /// cover the errors of the planes.
    fileprivate func length(
        of interval: ClosedRange<Double>, ofLength length: Double, in region: RegionHandle
    ) -> Double? {
        guard interval.lowerBound > 0, interval.upperBound < 1, length < 10_000 else { return nil }
        for number in partNumbers(of: region) {
            switch part(number).kind {
            case .polygon: continue
            // Edges along the antimeridian are not boundaries, and other shapes are measured in other ways.
            case .circle, .corridor, .antimeridianBoundary: return nil
            }
        }
        return (interval.upperBound - interval.lowerBound) * length * 1.02 + 0.02
    }

    /// The distance in metres from the boundary at the deepest of nine sample points in an interval of a segment; 0
    /// when no sample is inside.
    ///
    /// `longest` is the result of `length` for the interval.
    fileprivate func depth(
        of segment: StraightSegment, along interval: ClosedRange<Double>, notLongerThan longest: Double?,
        in region: RegionHandle
    ) -> Double {
        let limit = 1e6
        // There the other side of the antimeridian is beyond the limit.
        let isFar = segment.start.isFarFromAntimeridian && segment.end.isFarFromAntimeridian
        let turns: ClosedRange<Int> = isFar ? 0...0 : -1...1
        let parts = parts(of: region)
        var deepest = 0.0
        // From the middle on, since the samples near the ends are mostly nearer to the boundary.
        for step in 1...9 {
            let tenths = step.isMultiple(of: 2) ? 5 - step / 2 : 5 + step / 2
            if let longest, longest * Double(min(tenths, 10 - tenths)) / 10 <= deepest { break }
            let fraction = interval.lowerBound + (interval.upperBound - interval.lowerBound) * Double(tenths) / 10
            let point = segment.point(at: fraction).wrapped
            let plane = LocalPlane(origin: point)
            var distance = Double.infinity
            for part in parts {
                switch part.kind {
                case .polygon(let outline), .antimeridianBoundary(let outline):
                    for turn in turns {
                        distance = min(
                            distance,
                            outlines.distance(
                                to: outline, in: plane, longitude: point.longitude + 360 * Double(turn), limit: limit,
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

extension Coordinate {
    /// Whether the antimeridian is more than 1000 km away, also where a degree of longitude is as short as here. At 60° of
    /// latitude a degree has 55.8 km, and at 80° 19.4 km.
    fileprivate var isFarFromAntimeridian: Bool {
        abs(latitude) < 60 && abs(longitude) < 160 || abs(latitude) < 80 && abs(longitude) < 90
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
    /// Whether a segment crosses an edge of a polygon.
    fileprivate func crosses(_ outline: Int, _ segment: StraightSegment) -> Bool {
        let run = runs[unchecked: outline]
        if run.edges > 0 {
            let first = Int(run.first)
            return (first..<first + Int(run.edges)).contains { crossing(of: segment, $0) != nil }
        }
        let box = segment.envelope
        var isFound = false
        forEachBlock(of: outline) {
            !isFound && $0.intersects(box)
        } _: { block in
            let first = Int(blocks[block].first)
            for edge in first..<first + Int(blocks[block].edges) where crossing(of: segment, edge) != nil {
                isFound = true
                return
            }
        }
        return isFound
    }

    /// The share of a segment, above 0 and below 1, at which it crosses an edge; `nil` if it does not.
    @inline(__always)
    private func crossing(of segment: StraightSegment, _ edge: Int) -> Double? {
        let (x, y) = (segment.end.longitude - segment.start.longitude, segment.end.latitude - segment.start.latitude)
        let (a, b) = (vertices[edge], vertices[edge + 1])
        let (ex, ey) = (b.longitude - a.longitude, b.latitude - a.latitude)
        let cross = x * ey - y * ex
        guard cross != 0 else { return nil }  // parallel: the adjacent edges cross the segment
        let (dx, dy) = (a.longitude - segment.start.longitude, a.latitude - segment.start.latitude)
        let numerator = dx * ey - dy * ex
        // Most edges are not crossed, and need no division.
        guard (numerator > 0) == (cross > 0), abs(numerator) < abs(cross) else { return nil }
        let along = numerator / cross
        let onEdge = (dx * y - dy * x) / cross
        return along > 0 && along < 1 && onEdge >= -1e-12 && onEdge <= 1 + 1e-12 ? along : nil
    }

    /// The intervals of a segment that are inside a polygon.
    fileprivate func intervals(of segment: StraightSegment, inside outline: Int) -> [ClosedRange<Double>] {
        var crossings = [0.0, 1]
        let box = segment.envelope
        forEachBlock(of: outline) {
            $0.intersects(box)
        } _: { block in
            let first = Int(blocks[block].first)
            for edge in first..<first + Int(blocks[block].edges) {
                if let along = crossing(of: segment, edge) { crossings.append(along) }
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
        let box = segment.envelope.expanded(by: meters)
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

extension StraightSegment {
    fileprivate var envelope: Envelope {
        Envelope(
            west: min(start.longitude, end.longitude), south: min(start.latitude, end.latitude),
            east: max(start.longitude, end.longitude), north: max(start.latitude, end.latitude))
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
