import CGEOS
import FencepostGeometry

extension GEOSContext {
    /// A point, which the caller destroys.
    func makePoint(_ coordinate: Coordinate) throws(GEOSError) -> OpaquePointer {
        guard let point = GEOSGeom_createPointFromXY_r(handle, coordinate.longitude, coordinate.latitude) else {
            throw failure(of: "GEOSGeom_createPointFromXY_r")
        }
        return point
    }

    /// A multipolygon, which the caller destroys. A single polygon stays a polygon, which GEOS prepares faster.
    func makeMultiPolygon(_ shape: MultiPolygon) throws(GEOSError) -> OpaquePointer {
        if shape.polygons.count == 1 { return try makePolygon(shape.polygons[0]) }
        var parts: [OpaquePointer?] = []
        parts.reserveCapacity(shape.polygons.count)
        do {
            for polygon in shape.polygons { parts.append(try makePolygon(polygon)) }
        } catch {
            destroy(parts)
            throw error
        }
        // Takes ownership of the parts, also on failure.
        let multipolygon = parts.withUnsafeMutableBufferPointer {
            GEOSGeom_createCollection_r(
                handle, Int32(GEOS_MULTIPOLYGON.rawValue), $0.baseAddress, UInt32($0.count))
        }
        guard let multipolygon else { throw failure(of: "GEOSGeom_createCollection_r") }
        return multipolygon
    }

    /// A polygon, which the caller destroys.
    func makePolygon(_ polygon: Polygon) throws(GEOSError) -> OpaquePointer {
        let shell = try makeRing(polygon.exterior)
        var holes: [OpaquePointer?] = []
        do {
            for ring in polygon.interiors { holes.append(try makeRing(ring)) }
        } catch {
            destroy(holes + [shell])
            throw error
        }
        // Takes ownership of shell and holes, also on failure.
        let result = holes.withUnsafeMutableBufferPointer {
            GEOSGeom_createPolygon_r(handle, shell, $0.baseAddress, UInt32($0.count))
        }
        guard let result else { throw failure(of: "GEOSGeom_createPolygon_r") }
        return result
    }

    private func makeRing(_ ring: LinearRing) throws(GEOSError) -> OpaquePointer {
        let count = ring.coordinates.count
        let sequence = withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * count) { buffer in
            for (index, coordinate) in ring.coordinates.enumerated() {
                buffer.initializeElement(at: 2 * index, to: coordinate.longitude)
                buffer.initializeElement(at: 2 * index + 1, to: coordinate.latitude)
            }
            return GEOSCoordSeq_copyFromBuffer_r(handle, buffer.baseAddress, UInt32(count), 0, 0)
        }
        guard let sequence else { throw failure(of: "GEOSCoordSeq_copyFromBuffer_r") }
        // Takes ownership of the sequence, also on failure.
        guard let result = GEOSGeom_createLinearRing_r(handle, sequence) else {
            throw failure(of: "GEOSGeom_createLinearRing_r")
        }
        return result
    }

    private func destroy(_ geometries: [OpaquePointer?]) {
        for geometry in geometries { GEOSGeom_destroy_r(handle, geometry) }
    }

    /// The polygons in a geometry of any type, including nested collections. The caller keeps ownership of the
    /// geometry.
    func collectPolygons(of geometry: OpaquePointer, into polygons: inout [Polygon]) throws(GEOSError) {
        switch GEOSGeomTypeId_r(handle, geometry) {
        case Int32(GEOS_POLYGON.rawValue):
            guard GEOSisEmpty_r(handle, geometry) == 0 else { return }
            guard let shell = GEOSGetExteriorRing_r(handle, geometry) else {
                throw failure(of: "GEOSGetExteriorRing_r")
            }
            var polygon = Polygon(exterior: try coordinates(of: shell))
            for index in 0..<max(0, GEOSGetNumInteriorRings_r(handle, geometry)) {
                guard let hole = GEOSGetInteriorRingN_r(handle, geometry, index) else {
                    throw failure(of: "GEOSGetInteriorRingN_r")
                }
                polygon.interiors.append(try coordinates(of: hole))
            }
            polygons.append(polygon)
        case Int32(GEOS_MULTIPOLYGON.rawValue), Int32(GEOS_GEOMETRYCOLLECTION.rawValue):
            for index in 0..<max(0, GEOSGetNumGeometries_r(handle, geometry)) {
                guard let part = GEOSGetGeometryN_r(handle, geometry, index) else {
                    throw failure(of: "GEOSGetGeometryN_r")
                }
                try collectPolygons(of: part, into: &polygons)
            }
        default: return  // points and lines have no area
        }
    }

    private func coordinates(of ring: OpaquePointer) throws(GEOSError) -> LinearRing {
        guard let sequence = GEOSGeom_getCoordSeq_r(handle, ring) else { throw failure(of: "GEOSGeom_getCoordSeq_r") }
        var count: UInt32 = 0
        guard GEOSCoordSeq_getSize_r(handle, sequence, &count) == 1 else {
            throw failure(of: "GEOSCoordSeq_getSize_r")
        }
        var numbers = [Double](repeating: 0, count: 2 * Int(count))
        let copied = numbers.withUnsafeMutableBufferPointer {
            GEOSCoordSeq_copyToBuffer_r(handle, sequence, $0.baseAddress, 0, 0)
        }
        guard copied == 1 else { throw failure(of: "GEOSCoordSeq_copyToBuffer_r") }
        return LinearRing(
            (0..<Int(count)).map { Coordinate(latitude: numbers[2 * $0 + 1], longitude: numbers[2 * $0]) })
    }
}
