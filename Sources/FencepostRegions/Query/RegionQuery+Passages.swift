public import FencepostGEOS
public import FencepostGeometry
public import FencepostModel

extension RegionQuery {
    /// The regions that the straight way between two coordinates leads through although neither is inside, by handle.
    ///
    /// The way is straight in longitude and latitude and goes the short way round the antimeridian. Meant for two fixes
    /// between which a device was too fast to be seen inside: for ways of some kilometres, where that is straight on
    /// the ground as well.
    public mutating func passages(
        from start: Coordinate, to end: Coordinate
    ) throws(GEOSError) -> [Passage] {
        var longitude = end.longitude
        if longitude - start.longitude > 180 { longitude -= 360 }
        if longitude - start.longitude < -180 { longitude += 360 }
        let way = StraightSegment(start, Coordinate(latitude: end.latitude, longitude: longitude))
        guard let envelope = Envelope(of: [way.start, way.end]), way.start != way.end else { return [] }
        let ends = Set(try covering(start) + covering(end))
        var stretches: [RegionHandle: [ClosedRange<Double>]] = [:]
        for (window, turn) in envelope.parts {
            let seen = StraightSegment(way.start.shifted(eastBy: turn), way.end.shifted(eastBy: turn))
            for layer in layers {
                search(window, in: layer)
                for candidate in candidates {
                    let part = layer.owner(candidate)
                    guard !ends.contains(part.region) else { continue }
                    let inside =
                        switch part.kind {
                        case .polygon(let outline): layer.outlines.stretches(of: seen, inside: outline)
                        case .circle(let circle): layer.circles[circle].circle.stretches(of: seen)
                        case .corridor(let outline, let reach):
                            layer.outlines.stretches(of: seen, within: reach, of: outline)
                        case .seamBoundary: [ClosedRange<Double>]()
                        }
                    if !inside.isEmpty { stretches[part.region, default: []] += inside }
                }
            }
        }
        var passages: [Passage] = []
        for (region, found) in stretches {
            let merged = found.merged
            let deepest = merged.map {
                (stretch: $0, depth: index.layer(of: region).depth(of: way, along: $0, in: region))
            }
            .max { $0.depth < $1.depth }
            guard let deepest, deepest.depth > 0 else { continue }
            passages.append(
                Passage(
                    region: region, entry: deepest.stretch.lowerBound, exit: deepest.stretch.upperBound,
                    depth: deepest.depth))
        }
        return passages.sorted { $0.region < $1.region }
    }
}

extension RegionLayer {
    /// Metres from the boundary at the deepest of some points along a stretch of a way; 0 when none is inside.
    fileprivate func depth(of way: StraightSegment, along stretch: ClosedRange<Double>, in region: RegionHandle)
        -> Double
    {
        let looks = 10
        var deepest = 0.0
        for look in 1..<looks {
            let fraction = stretch.lowerBound + (stretch.upperBound - stretch.lowerBound) * Double(look) / Double(looks)
            let point = way.point(at: fraction).wrapped
            let plane = LocalPlane(origin: point)
            var distance = Double.infinity
            for part in parts(of: region) {
                switch part.kind {
                case .polygon(let outline), .seamBoundary(let outline):
                    for turn in [0.0, 360, -360] {
                        distance = min(
                            distance,
                            outlines.distance(
                                to: outline, in: plane, longitude: point.longitude + turn, limit: 1e6,
                                seams: part.isSeam))
                    }
                case .circle(let circle):
                    let circle = circles[circle].circle
                    distance = circle.radius - Geodesic.distance(circle.center, point)
                case .corridor(let outline, let reach):
                    let toLine = outlines.distance(
                        to: outline, in: plane, longitude: point.longitude, limit: reach, seams: true)
                    // Of several lines the nearest counts.
                    distance = distance.isFinite ? max(distance, reach - toLine) : reach - toLine
                }
            }
            if distance.isFinite { deepest = max(deepest, distance) }
        }
        return deepest
    }
}

extension Circle {
    /// Where along a way the distance from the centre is at most the radius: nowhere or in one stretch.
    fileprivate func stretches(of way: StraightSegment) -> [ClosedRange<Double>] {
        let distance = { (fraction: Double) in Geodesic.distance(center, way.point(at: fraction)) }
        return Convex.stretch(below: radius, distance)
    }
}

extension Outlines {
    /// Where along a way it is inside a polygon.
    fileprivate func stretches(of way: StraightSegment, inside outline: Int) -> [ClosedRange<Double>] {
        var cuts = [0.0, 1]
        let (x, y) = (way.end.longitude - way.start.longitude, way.end.latitude - way.start.latitude)
        guard let box = Envelope(of: [way.start, way.end]) else { return [] }
        forEachBlock(of: outline) {
            $0.intersects(box)
        } _: { block in
            let first = Int(blocks[block].first)
            for edge in first..<first + Int(blocks[block].edges) {
                let (a, b) = (vertices[edge], vertices[edge + 1])
                let (ex, ey) = (b.longitude - a.longitude, b.latitude - a.latitude)
                let cross = x * ey - y * ex
                guard cross != 0 else { continue }  // parallel: the edges beside it cut the way
                let (dx, dy) = (a.longitude - way.start.longitude, a.latitude - way.start.latitude)
                let along = (dx * ey - dy * ex) / cross
                let onEdge = (dx * y - dy * x) / cross
                if along > 0 && along < 1 && onEdge >= -1e-12 && onEdge <= 1 + 1e-12 { cuts.append(along) }
            }
        }
        cuts.sort()
        return zip(cuts, cuts.dropFirst()).compactMap { low, high in
            guard high > low else { return nil }
            let middle = way.point(at: (low + high) / 2)
            guard abs(middle.longitude) <= 180 else { return nil }
            return locate(middle, in: outline) == .outside ? nil : low...high
        }
    }

    /// Where along a way a line is at most so many metres away, in the plane about the middle of the way.
    fileprivate func stretches(
        of way: StraightSegment, within meters: Double, of outline: Int
    ) -> [ClosedRange<Double>] {
        let middle = way.point(at: 0.5)
        let plane = LocalPlane(origin: middle)
        let (sx, sy) = (plane.metersPerDegreeOfLongitude, plane.metersPerDegreeOfLatitude)
        guard let box = Envelope(of: [way.start, way.end])?.expanded(by: meters) else { return [] }
        var found: [ClosedRange<Double>] = []
        forEachBlock(of: outline) {
            $0.intersects(box)
        } _: { block in
            let first = Int(blocks[block].first)
            for edge in first..<first + Int(blocks[block].edges) {
                let (a, b) = (vertices[edge], vertices[edge + 1])
                found += Convex.stretch(below: meters) { fraction in
                    let point = way.point(at: fraction)
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

/// Functions on 0...1 that fall, then rise.
enum Convex {
    /// Where such a function is at most a limit; nothing when it never is.
    static func stretch(below limit: Double, _ function: (Double) -> Double) -> [ClosedRange<Double>] {
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
    /// Those that touch made one, in order.
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
