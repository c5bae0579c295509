import FencepostFormats
import FencepostGeometry
import FencepostModel

/// The placemarks of KML: folders become tags, styles are counted.
struct KMLPlaces: XMLContent {
    static let root = "kml"

    private struct Polygon {
        var outer: [Coordinate]?
        var inner: [[Coordinate]] = []
    }

    private struct Placemark {
        var line: Int
        var id: String?
        var name = ""
        var properties = PlaceProperties()
        var points: [Coordinate] = []
        var lines: [[Coordinate]] = []
        var polygons: [Polygon] = []
        var hasTrack = false
        var problem: String?
    }

    private(set) var reading = PlaceReading()
    private var path: [String] = []
    /// The names of open folders; empty where there is none yet.
    private var folders: [String] = []
    private var placemark: Placemark?
    private var dataName = ""
    /// Where network links lead; empty for one that does not say it.
    private var links: [String] = []

    private static let wanted: Set<String> = [
        "name", "description", "address", "phoneNumber", "coordinates", "value", "SimpleData", "href",
    ]
    private static let overlays: Set<String> = ["GroundOverlay", "ScreenOverlay", "PhotoOverlay"]

    mutating func start(_ element: XMLElement) -> Bool {
        path.append(element.name)
        switch element.name {
        case "Placemark":
            placemark = Placemark(line: element.line, id: element["id"].map { String(decoding: $0, as: UTF8.self) })
        case "Folder": folders.append("")
        case "Data", "SimpleData":
            dataName = element["name"].map { String(decoding: $0, as: UTF8.self) } ?? ""
        case "Polygon": placemark?.polygons.append(Polygon())
        case "Style", "StyleMap": reading.ignore("styles")
        case "Track", "MultiTrack": placemark?.hasTrack = true
        case "Model": placemark?.problem = "it is a model in three dimensions"
        case "NetworkLink": links.append("")
        case let name where Self.overlays.contains(name): reading.ignore("overlays of pictures")
        default: break
        }
        return Self.wanted.contains(element.name)
    }

    mutating func end(_ name: String, text: String, line: Int) {
        path.removeLast()
        switch (name, path.last) {
        case ("name", "Placemark"): placemark?.name = text
        case ("name", "Folder"):
            if !folders.isEmpty { folders[folders.count - 1] = text }
        case ("description", "Placemark"), ("address", "Placemark"), ("phoneNumber", "Placemark"):
            placemark?.properties.add(name, text)
        case ("value", "Data"): placemark?.properties.add(dataName.isEmpty ? "value" : dataName, text)
        case ("SimpleData", _): placemark?.properties.add(dataName.isEmpty ? "value" : dataName, text)
        case ("href", _) where path.contains("NetworkLink"):
            if let last = links.indices.last { links[last] = text }
        case ("coordinates", let parent): take(coordinates: text, of: parent ?? "", line: line)
        case ("Folder", _): folders.removeLast()
        case ("Placemark", _):
            if let placemark { finish(placemark) }
            placemark = nil
        default: break
        }
    }

    /// The places, after the end of the document. Links to `siblings`, the files of its archive, are read as well.
    mutating func finished(besides siblings: [String] = []) -> PlaceReading {
        let missing = links.count { link in !siblings.contains { $0 == link || $0.hasSuffix("/" + link) } }
        if missing > 0 {
            reading.notes.append(
                "\(missing) network link\(missing == 1 ? "" : "s") to other files: the places there are not in this one; in Google My "
                    + "Maps export the map without \"Keep data up to date\"")
        }
        return reading
    }

    private mutating func take(coordinates text: String, of parent: String, line: Int) {
        guard placemark != nil else { return }
        var positions: [Coordinate] = []
        // Some programs put spaces behind the commas.
        for part in Self.joinedCommas(text).split(whereSeparator: \.isWhitespace) {
            let numbers = part.split(separator: ",", omittingEmptySubsequences: false)
            guard numbers.count >= 2, let longitude = TableNumber.parse(numbers[0], decimalComma: false),
                let latitude = TableNumber.parse(numbers[1], decimalComma: false)
            else {
                placemark?.problem =
                    "the coordinates in line \(line) have \"\(part.prefix(40))\", not longitude,latitude"
                return
            }
            positions.append(Coordinate(latitude: latitude, longitude: longitude))
        }
        guard !positions.isEmpty else { return }
        switch parent {
        case "Point": placemark?.points.append(positions[0])
        case "LinearRing" where path.dropLast().last?.hasSuffix("BoundaryIs") ?? false:
            guard let last = placemark?.polygons.indices.last else { return }
            if path.dropLast().last != "outerBoundaryIs" {
                placemark?.polygons[last].inner.append(positions)
            } else if placemark?.polygons[last].outer == nil {
                placemark?.polygons[last].outer = positions
            } else {
                placemark?.problem = "the Polygon before line \(line) has two outer boundaries: write two Polygons"
            }
        case "LineString", "LinearRing": placemark?.lines.append(positions)
        default: break
        }
    }

    private static func joinedCommas(_ text: String) -> String {
        guard text.contains(", ") || text.contains(" ,") else { return text }
        var joined: [UInt8] = []
        joined.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte == UInt8(ascii: " "), joined.last == UInt8(ascii: ",") { continue }
            if byte == UInt8(ascii: ",") {
                while joined.last == UInt8(ascii: " ") { joined.removeLast() }
            }
            joined.append(byte)
        }
        return String(decoding: joined, as: UTF8.self)
    }

    private mutating func finish(_ placemark: Placemark) {
        let position = Diagnostic.Position.line(placemark.line)
        let label = placemark.name.isEmpty ? "The placemark" : "\"\(placemark.name)\""
        if let problem = placemark.problem { return reading.refuse("\(label) is left out: \(problem).", at: position) }
        var geometries = placemark.points.map(Place.Geometry.point)
        if !placemark.lines.isEmpty { geometries.append(.lines(placemark.lines)) }
        let polygons = placemark.polygons.filter { $0.outer != nil || !$0.inner.isEmpty }
        guard polygons.allSatisfy({ $0.outer != nil }) else {
            return reading.refuse(
                "\(label) is left out: it has a Polygon with inner boundaries and no outer one, so what is inside is not said.",
                at: position)
        }
        if !polygons.isEmpty { geometries.append(.polygons(polygons.map { [$0.outer ?? []] + $0.inner })) }
        guard !geometries.isEmpty else {
            if placemark.hasTrack { return reading.ignore("tracks, which are locations: see fencepost import") }
            let address = placemark.properties.members.contains { $0.name == "address" }
            return reading.refuse(
                "\(label) is left out: it has no geometry\(address ? ", only an address" : "").",
                code: "missing_geometry",
                at: position)
        }
        for geometry in geometries {
            var place = Place(geometry, name: placemark.name, at: position)
            place.id = geometries.count == 1 ? placemark.id : nil
            place.tags = folders.filter { !$0.isEmpty }
            place.properties = placemark.properties
            reading.places.append(place)
        }
    }
}
