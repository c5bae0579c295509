public import FencepostGeometry

extension MultiPolygon {
    /// Whether GEOS `isValid` certainly accepts the shape: it is one ring that is certainly simple.
    ///
    /// Most regions are, and GEOS needs twenty times as long for the same verdict. `false` says nothing: GEOS decides.
    public var isCertainlyValid: Bool {
        polygons.count == 1 && polygons[0].interiors.isEmpty && polygons[0].exterior.isCertainlySimple
    }
}

extension LinearRing {
    /// Whether no edge touches another one except at the vertex that they share; `false` says nothing.
    ///
    /// All signs are certain by Shewchuk's bound (1997), so `true` is the answer of exact arithmetic.
    var isCertainlySimple: Bool {
        guard isClosed else { return false }
        return coordinates.withUnsafeBufferPointer { vertices in
            let edges = RingEdges(vertices)
            return edges.surroundMean || edges.areSeparate
        }
    }
}

/// The edges of a closed ring; edge `n` joins vertex `n` to the next one.
private struct RingEdges {
    /// Up to this many edges each pair is compared. GEOS sorts the edges of larger rings, which is faster.
    private static let mostCompared = 48

    private let vertices: UnsafeBufferPointer<Coordinate>
    private let count: Int

    /// - Precondition: four or more vertices, the last equal to the first.
    init(_ vertices: UnsafeBufferPointer<Coordinate>) {
        self.vertices = vertices
        count = vertices.count - 1
    }

    /// Whether the ring runs once around the mean of its vertices, in one direction all the way. Most regions do.
    ///
    /// The direction from the mean then turns strictly one way, by less than half a turn at each edge, and by one turn in
    /// all, so no two edges meet except at their common vertex.
    var surroundMean: Bool {
        var (latitude, longitude) = (0.0, 0.0)
        for index in 0..<count {
            latitude += vertices[index].latitude
            longitude += vertices[index].longitude
        }
        let mean = Coordinate(latitude: latitude / Double(count), longitude: longitude / Double(count))
        let direction = Self.side(of: mean, vertices[0], vertices[1])
        guard direction != 0 else { return false }
        // In one turn the ring goes from one side of the mean's parallel to the other twice.
        var changes = 0
        for index in 0..<count {
            let (a, b) = (vertices[index], vertices[index + 1])
            guard Self.side(of: mean, a, b) == direction else { return false }
            if (a.latitude > mean.latitude) != (b.latitude > mean.latitude) { changes += 1 }
        }
        return changes == 2
    }

    /// Whether each pair of edges is certainly apart, and neighbours certainly do not lie on each other.
    var areSeparate: Bool {
        guard count <= Self.mostCompared else { return false }
        for first in 0..<count {
            let (a, b) = (vertices[first], vertices[first + 1])
            let next = vertices[first + 1 == count ? 1 : first + 2]
            guard Self.side(of: a, b, next) != 0 else { return false }
            // The last edge is a neighbour of the first one.
            let end = first == 0 ? count - 1 : count
            guard first + 2 < end else { continue }
            for second in first + 2..<end {
                guard Self.areApart(a, b, vertices[second], vertices[second + 1]) else { return false }
            }
        }
        return true
    }

    @inline(__always)
    private static func areApart(_ a: Coordinate, _ b: Coordinate, _ c: Coordinate, _ d: Coordinate) -> Bool {
        if max(a.longitude, b.longitude) < min(c.longitude, d.longitude)
            || max(c.longitude, d.longitude) < min(a.longitude, b.longitude)
            || max(a.latitude, b.latitude) < min(c.latitude, d.latitude)
            || max(c.latitude, d.latitude) < min(a.latitude, b.latitude)
        {
            return true
        }
        let (ofC, ofD) = (side(of: c, a, b), side(of: d, a, b))
        if ofC != 0 && ofC == ofD { return true }
        let (ofA, ofB) = (side(of: a, c, d), side(of: b, c, d))
        return ofA != 0 && ofA == ofB
    }

    /// The side of the line from `a` to `b` that a point is on: 1, −1, or 0 where rounding could decide.
    @inline(__always)
    private static func side(of point: Coordinate, _ a: Coordinate, _ b: Coordinate) -> Int {
        let left = (a.longitude - point.longitude) * (b.latitude - point.latitude)
        let right = (a.latitude - point.latitude) * (b.longitude - point.longitude)
        let area = left - right
        // The bound does not cover products that underflow, which are far below the second limit.
        guard abs(area) > 3.330_669_073_875_471_6e-16 * (abs(left) + abs(right)), abs(area) > 1e-280 else { return 0 }
        return area > 0 ? 1 : -1
    }
}
