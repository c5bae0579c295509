import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostRegionFiles

/// Writes places as GeoJSON, which `RegionFile` then checks.
enum PlaceWriter {
    static func collection(of places: [Place]) -> [UInt8] {
        var writer = JSONWriter()
        writer.featureCollection(of: places) { write($1, to: &$0) }
        return writer.bytes
    }

    /// Eight hexadecimal digits of a place's shape.
    static func mark(of place: Place) -> String {
        var writer = JSONWriter()
        write(place.geometry, to: &writer)
        writer.value("\(place.radius ?? 0) \(place.width ?? 0)")
        return DerivedID.mark(of: writer.bytes)
    }

    private static func write(_ place: Place, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("type")
        writer.value("Feature")
        if let id = place.id {
            writer.name("id")
            writer.value(id)
        }
        writer.name("geometry")
        write(place.geometry, to: &writer)
        writer.name("properties")
        writer.beginObject()
        var written: Set<String> = []
        func begin(_ name: String) { if written.insert(name).inserted { writer.name(name) } }
        if let radius = place.radius {
            begin("radius")
            writer.value(radius)
        }
        if let width = place.width {
            begin("width")
            writer.value(width)
        }
        if let name = place.name {
            begin("name")
            writer.value(name)
        }
        var known: Set<String> = []
        let tags = place.tags.filter { known.insert($0).inserted }
        if !tags.isEmpty {
            begin("tags")
            writer.beginArray()
            for tag in tags { writer.value(tag) }
            writer.endArray()
        }
        for (name, value) in place.properties.members where name != "id" && !written.contains(name) {
            writer.name(name)
            writer.raw(value.rawValue)
        }
        writer.endObject()
        writer.endObject()
    }

    private static func write(_ geometry: Place.Geometry, to writer: inout JSONWriter) {
        if case .json(let element) = geometry { return writer.value(element) }
        writer.beginObject()
        writer.name("type")
        switch geometry {
        case .point(let point):
            writer.value("Point")
            writer.name("coordinates")
            write(point, to: &writer)
        case .lines(let lines):
            writer.value(lines.count == 1 ? "LineString" : "MultiLineString")
            writer.name("coordinates")
            if lines.count == 1 { write(lines[0], to: &writer) } else { write(lines, to: &writer) }
        case .polygons(let polygons):
            writer.value(polygons.count == 1 ? "Polygon" : "MultiPolygon")
            writer.name("coordinates")
            if polygons.count != 1 { writer.beginArray() }
            for polygon in polygons { write(polygon, to: &writer) }
            if polygons.count != 1 { writer.endArray() }
        case .json: break
        }
        writer.endObject()
    }

    private static func write(_ lines: [[Coordinate]], to writer: inout JSONWriter) {
        writer.beginArray()
        for line in lines { write(line, to: &writer) }
        writer.endArray()
    }

    private static func write(_ line: [Coordinate], to writer: inout JSONWriter) {
        writer.beginArray()
        for position in line { write(position, to: &writer) }
        writer.endArray()
    }

    private static func write(_ position: Coordinate, to writer: inout JSONWriter) {
        writer.beginArray()
        writer.value(position.longitude)
        writer.value(position.latitude)
        writer.endArray()
    }
}

extension Place.Geometry {
    /// What a region needs besides: a radius, a width, or nothing.
    enum Dimension { case point, line, area }

    var dimension: Dimension {
        switch self {
        case .point: return .point
        case .lines: return .line
        case .polygons: return .area
        case .json(let element):
            switch element["type"]?.string {
            case "Point": return .point
            case "LineString", "MultiLineString": return .line
            default: return .area  // text of the file
            }
        }
    }
}

extension JSONText {
    /// A number without a needless fraction.
    static func number(_ number: Double) -> String {
        var writer = JSONWriter()
        writer.value(number)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
