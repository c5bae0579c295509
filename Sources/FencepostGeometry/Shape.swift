/// A closed line: the first and the last coordinate are equal (OGC Simple Features).
///
/// It does not validate itself: rings come from files, and the reader can report where an invalid one is.
public struct LinearRing: Hashable, Sendable {
    public var coordinates: [Coordinate]

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
    public var exterior: LinearRing
    public var interiors: [LinearRing]

    public init(exterior: LinearRing, interiors: [LinearRing] = []) {
        self.exterior = exterior
        self.interiors = interiors
    }

    /// The exterior, then the interiors.
    public var rings: [LinearRing] { [exterior] + interiors }
}

/// Any number of polygons that together are one area.
public struct MultiPolygon: Hashable, Sendable {
    public var polygons: [Polygon]

    public init(_ polygons: [Polygon]) {
        self.polygons = polygons
    }
}

/// All positions whose geodesic distance from the centre is at most the radius.
public struct Circle: Hashable, Sendable {
    public var center: Coordinate
    /// Metres, at least 0; with 0 the circle is its centre alone.
    public var radius: Double

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

    public init(lines: [[Coordinate]], width: Double) {
        self.lines = lines
        self.width = width
    }
}

/// The area of a region.
public enum Shape: Hashable, Sendable {
    case polygons(MultiPolygon)
    case circle(Circle)
    case corridor(Corridor)
}

/// A rectangle in longitude and latitude, edges included. It never wraps: a shape across the antimeridian has two.
public struct Envelope: Hashable, Sendable {
    public var west, south, east, north: Double

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

    public func contains(_ coordinate: Coordinate) -> Bool {
        coordinate.longitude >= west && coordinate.longitude <= east && coordinate.latitude >= south
            && coordinate.latitude <= north
    }

    public func intersects(_ other: Envelope) -> Bool {
        west <= other.east && other.west <= east && south <= other.north && other.south <= north
    }
}
