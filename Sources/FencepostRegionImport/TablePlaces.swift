import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostRegionFiles

/// The rows of a table: places with a latitude and a longitude, or with a geometry as text, or geohashes.
struct TablePlaces {
    private enum Role {
        case latitude(Double), longitude(Double), northSouth, eastWest, both, geometry, geohash
        case id, name, tags, devices, radius(Double), width(Double)
        /// A number of a region, such as an altitude.
        case measure
        case other
    }

    private let table: PlainTable
    private let roles: [Role]
    private var reading = PlaceReading()
    /// The places whose geometry is well-known text, and whether its latitude comes first, as a circle of Traccar or a latitude
    /// beyond the poles shows.
    private var texts: [Int] = []
    private var isLatitudeFirst = false

    /// `nil` without a row of names with coordinates or geometries.
    init?(_ bytes: [UInt8]) {
        guard let table = PlainTable(bytes, isHeader: { Self.isLocated(Self.roles(of: $0)) }) else { return nil }
        self.table = table
        roles = Self.roles(of: table.names)
    }

    mutating func places() -> PlaceReading {
        for line in table.tooLong {
            reading.refuse(
                "The row is left out: it has more than \(PlainTable.lengthLimit >> 20) MiB. Perhaps a quote has no end.",
                at: .line(line))
        }
        for (index, row) in table.rows.enumerated() {
            do throws(Rejection) {
                if table.endsInRow, index == table.rows.count - 1, row.cells.count < roles.count {
                    throw Rejection(
                        .invalidShape, "the file ends in it, after \(row.cells.count) of \(roles.count) values")
                }
                try take(row.cells, line: row.line)
            } catch {
                reading.refuse("The row is left out: \(error.message).", at: .line(row.line))
            }
        }
        if isLatitudeFirst, !texts.isEmpty {
            for index in texts { reading.places[index].geometry = reading.places[index].geometry.swapped }
            reading.notes.append("the latitude comes first, as Traccar writes well-known text")
        }
        return reading
    }

    // MARK: Names

    private static func isLocated(_ roles: [Role]) -> Bool {
        var found: Set<Int> = []
        for role in roles {
            switch role {
            case .latitude: found.insert(0)
            case .longitude: found.insert(1)
            case .both, .geometry, .geohash: found.formUnion([0, 1])
            case .northSouth, .eastWest, .id, .name, .tags, .devices, .radius, .width, .measure, .other: break
            }
        }
        return found.count == 2
    }

    private static func roles(of names: [String]) -> [Role] {
        var hasName = false
        return names.map { name in
            let word = name.lowercased().filter { $0.isLetter || $0.isNumber }
            let role = role(of: word, name)
            if case .name = role {
                guard !hasName else { return .other }
                hasName = true
            }
            return role
        }
    }

    private static func role(of word: String, _ name: String) -> Role {
        switch word {
        case "wkt", "geom", "thegeom", "geometry", "wkbgeometry", "area", "polygon", "shape", "wkb", "ewkt":
            return .geometry
        case "geohash": return .geohash
        case "coordinates", "coordinate", "latlng", "latlon", "latlong", "latitudelongitude", "koordinaten", "coords",
            "gps":
            return .both
        case "id", "regionid", "key", "code": return .id
        case "devices": return .devices
        case "minaltitude", "maxaltitude", "speedlimit": return .measure
        case "tags", "tag", "category", "type", "group", "kategorie", "gruppe": return .tags
        case let word where PlaceProperties.headings.prefix(10).contains(word): return .name
        default: break
        }
        for start in ["radius", "rad", "umkreis", "width"] where word.hasPrefix(start) {
            guard let factor = LengthText.factors[String(word.dropFirst(start.count))] else { continue }
            return start == "width" ? .width(factor) : .radius(factor)
        }
        switch CoordinateHeading(name) {
        case .latitude(let factor): return .latitude(factor)
        case .longitude(let factor): return .longitude(factor)
        case .northSouth: return .northSouth
        case .eastWest: return .eastWest
        case nil: return .other
        }
    }

    // MARK: Rows

    private mutating func take(_ cells: [String], line: Int) throws(Rejection) {
        guard cells.count <= roles.count || cells.dropFirst(roles.count).allSatisfy(\.isEmpty) else {
            throw Rejection(
                .invalidShape,
                "it has \(cells.count) cells, but there are \(roles.count) names: a decimal comma needs another separator or quotes"
            )
        }
        var place = Place(.lines([]), at: .line(line))
        var (latitude, longitude): (Double?, Double?) = (nil, nil)
        var (south, west) = (false, false)
        var geometries: [(geometry: Place.Geometry, radius: Double?)] = []
        var isText = false
        let hasCommas = hasDecimalCommas(cells)
        for (index, cell) in cells.prefix(roles.count).enumerated() where !cell.isEmpty {
            switch roles[index] {
            case .latitude(let factor):
                if latitude == nil { latitude = try TableNumber.degrees(cell, isLatitude: true) * factor }
            case .longitude(let factor):
                if longitude == nil { longitude = try TableNumber.degrees(cell, isLatitude: false) * factor }
            case .northSouth: south = try Self.isNegative(cell, "N", "S")
            case .eastWest: west = try Self.isNegative(cell, "E", "W")
            case .both: (latitude, longitude) = try Self.pair(cell)
            case .geometry: (geometries, isText) = try self.geometries(cell)
            case .geohash: geometries = [(try Geohash.polygon(cell), nil)]
            case .id: place.id = cell
            case .name: place.name = cell
            case .tags: place.tags += PlaceProperties.tags(cell)
            case .radius(let factor): place.radius = try length(cell, hasCommas) * factor
            case .width(let factor): place.width = try length(cell, hasCommas) * factor
            case .devices: place.properties.add(table.names[index], texts: PlaceProperties.tags(cell))
            case .measure:
                try Self.checkMark(cell, hasCommas)
                if let number = TableNumber.parse(cell, decimalComma: table.separator != ",") {
                    place.properties.add(table.names[index], JSONText(JSONText.number(number)))
                } else {
                    place.properties.add(table.names[index], cell)
                }
            case .other:
                place.properties.add(table.names[index].isEmpty ? "column\(index + 1)" : table.names[index], cell)
            }
        }
        if geometries.isEmpty, let latitude, let longitude {
            guard !(south && latitude < 0), !(west && longitude < 0) else {
                throw Rejection(.invalidNumber, "a coordinate has a sign and a letter: use one of them")
            }
            geometries = [
                (
                    .point(
                        Coordinate(latitude: south ? -latitude : latitude, longitude: west ? -longitude : longitude)),
                    nil
                )
            ]
        }
        guard !geometries.isEmpty else { throw Rejection(.missingCoordinate, "it has no coordinates") }
        for (geometry, radius) in geometries {
            place.geometry = geometry
            place.radius = radius ?? place.radius
            if isText {
                texts.append(reading.places.count)
                isLatitudeFirst = isLatitudeFirst || radius != nil || geometry.hasLatitudeBeyondPole
            }
            reading.places.append(place)
        }
    }

    /// Whether a coordinate of a row has a decimal comma: then a point in another number divides thousands.
    private func hasDecimalCommas(_ cells: [String]) -> Bool {
        guard table.separator != "," else { return false }
        return zip(roles, cells).contains { role, cell in
            switch role {
            case .latitude, .longitude: cell.contains(",")
            case .northSouth, .eastWest, .both, .geometry, .geohash, .id, .name, .tags, .devices, .radius, .width,
                .measure,
                .other:
                false
            }
        }
    }

    private static func checkMark(_ cell: String, _ hasCommas: Bool) throws(Rejection) {
        guard hasCommas, cell.contains(".") else { return }
        throw Rejection(
            .invalidNumber,
            "it has numbers with a comma, so \"\(cell.prefix(40))\" may be in thousands: write it without the point")
    }

    /// A latitude and a longitude in one cell, as map programs copy them.
    private static func pair(_ cell: String) throws(Rejection) -> (Double?, Double?) {
        let text = cell.filter { !"()[]".contains($0) }
        for separator in [", ", ";", ",", " "] where text.contains(separator) {
            let parts = text.split(separator: separator).map { $0.trimmed }
            guard parts.count == 2 else { continue }
            return (
                try TableNumber.degrees(parts[0], isLatitude: true),
                try TableNumber.degrees(parts[1], isLatitude: false)
            )
        }
        throw Rejection(.invalidNumber, "\"\(cell.prefix(40))\" is not a latitude and a longitude")
    }

    private static func isNegative(_ cell: String, _ positive: String, _ negative: String) throws(Rejection) -> Bool {
        let letter = cell.uppercased().prefix(1)
        guard letter == positive || letter == negative else {
            throw Rejection(.invalidNumber, "\"\(cell.prefix(40))\" is neither \(positive) nor \(negative)")
        }
        return letter == negative
    }

    /// Metres, or a number with its unit.
    private func length(_ cell: String, _ hasCommas: Bool) throws(Rejection) -> Double {
        try Self.checkMark(cell, hasCommas)
        guard let (digits, factor) = LengthText.parts(of: cell),
            let number = TableNumber.parse(digits, decimalComma: table.separator != ",")
        else { throw Rejection(.invalidNumber, "\"\(cell.prefix(40))\" is no length in metres") }
        return number * factor
    }

    /// The geometries of a cell, and whether they are of well-known text.
    private func geometries(_ cell: String) throws(Rejection) -> ([(Place.Geometry, Double?)], isText: Bool) {
        if let bytes = WKBReader.bytes(
            hex: cell.hasPrefix("\\x") || cell.hasPrefix("0x") ? String(cell.dropFirst(2)) : cell)
        {
            var reader = WKBReader(bytes)
            do throws(WKBReader.Failure) {
                return (try reader.geometries().map { ($0, nil) }, false)
            } catch {
                throw Rejection(.invalidShape, error.message)
            }
        }
        var scanner = WKTScanner(cell)
        do throws(WKTScanner.Failure) {
            return (try scanner.geometries().map { ($0.geometry, $0.radius) }, true)
        } catch {
            throw Rejection(.invalidShape, error.message)
        }
    }
}

/// Cells of geohash: texts of base 32 whose bits halve longitude and latitude in turn.
enum Geohash {
    private static let digits = Array("0123456789bcdefghjkmnpqrstuvwxyz")

    /// The rectangle of a cell.
    static func polygon(_ text: String) throws(Rejection) -> Place.Geometry {
        var (west, east, south, north) = (-180.0, 180.0, -90.0, 90.0)
        var isLongitude = true
        guard (1...12).contains(text.count) else {
            throw Rejection(.invalidShape, "\"\(text.prefix(40))\" is no geohash: it has 1 to 12 characters")
        }
        for character in text.lowercased() {
            guard let digit = digits.firstIndex(of: character) else {
                throw Rejection(.invalidShape, "\"\(text)\" is no geohash, because of \"\(character)\"")
            }
            for bit in (0..<5).reversed() {
                let isUpper = digit >> bit & 1 == 1
                if isLongitude {
                    if isUpper { west = (west + east) / 2 } else { east = (west + east) / 2 }
                } else {
                    if isUpper { south = (south + north) / 2 } else { north = (south + north) / 2 }
                }
                isLongitude.toggle()
            }
        }
        let corners = [(south, west), (south, east), (north, east), (north, west), (south, west)]
        return .polygons([[corners.map { Coordinate(latitude: $0.0, longitude: $0.1) }]])
    }
}
