import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostRegionFiles

/// A format of places and areas that becomes regions.
public enum PlaceFormat: String, CaseIterable, Sendable {
    case geojson, geojsonl, kml, kmz, gpx, wkt, wkb, traccar, owntracks, csv, geohash, topojson, esri

    /// What people call it.
    public var title: String {
        switch self {
        case .geojson: "GeoJSON"
        case .geojsonl: "lines of GeoJSON"
        case .kml: "KML"
        case .kmz: "KMZ"
        case .gpx: "GPX"
        case .wkt: "well-known text"
        case .wkb: "well-known binary"
        case .traccar: "geofences of Traccar"
        case .owntracks: "waypoints of OwnTracks"
        case .csv: "a table"
        case .geohash: "geohashes"
        case .topojson: "TopoJSON"
        case .esri: "JSON of ArcGIS"
        }
    }

    /// The format of a content that is read; otherwise why it is not.
    static func detect(_ bytes: [UInt8], name: String?) -> Result<PlaceFormat, PlaceProblem> {
        if bytes.allSatisfy({ $0 <= 0x20 }) { return .failure(PlaceProblem("The file is empty.")) }
        do throws(JSONSyntaxError) {
            let root = try JSONDocument(parsing: bytes).root
            guard let format = ForeignRegionFormat(root) else {
                return root.kind == .object || root.kind == .array ? .success(.geojson) : foreign(bytes, name)
            }
            return of(format, name)
        } catch {
            guard bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") else {
                return foreign(bytes, name)
            }
            if case .geoJSONLines = ForeignRegionFormat(bytes: bytes) { return .success(.geojsonl) }
            return .failure(
                PlaceProblem(
                    "This is not JSON: \(error.message).", at: .position(line: error.line, column: error.column)))
        }
    }

    private static func foreign(_ bytes: [UInt8], _ name: String?) -> Result<PlaceFormat, PlaceProblem> {
        guard let format = ForeignRegionFormat(bytes: bytes) else {
            return .failure(
                PlaceProblem(
                    "This is none of the formats that are read: \(allCases.map(\.title).joined(separator: ", ")). --format names one."
                ))
        }
        return of(format, name)
    }

    private static func of(_ format: ForeignRegionFormat, _ name: String?) -> Result<PlaceFormat, PlaceProblem> {
        switch format {
        case .kml: return .success(.kml)
        case .gpx: return .success(.gpx)
        case .wkt: return .success(.wkt)
        case .wkb: return .success(.wkb)
        case .geoJSONLines: return .success(.geojsonl)
        case .traccar: return .success(.traccar)
        case .featureArray: return .success(.geojson)
        case .ownTracks: return .success(.owntracks)
        case .topoJSON: return .success(.topojson)
        case .esri: return .success(.esri)
        case .archive: return .success(.kmz)
        case .table, .utf16: return .success(.csv)
        case .geohashes: return .success(.geohash)
        case .cells, .xml, .gml, .shapefile, .geoPackage, .flatGeobuf, .locationFile:
            return .failure(PlaceProblem(format.message(file: name)))
        }
    }
}

/// Why a file gives no places.
struct PlaceProblem: Error {
    var message: String
    var position: Diagnostic.Position

    init(_ message: String, at position: Diagnostic.Position = .file) {
        (self.message, self.position) = (message, position)
    }
}
