import CGEOS
public import FencepostGeometry

/// A multipolygon inside GEOS: x is the longitude, y the latitude.
public struct GEOSPolygons: ~Copyable {
    let context: GEOSContext
    let geometry: OpaquePointer

    /// - Throws: also when a ring is not closed or has one to three coordinates; the caller knows better where.
    public init(_ shape: MultiPolygon, in context: GEOSContext) throws(GEOSError) {
        self.context = context
        geometry = try context.makeMultiPolygon(shape)
    }

    /// Takes the geometry over.
    private init(owning geometry: OpaquePointer, in context: GEOSContext) {
        self.context = context
        self.geometry = geometry
    }

    deinit {
        GEOSGeom_destroy_r(context.handle, geometry)
    }

    /// Why GEOS calls a geometry invalid, and where.
    public struct Invalidity: Hashable, Sendable {
        /// In the words of GEOS: `Self-intersection`, `Hole lies outside shell` …
        public var reason: String
        public var place: Coordinate?
    }

    /// What GEOS `isValid` finds wrong; `nil` when it is valid.
    public mutating func invalidity() throws(GEOSError) -> Invalidity? {
        var reason: UnsafeMutablePointer<CChar>?
        var place: OpaquePointer?
        let answer = GEOSisValidDetail_r(context.handle, geometry, 0, &reason, &place)
        // Both belong to the caller, and are null when there is nothing to tell.
        defer {
            if let reason { GEOSFree_r(context.handle, reason) }
            if let place { GEOSGeom_destroy_r(context.handle, place) }
        }
        switch answer {
        case 1: return nil
        case 0:
            var (x, y) = (0.0, 0.0)
            var coordinate: Coordinate?
            if let place, GEOSGeomGetX_r(context.handle, place, &x) == 1,
                GEOSGeomGetY_r(context.handle, place, &y) == 1
            {
                coordinate = Coordinate(latitude: y, longitude: x)
            }
            return Invalidity(reason: reason.map { String(cString: $0) } ?? "", place: coordinate)
        default: throw context.failure(of: "GEOSisValidDetail_r")
        }
    }

    /// A valid geometry of the same linework, as `GEOSMakeValid` makes it.
    ///
    /// What has no area (lines and points that are left over) is dropped by `multiPolygon()`.
    public mutating func madeValid() throws(GEOSError) -> GEOSPolygons {
        guard let result = GEOSMakeValid_r(context.handle, geometry) else {
            throw context.failure(of: "GEOSMakeValid_r")
        }
        return GEOSPolygons(owning: result, in: context)
    }

    /// The part that lies in the envelope.
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

    /// The polygons as one area, neighbours merged.
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

    /// The polygons in it; whatever else GEOS made is left out.
    public mutating func multiPolygon() throws(GEOSError) -> MultiPolygon {
        var polygons: [Polygon] = []
        try context.collectPolygons(of: geometry, into: &polygons)
        return MultiPolygon(polygons)
    }
}

/// A multipolygon that GEOS has indexed for many point-in-polygon tests.
///
/// A class, so that many can be kept by handle; it is not `Sendable`, since GEOS builds its index inside a query.
public final class PreparedPolygons {
    private let polygons: GEOSPolygons
    let prepared: OpaquePointer
    /// In the tree that holds it, if one does.
    var place = 0

    /// - Throws: when a ring is not closed or has one to three coordinates.
    public init(_ shape: MultiPolygon, in context: GEOSContext) throws(GEOSError) {
        let polygons = try GEOSPolygons(shape, in: context)
        // Keeps a pointer to the geometry, which is destroyed after it.
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
        // A new point each time: GEOS hands out the coordinates of a geometry as constants.
        let point = try context.makePoint(coordinate)
        defer { GEOSGeom_destroy_r(context.handle, point) }
        let answer = GEOSPreparedCovers_r(context.handle, prepared, point)  // 0, 1, or 2 for an error
        guard answer != 2 else { throw context.failure(of: "GEOSPreparedCovers_r") }
        return answer == 1
    }
}

@available(*, unavailable)
extension PreparedPolygons: Sendable {}
