import FencepostGEOS
import FencepostGeometry

extension FeatureReader {
    /// Unwraps the rings, validates them with GEOS, splits them at the antimeridian and orients them as RFC 7946
    /// requires.
    ///
    /// - Returns: `nil` after a diagnostic.
    mutating func polygons(from source: RingSource, at pointer: String) throws(GEOSError) -> MultiPolygon? {
        let isWrapped = source.raw.joined().contains { Antimeridian.hasJump($0) }
        guard let rings = isWrapped ? unwrapped(source) : source.raw.map({ $0.map(\.closed) }) else { return nil }
        var shape = MultiPolygon(
            rings.compactMap { rings in
                let closed = rings.filter { !$0.isEmpty }.map(LinearRing.init)
                return closed.first.map { Polygon(exterior: $0, interiors: Array(closed.dropFirst())) }
            })
        if !shape.isCertainlyValid {
            var geometry = try GEOSPolygons(shape, in: context)
            if let invalidity = try geometry.invalidity() {
                let location = invalidity.location.map { source.pointer(nearest: $0, in: rings) } ?? pointer
                guard options.repair else {
                    report(invalidity, at: location, isWrapped: isWrapped)
                    return nil
                }
                guard let repaired = try repaired(geometry, invalidity, at: location) else { return nil }
                shape = repaired
            }
        }
        let crosses = shape.polygons.contains {
            $0.rings.contains { $0.coordinates.contains { $0.longitude.magnitude > 180 } }
        }
        if crosses {
            guard let parts = try split(shape, source: source, at: pointer) else { return nil }
            shape = parts
        }
        for index in shape.polygons.indices { shape.polygons[index].orient() }
        return shape
    }

    /// What GEOS makes of an invalid geometry, with a warning; `nil` after a diagnostic.
    private mutating func repaired(
        _ geometry: consuming GEOSPolygons, _ invalidity: GEOSPolygons.Invalidity, at location: String
    ) throws(GEOSError) -> MultiPolygon? {
        var valid = try geometry.madeValid()
        let shape = try valid.multiPolygon()
        guard !shape.polygons.isEmpty else {
            error(
                "repair_failed", location,
                "Nothing with an area remains after the geometry is repaired (\(invalidity.reason)).")
            return nil
        }
        warning("repaired", location, "The geometry was invalid (\(invalidity.reason)) and was made valid.")
        return shape
    }

    /// The rings without jumps, with holes next to the shells that contain them; `nil` after a diagnostic.
    private mutating func unwrapped(_ source: RingSource) -> [[[Coordinate]]]? {
        var result: [[[Coordinate]]] = []
        var isValid = true
        for (polygon, rings) in source.raw.enumerated() {
            var moved: [[Coordinate]] = []
            for (index, ring) in rings.enumerated() {
                guard !ring.isEmpty else {
                    moved.append([])
                    continue
                }
                let ringPointer = "\(source.pointer(polygon))/\(index)"
                let line = Antimeridian.unwrapped(ring.closed)
                // Its last position repeats its first, so a difference is a multiple of 360°.
                if line[0].longitude != line[line.count - 1].longitude {
                    let pole = line.reduce(0) { $0 + $1.latitude } < 0 ? "south" : "north"
                    error(
                        "ring_around_pole", ringPointer,
                        "The ring surrounds the \(pole) pole, so it does not close in longitude and latitude. "
                            + "Lead it along the pole: add [180, \(pole == "south" ? -90 : 90)] and "
                            + "[-180, \(pole == "south" ? -90 : 90)] where it crosses the antimeridian.")
                    isValid = false
                } else if Antimeridian.hasJump(ring), line.isFlat {
                    error(
                        "antimeridian_ambiguous", ringPointer,
                        "Edges of more than 180° of longitude take the short way, across the antimeridian, "
                            + "which leaves the ring without an area. For a belt around the world add positions "
                            + "in between, so no edge spans more than 180°: [-180, y], [0, y], [180, y].")
                    isValid = false
                }
                moved.append(line)
            }
            guard isValid else { continue }
            for hole in moved.indices.dropFirst() { moved[hole].move(into: moved[0]) }
            result.append(moved)
        }
        return isValid ? result : nil
    }

    /// Splits a shape that extends beyond 180° into parts between 180° west and 180° east.
    private mutating func split(
        _ shape: MultiPolygon, source: RingSource, at pointer: String
    ) throws(GEOSError) -> MultiPolygon? {
        // Adding 360° to a longitude can change its last bit; vertices get their original longitude back.
        var written: [Coordinate: Double] = [:]
        for coordinate in source.raw.joined().joined() {
            for wrap in [-360.0, 360] {
                let moved = coordinate.shifted(eastBy: wrap)
                if moved.longitude - wrap != coordinate.longitude { written[moved] = coordinate.wrapped.longitude }
            }
        }
        var parts: [Polygon] = []
        var spansTheWorld = false
        for polygon in shape.polygons {
            guard let envelope = Envelope(of: polygon.exterior.coordinates) else { continue }
            guard envelope.east - envelope.west <= 360 else {
                error(
                    "too_wide", pointer,
                    "The polygon is \(envelope.east - envelope.west)° of longitude wide, more than once around "
                        + "the earth, and would overlap itself.")
                return nil
            }
            spansTheWorld = spansTheWorld || envelope.east - envelope.west == 360
            let first = ((envelope.west + 180) / 360).rounded(.down)
            let last = ((envelope.east + 180) / 360).rounded(.down)
            var whole = try GEOSPolygons(MultiPolygon([polygon]), in: context)
            for wrap in stride(from: first, through: last, by: 1) {
                let window = Envelope(west: 360 * wrap - 180, south: -90, east: 360 * wrap + 180, north: 90)
                let isInside = envelope.west >= window.west && envelope.east <= window.east
                // The scope limits the lifetime of the GEOS geometry.
                var clipped: [Polygon]
                if isInside {
                    clipped = [polygon]
                } else {
                    var part = try whole.intersection(window)
                    clipped = try part.multiPolygon().polygons
                }
                for index in clipped.indices {
                    clipped[index].mapCoordinates { coordinate in
                        Coordinate(
                            latitude: coordinate.latitude,
                            longitude: written[coordinate] ?? (coordinate.longitude - 360 * wrap))
                    }
                }
                parts += clipped
                if isInside { break }
            }
        }
        guard parts.count > 1 else { return MultiPolygon(parts) }
        var geometry = try GEOSPolygons(MultiPolygon(parts), in: context)
        guard let invalidity = try geometry.invalidity() else { return MultiPolygon(parts) }
        // Either two ends of one polygon that meet on the other side of the earth, or a geometry that is being
        // repaired.
        if spansTheWorld || options.repair {
            var merged = try geometry.union()
            return try merged.multiPolygon()
        }
        error(
            "overlap_after_cutting", pointer,
            "Split at the antimeridian, parts of the geometry overlap (\(invalidity.reason)): it covers the "
                + "same area twice, in longitudes 360° apart.")
        return nil
    }

    private mutating func report(_ invalidity: GEOSPolygons.Invalidity, at pointer: String, isWrapped: Bool) {
        let (code, sentence) = Self.description(of: invalidity.reason)
        let location = invalidity.location.map { " at [\($0.wrapped.longitude), \($0.latitude)]" } ?? ""
        let antimeridian =
            isWrapped
            ? " Edges of more than 180° of longitude took the short way, across the antimeridian."
            : ""
        error(code, pointer, "\(sentence)\(location).\(antimeridian) Correct it there, or use the option repair.")
    }

    /// A stable code and a sentence for each reason that GEOS gives.
    private static func description(of reason: String) -> (code: String, sentence: String) {
        switch reason {
        case "Self-intersection": ("self_intersection", "The boundary crosses or runs along itself")
        case "Ring Self-intersection": ("ring_self_intersection", "A ring touches itself")
        case "Hole lies outside shell": ("hole_outside_shell", "A hole lies outside its exterior ring")
        case "Holes are nested": ("nested_holes", "A hole lies inside another hole")
        case "Interior is disconnected": ("interior_disconnected", "Holes cut the interior in two")
        case "Nested shells": ("nested_shells", "A polygon lies inside another of the same region")
        case "Duplicate Rings": ("duplicate_rings", "The same ring occurs twice")
        case "Too few points in geometry component":
            ("ring_too_short", "A ring has fewer than three different positions")
        default: ("invalid_geometry", "The geometry is invalid (\(reason))")
        }
    }
}

extension [Coordinate] {
    /// The ring with its first position repeated at the end where that is missing.
    var closed: [Coordinate] {
        first == last ? self : self + prefix(1)
    }

    /// Whether all positions are on one meridian or one parallel.
    var isFlat: Bool {
        allSatisfy { $0.longitude == self[0].longitude } || allSatisfy { $0.latitude == self[0].latitude }
    }

    /// Moves a hole by multiples of 360° to its shell.
    mutating func move(into shell: [Coordinate]) {
        guard let hole = Envelope(of: self), let outer = Envelope(of: shell) else { return }
        let wraps = ((outer.west + outer.east - hole.west - hole.east) / 720).rounded()
        // A hole that fits already is not moved: the nearest centre may be the wrong one.
        guard wraps != 0, hole.west < outer.west || hole.east > outer.east else { return }
        for index in indices { self[index].longitude += 360 * wraps }
    }
}

extension Polygon {
    mutating func mapCoordinates(_ transform: (Coordinate) -> Coordinate) {
        for index in exterior.coordinates.indices {
            exterior.coordinates[index] = transform(exterior.coordinates[index])
        }
        for ring in interiors.indices {
            for index in interiors[ring].coordinates.indices {
                interiors[ring].coordinates[index] = transform(interiors[ring].coordinates[index])
            }
        }
    }

    /// The exterior counterclockwise, the interiors clockwise (RFC 7946, section 3.1.6).
    mutating func orient() {
        if exterior.doubledArea < 0 { exterior.coordinates.reverse() }
        for index in interiors.indices where interiors[index].doubledArea > 0 {
            interiors[index].coordinates.reverse()
        }
    }
}

extension LinearRing {
    /// In square degrees, positive for counterclockwise; computed relative to the first vertex for accuracy with
    /// slender rings.
    var doubledArea: Double {
        guard let origin = coordinates.first else { return 0 }
        var area = 0.0
        for (a, b) in zip(coordinates, coordinates.dropFirst()) {
            area +=
                (a.longitude - origin.longitude) * (b.latitude - origin.latitude)
                - (b.longitude - origin.longitude) * (a.latitude - origin.latitude)
        }
        return area
    }
}
