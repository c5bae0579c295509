import FencepostGEOS
import FencepostGeometry
import FencepostJSON
import FencepostModel

extension FeatureReader {
    /// The shape of a region's geometry; `nil` after a diagnostic.
    mutating func shape(of geometry: JSONElement, properties: inout PropertyReader, at pointer: String) -> Shape? {
        let type = geometry["type"]?.string ?? ""
        let coordinatesPointer = pointer + "/coordinates"
        if type == "GeometryCollection" {
            checkCollection(geometry, at: pointer)
            error(
                "unsupported_geometry", pointer + "/type",
                "A GeometryCollection cannot be a region: make each of its geometries a feature.")
            return nil
        }
        guard let coordinates = geometry["coordinates"] else {
            violation("missing_member", pointer, "The member \"coordinates\" is missing.")
            return nil
        }
        switch type {
        case "Point":
            let center = position(coordinates, at: CoordinatePath(coordinatesPointer))
            let radius = properties.length("radius", of: "Point", atMost: 20_037_508.342_789_244)
            guard let center, checkRange([center], at: { _ in coordinatesPointer }), let radius else { return nil }
            return .circle(Circle(center: center.wrapped, radius: radius))
        case "MultiPoint":
            guard positions(coordinates, at: CoordinatePath(coordinatesPointer)) != nil else { return nil }
            error(
                "unsupported_geometry", pointer + "/type",
                "A MultiPoint cannot be a region: make each of its points a feature with a Point and a radius.")
            return nil
        case "LineString":
            let line = positions(coordinates, at: CoordinatePath(coordinatesPointer))
            return corridor(line.map { [$0] }, &properties, type) {
                "\(coordinatesPointer)\($1.map { "/\($0)" } ?? "")"
            }
        case "MultiLineString":
            let lines = array(coordinates, of: "lines", at: CoordinatePath(coordinatesPointer)) {
                $0.positions($1, at: $2)
            }
            return corridor(lines, &properties, type) { "\(coordinatesPointer)/\($0)\($1.map { "/\($0)" } ?? "")" }
        case "Polygon":
            guard let rings = rings(coordinates, at: CoordinatePath(coordinatesPointer)) else { return nil }
            return polygons([rings], at: coordinatesPointer) { _ in coordinatesPointer }
        case "MultiPolygon":
            guard
                let polygons = array(
                    coordinates, of: "polygons", at: CoordinatePath(coordinatesPointer), { $0.rings($1, at: $2) })
            else {
                return nil
            }
            return self.polygons(polygons, at: coordinatesPointer) { "\(coordinatesPointer)/\($0)" }
        default: return nil  // already reported
        }
    }

    /// Checks only that it is GeoJSON; a collection gives no shape.
    private mutating func checkCollection(_ collection: JSONElement, at pointer: String) {
        guard let geometries = collection["geometries"] else {
            violation("missing_member", pointer, "The member \"geometries\" is missing: an array of geometries.")
            return
        }
        guard let array = geometries.array else {
            violation(
                "wrong_type", pointer + "/geometries",
                "\"geometries\" must be an array, but it is \(geometries.kind.named).")
            return
        }
        for (index, geometry) in array.enumerated() {
            let member = "\(pointer)/geometries/\(index)"
            guard let type = checkedType(of: geometry, at: member) else { continue }
            guard type != "GeometryCollection" else {
                checkCollection(geometry, at: member)
                continue
            }
            guard let coordinates = geometry["coordinates"] else {
                violation("missing_member", member, "The member \"coordinates\" is missing.")
                continue
            }
            checkNesting(of: coordinates, type, at: CoordinatePath(member + "/coordinates"))
        }
    }

    private mutating func checkNesting(of coordinates: JSONElement, _ type: String, at path: CoordinatePath) {
        switch type {
        case "Point": _ = position(coordinates, at: path)
        case "MultiPoint", "LineString": _ = positions(coordinates, at: path)
        case "MultiLineString", "Polygon": _ = rings(coordinates, at: path)
        default: _ = array(coordinates, of: "polygons", at: path) { $0.rings($1, at: $2) }
        }
    }

    // MARK: Structure, by RFC 7946

    private mutating func position(_ element: JSONElement, at path: CoordinatePath) -> Coordinate? {
        guard let array = element.array else {
            violation(
                "wrong_nesting", path.pointer,
                "Expected a position, an array of longitude and latitude, but found \(element.kind.named): "
                    + "the coordinates are \(element.kind == .number ? "not nested deeply enough" : "nested incorrectly")."
            )
            return nil
        }
        var numbers: (Double, Double) = (0, 0)
        var count = 0
        for element in array {
            guard let number = element.double else {
                violation(
                    element.kind == .array ? "wrong_nesting" : "wrong_type", path.appending(count).pointer,
                    "A position must contain numbers, longitude first, but it contains \(element.kind.named).")
                return nil
            }
            if count == 0 { numbers.0 = number }
            if count == 1 { numbers.1 = number }
            count += 1
        }
        guard count >= 2 else {
            violation(
                "wrong_type", path.pointer, "A position needs two numbers, longitude and latitude, but it has \(count)."
            )
            return nil
        }
        return Coordinate(latitude: numbers.1, longitude: numbers.0)
    }

    private mutating func positions(_ element: JSONElement, at path: CoordinatePath) -> [Coordinate]? {
        array(element, of: "positions", at: path) { $0.position($1, at: $2) }
    }

    private mutating func rings(_ element: JSONElement, at path: CoordinatePath) -> [[Coordinate]]? {
        array(element, of: "rings", at: path) { $0.positions($1, at: $2) }
    }

    private mutating func array<Value>(
        _ element: JSONElement, of what: String, at path: CoordinatePath,
        _ read: (inout FeatureReader, JSONElement, CoordinatePath) -> Value?
    ) -> [Value]? {
        guard let array = element.array else {
            violation(
                "wrong_nesting", path.pointer,
                "Expected an array of \(what) but found \(element.kind.named): "
                    + "the nesting of the coordinates does not match the type of the geometry.")
            return nil
        }
        var values: [Value] = []
        values.reserveCapacity(array.count)
        var isComplete = true
        for (index, element) in array.enumerated() {
            if let value = read(&self, element, path.appending(index)) {
                values.append(value)
            } else {
                isComplete = false
                if isNestedWrongly { break }
            }
        }
        return isComplete ? values : nil
    }

    // MARK: Ranges

    /// Whether all positions are on earth. Longitudes up to 540 are continuations across the antimeridian.
    mutating func checkRange(_ coordinates: [Coordinate], at pointer: (Int) -> String) -> Bool {
        var wrong = 0
        for (index, coordinate) in coordinates.enumerated() {
            let (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
            guard !(latitude.magnitude <= 90 && longitude.magnitude <= 540) else { continue }
            wrong += 1
            guard wrong <= 10 else { continue }
            let hint =
                latitude.magnitude > 90 && latitude.magnitude <= 180 && longitude.magnitude <= 90
                ? " Latitude and longitude may be swapped: GeoJSON has the longitude first." : ""
            error(
                "coordinate_out_of_range", pointer(index),
                "[\(longitude), \(latitude)] is not on earth: a longitude is between -180 and 180, up to 540 for a "
                    + "continuation across the antimeridian, a latitude between -90 and 90.\(hint)")
        }
        if wrong > 10 {
            error(
                "coordinate_out_of_range", pointer(coordinates.count - 1),
                "\(wrong - 10) more positions up to this one are not on earth.")
        }
        return wrong == 0
    }

    private mutating func checkCount(_ count: Int, at pointer: String) -> Bool {
        guard let limit = options.limits.vertices, count > limit else { return true }
        error(
            "too_many_vertices", pointer,
            "A region may have at most \(limit) vertices; this one has \(count). Simplify or divide it.")
        return false
    }

    // MARK: Corridors

    private mutating func corridor(
        _ lines: [[Coordinate]]?, _ properties: inout PropertyReader, _ type: String,
        at pointer: (Int, Int?) -> String
    ) -> Shape? {
        let width = properties.length("width", of: type, atMost: 40_075_016.685_578_488)
        guard let lines else { return nil }
        var isValid = checkCount(lines.reduce(0) { $0 + $1.count }, at: pointer(0, nil))
        if lines.isEmpty {
            error("empty_geometry", pointer(0, nil), "The geometry has no line.")
            isValid = false
        }
        var parts: [[Coordinate]] = []
        for (index, line) in lines.enumerated() {
            guard checkRange(line, at: { pointer(index, $0) }) else {
                isValid = false
                continue
            }
            guard line.count >= 2 else {
                error(
                    "line_too_short", pointer(index, nil),
                    "A line needs at least two positions, but it has \(line.count).")
                isValid = false
                continue
            }
            warnOfAmbiguousEdges(line) { pointer(index, $0) }
            parts += Antimeridian.split(line: Antimeridian.unwrapped(line))
        }
        guard isValid, let width else { return nil }
        return .corridor(Corridor(lines: parts, width: width))
    }

    // MARK: Polygons

    /// The shape of the raw rings, checked; `polygonPointer` returns the pointer to the polygon at an index, an array
    /// of rings.
    private mutating func polygons(
        _ raw: [[[Coordinate]]], at pointer: String, polygonPointer: @escaping (Int) -> String
    ) -> Shape? {
        guard checkCount(raw.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }, at: pointer) else { return nil }
        var isValid = true
        for (index, rings) in raw.enumerated() {
            // A ring without positions is an empty ring, which is valid and covers nothing.
            for (ring, coordinates) in rings.enumerated() where !coordinates.isEmpty {
                isValid = check(ring: coordinates, at: "\(polygonPointer(index))/\(ring)") && isValid
            }
            if rings.first?.isEmpty == true, rings.contains(where: { !$0.isEmpty }) {
                error("empty_geometry", "\(polygonPointer(index))/0", "A polygon with holes has an empty outer ring.")
                isValid = false
            }
        }
        if raw.allSatisfy({ $0.allSatisfy(\.isEmpty) }) {
            error("empty_geometry", pointer, "The geometry is empty: a region needs an area.")
            isValid = false
        }
        guard isValid else { return nil }
        let source = RingSource(raw: raw, pointer: polygonPointer)
        do {
            return try polygons(from: source, at: pointer).map(Shape.polygons)
        } catch {
            self.error("invalid_geometry", pointer, "GEOS rejects the geometry: \(error).")
            return nil
        }
    }

    private mutating func check(ring: [Coordinate], at pointer: String) -> Bool {
        guard checkRange(ring, at: { "\(pointer)/\($0)" }) else { return false }
        let isClosed = ring.count > 1 && ring.first == ring.last
        if ring.count < (options.repair && !isClosed ? 3 : 4) {
            error(
                "ring_too_short", pointer,
                "A ring needs at least four positions, the last equal to the first; this one has \(ring.count).")
            return false
        }
        guard isClosed || options.repair else {
            error(
                "ring_not_closed", "\(pointer)/\(ring.count - 1)",
                "The ring is not closed: its last position must repeat its first. "
                    + "The option repair closes it.")
            return false
        }
        warnOfAmbiguousEdges(ring) { "\(pointer)/\($0)" }
        return true
    }

    /// Warns of an edge that is read the short way where even that is so long that the long way may be meant.
    private mutating func warnOfAmbiguousEdges(_ line: [Coordinate], at pointer: (Int) -> String) {
        for (index, (a, b)) in zip(line, line.dropFirst()).enumerated() {
            let jump = (b.longitude - a.longitude).magnitude
            guard jump > 180, !Antimeridian.isInPole(a, b) else { continue }
            let short = (jump - 360 * (jump / 360).rounded()).magnitude
            guard short > 90 else { continue }
            warning(
                "ambiguous_edge", pointer(index + 1),
                "The edge from longitude \(a.longitude) to \(b.longitude) takes the short way, across the "
                    + "antimeridian. For the long way, add a position in between.")
        }
    }
}

/// The rings of a geometry as written, to find the pointer for a coordinate.
struct RingSource {
    let raw: [[[Coordinate]]]
    let pointer: (Int) -> String

    /// The JSON Pointer of the position nearest to a coordinate: of a vertex there, otherwise of the start of the edge
    /// there.
    ///
    /// `unwrapped` has the same rings, moved to where the coordinate was found.
    func pointer(nearest coordinate: Coordinate, in unwrapped: [[[Coordinate]]]) -> String {
        var best = (distance: Double.infinity, pointer: pointer(0) + "/0")
        for (polygon, rings) in unwrapped.enumerated() {
            for (ring, line) in rings.enumerated() {
                for (index, (a, b)) in zip(line, line.dropFirst()).enumerated() {
                    let distance = PlaneSegment.squaredDistanceFromOrigin(
                        a.longitude - coordinate.longitude, a.latitude - coordinate.latitude,
                        b.longitude - coordinate.longitude,
                        b.latitude - coordinate.latitude)
                    guard distance < best.distance else { continue }
                    let isAtEnd = b == coordinate && raw[polygon][ring].count > index + 1
                    best = (distance, "\(pointer(polygon))/\(ring)/\(isAtEnd ? index + 1 : index)")
                }
            }
        }
        return best.pointer
    }
}
