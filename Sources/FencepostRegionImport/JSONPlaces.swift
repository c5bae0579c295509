import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel

/// The places of documents of JSON: geofences of Traccar, waypoints of OwnTracks, TopoJSON, JSON of ArcGIS.
enum JSONPlaces {
    /// Traccar's `polylineDistance` where neither the geofence nor a line says it, in metres to either side.
    private static let polylineDistance = 25.0

    // MARK: Traccar

    /// Geofences as the API of Traccar lists them: well-known text with the latitude first.
    static func traccar(_ root: JSONElement) -> PlaceReading {
        var reading = PlaceReading()
        let fences = root.array.map { Array($0) } ?? [root]
        for (index, fence) in fences.enumerated() {
            let position = Diagnostic.Position.pointer(root.array == nil ? "" : "/\(index)")
            let name = fence["name"]?.string ?? ""
            guard let area = fence["area"]?.string else {
                reading.refuse("\(label(name)) is left out: it has no \"area\".", at: position)
                continue
            }
            var scanner = WKTScanner(area)
            do throws(WKTScanner.Failure) {
                for found in try scanner.geometries() {
                    var place = Place(found.geometry.swapped, name: name, at: position)
                    place.radius = found.radius
                    take(attributes: fence, into: &place)
                    reading.places.append(place)
                }
            } catch {
                reading.refuse("\(label(name)) is left out: in \"area\" \(error.message).", at: position)
            }
            if let calendar = fence["calendarId"]?.int, calendar != 0 {
                reading.ignore("calendars of geofences; a region has a \"schedule\"")
            }
        }
        return reading
    }

    private static func take(attributes fence: JSONElement, into place: inout Place) {
        if let id = fence["id"]?.int { place.properties.add("traccarId", JSONText("\(id)")) }
        place.properties.add("description", fence["description"]?.string ?? "")
        var distance = polylineDistance
        for attribute in fence["attributes"]?.object.map({ Array($0) }) ?? [] {
            switch attribute.name {
            case "polylineDistance": distance = attribute.value.double ?? distance
            case "speedLimit":
                // Traccar has knots everywhere.
                if let knots = attribute.value.double, knots > 0 {
                    place.properties.add("speedLimit", "\(attribute.value.text) knots")
                }
            default: place.properties.add(attribute.name, attribute.value)
            }
        }
        if case .lines = place.geometry { place.width = 2 * distance }
    }

    // MARK: OwnTracks

    /// Waypoints as the apps of OwnTracks export and publish them.
    static func ownTracks(_ root: JSONElement) -> PlaceReading {
        var reading = PlaceReading()
        let outer = root["waypoints"] ?? root
        let waypoints = outer.array.map { Array($0) } ?? [outer]
        for (index, waypoint) in waypoints.enumerated() {
            let position = Diagnostic.Position.pointer(
                outer.array == nil ? "" : (root.array == nil ? "/waypoints/\(index)" : "/\(index)"))
            if let type = waypoint["_type"]?.string, type != "waypoint" {
                reading.ignore("messages of the type \(TextLimit.truncated(type, to: 40))")
                continue
            }
            let name = waypoint["desc"]?.string ?? ""
            guard let latitude = number(waypoint["lat"]), let longitude = number(waypoint["lon"]) else {
                reading.refuse("\(label(name)) is left out: it has no numbers \"lat\" and \"lon\".", at: position)
                continue
            }
            let radius = number(waypoint["rad"])
            if let radius, radius <= 0 {
                reading.refuse(
                    "\(label(name)) is left out: its radius \"rad\" is \(radius == 0 ? "0" : "below 0"), so the app watches no area.",
                    code: "missing_radius", at: position)
                continue
            }
            // A beacon: name:UUID:major:minor.
            let parts = name.split(separator: ":", omittingEmptySubsequences: false)
            let isBeacon = parts.count > 1 && parts[1].count == 36 && parts[1].contains("-")
            if isBeacon {
                reading.refuse("\(label(name)) is left out: it is a beacon.", at: position)
                continue
            }
            var place = Place(
                .point(Coordinate(latitude: latitude, longitude: longitude)), name: name, at: position)
            place.id = waypoint["rid"]?.string
            place.radius = radius
            if let created = waypoint["tst"] { place.properties.add("tst", created) }
            reading.places.append(place)
        }
        return reading
    }

    // MARK: ArcGIS

    /// Features as ArcGIS writes them.
    static func esri(_ root: JSONElement) -> PlaceReading {
        var reading = PlaceReading()
        let system = root["spatialReference"]
        if let problem = problem(ofSystem: system) {
            reading.refuse(problem, code: "crs_not_supported", at: .pointer("/spatialReference"))
            return reading
        }
        let features = root["features"]?.array.map { Array($0) } ?? []
        if root["exceededTransferLimit"]?.bool == true || root["properties"]?["exceededTransferLimit"]?.bool == true {
            reading.notes.append("the server left features out (exceededTransferLimit): ask for them with resultOffset")
        }
        let list = features.isEmpty && root["features"] == nil ? [root] : features
        for (index, feature) in list.enumerated() {
            let position = Diagnostic.Position.pointer(root["features"] == nil ? "" : "/features/\(index)")
            var properties = PlaceProperties()
            for member in feature["attributes"]?.object.map({ Array($0) }) ?? [] {
                properties.add(member.name, member.value)
            }
            let display = root["displayFieldName"]?.string.flatMap { feature["attributes"]?[$0]?.string }
            let name = properties.takeName() ?? display ?? ""
            let geometry = feature["geometry"] ?? feature
            if let problem = problem(ofSystem: geometry["spatialReference"]) {
                reading.refuse("\(label(name)) is left out: \(problem)", code: "crs_not_supported", at: position)
                continue
            }
            let found = geometries(ofEsri: geometry)
            guard !found.isEmpty else {
                reading.refuse(
                    "\(label(name)) is left out: it has no rings (at most \(ringLimit)), paths or point of numbers.",
                    code: "missing_geometry",
                    at: position)
                continue
            }
            for geometry in found {
                var place = Place(geometry, name: name, at: position)
                place.properties = properties
                reading.places.append(place)
            }
        }
        return reading
    }

    private static func problem(ofSystem system: JSONElement?) -> String? {
        guard let number = system?["latestWkid"]?.int ?? system?["wkid"]?.int, number != 4326 else { return nil }
        return
            "The reference system is EPSG:\(number), not WGS 84: ask the service for f=geojson or outSR=4326, or convert the file by "
            + "ogr2ogr -f GeoJSON -lco RFC7946=YES."
    }

    /// The most rings of one feature: the exterior of each hole is looked for among all others.
    private static let ringLimit = 10_000

    private static func geometries(ofEsri geometry: JSONElement) -> [Place.Geometry] {
        if let rings = lines(geometry["rings"]) {
            return rings.count <= ringLimit ? [.polygons(polygons(ofRings: rings))] : []
        }
        if let paths = lines(geometry["paths"]) { return [.lines(paths)] }
        if let points = geometry["points"]?.array { return points.compactMap { position($0) }.map { .point($0) } }
        guard let longitude = geometry["x"]?.double, let latitude = geometry["y"]?.double else { return [] }
        return [.point(Coordinate(latitude: latitude, longitude: longitude))]
    }

    /// Rings in any order: exteriors run clockwise, and a hole belongs to the exterior around it.
    private static func polygons(ofRings rings: [[Coordinate]]) -> [[[Coordinate]]] {
        var polygons = rings.filter { area(of: $0) <= 0 }.map { [$0] }
        let holes = rings.filter { area(of: $0) > 0 }
        guard !polygons.isEmpty else { return rings.map { [$0] } }
        let boxes = polygons.map { Box($0[0]) }
        for hole in holes {
            let box = Box(hole)
            let owner = polygons.indices.first { index in
                boxes[index].overlaps(box) && hole.contains { isInside($0, polygons[index][0]) }
            }
            polygons[owner ?? 0].append(hole)
        }
        return polygons
    }

    /// The smallest rectangle around positions.
    private struct Box {
        var (south, west, north, east) = (
            Double.infinity, Double.infinity, -Double.infinity, -Double.infinity
        )

        init(_ ring: [Coordinate]) {
            for position in ring {
                (south, north) = (min(south, position.latitude), max(north, position.latitude))
                (west, east) = (min(west, position.longitude), max(east, position.longitude))
            }
        }

        func overlaps(_ other: Box) -> Bool {
            south <= other.north && other.south <= north && west <= other.east && other.west <= east
        }
    }

    /// Twice the area, positive where the ring runs counterclockwise.
    private static func area(of ring: [Coordinate]) -> Double {
        zip(ring, ring.dropFirst()).reduce(0) {
            $0 + $1.0.longitude * $1.1.latitude - $1.1.longitude * $1.0.latitude
        }
    }

    private static func isInside(_ point: Coordinate, _ ring: [Coordinate]) -> Bool {
        var isInside = false
        for (a, b) in zip(ring, ring.dropFirst()) where (a.latitude > point.latitude) != (b.latitude > point.latitude) {
            let share = (point.latitude - a.latitude) / (b.latitude - a.latitude)
            if point.longitude < a.longitude + share * (b.longitude - a.longitude) { isInside.toggle() }
        }
        return isInside
    }

    // MARK: TopoJSON

    /// The objects of a topology: the name of each becomes a tag.
    static func topoJSON(_ root: JSONElement) -> PlaceReading {
        var reading = PlaceReading()
        let arcs = decodedArcs(root)
        // Neighbours share an arc, and objects the borders of their parts: more is an attack.
        let most = max(100_000, 32 * arcs.reduce(0) { $0 + $1.count })
        guard positions(ofTopology: root, arcs, atMost: most) <= most else {
            reading.refuse(
                "The geometries repeat the arcs so often that they have more than \(most) positions.",
                at: .pointer("/objects"))
            return reading
        }
        for object in root["objects"]?.object.map({ Array($0) }) ?? [] {
            let base = "/objects/\(object.name)"
            let members = object.value["geometries"]?.array.map { Array($0) }
            for (index, member) in (members ?? [object.value]).enumerated() {
                let position = Diagnostic.Position.pointer(members == nil ? base : "\(base)/geometries/\(index)")
                var properties = PlaceProperties()
                for property in member["properties"]?.object.map({ Array($0) }) ?? [] {
                    properties.add(property.name, property.value)
                }
                let tags = properties.takeTags()
                guard let geometries = geometries(ofTopology: member, arcs, transform: root["transform"]) else {
                    reading.refuse("The geometry is left out: it is not of TopoJSON.", at: position)
                    continue
                }
                let name = properties.takeName()
                for geometry in geometries {
                    var place = Place(geometry, name: name, at: position)
                    place.id = member["id"].flatMap { $0.string ?? ($0.kind == .number ? $0.text : nil) }
                    place.tags = tags.isEmpty && (root["objects"]?.count ?? 0) > 1 ? [object.name] : tags
                    place.properties = properties
                    reading.places.append(place)
                }
            }
        }
        return reading
    }

    /// Arcs with differences of integers become positions.
    private static func decodedArcs(_ root: JSONElement) -> [[Coordinate]] {
        (root["arcs"]?.array.map { Array($0) } ?? []).map { arc in
            var sum = (0.0, 0.0)
            return (arc.array.map { Array($0) } ?? []).compactMap { element in
                guard let x = element[0]?.double, let y = element[1]?.double else { return nil }
                guard let transform = root["transform"] else { return Coordinate(latitude: y, longitude: x) }
                sum = (sum.0 + x, sum.1 + y)
                return transformed(sum, transform)
            }
        }
    }

    /// The number of positions that references to arcs stand for; any number above `most` if there are more.
    private static func positions(ofTopology root: JSONElement, _ arcs: [[Coordinate]], atMost most: Int) -> Int {
        var sum = 0
        func count(_ element: JSONElement) {
            guard sum <= most else { return }
            if let number = element.int {
                let arc = number < 0 ? ~number : number
                sum += arcs.indices.contains(arc) ? arcs[arc].count : 0
            } else {
                for part in element.array.map({ Array($0) }) ?? [] { count(part) }
            }
        }
        func visit(_ object: JSONElement) {
            if let indices = object["arcs"] { count(indices) }
            for part in object["geometries"]?.array.map({ Array($0) }) ?? [] { visit(part) }
        }
        for object in root["objects"]?.object.map({ Array($0) }) ?? [] { visit(object.value) }
        return sum
    }

    private static func transformed(_ point: (Double, Double), _ transform: JSONElement) -> Coordinate {
        Coordinate(
            latitude: point.1 * (transform["scale"]?[1]?.double ?? 1) + (transform["translate"]?[1]?.double ?? 0),
            longitude: point.0 * (transform["scale"]?[0]?.double ?? 1) + (transform["translate"]?[0]?.double ?? 0))
    }

    private static func geometries(
        ofTopology object: JSONElement, _ arcs: [[Coordinate]], transform: JSONElement?
    ) -> [Place.Geometry]? {
        func line(_ indices: JSONElement) -> [Coordinate] {
            var line: [Coordinate] = []
            for index in indices.array.map({ Array($0) }) ?? [] {
                guard let number = index.int else { continue }
                // A negative number is the complement of an arc that runs backwards.
                let arc = number < 0 ? ~number : number
                guard arcs.indices.contains(arc) else { continue }
                let part = number < 0 ? arcs[arc].reversed() : arcs[arc]
                line += line.isEmpty ? part[...] : part.dropFirst()
            }
            return line
        }
        func all(_ element: JSONElement) -> [JSONElement] { element.array.map { Array($0) } ?? [] }
        func point(_ element: JSONElement) -> Coordinate? {
            guard let point = position(element) else { return nil }
            return transform.map { transformed((point.longitude, point.latitude), $0) } ?? point
        }
        let arcIndices = object["arcs"]
        switch object["type"]?.string {
        case "Point": return object["coordinates"].flatMap(point).map { [.point($0)] }
        case "MultiPoint": return object["coordinates"].map { all($0).compactMap(point).map { .point($0) } }
        case "LineString": return arcIndices.map { [.lines([line($0)])] }
        case "MultiLineString": return arcIndices.map { [.lines(all($0).map(line))] }
        case "Polygon": return arcIndices.map { [.polygons([all($0).map(line)])] }
        case "MultiPolygon": return arcIndices.map { [.polygons(all($0).map { all($0).map(line) })] }
        case "GeometryCollection":
            return object["geometries"].map {
                all($0).flatMap { geometries(ofTopology: $0, arcs, transform: transform) ?? [] }
            }
        default: return nil  // text of the file
        }
    }

    // MARK: Values

    private static func label(_ name: String) -> String { name.isEmpty ? "A place" : "\"\(name)\"" }

    private static func number(_ element: JSONElement?) -> Double? {
        element?.double ?? element?.string.flatMap { TableNumber.parse($0) }
    }

    private static func position(_ element: JSONElement) -> Coordinate? {
        guard let longitude = element[0]?.double, let latitude = element[1]?.double else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private static func lines(_ element: JSONElement?) -> [[Coordinate]]? {
        element?.array.map { $0.map { ($0.array.map { Array($0) } ?? []).compactMap { position($0) } } }
    }
}
