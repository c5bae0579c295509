import FencepostGEOS
import FencepostGeometry

extension FeatureReader {
    /// Lays the rings out, lets GEOS judge them, cuts them at the antimeridian and turns them round as RFC 7946 wants.
    ///
    /// - Returns: `nil` after saying what is wrong.
    mutating func polygons(from source: RingSource, at pointer: String) throws(GEOSError) -> MultiPolygon? {
        let isWrapped = source.raw.joined().contains { Antimeridian.hasJump($0) }
        guard let rings = isWrapped ? unwrapped(source) : source.raw.map({ $0.map(\.closed) }) else { return nil }
        var shape = MultiPolygon(
            rings.compactMap { rings in
                let sound = rings.filter { !$0.isEmpty }.map(LinearRing.init)
                return sound.first.map { Polygon(exterior: $0, interiors: Array(sound.dropFirst())) }
            })
        var judged = try GEOSPolygons(shape, in: context)
        if let invalidity = try judged.invalidity() {
            let place = invalidity.place.map { source.pointer(nearest: $0, in: rings) } ?? pointer
            guard options.repair else {
                tell(invalidity, at: place, isWrapped: isWrapped)
                return nil
            }
            var repaired = try judged.madeValid()
            shape = try repaired.multiPolygon()
            guard !shape.polygons.isEmpty else {
                error(
                    "repair_failed", place,
                    "Nothing that has an area is left when the geometry is repaired (\(invalidity.reason)).")
                return nil
            }
            warning(
                "repaired", place, "The geometry was invalid (\(invalidity.reason)) and has been made valid.")
        }
        let crosses = shape.polygons.contains {
            $0.rings.contains { $0.coordinates.contains { abs($0.longitude) > 180 } }
        }
        if crosses {
            guard let cut = try cut(shape, source: source, at: pointer) else { return nil }
            shape = cut
        }
        for index in shape.polygons.indices { shape.polygons[index].orient() }
        return shape
    }

    /// The rings without jumps, holes beside the shells that they are in; `nil` after saying why it cannot be.
    private mutating func unwrapped(_ source: RingSource) -> [[[Coordinate]]]? {
        var result: [[[Coordinate]]] = []
        var isSound = true
        for (polygon, rings) in source.raw.enumerated() {
            var moved: [[Coordinate]] = []
            for (index, ring) in rings.enumerated() {
                guard !ring.isEmpty else {
                    moved.append([])
                    continue
                }
                let place = "\(source.pointer(polygon))/\(index)"
                let line = Antimeridian.unwrapped(ring.closed)
                // Its last position repeats its first, so what is left is whole turns.
                if line[0].longitude != line[line.count - 1].longitude {
                    let pole = line.reduce(0) { $0 + $1.latitude } < 0 ? "south" : "north"
                    error(
                        "ring_around_pole", place,
                        "The ring goes round the \(pole) pole, so that in longitude and latitude it does not close: "
                            + "lead it along the pole, by adding [180, \(pole == "south" ? -90 : 90)] and "
                            + "[-180, \(pole == "south" ? -90 : 90)] where it crosses the antimeridian.")
                    isSound = false
                } else if Antimeridian.hasJump(ring), line.isFlat {
                    error(
                        "antimeridian_ambiguous", place,
                        "The edges that jump more than 180° of longitude are read the short way round, across the "
                            + "antimeridian, and then the ring has no area. For a belt round the world put positions "
                            + "in between, so that no edge spans more than 180°: [-180, y], [0, y], [180, y].")
                    isSound = false
                }
                moved.append(line)
            }
            guard isSound else { continue }
            for hole in moved.indices.dropFirst() { moved[hole].move(into: moved[0]) }
            result.append(moved)
        }
        return isSound ? result : nil
    }

    /// The parts between 180° west and 180° east of what reaches beyond.
    private mutating func cut(
        _ shape: MultiPolygon, source: RingSource, at pointer: String
    ) throws(GEOSError) -> MultiPolygon? {
        // Adding a turn to a longitude can cost its last bit; what was a vertex becomes what was written again.
        var written: [Coordinate: Double] = [:]
        for coordinate in source.raw.joined().joined() {
            for turn in [-360.0, 360] {
                let moved = coordinate.shifted(eastBy: turn)
                if moved.longitude - turn != coordinate.longitude { written[moved] = coordinate.wrapped.longitude }
            }
        }
        var parts: [Polygon] = []
        var spansTheWorld = false
        for polygon in shape.polygons {
            guard let envelope = Envelope(of: polygon.exterior.coordinates) else { continue }
            guard envelope.east - envelope.west <= 360 else {
                error(
                    "too_wide", pointer,
                    "The polygon is \(envelope.east - envelope.west)° of longitude wide, more than once round the "
                        + "earth, and would cover itself.")
                return nil
            }
            spansTheWorld = spansTheWorld || envelope.east - envelope.west == 360
            let first = ((envelope.west + 180) / 360).rounded(.down)
            let last = ((envelope.east + 180) / 360).rounded(.down)
            var whole = try GEOSPolygons(MultiPolygon([polygon]), in: context)
            for turn in stride(from: first, through: last, by: 1) {
                let window = Envelope(west: 360 * turn - 180, south: -90, east: 360 * turn + 180, north: 90)
                let isInside = envelope.west >= window.west && envelope.east <= window.east
                // Braces for the lifetime of what GEOS makes.
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
                            longitude: written[coordinate] ?? (coordinate.longitude - 360 * turn))
                    }
                }
                parts += clipped
                if isInside { break }
            }
        }
        guard parts.count > 1 else { return MultiPolygon(parts) }
        var judged = try GEOSPolygons(MultiPolygon(parts), in: context)
        guard let invalidity = try judged.invalidity() else { return MultiPolygon(parts) }
        // Two ends of one polygon that meet again on the other side of the earth, or what is being repaired.
        if spansTheWorld || options.repair {
            var merged = try judged.union()
            return try merged.multiPolygon()
        }
        error(
            "overlap_after_cutting", pointer,
            "Cut at the antimeridian, parts of the geometry lie over each other (\(invalidity.reason)): it covers the "
                + "same ground twice, in longitudes 360° apart.")
        return nil
    }

    private mutating func tell(_ invalidity: GEOSPolygons.Invalidity, at place: String, isWrapped: Bool) {
        let (code, sentence) = Self.words(for: invalidity.reason)
        let spot = invalidity.place.map { " at [\($0.wrapped.longitude), \($0.latitude)]" } ?? ""
        let antimeridian =
            isWrapped
            ? " Edges that jump more than 180° of longitude were read the short way round, across the antimeridian."
            : ""
        error(code, place, "\(sentence)\(spot).\(antimeridian) Mend it there, or read it with repair.")
    }

    /// A stable code and our own words for what GEOS calls invalid.
    private static func words(for reason: String) -> (code: String, sentence: String) {
        switch reason {
        case "Self-intersection": ("self_intersection", "The boundary crosses or runs along itself")
        case "Ring Self-intersection": ("ring_self_intersection", "A ring touches itself")
        case "Hole lies outside shell": ("hole_outside_shell", "A hole lies outside the ring that it should be in")
        case "Holes are nested": ("nested_holes", "A hole lies inside another hole")
        case "Interior is disconnected": ("interior_disconnected", "Holes cut the interior in two")
        case "Nested shells": ("nested_shells", "A polygon lies inside another of the same region")
        case "Duplicate Rings": ("duplicate_rings", "The same ring is there twice")
        case "Too few points in geometry component":
            ("ring_too_short", "A ring has fewer than three different positions")
        default: ("invalid_geometry", "The geometry is invalid (\(reason))")
        }
    }
}

extension [Coordinate] {
    /// The ring with its first position repeated, where that is missing and repairing is wanted.
    var closed: [Coordinate] {
        first == last ? self : self + prefix(1)
    }

    /// Whether all positions are on one meridian or one parallel.
    var isFlat: Bool {
        allSatisfy { $0.longitude == self[0].longitude } || allSatisfy { $0.latitude == self[0].latitude }
    }

    /// Moves a hole by whole turns to where its shell is.
    mutating func move(into shell: [Coordinate]) {
        guard let hole = Envelope(of: self), let outer = Envelope(of: shell) else { return }
        let turns = ((outer.west + outer.east - hole.west - hole.east) / 720).rounded()
        // Where the hole fits as it is, it stays: the nearest middle need not be the right one.
        guard turns != 0, hole.west < outer.west || hole.east > outer.east else { return }
        for index in indices { self[index].longitude += 360 * turns }
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

    /// The exterior against the clock, the interiors with it (RFC 7946, 3.1.6).
    mutating func orient() {
        if exterior.doubledArea < 0 { exterior.coordinates.reverse() }
        for index in interiors.indices where interiors[index].doubledArea > 0 {
            interiors[index].coordinates.reverse()
        }
    }
}

extension LinearRing {
    /// In square degrees, positive when it goes against the clock; taken about its first vertex, for slender rings.
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
