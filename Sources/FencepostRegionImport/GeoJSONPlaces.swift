import FencepostGeometry
import FencepostJSON
import FencepostModel

/// The features of GeoJSON as other programs write it: collections, lines, arrays, with or without names and ids.
enum GeoJSONPlaces {
    /// Reads a document: a collection, a feature, or an array of features.
    static func places(_ root: JSONElement) -> PlaceReading {
        var reading = PlaceReading()
        if let problem = problem(of: root) {
            reading.refuse(problem, code: "crs_not_supported", at: .pointer("/crs"))
            return reading
        }
        if let array = root.array ?? root["features"]?.array {
            let base = root.array == nil ? "/features" : ""
            for (index, feature) in array.enumerated() {
                take(feature, at: .pointer("\(base)/\(index)"), into: &reading)
            }
        } else {
            take(root, at: .pointer(""), into: &reading)
        }
        return reading
    }

    /// Reads lines with a feature or a collection each.
    static func places(lines bytes: [UInt8]) -> PlaceReading {
        var reading = PlaceReading()
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            // RFC 8142 puts a record separator before each text.
            let text = line.drop { $0 <= 0x20 }
            guard !text.isEmpty else { continue }
            do throws(JSONSyntaxError) {
                let root = try JSONDocument(parsing: text).root
                for feature in root["features"]?.array.map({ Array($0) }) ?? [root] {
                    take(feature, at: .line(index + 1), into: &reading)
                }
            } catch {
                reading.refuse(
                    "The line is left out: it is not JSON: \(error.message).", code: "invalid_json",
                    at: .line(index + 1))
            }
        }
        return reading
    }

    private static func problem(of root: JSONElement) -> String? {
        guard let name = root["crs"]?["properties"]?["name"]?.string,
            !["CRS84", "4326"].contains(where: { name.hasSuffix($0) })
        else { return nil }
        return
            "The reference system is \(TextLimit.truncated(name, to: 60)), not WGS 84: convert the file by ogr2ogr -f GeoJSON "
            + "-lco RFC7946=YES."
    }

    private static func take(
        _ feature: JSONElement, at position: Diagnostic.Position, into reading: inout PlaceReading
    ) {
        let geometry =
            feature["geometry"] ?? (feature["coordinates"] != nil || feature["geometries"] != nil ? feature : nil)
        guard feature.kind == .object, let geometry, geometry.kind == .object else {
            return reading.refuse(
                "The feature is left out: it has no geometry.", code: "missing_geometry", at: position)
        }
        var properties = PlaceProperties()
        for member in feature["properties"]?.object.map({ Array($0) }) ?? [] {
            properties.add(member.name, member.value)
        }
        let tags = properties.takeTags()
        let id = feature["id"] ?? properties.take("id")
        let name = properties.takeName()
        let parts = geometries(geometry)
        for part in parts {
            var place = Place(part, name: name, at: position)
            place.tags = tags
            place.properties = properties
            if parts.count == 1 {
                place.id = id.flatMap { $0.string ?? ($0.kind == .number ? $0.text : nil) }
            }
            reading.places.append(place)
        }
    }

    /// The parts of what cannot be one region.
    private static func geometries(_ geometry: JSONElement) -> [Place.Geometry] {
        switch geometry["type"]?.string {
        case "GeometryCollection":
            return (geometry["geometries"]?.array.map { Array($0) } ?? []).flatMap(geometries)
        case "MultiPoint":
            return (geometry["coordinates"]?.array.map { Array($0) } ?? []).compactMap { element in
                guard let longitude = element[0]?.double, let latitude = element[1]?.double else { return nil }
                return .point(Coordinate(latitude: latitude, longitude: longitude))
            }
        default: return [.json(geometry)]  // text of the file
        }
    }
}
