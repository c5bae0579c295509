/// A closed line: the first and the last coordinate are equal (OGC Simple Features).
///
/// It does not validate itself: rings come from files, and the reader can report where an invalid one is.
public struct LinearRing: Hashable, Sendable {
    /// The vertices in order; the first one is repeated at the end.
    public var coordinates: [Coordinate]

    /// A ring with any coordinates; `isClosed` checks them.
    public init(_ coordinates: [Coordinate]) {
        self.coordinates = coordinates
    }

    /// Whether it has at least four coordinates, the last equal to the first.
    public var isClosed: Bool {
        coordinates.count >= 4 && coordinates.first == coordinates.last
    }
}

/// An area with one outer boundary and any number of holes; edges are straight in longitude and latitude.
public struct Polygon: Hashable, Sendable {
    /// The outer boundary.
    public var exterior: LinearRing
    /// The boundaries of the holes.
    public var interiors: [LinearRing]

    /// A polygon with any rings; GEOS checks whether it is valid.
    public init(exterior: LinearRing, interiors: [LinearRing] = []) {
        self.exterior = exterior
        self.interiors = interiors
    }

    /// The exterior, then the interiors.
    public var rings: [LinearRing] { [exterior] + interiors }
}

/// Any number of polygons that together are one area.
public struct MultiPolygon: Hashable, Sendable {
    /// The polygons; valid ones touch each other at points only.
    public var polygons: [Polygon]

    /// A multipolygon of any polygons; GEOS checks whether it is valid.
    public init(_ polygons: [Polygon]) {
        self.polygons = polygons
    }
}

/// All positions whose geodesic distance from the centre is at most the radius.
public struct Circle: Hashable, Sendable {
    /// The position at equal distance from all points of the boundary.
    public var center: Coordinate
    /// Metres, at least 0; with 0 the circle is its centre alone.
    public var radius: Double

    /// A circle with a radius in metres.
    public init(center: Coordinate, radius: Double) {
        self.center = center
        self.radius = radius
    }
}

/// All positions whose geodesic distance from a line is at most half the width; the ends are round.
public struct Corridor: Hashable, Sendable {
    /// One or more lines of two or more coordinates, straight in longitude and latitude.
    public var lines: [[Coordinate]]
    /// Metres, at least 0.
    public var width: Double

    /// A corridor around lines, with its whole width in metres.
    public init(lines: [[Coordinate]], width: Double) {
        self.lines = lines
        self.width = width
    }
}

/// The area of a region.
public enum Shape: Hashable, Sendable {
    /// Any number of polygons.
    case polygons(MultiPolygon)
    /// A circle by its centre and its radius.
    case circle(Circle)
    /// A strip around lines.
    case corridor(Corridor)
}

/// A rectangle in longitude and latitude, edges included. It never wraps: a shape across the antimeridian has two.
public struct Envelope: Hashable, Sendable, BitwiseCopyable {
    /// Degrees; `west` is at most `east`, and `south` at most `north`.
    public var west, south, east, north: Double

    /// A rectangle between two meridians and two parallels, in degrees; `west` and `south` are not above `east` and
    /// `north`.
    public init(west: Double, south: Double, east: Double, north: Double) {
        self.west = west
        self.south = south
        self.east = east
        self.north = north
    }

    /// The smallest envelope of the coordinates; `nil` for no coordinates.
    public init?(of coordinates: some Sequence<Coordinate>) {
        var iterator = coordinates.makeIterator()
        guard let first = iterator.next() else { return nil }
        self.init(west: first.longitude, south: first.latitude, east: first.longitude, north: first.latitude)
        while let next = iterator.next() {
            west = min(west, next.longitude)
            east = max(east, next.longitude)
            south = min(south, next.latitude)
            north = max(north, next.latitude)
        }
    }

    /// Whether a coordinate is in the rectangle or on its edge.
    public func contains(_ coordinate: Coordinate) -> Bool {
        coordinate.longitude >= west && coordinate.longitude <= east && coordinate.latitude >= south
            && coordinate.latitude <= north
    }

    /// Whether two rectangles have a point in common, if only of their edges.
    public func intersects(_ other: Envelope) -> Bool {
        west <= other.east && other.west <= east && south <= other.north && other.south <= north
    }
}
