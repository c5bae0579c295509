import FencepostFormats
import FencepostGeometry
import FencepostModel

/// The waypoints and routes of GPX. Tracks are locations and are only counted.
struct GPXPlaces: XMLContent {
    static let root = "gpx"

    private struct Item {
        var line: Int
        var name = ""
        var type = ""
        var radius: Double?
        var properties = PlaceProperties()
        var positions: [Coordinate] = []
        var problem: String?
    }

    private(set) var reading = PlaceReading()
    private var path: [String] = []
    private var item: Item?

    private static let wanted: Set<String> = ["name", "cmt", "desc", "type", "sym", "Proximity", "proximity", "radius"]

    mutating func start(_ element: XMLElement) -> Bool {
        path.append(element.name)
        switch element.name {
        case "wpt":
            item = Item(line: element.line)
            take(position: element)
        case "rte": item = Item(line: element.line)
        case "rtept": take(position: element)
        case "trk": reading.ignore("tracks, which are locations: see fencepost import")
        default: break
        }
        return item != nil && Self.wanted.contains(element.name)
    }

    mutating func end(_ name: String, text: String, line: Int) {
        path.removeLast()
        let isDirect = path.last == "wpt" || path.last == "rte"
        switch name {
        case "name" where isDirect: item?.name = text
        case "type" where isDirect: item?.type = text
        case "cmt" where isDirect, "desc" where isDirect, "sym" where isDirect: item?.properties.add(name, text)
        // Garmin's alarm distance, and what other programs put into extensions: metres.
        case "Proximity" where !path.contains("rtept"), "proximity" where !path.contains("rtept"),
            "radius" where !path.contains("rtept"):
            item?.radius = TableNumber.parse(text)
        case "wpt", "rte":
            if let item { finish(item, isRoute: name == "rte") }
            item = nil
        default: break
        }
    }

    private mutating func take(position element: XMLElement) {
        func number(_ name: String) -> Double? {
            element[name].flatMap {
                TableNumber.parse(String(decoding: $0, as: UTF8.self).trimmed, decimalComma: false)
            }
        }
        guard let latitude = number("lat"), let longitude = number("lon") else {
            item?.problem = "the \(element.name) in line \(element.line) has no numbers lat and lon"
            return
        }
        item?.positions.append(Coordinate(latitude: latitude, longitude: longitude))
    }

    private mutating func finish(_ item: Item, isRoute: Bool) {
        let label = item.name.isEmpty ? "The \(isRoute ? "route" : "waypoint")" : "\"\(item.name)\""
        if let problem = item.problem {
            return reading.refuse("\(label) is left out: \(problem).", at: .line(item.line))
        }
        guard let first = item.positions.first, !isRoute || item.positions.count > 1 else {
            return reading.refuse(
                "\(label) is left out: a route needs two points.", code: "line_too_short", at: .line(item.line))
        }
        var place = Place(isRoute ? .lines([item.positions]) : .point(first), name: item.name, at: .line(item.line))
        place.radius = item.radius
        place.width = isRoute ? item.radius.map { 2 * $0 } : nil
        place.tags = item.type.isEmpty ? [] : [item.type]
        place.properties = item.properties
        reading.places.append(place)
    }
}
