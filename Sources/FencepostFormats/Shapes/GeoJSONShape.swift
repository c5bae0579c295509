internal import FencepostJSON
internal import FencepostModel

/// Decodes GeoJSON (RFC 7946): points with a time in their properties, lines with a time for each position.
struct GeoJSONShape: DocumentShape {
    static let arrays: Set<String> = ["features"]

    private static let geometries: Set<String> = [
        "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection",
    ]

    private var type: String?
    private var members: [String: JSONElement] = [:]

    mutating func take(_ element: JSONElement, of array: String?, into sink: inout RecordSink) throws(Rejection) {
        guard array != nil else {
            throw Rejection(.invalidShape, "the document is an array: GeoJSON is a FeatureCollection or a Feature")
        }
        guard element["type"]?.string == "Feature" else {
            throw Rejection(.invalidShape, "an element of features is not a Feature")
        }
        try take(geometry: element["geometry"], properties: element["properties"], into: &sink)
    }

    mutating func take(member name: String, _ value: JSONElement) {
        switch name {
        case "type": type = value.string
        case "geometry", "properties", "coordinates": members[name] = value
        default: break
        }
    }

    mutating func finish(hasArrays: Bool, into sink: inout RecordSink) throws(Rejection) {
        switch type {
        case "FeatureCollection":
            guard hasArrays else { throw Rejection(.invalidShape, "the FeatureCollection has no array of features") }
        case "Feature":
            do throws(Rejection) {
                try take(geometry: members["geometry"], properties: members["properties"], into: &sink)
            } catch {
                sink.append(error)
            }
        case .some(let type):
            guard type.utf8.count <= 64, GeoJSONShape.geometries.contains(type) else {
                throw Rejection(.invalidShape, "the document is of type \(type), which GeoJSON does not have")
            }
            do throws(Rejection) {
                try take(type: type, coordinates: members["coordinates"], properties: nil, into: &sink)
            } catch {
                sink.append(error)
            }
        case nil:
            throw Rejection(.invalidShape, "the document has no type: it is not GeoJSON")
        }
    }

    private mutating func take(
        geometry: JSONElement?, properties: JSONElement?, into sink: inout RecordSink
    ) throws(Rejection) {
        guard let geometry, !geometry.isNull else {
            throw Rejection(.missingCoordinate, "the feature has no geometry")
        }
        guard let type = geometry["type"]?.string else {
            throw Rejection(.invalidShape, "the geometry of the feature has no type")
        }
        try take(type: type, coordinates: geometry["coordinates"], properties: properties, into: &sink)
    }

    private mutating func take(
        type: String, coordinates: JSONElement?, properties: JSONElement?, into sink: inout RecordSink
    ) throws(Rejection) {
        var common = RawFix()
        if let properties, properties.object != nil { common = try RawFix(properties: properties, names: &sink.names) }
        switch type {
        case "Point":
            try GeoJSONShape.readPosition(coordinates, into: &common)
            sink.append(common)
        case "LineString", "MultiPoint":
            let times = GeoJSONShape.times(properties)
            try take(line: coordinates, times: times, common: common, into: &sink)
        case "MultiLineString":
            guard let lines = coordinates?.array else {
                throw Rejection(.missingCoordinate, "the lines have no coordinates")
            }
            let times = GeoJSONShape.times(properties)
            for (index, line) in lines.enumerated() {
                try take(line: line, times: times?[index], common: common, into: &sink)
            }
        default:
            throw Rejection(.invalidShape, "a \(type) has no locations: use points, or lines with times")
        }
    }

    private mutating func take(
        line: JSONElement?, times: JSONElement?, common: RawFix, into sink: inout RecordSink
    ) throws(Rejection) {
        guard let positions = line?.array else { throw Rejection(.missingCoordinate, "the line has no coordinates") }
        guard times != nil || !sink.context.rules.requiresTimestamp else {
            throw Rejection(
                .missingTimestamp, "the line has no times: add coordTimes, an array with a time for each position")
        }
        sink.appendGap()
        var times = times?.array?.makeIterator()
        for position in positions {
            var raw = common
            let time = times?.next()
            if let number = time?.double {
                raw.time = RawTime(epoch: number)
            } else if let text = time?.utf8 {
                raw.time = RawTime(text: text, assumingUTC: false)
            }
            do throws(Rejection) {
                try GeoJSONShape.readPosition(position, into: &raw)
                sink.append(raw)
            } catch {
                sink.append(error)
            }
        }
    }

    /// The members that converters use for the times of a line's positions.
    private static func times(_ properties: JSONElement?) -> JSONElement? {
        properties?["coordTimes"] ?? properties?["times"] ?? properties?["coordinateProperties"]?["times"]
    }

    /// Sets the coordinate of a fix from a position, longitude first.
    static func readPosition(_ position: JSONElement?, into raw: inout RawFix) throws(Rejection) {
        guard let position = position?.array, position.count >= 2 else {
            throw Rejection(.missingCoordinate, "the position is not an array of longitude and latitude")
        }
        var numbers: [Double] = []
        for element in position.prefix(3) {
            guard let number = element.double else {
                throw Rejection(.invalidNumber, "the position contains a value that is not a number")
            }
            numbers.append(number)
        }
        raw.longitude = numbers[0]
        raw.latitude = numbers[1]
        if numbers.count > 2, raw.altitude == nil { raw.altitude = numbers[2] }
    }
}
