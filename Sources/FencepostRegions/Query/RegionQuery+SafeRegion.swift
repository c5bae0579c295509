public import FencepostGeometry
import FencepostModel

extension RegionQuery {
    /// An envelope around a coordinate within which every query has the same answer.
    ///
    /// For every coordinate in it, `covering` returns the same regions as at the given one, and no boundary is closer
    /// over the ground than `searchRadius`: `near(_:within:into:)` with that radius returns these regions alone, each
    /// at minus infinity. This holds as long as the index is in use; schedules, altitudes and devices of regions are
    /// not considered.
    ///
    /// The envelope is conservative: boundaries up to a few per cent and centimetres beyond the radius limit it too,
    /// and it extends at most 8 km in each direction. There is none near a pole, and none crosses 180° of longitude.
    ///
    /// - Parameters:
    ///   - coordinate: a valid position, which the envelope contains.
    ///   - searchRadius: metres, at least 0.
    /// - Returns: `nil` where a boundary is so close that the envelope is not worth caching.
    public mutating func safeRegion(around coordinate: Coordinate, searchRadius: Double = 0) -> SafeRegion? {
        var best: SafeRegionBuilder?
        // From small to large: among many regions the first search finds only the nearest ones, and elsewhere it is
        // cheap.
        for halfSide in [128.0, 512, 2048, 8192] {
            guard var region = SafeRegionBuilder(around: coordinate, halfSide: halfSide, searchRadius: searchRadius)
            else { break }
            shrink(&region)
            guard region.isWorthwhile else { return best?.envelope }
            best = region
            if region.isLimited { break }
        }
        return best?.envelope
    }

    private mutating func shrink(_ region: inout SafeRegionBuilder) {
        for (window, longitudeOffset) in region.window.parts {
            region.longitudeOffset = longitudeOffset
            for layer in layers {
                search(window, in: layer)
                for candidate in candidates {
                    region.avoid(layer.owner(candidate), in: layer)
                    if !region.isWorthwhile { return }
                }
            }
        }
    }
}

/// A rectangle in the plane around a position, which shrinks until no boundary is close.
private struct SafeRegionBuilder {
    /// The largest relative error of lengths in the plane within the rectangle.
    private static let error = 0.01
    /// The minimum distance in metres from the position to a side; the next location would rarely be in a smaller one.
    private static let minimum = 2.0

    private let position: Coordinate
    private let geocentric: GeocentricPosition
    private let plane: LocalPlane
    /// The distance in metres in the plane that boundaries must keep, and the initial half side of the rectangle.
    private let margin, halfSide: Double
    /// Metres from the position.
    private var west, south, east, north: Double
    /// Whether a boundary has limited it.
    private(set) var isLimited = false
    /// Degrees added to the position's longitude to compare it with the shapes of the current window.
    var longitudeOffset = 0.0

    /// `nil` where the plane is not accurate over that distance.
    init?(around position: Coordinate, halfSide: Double, searchRadius: Double) {
        self.position = position
        self.halfSide = halfSide
        geocentric = GeocentricPosition(position)
        plane = LocalPlane(origin: position)
        // Lengths in `near` may be off by half a per cent as well; the two centimetres cover rounding.
        margin = searchRadius * (1 + 2 * Self.error) + 0.02
        // A segment between a point of the rectangle and one within the margin stays within twice the larger distance.
        guard plane.relativeError(within: 2 * 1.415 * (halfSide + margin)) <= Self.error else { return nil }
        (west, south, east, north) = (halfSide, halfSide, halfSide, halfSide)
    }

    var isWorthwhile: Bool { min(west, south, east, north) >= Self.minimum }

    /// Contains everything that could be too close; its longitudes may exceed 180°.
    var window: Envelope { box(grownBy: margin) }

    var envelope: SafeRegion? {
        let box = box(grownBy: 0)
        let inside = Envelope(
            west: max(box.west, -180), south: box.south, east: min(box.east, 180), north: box.north)
        return SafeRegion(inside, holding: position)
    }

    private func box(grownBy meters: Double) -> Envelope {
        let (sx, sy) = (plane.metersPerDegreeOfLongitude, plane.metersPerDegreeOfLatitude)
        return Envelope(
            west: position.longitude - (west + meters) / sx, south: position.latitude - (south + meters) / sy,
            east: position.longitude + (east + meters) / sx, north: position.latitude + (north + meters) / sy)
    }

    /// Shrinks it away from the boundary of a part.
    mutating func avoid(_ part: RegionLayer.Part, in layer: RegionLayer) {
        switch part.kind {
        case .polygon(let outline), .antimeridianBoundary(let outline):
            avoid(layer.outlines, outline, includingAntimeridian: part.isOnAntimeridian)
        case .circle(let circle): avoid(layer.circles[circle])
        case .corridor(let outline, let halfWidth):
            let limit = halfWidth + 1.5 * (halfSide + margin)
            let error = plane.relativeError(within: limit)
            // Metres by which the plane may misplace the boundary of a wide corridor.
            let isPlanar = error <= Self.error && limit * error <= 1
            let toLine =
                isPlanar
                ? layer.outlines.distanceEitherWay(to: outline, in: plane, limit: limit * (1 + error))
                : layer.outlines.exactDistance(to: outline, from: position, limit: limit, includingAntimeridian: true)
            guard toLine.isFinite else { return }
            let factor = isPlanar ? 1 + error : 1
            // From another point of the rectangle the distance is smaller by no more than the displacement.
            let distance = max(toLine / factor - halfWidth, halfWidth - toLine * factor, 0)
            avoid(distance / (1 + Self.error), boundedBy: .none)
        }
    }

    private mutating func avoid(_ prepared: PreparedCircle) {
        let circle = prepared.circle
        var bounds = prepared.bounds(ofDistanceTo: geocentric)
        if bounds.upperBound - bounds.lowerBound > 1 {
            let exact = Geodesic.distance(circle.center, position)
            bounds = exact...exact
        }
        let distance = max(bounds.lowerBound - circle.radius, circle.radius - bounds.upperBound, 0)
        let center = Envelope(
            west: circle.center.longitude, south: circle.center.latitude, east: circle.center.longitude,
            north: circle.center.latitude)
        let around = center.expanded(by: circle.radius)
        var sides = Sides.none
        // The distance to a wide one could also be shorter on the other side.
        if around.east - around.west < 90 {
            let (east, north) = plane.project(circle.center)
            let halfExtent = (around.east - around.west) / 2 * plane.metersPerDegreeOfLongitude
            sides = Sides(
                west: east - halfExtent,
                south: north - (circle.center.latitude - around.south) * plane.metersPerDegreeOfLatitude,
                east: east + halfExtent,
                north: north + (around.north - circle.center.latitude) * plane.metersPerDegreeOfLatitude)
        }
        avoid(distance / (1 + Self.error), boundedBy: sides)
    }

    private mutating func avoid(_ outlines: Outlines, _ outline: Int, includingAntimeridian: Bool) {
        let run = outlines.runs[unchecked: outline]
        if run.edges > 0 {
            return avoid(edges: Int(run.edges), of: outlines.vertices.start + Int(run.first), true)
        }
        let window = Envelope(
            west: window.west + longitudeOffset, south: window.south, east: window.east + longitudeOffset,
            north: window.north)
        outlines.forEachBlock(of: outline) {
            $0.intersects(window)
        } _: { block in
            let block = outlines.blocks[unchecked: block]
            avoid(edges: Int(block.edges), of: outlines.vertices.start + Int(block.first), includingAntimeridian)
        }
    }

    /// Shrinks it away from consecutive edges, the first of which begins with the first vertex.
    private mutating func avoid(
        edges: Int, of vertices: UnsafePointer<Coordinate>, _ includingAntimeridian: Bool
    ) {
        let (sx, sy) = (plane.metersPerDegreeOfLongitude, plane.metersPerDegreeOfLatitude)
        let (longitude, latitude) = (position.longitude + longitudeOffset, position.latitude)
        for edge in 0..<edges {
            let (a, b) = (vertices[edge], vertices[edge + 1])
            guard includingAntimeridian || !Outlines.isOnAntimeridian(a, b) else { continue }
            let (ax, ay) = ((a.longitude - longitude) * sx, (a.latitude - latitude) * sy)
            let (bx, by) = ((b.longitude - longitude) * sx, (b.latitude - latitude) * sy)
            let sides = Sides(west: min(ax, bx), south: min(ay, by), east: max(ax, bx), north: max(ay, by))
            guard isNear(sides) else { continue }
            avoid(PlaneSegment.squaredDistanceFromOrigin(ax, ay, bx, by).squareRoot(), boundedBy: sides)
        }
    }

    /// Metres in the plane, east and north of the position.
    private struct Sides {
        let west, south, east, north: Double

        /// The bounds of a shape that may be anywhere.
        static let none = Sides(west: -.infinity, south: -.infinity, east: .infinity, north: .infinity)
    }

    private func isNear(_ sides: Sides) -> Bool {
        sides.west < east + margin && sides.east > -west - margin && sides.south < north + margin
            && sides.north > -south - margin
    }

    /// Shrinks it away from a shape at a minimum distance from the position and within bounds.
    private mutating func avoid(_ distance: Double, boundedBy sides: Sides) {
        guard isNear(sides) else { return }
        // Either a square whose corners keep the distance, or a rectangle with one side moved in front of the shape.
        let square = (distance - margin) * 0.707
        guard square < max(west, south, east, north) else { return }
        isLimited = true
        let gaps = (sides.west - margin, -sides.east - margin, sides.south - margin, -sides.north - margin)
        let best = max(gaps.0, gaps.1, gaps.2, gaps.3)
        // Moving one side usually costs less area than moving all four.
        if square > 2 * best {
            (west, south) = (min(west, square), min(south, square))
            (east, north) = (min(east, square), min(north, square))
        } else if gaps.0 == best {
            east = min(east, best)
        } else if gaps.1 == best {
            west = min(west, best)
        } else if gaps.2 == best {
            north = min(north, best)
        } else {
            south = min(south, best)
        }
    }
}
