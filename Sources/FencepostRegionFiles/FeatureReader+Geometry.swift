import FencepostGEOS
import FencepostGeometry
import FencepostJSON
import FencepostModel

extension FeatureReader {
    /// The shape that a region's geometry means; `nil` after saying why there is none.
    mutating func shape(of geometry: JSONElement, properties: inout PropertyReader, at pointer: String) -> Shape? {
        let type = geometry["type"]?.string ?? ""
        let place = pointer + "/coordinates"
        if type == "GeometryCollection" {
            checkCollection(geometry, at: pointer)
            error(
                "unsupported_geometry", pointer + "/type",
                "A GeometryCollection is no region: make one feature of each of its geometries.")
            return nil
        }
        guard let coordinates = geometry["coordinates"] else {
            breach("missing_member", pointer, "The member \"coordinates\" is missing.")
            return nil
        }
        switch type {
        case "Point":
            let center = position(coordinates, at: CoordinatePlace(place))
            let radius = properties.length("radius", of: "Point", atMost: 20_037_508.342_789_244)
            guard let center, checkRange([center], at: { _ in place }), let radius else { return nil }
            return .circle(Circle(center: center.wrapped, radius: radius))
        case "MultiPoint":
            guard positions(coordinates, at: CoordinatePlace(place)) != nil else { return nil }
            error(
                "unsupported_geometry", pointer + "/type",
                "A MultiPoint is no region: make one feature with a Point and a radius of each of its points.")
            return nil
        case "LineString":
            let line = positions(coordinates, at: CoordinatePlace(place))
            return corridor(line.map { [$0] }, &properties, type) { "\(place)\($1.map { "/\($0)" } ?? "")" }
        case "MultiLineString":
            let lines = array(coordinates, of: "lines", at: CoordinatePlace(place)) { $0.positions($1, at: $2) }
            return corridor(lines, &properties, type) { "\(place)/\($0)\($1.map { "/\($0)" } ?? "")" }
        case "Polygon":
            guard let rings = rings(coordinates, at: CoordinatePlace(place)) else { return nil }
            return polygons([rings], at: place) { _ in place }
        case "MultiPolygon":
            guard
                let polygons = array(coordinates, of: "polygons", at: CoordinatePlace(place), { $0.rings($1, at: $2) })
            else {
                return nil
            }
            return self.polygons(polygons, at: place) { "\(place)/\($0)" }
        default: return nil  // told of already
        }
    }

    /// Only whether it is GeoJSON: no shape comes of it.
    private mutating func checkCollection(_ collection: JSONElement, at pointer: String) {
        guard let geometries = collection["geometries"] else {
            breach("missing_member", pointer, "The member \"geometries\" is missing: an array of geometries.")
            return
        }
        guard let array = geometries.array else {
            breach(
                "wrong_type", pointer + "/geometries",
                "\"geometries\" has to be an array, and is \(geometries.kind.named).")
            return
        }
        for (index, geometry) in array.enumerated() {
            let place = "\(pointer)/geometries/\(index)"
            guard let type = checkedType(of: geometry, at: place) else { continue }
            guard type != "GeometryCollection" else {
                checkCollection(geometry, at: place)
                continue
            }
            guard let coordinates = geometry["coordinates"] else {
                breach("missing_member", place, "The member \"coordinates\" is missing.")
                continue
            }
            checkNesting(of: coordinates, type, at: CoordinatePlace(place + "/coordinates"))
        }
    }

    private mutating func checkNesting(of coordinates: JSONElement, _ type: String, at place: CoordinatePlace) {
        switch type {
        case "Point": _ = position(coordinates, at: place)
        case "MultiPoint", "LineString": _ = positions(coordinates, at: place)
        case "MultiLineString", "Polygon": _ = rings(coordinates, at: place)
        default: _ = array(coordinates, of: "polygons", at: place) { $0.rings($1, at: $2) }
        }
    }

    // MARK: Structure: a breach of it is one of RFC 7946

    private mutating func position(_ element: JSONElement, at place: CoordinatePlace) -> Coordinate? {
        guard let array = element.array else {
            breach(
                "wrong_nesting", place.pointer,
                "A position should be here, an array of longitude and latitude, and here is \(element.kind.named): "
                    + "the coordinates are nested too \(element.kind == .number ? "little" : "differently").")
            return nil
        }
        var numbers: (Double, Double) = (0, 0)
        var count = 0
        for element in array {
            guard let number = element.double else {
                breach(
                    element.kind == .array ? "wrong_nesting" : "wrong_type", place.appending(count).pointer,
                    "A position holds numbers, longitude first, and here is \(element.kind.named).")
                return nil
            }
            if count == 0 { numbers.0 = number }
            if count == 1 { numbers.1 = number }
            count += 1
        }
        guard count >= 2 else {
            breach(
                "wrong_type", place.pointer, "A position needs two numbers, longitude and latitude, and has \(count).")
            return nil
        }
        return Coordinate(latitude: numbers.1, longitude: numbers.0)
    }

    private mutating func positions(_ element: JSONElement, at place: CoordinatePlace) -> [Coordinate]? {
        array(element, of: "positions", at: place) { $0.position($1, at: $2) }
    }

    private mutating func rings(_ element: JSONElement, at place: CoordinatePlace) -> [[Coordinate]]? {
        array(element, of: "rings", at: place) { $0.positions($1, at: $2) }
    }

    private mutating func array<Value>(
        _ element: JSONElement, of what: String, at place: CoordinatePlace,
        _ read: (inout FeatureReader, JSONElement, CoordinatePlace) -> Value?
    ) -> [Value]? {
        guard let array = element.array else {
            breach(
                "wrong_nesting", place.pointer,
                "An array of \(what) should be here, and here is \(element.kind.named): "
                    + "the coordinates are not nested as the type of the geometry asks.")
            return nil
        }
        var values: [Value] = []
        values.reserveCapacity(array.count)
        var isWhole = true
        for (index, element) in array.enumerated() {
            if let value = read(&self, element, place.appending(index)) {
                values.append(value)
            } else {
                isWhole = false
                if isNestedWrongly { break }
            }
        }
        return isWhole ? values : nil
    }

    // MARK: Ranges

    /// Whether all positions are on earth; longitudes to 540 are turns beyond the antimeridian.
    mutating func checkRange(_ coordinates: [Coordinate], at pointer: (Int) -> String) -> Bool {
        var wrong = 0
        for (place, coordinate) in coordinates.enumerated() {
            let (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
            guard !(abs(latitude) <= 90 && abs(longitude) <= 540) else { continue }
            wrong += 1
            guard wrong <= 10 else { continue }
            let hint =
                abs(latitude) > 90 && abs(latitude) <= 180 && abs(longitude) <= 90
                ? " It looks as if latitude and longitude were swapped: GeoJSON has the longitude first." : ""
            error(
                "coordinate_out_of_range", pointer(place),
                "[\(longitude), \(latitude)] is not on earth: the longitude goes from -180 to 180, beyond it up to 540 "
                    + "across the antimeridian, and the latitude from -90 to 90.\(hint)")
        }
        if wrong > 10 {
            error(
                "coordinate_out_of_range", pointer(coordinates.count - 1),
                "\(wrong - 10) more positions up to here are not on earth.")
        }
        return wrong == 0
    }

    private mutating func checkCount(_ count: Int, at pointer: String) -> Bool {
        guard let limit = options.limits.vertices, count > limit else { return true }
        error(
            "too_many_vertices", pointer,
            "A region may have at most \(limit) vertices; this has \(count). Simplify it, or divide it.")
        return false
    }

    // MARK: Corridors

    private mutating func corridor(
        _ lines: [[Coordinate]]?, _ properties: inout PropertyReader, _ type: String,
        at pointer: (Int, Int?) -> String
    ) -> Shape? {
        let width = properties.length("width", of: type, atMost: 40_075_016.685_578_488)
        guard let lines else { return nil }
        var isSound = checkCount(lines.reduce(0) { $0 + $1.count }, at: pointer(0, nil))
        if lines.isEmpty {
            error("empty_geometry", pointer(0, nil), "The geometry has no line.")
            isSound = false
        }
        var parts: [[Coordinate]] = []
        for (place, line) in lines.enumerated() {
            guard checkRange(line, at: { pointer(place, $0) }) else {
                isSound = false
                continue
            }
            guard line.count >= 2 else {
                error(
                    "line_too_short", pointer(place, nil), "A line needs two positions or more, and has \(line.count).")
                isSound = false
                continue
            }
            warnOfLongWays(line) { pointer(place, $0) }
            parts += Antimeridian.cut(line: Antimeridian.unwrapped(line))
        }
        guard isSound, let width else { return nil }
        return .corridor(Corridor(lines: parts, width: width))
    }

    // MARK: Polygons

    /// - Parameter polygonPointer: of the polygon at a place, its array of rings.
    private mutating func polygons(
        _ raw: [[[Coordinate]]], at pointer: String, polygonPointer: @escaping (Int) -> String
    ) -> Shape? {
        guard checkCount(raw.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }, at: pointer) else { return nil }
        var isSound = true
        for (place, rings) in raw.enumerated() {
            // A ring without any position is an empty one, which is valid and holds nothing.
            for (ring, coordinates) in rings.enumerated() where !coordinates.isEmpty {
                isSound = check(ring: coordinates, at: "\(polygonPointer(place))/\(ring)") && isSound
            }
            if rings.first?.isEmpty == true, rings.contains(where: { !$0.isEmpty }) {
                error("empty_geometry", "\(polygonPointer(place))/0", "A polygon with holes has an empty outer ring.")
                isSound = false
            }
        }
        if raw.allSatisfy({ $0.allSatisfy(\.isEmpty) }) {
            error("empty_geometry", pointer, "The geometry is empty: a region has to be somewhere.")
            isSound = false
        }
        guard isSound else { return nil }
        let source = RingSource(raw: raw, pointer: polygonPointer)
        do {
            return try polygons(from: source, at: pointer).map(Shape.polygons)
        } catch {
            self.error("invalid_geometry", pointer, "GEOS cannot take the geometry: \(error).")
            return nil
        }
    }

    private mutating func check(ring: [Coordinate], at pointer: String) -> Bool {
        guard checkRange(ring, at: { "\(pointer)/\($0)" }) else { return false }
        let isClosed = ring.count > 1 && ring.first == ring.last
        if ring.count < (options.repair && !isClosed ? 3 : 4) {
            error(
                "ring_too_short", pointer,
                "A ring needs four positions or more, of which the last repeats the first; this has \(ring.count).")
            return false
        }
        guard isClosed || options.repair else {
            error(
                "ring_not_closed", "\(pointer)/\(ring.count - 1)",
                "The ring is not closed: its last position has to repeat its first "
                    + "(reading it with repair closes it).")
            return false
        }
        warnOfLongWays(ring) { "\(pointer)/\($0)" }
        return true
    }

    /// A jump that is read the short way, where that way is still so long that somebody may have meant the long one.
    private mutating func warnOfLongWays(_ line: [Coordinate], at pointer: (Int) -> String) {
        for (place, (a, b)) in zip(line, line.dropFirst()).enumerated() {
            let jump = abs(b.longitude - a.longitude)
            guard jump > 180, !Antimeridian.isInPole(a, b) else { continue }
            let short = abs(jump - 360 * (jump / 360).rounded())
            guard short > 90 else { continue }
            warning(
                "ambiguous_edge", pointer(place + 1),
                "The edge from longitude \(a.longitude) to \(b.longitude) is read the short way round, across the "
                    + "antimeridian; if the long way is meant, put a position in between.")
        }
    }
}

/// The rings of a geometry as they are written, to say where in them something is.
struct RingSource {
    let raw: [[[Coordinate]]]
    let pointer: (Int) -> String

    /// The position that lies nearest to a place, as a JSON Pointer: a vertex there, else the start of the edge there.
    ///
    /// - Parameter unwrapped: the same rings, moved to where the place was found.
    func pointer(nearest place: Coordinate, in unwrapped: [[[Coordinate]]]) -> String {
        var best = (distance: Double.infinity, pointer: pointer(0) + "/0")
        for (polygon, rings) in unwrapped.enumerated() {
            for (ring, line) in rings.enumerated() {
                for (index, (a, b)) in zip(line, line.dropFirst()).enumerated() {
                    let distance = PlaneSegment.squaredDistanceFromOrigin(
                        a.longitude - place.longitude, a.latitude - place.latitude, b.longitude - place.longitude,
                        b.latitude - place.latitude)
                    guard distance < best.distance else { continue }
                    let isAtEnd = b == place && raw[polygon][ring].count > index + 1
                    best = (distance, "\(pointer(polygon))/\(ring)/\(isAtEnd ? index + 1 : index)")
                }
            }
        }
        return best.pointer
    }
}
