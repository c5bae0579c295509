import FencepostModel
import FencepostRegionFiles
import Foundation
import Testing

@Suite("Regions in the format of another program") struct ForeignFormatTests {
    private static let collection =
        #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"a","properties":{"radius":5},"geometry":{"type":"Point","coordinates":[11,48]}}]}"#

    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.utf8.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }

    private static let point = "010100000000000000000026400000000000004840"

    /// The first bytes of files, and the name that the message gives them.
    static let files: [(bytes: [UInt8], name: String)] = [
        (Array(#"<kml:kml xmlns:kml="http://www.opengis.net/kml/2.2"><kml:Document/></kml:kml>"#.utf8), "This is KML"),
        (Array(#"<gpx version="1.1"><wpt lat="48" lon="11"><name>Home</name></wpt></gpx>"#.utf8), "This is GPX."),
        (Array(#"<a:FeatureCollection xmlns:gml="http://www.opengis.net/gml/3.2"/>"#.utf8), "This is GML."),
        (Array("POLYGON((11 48,12 48,12 49,11 48))\n".utf8), "This is well-known text"),
        (Array("SRID=4326;POINT(11 48)".utf8), "This is well-known text"),
        (bytes(point), "This is well-known binary"),
        (Array((point + "\n").utf8), "This is well-known binary"),
        // EWKB with its reference system.
        (bytes("0101000020E610000000000000000026400000000000004840"), "This is well-known binary"),
        (Array("PK\u{03}\u{04}".utf8) + [20, 0, 0, 0], "This is a zip archive, such as KMZ"),
        ([0, 0, 0x27, 0x0A] + [UInt8](repeating: 0, count: 96), "This is a shapefile."),
        (Array("SQLite format 3\0".utf8), "This is an SQLite file, such as a GeoPackage."),
        (Array("fgb\u{03}fgb\0".utf8), "This is FlatGeobuf."),
        (Array("id,name,lat,lon,radius\n1,Home,48,11,100\n".utf8), "This is a table (CSV)."),
        (Array("WKT;name\n\"POINT (11 48)\";Home\n".utf8), "This is a table (CSV)."),
        (Array("891e1c96303ffff\n891e1c96307ffff\n".utf8), "These are cells of H3."),
        (Array("u281z7\nu281z5\n".utf8), "These are geohashes."),
        ([0xFF, 0xFE] + collection.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, "This is UTF-16."),
        (Array("$GPRMC,083000,A,4807.038,N,01131.000,E,022.4,084.4,010326,,*6A\n".utf8), "This is a file of locations"),
        (Array("\u{1E}\(collection.replacing("Collection", with: ""))\n".utf8), "This is not JSON"),
    ]

    @Test("are refused by the name of the format, with what to do", arguments: files)
    func isNamed(_ file: (bytes: [UInt8], name: String)) throws {
        let reading = RegionFile.read(file.bytes, name: "regions")
        #expect(reading.regions.isEmpty)
        let diagnostic = try #require(reading.diagnostics.first)
        #expect(reading.diagnostics.count == 1)
        #expect(diagnostic.code == "invalid_json")
        #expect(diagnostic.message.hasPrefix(file.name), "\(diagnostic.message)")
        #expect(diagnostic.message.contains("GeoJSON") || file.name == "This is not JSON")
    }

    @Test(
        "are not found in broken GeoJSON, in words or in nothing",
        arguments: ["{\"type\":", "", "hello", "[1,2", "{a,b}", "48;"])
    func isNotNamed(_ text: String) {
        let messages = RegionFile.read(Array(text.utf8)).diagnostics.map(\.message)
        #expect(
            messages.allSatisfy {
                $0.hasPrefix("This is not JSON") || $0.hasPrefix("This is a table") == text.contains(";")
            })
    }

    @Test("are known where GeoJSON is one of them: QGIS writes the reference system")
    func qgis() {
        let text = Self.collection.replacing(
            #""features""#,
            with:
                #""name":"zones","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}},"features""#
        )
        let reading = RegionFile.read(Array(text.utf8))
        #expect(reading.regions.map(\.id.rawValue) == ["a"])
        #expect(reading.diagnostics.map(\.code) == ["crs_is_default"])
    }
}
