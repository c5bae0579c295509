public import FencepostGeometry
import FencepostModel

extension RegionQuery {
    /// An envelope around a coordinate in which every answer is the same, for whoever asks about the next coordinate.
    ///
    /// For every coordinate in it `covering` finds the same regions as at the given one, and no boundary is nearer over
    /// the ground than `reach`: `near(_:within: reach)` finds these regions alone, each at minus infinity. That holds as
    /// long as the index does; schedules, altitudes and devices of regions are not looked at.
    ///
    /// Careful, not largest: boundaries within a few per cent and centimetres beyond `reach` bound it too, and it goes
    /// no farther than 8 km to each side. Near a pole there is none, and none reaches over 180° of longitude.
    ///
    /// - Parameter reach: metres, at least 0.
    /// - Returns: `nil` where a boundary is so near that it is not worth remembering.
    public mutating func safeEnvelope(around coordinate: Coordinate, reach: Double = 0) -> SafeEnvelope? {
        var known: SafeClearing?
        // From small to large: among many regions the first look finds the nearest few, and elsewhere it costs little.
        for half in [128.0, 512, 2048, 8192] {
            guard var clearing = SafeClearing(around: coordinate, half: half, reach: reach) else { break }
            clear(&clearing)
            guard clearing.isWorthwhile else { return known?.envelope }
            known = clearing
            if clearing.isCut { break }
        }
        return known?.envelope
    }

    private mutating func clear(_ clearing: inout SafeClearing) {
        for (window, turn) in clearing.window.parts {
            clearing.turn = turn
            for layer in layers {
                search(window, in: layer)
                for candidate in candidates {
                    clearing.avoid(layer.owner(candidate), in: layer)
                    if !clearing.isWorthwhile { return }
                }
            }
        }
    }
}

/// A rectangle in the plane about a position that shrinks until no boundary is near.
private struct SafeClearing {
    /// By how much, as a fraction, lengths in the plane and on the ground may differ within it.
    private static let error = 0.01
    /// Metres from the position to a side; with less a fix would hardly stay inside.
    private static let least = 2.0

    private let position: Coordinate
    private let place: GeocentricPosition
    private let plane: LocalPlane
    /// Metres in the plane that boundaries have to stay away, and those the rectangle began with.
    private let margin, half: Double
    /// Metres from the position.
    private var west, south, east, north: Double
    /// Whether something has shrunk it.
    private(set) var isCut = false
    /// What is added to the position's longitude to see it beside what is looked at.
    var turn = 0.0

    /// `nil` where the plane does not hold so far.
    init?(around position: Coordinate, half: Double, reach: Double) {
        self.position = position
        self.half = half
        place = GeocentricPosition(position)
        plane = LocalPlane(origin: position)
        // Lengths in `near` may be off by half a per cent, too; the centimetres are for rounding of any kind.
        margin = reach * (1 + 2 * Self.error) + 0.02
        // The way between a place in the rectangle and one within the margin stays within twice their farthest.
        guard plane.relativeError(within: 2 * 1.415 * (half + margin)) <= Self.error else { return nil }
        (west, south, east, north) = (half, half, half, half)
    }

    var isWorthwhile: Bool { min(west, south, east, north) >= Self.least }

    /// Everything that could come too near; its longitudes may go beyond 180.
    var window: Envelope { box(grownBy: margin) }

    var envelope: SafeEnvelope? {
        let box = box(grownBy: 0)
        let inside = Envelope(
            west: max(box.west, -180), south: box.south, east: min(box.east, 180), north: box.north)
        return SafeEnvelope(inside, holding: position)
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
        case .polygon(let outline), .seamBoundary(let outline):
            avoid(layer.outlines, outline, seams: part.isSeam)
        case .circle(let circle): avoid(layer.circles[circle])
        case .corridor(let outline, let reach):
            let limit = reach + 1.5 * (half + margin)
            let error = plane.relativeError(within: limit)
            // Metres by which the plane may be wrong about where a wide corridor ends.
            let isFlat = error <= Self.error && limit * error <= 1
            let toLine =
                isFlat
                ? layer.outlines.distanceEitherWay(to: outline, in: plane, limit: limit * (1 + error))
                : layer.outlines.exactDistance(to: outline, from: position, limit: limit, seams: true)
            guard toLine.isFinite else { return }
            let factor = isFlat ? 1 + error : 1
            // From elsewhere in the rectangle it is nearer by no more than one has gone.
            let distance = max(toLine / factor - reach, reach - toLine * factor, 0)
            avoid(distance / (1 + Self.error), boundedBy: .none)
        }
    }

    private mutating func avoid(_ prepared: PreparedCircle) {
        let circle = prepared.circle
        var bounds = prepared.bounds(ofDistanceTo: place)
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
        // A wide one could come from the other side as well.
        if around.east - around.west < 90 {
            let (east, north) = plane.project(circle.center)
            let reach = (around.east - around.west) / 2 * plane.metersPerDegreeOfLongitude
            sides = Sides(
                west: east - reach,
                south: north - (circle.center.latitude - around.south) * plane.metersPerDegreeOfLatitude,
                east: east + reach,
                north: north + (around.north - circle.center.latitude) * plane.metersPerDegreeOfLatitude)
        }
        avoid(distance / (1 + Self.error), boundedBy: sides)
    }

    private mutating func avoid(_ outlines: Outlines, _ outline: Int, seams: Bool) {
        let (sx, sy) = (plane.metersPerDegreeOfLongitude, plane.metersPerDegreeOfLatitude)
        let (longitude, latitude) = (position.longitude + turn, position.latitude)
        let window = Envelope(
            west: window.west + turn, south: window.south, east: window.east + turn, north: window.north)
        outlines.forEachBlock(of: outline) {
            $0.intersects(window)
        } _: { block in
            let first = Int(outlines.blocks[block].first)
            for edge in first..<first + Int(outlines.blocks[block].edges) {
                let (a, b) = (outlines.vertices.start[edge], outlines.vertices.start[edge + 1])
                guard seams || !Outlines.isSeam(a, b) else { continue }
                let (ax, ay) = ((a.longitude - longitude) * sx, (a.latitude - latitude) * sy)
                let (bx, by) = ((b.longitude - longitude) * sx, (b.latitude - latitude) * sy)
                let sides = Sides(west: min(ax, bx), south: min(ay, by), east: max(ax, bx), north: max(ay, by))
                guard isNear(sides) else { continue }
                avoid(PlaneSegment.squaredDistanceFromOrigin(ax, ay, bx, by).squareRoot(), boundedBy: sides)
            }
        }
    }

    /// In metres in the plane east and north of the position.
    private struct Sides {
        let west, south, east, north: Double

        /// Of what may lie anywhere.
        static let none = Sides(west: -.infinity, south: -.infinity, east: .infinity, north: .infinity)
    }

    private func isNear(_ sides: Sides) -> Bool {
        sides.west < east + margin && sides.east > -west - margin && sides.south < north + margin
            && sides.north > -south - margin
    }

    /// Shrinks it away from something that is at least so far from the position, and lies within these sides.
    private mutating func avoid(_ distance: Double, boundedBy sides: Sides) {
        guard isNear(sides) else { return }
        // Either a square whose corners keep the distance, or one side drawn in to before all of it.
        let square = (distance - margin) * 0.707
        guard square < max(west, south, east, north) else { return }
        isCut = true
        let gaps = (sides.west - margin, -sides.east - margin, sides.south - margin, -sides.north - margin)
        let best = max(gaps.0, gaps.1, gaps.2, gaps.3)
        // One side costs less room than four.
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
