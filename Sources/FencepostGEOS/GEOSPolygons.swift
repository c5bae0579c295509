import CGEOS
public import FencepostGeometry

/// A multipolygon in GEOS; x is the longitude, y the latitude.
public struct GEOSPolygons: ~Copyable {
    let context: GEOSContext
    let geometry: OpaquePointer

    /// - Throws: also for a ring that is not closed or has one to three coordinates; the caller knows its position in
    ///   the file.
    public init(_ shape: MultiPolygon, in context: GEOSContext) throws(GEOSError) {
        self.context = context
        geometry = try context.makeMultiPolygon(shape)
    }

    /// Takes ownership of the geometry.
    private init(owning geometry: OpaquePointer, in context: GEOSContext) {
        self.context = context
        self.geometry = geometry
    }

    deinit {
        GEOSGeom_destroy_r(context.handle, geometry)
    }

    /// The reason why GEOS considers a geometry invalid, and its location.
    public struct Invalidity: Hashable, Sendable {
        /// The reason text of GEOS: `Self-intersection`, `Hole lies outside shell` …
        public var reason: String
        /// The position that GEOS names; `nil` if it names none.
        public var location: Coordinate?
    }

    /// The first problem that GEOS `isValid` finds; `nil` for a valid geometry.
    public mutating func invalidity() throws(GEOSError) -> Invalidity? {
        var reason: UnsafeMutablePointer<CChar>?
        var location: OpaquePointer?
        let answer = GEOSisValidDetail_r(context.handle, geometry, 0, &reason, &location)
        // The caller owns both; they are null for a valid geometry.
        defer {
            if let reason { GEOSFree_r(context.handle, reason) }
            if let location { GEOSGeom_destroy_r(context.handle, location) }
        }
        switch answer {
        case 1: return nil
        case 0:
            var (x, y) = (0.0, 0.0)
            var coordinate: Coordinate?
            if let location, GEOSGeomGetX_r(context.handle, location, &x) == 1,
                GEOSGeomGetY_r(context.handle, location, &y) == 1
            {
                coordinate = Coordinate(latitude: y, longitude: x)
            }
            return Invalidity(reason: reason.map { String(cString: $0) } ?? "", location: coordinate)
        default: throw context.failure(of: "GEOSisValidDetail_r")
        }
    }

    /// A valid geometry of the same linework, as `GEOSMakeValid` makes it.
    ///
    /// `multiPolygon()` drops remaining lines and points, which have no area.
    public mutating func madeValid() throws(GEOSError) -> GEOSPolygons {
        guard let result = GEOSMakeValid_r(context.handle, geometry) else {
            throw context.failure(of: "GEOSMakeValid_r")
        }
        return GEOSPolygons(owning: result, in: context)
    }

    /// The part within the envelope.
    public mutating func intersection(_ envelope: Envelope) throws(GEOSError) -> GEOSPolygons {
        let ring = LinearRing([
            Coordinate(latitude: envelope.south, longitude: envelope.west),
            Coordinate(latitude: envelope.south, longitude: envelope.east),
            Coordinate(latitude: envelope.north, longitude: envelope.east),
            Coordinate(latitude: envelope.north, longitude: envelope.west),
            Coordinate(latitude: envelope.south, longitude: envelope.west),
        ])
        let box = try context.makePolygon(Polygon(exterior: ring))
        defer { GEOSGeom_destroy_r(context.handle, box) }
        guard let result = GEOSIntersection_r(context.handle, geometry, box) else {
            throw context.failure(of: "GEOSIntersection_r")
        }
        return GEOSPolygons(owning: result, in: context)
    }

    /// The union of the polygons, with neighbours merged.
    public mutating func union() throws(GEOSError) -> GEOSPolygons {
        guard let result = GEOSUnaryUnion_r(context.handle, geometry) else {
            throw context.failure(of: "GEOSUnaryUnion_r")
        }
        return GEOSPolygons(owning: result, in: context)
    }

    /// GEOS `covers` without an index: whether the coordinate is in the interior or on the boundary.
    public mutating func covers(_ coordinate: Coordinate) throws(GEOSError) -> Bool {
        let point = try context.makePoint(coordinate)
        defer { GEOSGeom_destroy_r(context.handle, point) }
        let answer = GEOSCovers_r(context.handle, geometry, point)  // 0, 1, or 2 for an error
        guard answer != 2 else { throw context.failure(of: "GEOSCovers_r") }
        return answer == 1
    }

    /// The polygons in it, without any other geometry that GEOS made.
    public mutating func multiPolygon() throws(GEOSError) -> MultiPolygon {
        var polygons: [Polygon] = []
        try context.collectPolygons(of: geometry, into: &polygons)
        return MultiPolygon(polygons)
    }
}

/// A multipolygon that GEOS has prepared for many point-in-polygon tests.
///
/// It is a class, so it can be stored by handle. It is not `Sendable`, because GEOS builds its index during a query.
public final class PreparedPolygons {
    private let polygons: GEOSPolygons
    let prepared: OpaquePointer
    /// Its index in the `PreparedPolygonTree` that holds it, if any.
    var treeIndex = 0

    /// - Throws: for a ring that is not closed or has one to three coordinates.
    public init(_ shape: MultiPolygon, in context: GEOSContext) throws(GEOSError) {
        let polygons = try GEOSPolygons(shape, in: context)
        // It keeps a pointer to the geometry, which is destroyed after it.
        guard let prepared = GEOSPrepare_r(context.handle, polygons.geometry) else {
            throw context.failure(of: "GEOSPrepare_r")
        }
        self.polygons = polygons
        self.prepared = prepared
    }

    deinit {
        GEOSPreparedGeom_destroy_r(polygons.context.handle, prepared)
    }

    var geometry: OpaquePointer { polygons.geometry }

    /// Whether the coordinate is in the interior or on the boundary, in the plane of longitude and latitude.
    public func covers(_ coordinate: Coordinate) throws(GEOSError) -> Bool {
        let context = polygons.context
        // A new point for each call, because GEOS geometries are immutable.
        let point = try context.makePoint(coordinate)
        defer { GEOSGeom_destroy_r(context.handle, point) }
        let answer = GEOSPreparedCovers_r(context.handle, prepared, point)  // 0, 1, or 2 for an error
        guard answer != 2 else { throw context.failure(of: "GEOSPreparedCovers_r") }
        return answer == 1
    }
}

@available(*, unavailable)
extension PreparedPolygons: Sendable {}
