package import FencepostJSON

/// A format in which other programs keep regions. A region file of it is refused by a message that names it and says how to
/// convert it.
package enum ForeignRegionFormat: Sendable {
    case xml, kml, gpx, gml, wkt, wkb, geoJSONLines, traccar, featureArray, ownTracks, topoJSON, esri
    case archive, shapefile, geoPackage, flatGeobuf, table, cells, geohashes, utf16, locationFile

    /// What a file that is no JSON is; `nil` for none of these.
    package init?(bytes: some Collection<UInt8>) {
        if let format = ForeignRegionFormat(binary: Array(bytes.prefix(64))) {
            self = format
            return
        }
        let start = String(decoding: bytes.prefix(4096), as: UTF8.self)
            .drop { $0.isWhitespace || $0 == "\u{FEFF}" || $0 == "\u{1E}" }
        if start.hasPrefix("<") {
            self =
                start.contains("<kml") || start.contains(":kml")
                ? .kml : start.contains("<gpx") ? .gpx : start.contains("opengis.net/gml") ? .gml : .xml
            return
        }
        let word = start.prefix { $0.isLetter }.lowercased()
        if ["", "z", "m", "zm"].contains(where: {
            word.hasSuffix($0) && Self.geometryWords.contains(String(word.dropLast($0.count)))
        }),
            start.dropFirst(word.count).contains(where: { "(=".contains($0) })
        {
            self = .wkt
            return
        }
        if start.hasPrefix("{"), start.contains("\"Feature\""), Self.hasSecondObject(bytes) {
            self = .geoJSONLines
            return
        }
        // One text of JSON after the other; RFC 8142 puts a record separator before each.
        let lines = start.split(omittingEmptySubsequences: true) { $0.isNewline || $0 == "\u{1E}" }
        guard lines.count > 1, lines.prefix(2).allSatisfy({ $0.hasPrefix("{") }), lines[0].contains("\"Feature\"")
        else {
            guard let format = ForeignRegionFormat(lines: lines, isWhole: bytes.count <= 4096) else { return nil }
            self = format
            return
        }
        self = .geoJSONLines
    }

    /// Whether the second line begins an object too. A boundary makes the first one as long as it likes.
    private static func hasSecondObject(_ bytes: some Collection<UInt8>) -> Bool {
        let start = bytes.drop { $0 <= 0x20 }
        guard let end = start.firstIndex(of: 0x0A) else { return false }
        let last = start[..<end].suffix(8).filter { $0 > 0x20 }.last
        return last == UInt8(ascii: "}") && start[end...].first { $0 > 0x20 } == UInt8(ascii: "{")
    }

    /// Formats with a mark in their first bytes.
    private init?(binary start: [UInt8]) {
        if start.starts(with: "PK\u{03}\u{04}".utf8) {
            self = .archive
        } else if start.starts(with: [0, 0, 0x27, 0x0A]) {
            self = .shapefile
        } else if start.starts(with: "SQLite format 3".utf8) {
            self = .geoPackage
        } else if start.starts(with: "fgb".utf8) {
            self = .flatGeobuf
        } else if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
            self = .utf16
        } else if start.count >= 9, Self.isGeometry(start) {
            self = .wkb
        } else if start.starts(with: [0x1F, 0x8B]) || start.dropFirst(8).starts(with: ".FIT".utf8)
            || start.starts(with: "$G".utf8)
        {
            self = .locationFile
        } else {
            return nil
        }
    }

    /// Whether bytes are the start of WKB: the order of bytes, and the number of a type of geometry, perhaps with the flags of EWKB.
    private static func isGeometry(_ bytes: [UInt8]) -> Bool {
        guard bytes[0] <= 1 else { return false }
        let number = bytes[0] == 1 ? Array(bytes[1...4].reversed()) : Array(bytes[1...4])
        // ISO adds 1000 for each further dimension, EWKB has flags in the first byte.
        let kind = Int(number[2]) << 8 + Int(number[3])
        return number[0] & 0x1F == 0 && number[1] == 0 && kind < 4000 && (1...7).contains(kind % 1000)
    }

    /// Lists of geometries and of cells, and tables.
    private init?(lines: [Substring], isWhole: Bool) {
        let texts = (isWhole ? lines : lines.dropLast())
            .map { $0.trimmingPrefix { $0.isWhitespace }.lowercased().filter { !" ,\";\t\r".contains($0) } }
            .filter { !$0.isEmpty }
        // One geometry in hexadecimal digits may be longer than what is looked at.
        guard let first = texts.first ?? lines.first?.lowercased() else { return nil }
        let start = stride(from: 0, to: min(first.utf8.count - first.utf8.count % 2, 32), by: 2).compactMap { offset in
            UInt8(
                first.utf8.dropFirst(offset).prefix(2).reduce(into: "") { $0 += String(Unicode.Scalar($1)) }, radix: 16)
        }
        if start.count >= 9, first.allSatisfy(\.isHexDigit), Self.isGeometry(start) {
            self = .wkb
        } else if texts.allSatisfy({ $0.count == 15 && $0.hasPrefix("8") && $0.allSatisfy(\.isHexDigit) }) {
            self = .cells
        } else if texts.allSatisfy({ (4...12).contains($0.count) && $0.allSatisfy(Self.geohashLetters.contains) }) {
            self = .geohashes
        } else if let names = lines.first, names.contains(where: { ",;\t|".contains($0) }),
            !"{[".contains(names.first ?? "{")
        {
            self = .table
        } else {
            return nil
        }
    }

    /// What well-known text begins with.
    private static let geometryWords: Set<String> = [
        "point", "multipoint", "linestring", "multilinestring", "polygon", "multipolygon", "geometrycollection",
        "circle",
        "srid",
    ]

    private static let geohashLetters = Set("0123456789bcdefghjkmnpqrstuvwxyz")

    /// What a document of JSON is that no type of GeoJSON claims; `nil` for none of these formats.
    package init?(besidesGeoJSON root: JSONElement) {
        guard root["type"]?.string.map({ !GeoJSONDocument.types.contains($0) }) ?? true else { return nil }
        self.init(root)
    }

    /// What a document of JSON that is neither a Feature nor a FeatureCollection is; `nil` for none of these.
    package init?(_ root: JSONElement) {
        if let first = root.array.flatMap({ Array($0).first }) {
            if first["area"] != nil {
                self = .traccar
            } else if first["type"]?.string == "Feature" {
                self = .featureArray
            } else if first["_type"] != nil || first["tst"] != nil {
                self = .ownTracks
            } else {
                return nil
            }
        } else if root["_type"] != nil || root["waypoints"] != nil {
            self = .ownTracks
        } else if root["area"] != nil {
            self = .traccar
        } else if root["type"]?.string == "Topology" {
            self = .topoJSON
        } else if root["rings"] != nil || root["geometryType"] != nil || root["spatialReference"] != nil {
            self = .esri
        } else {
            return nil
        }
    }

    /// What the file is, in a sentence.
    package var statement: String {
        switch self {
        case .xml: "This is XML."
        case .kml: "This is KML, as of Google My Maps and Google Earth."
        case .gpx: "This is GPX."
        case .gml: "This is GML."
        case .wkt: "This is well-known text (WKT), as Traccar stores geofences."
        case .wkb: "This is well-known binary (WKB)."
        case .archive: "This is a zip archive, such as KMZ or a zipped shapefile."
        case .shapefile: "This is a shapefile."
        case .geoPackage: "This is an SQLite file, such as a GeoPackage."
        case .flatGeobuf: "This is FlatGeobuf."
        case .table: "This is a table (CSV)."
        case .cells: "These are cells of H3."
        case .geohashes: "These are geohashes."
        case .utf16: "This is UTF-16."
        case .locationFile: "This is a file of locations or a compressed one."
        case .geoJSONLines: "These are lines of GeoJSON, one Feature each."
        case .traccar: "These are geofences of Traccar, whose \"area\" is well-known text."
        case .featureArray: "These Features are in an array, not in a FeatureCollection."
        case .ownTracks: "These are waypoints of OwnTracks."
        case .topoJSON: "This is TopoJSON."
        case .esri: "This is JSON of ArcGIS."
        }
    }

    /// What the file is and how to convert it. `file` is its name as the user gave it; `nil` for standard input and requests.
    package func message(file: String?) -> String {
        let name = file.map(Self.quoted) ?? "FILE"
        let isGeoJSON = self == .geoJSONLines || self == .featureArray
        let start = isGeoJSON ? statement : "\(statement) A region file is GeoJSON."
        let own = "Convert it: fencepost import-regions \(name) --output regions.geojson."
        let convert = "Convert it: ogr2ogr -f GeoJSON -lco RFC7946=YES regions.geojson \(name)."
        return switch self {
        case .xml, .gml, .shapefile, .geoPackage, .flatGeobuf: "\(start) \(convert)"
        case .kml, .wkt, .wkb, .archive, .geohashes, .geoJSONLines, .traccar, .featureArray, .ownTracks, .topoJSON,
            .esri:
            "\(start) \(own)"
        case .gpx: "\(start) \(own) --radius gives the metres around a waypoint."
        case .table: "\(start) \(own) It reads columns of latitude and longitude, or of well-known text."
        case .cells:
            "\(start) Make a Polygon of each, for example with h3.cells_to_geo in Python: the cell is its id."
        case .utf16: "\(start) JSON is UTF-8: iconv -f UTF-16 -t UTF-8 \(name) > regions.geojson."
        case .locationFile: "\(start) fencepost watch and fencepost import read locations."
        }
    }

    /// A name as the shell takes it.
    package static func quoted(_ name: String) -> String {
        name.allSatisfy { $0.isLetter || $0.isNumber || "_./-+@%:,=".contains($0) } && !name.isEmpty
            ? name : "'" + name.replacing("'", with: "'\\''") + "'"
    }
}
