import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegionImport
import Foundation
import Testing

@Suite("Region files of any format") struct AnyRegionFileTests {
    private static func circle(_ id: String, _ properties: String = #""radius":10"#) -> String {
        #"{"type":"Feature","id":"\#(id)","properties":{\#(properties)},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    }

    private static func read(_ text: String, _ options: RegionOptions = RegionOptions()) -> RegionFile.Reading {
        AnyRegionFile.read(Array(text.utf8), name: "places", options: options)
    }

    @Test("have the regions of the import, with a warning that names the format", arguments: RegionImportTests.files)
    func foreign(_ file: (format: String, text: String)) {
        let reading = Self.read(file.text)
        #expect(reading.regions == RegionImport(Array(file.text.utf8)).regions)
        #expect(reading.regions.count == 3 && reading.positions.count == 3)
        #expect(reading.diagnostics.allSatisfy { $0.severity == .warning && $0.file == "places" })
        // Only GeoJSON in lines is GeoJSON, and is named as well.
        #expect(reading.diagnostics.first?.code == "foreign_format", "\(reading.diagnostics)")
        #expect(reading.diagnostics.first?.message.contains("fencepost import-regions") == true)
    }

    @Test(
        "are read as ever where they are GeoJSON, with the same problems",
        arguments: [
            circle("a"), circle("a", ""), #"{"type":"FeatureCollection","features":[\#(circle("a")),\#(circle("a"))]}"#,
            #"{"type":"FeatureCollection","features":[]}"#, #"{"type":"Point","coordinates":[1,2]}"#, "[1,2]", "{",
            #"{"type":"FeatureCollection","crs":{"properties":{"name":"EPSG:3857"}},"features":[\#(circle("a"))]}"#,
        ])
    func geoJSON(_ text: String) {
        let (one, other) = (Self.read(text), RegionFile.read(Array(text.utf8), name: "places"))
        #expect(one.regions == other.regions && one.positions == other.positions)
        #expect(one.diagnostics == other.diagnostics)
    }

    @Test(
        "have the error of ever in a format that is not read",
        arguments: [
            "SQLite format 3\0", "891e1c96303ffff\n", "<gml:a xmlns:gml=\"http://www.opengis.net/gml\"/>", "hello", "",
        ])
    func unread(_ text: String) {
        let reading = Self.read(text)
        #expect(reading.regions.isEmpty)
        #expect(reading.diagnostics == RegionFile.read(Array(text.utf8), name: "places").diagnostics)
        #expect(reading.diagnostics.map(\.code) == ["invalid_json"])
    }

    @Test("are read in UTF-16, whatever the format")
    func utf16() {
        for text in [Self.circle("a"), "name,lat,lon,radius\na,2,1,10\n"] {
            let bytes: [UInt8] = text.utf16.reduce(into: [0xFF, 0xFE]) { $0 += [UInt8($1 & 0xFF), UInt8($1 >> 8)] }
            let reading = AnyRegionFile.read(bytes)
            #expect(reading.regions.map(\.id.rawValue) == ["a"])
            #expect(reading.diagnostics.first?.message.hasPrefix("This is UTF-16.") == true, "\(reading.diagnostics)")
        }
    }

    @Test("say what was assumed, and what cannot be a region with its place")
    func diagnostics() {
        let reading = Self.read("name,lat,lon\nShop,48,11\nBad,x,11\nFar,95,11\n")
        #expect(reading.regions.map(\.id.rawValue) == ["shop"])
        #expect(reading.positions == [.line(2)])
        let lines = reading.diagnostics.map(\.description)
        #expect(
            lines.contains(
                "places: warning: 2 without a radius: circles of 100 m (the option radius). [assumed_length]"))
        #expect(lines.contains { $0.hasPrefix("places:3: error: The row is left out: the latitude 'x'") })
        #expect(
            lines.contains { $0.hasPrefix("places:4: error: \"Far\": ") && $0.hasSuffix("[coordinate_out_of_range]") })
        #expect(lines.count == 4, "\(lines)")
    }

    @Test("take the radius of the option, also in GeoJSON, which has none by default")
    func radius() throws {
        var options = RegionOptions()
        options.radius = 40
        for text in ["name,lat,lon\na,2,1\n", Self.circle("a", "")] {
            let reading = Self.read(text, options)
            let circle = Circle(center: Coordinate(latitude: 2, longitude: 1), radius: 40)
            #expect(reading.regions.map(\.shape) == [.circle(circle)])
            #expect(reading.diagnostics.contains { $0.code == "assumed_length" && $0.severity == .warning })
        }
        let line =
            #"{"type":"Feature","id":"a","properties":null,"geometry":{"type":"LineString","coordinates":[[1,2],[2,2]]}}"#
        guard case .corridor(let corridor) = try #require(Self.read(line, options).regions.first).shape else {
            Issue.record("no corridor")
            return
        }
        #expect(corridor.width == 80)
        #expect(Self.read(line).diagnostics.map(\.code) == ["missing_width"])
        let wide = Self.read(Self.circle("a"), options)
        #expect(wide.diagnostics.isEmpty && wide.regions == Self.read(Self.circle("a")).regions)
    }

    // MARK: Folders

    private static func load(_ files: [String: String], _ pattern: String = "") throws -> (ids: [String], RegionSet) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let path = pattern.isEmpty ? folder.path : folder.appending(path: pattern).path
        let set = RegionSet.load(paths: [path], reader: AnyRegionFile.reader)
        return (set.regions.map(\.id.rawValue), set)
    }

    private static let files = [
        "a.geojson": circle("a"), "b.KML": RegionImportTests.files[0].text,
        "c.wkt": "POLYGON((11 48,12 48,12 49,11 48))",
        "d.csv": "name,lat,lon\nd,1,2\n", "e.gpx": #"<gpx><wpt lat="1" lon="2"><name>e</name></wpt></gpx>"#,
        "f.json": #"{"_type":"waypoint","desc":"f","lat":1,"lon":2,"rad":9}"#, ".g.kml": "hidden", "notes.txt": "none",
    ]

    @Test("are read in a folder next to GeoJSON; tables and tracks have to be named")
    func folder() throws {
        let (ids, set) = try Self.load(Self.files)
        #expect(ids.count == 6 && Set(["a", "depot", "road", "yard", "f"]).isSubset(of: ids), "\(ids)")
        #expect(!set.hasErrors)
        #expect(try Self.load(Self.files, "*.csv").ids == ["d"])
        #expect(try Self.load(Self.files, "e.gpx").ids == ["e"])
    }

    @Test("are left out of a folder where a GeoJSON file of the name was made of them")
    func converted() throws {
        var files = Self.files
        files["b.geojson"] = Self.circle("b")
        let (ids, set) = try Self.load(files)
        #expect(ids.contains("b") && !ids.contains("depot"))
        #expect(!set.hasErrors && set.files.count == 4)
        #expect(try Self.load(files, "b.KML").ids.contains("depot"))
    }

    @Test("name both places of an id that two files have")
    func duplicates() throws {
        let (_, set) = try Self.load(["a.geojson": Self.circle("depot"), "b.kml": RegionImportTests.files[0].text])
        let error = try #require(set.diagnostics.first { $0.severity == .error })
        #expect(error.code == "duplicate_id" && error.position == .line(3))
        let (_, other) = try Self.load(["a.kml": RegionImportTests.files[0].text, "b.geojson": Self.circle("depot")])
        #expect(other.diagnostics.contains { $0.message.contains("a.kml at line 3; give each region its own id") })
    }

    // MARK: Hostile files

    private static let nested = String(repeating: "GEOMETRYCOLLECTION(", count: 200_000)
    private static let arc = (0..<2000).map { "[\(Double($0) / 100),\(Double($0 % 7))]" }.joined(separator: ",")

    /// The name alone, so that no report has the text.
    struct Hostile: CustomTestStringConvertible {
        var name: String
        var text: String
        var message: String
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ message: String) {
            (self.name, self.text, self.message) = (name, text, message)
        }
    }

    /// Small files whose naive reading takes gigabytes, the stack, or the square of their size.
    static let hostile = [
        Hostile("nested collections", nested, "nested too deep"),
        Hostile(
            "arcs that are repeated",
            #"{"type":"Topology","arcs":[[\#(arc)]],"objects":{"a":{"type":"MultiLineString","arcs":["#
                + #"\#(Array(repeating: "[0]", count: 100_000).joined(separator: ","))]}}}"#, "repeat the arcs so often"
        ),
        Hostile(
            "data of one name",
            "<kml><Placemark><name>a</name><ExtendedData>"
                + String(repeating: "<Data name=\"d\"><value>1</value></Data>", count: 60_000)
                + "</ExtendedData><Point><coordinates>1,2</coordinates></Point></Placemark></kml>", ""
        ),
        Hostile(
            "spaces behind commas",
            "<kml><Placemark><name>a</name><Point><coordinates>1,\(String(repeating: " ", count: 2_000_000))2</coordinates>"
                + "</Point></Placemark></kml>", ""
        ),
        Hostile(
            "tags",
            "name,lat,lon,tags\na,1,2,\"\((0..<200_000).map { "t\($0)" }.joined(separator: ";"))\"\n",
            "may have at most"
        ),
        Hostile(
            "kinds of messages",
            "[" + (0..<60_000).map { #"{"_type":"t\#($0)"}"# }.joined(separator: ",") + "]", "no place"
        ),
        Hostile(
            "boundaries",
            "<kml><Placemark><name>a</name><Polygon>"
                + String(
                    repeating:
                        "<outerBoundaryIs><LinearRing><coordinates>1,2 2,2 2,3 1,2</coordinates></LinearRing></outerBoundaryIs>",
                    count: 40_000) + "</Polygon></Placemark></kml>", "two outer boundaries"
        ),
    ]

    @Test("are refused or read in seconds, however they are made", .timeLimit(.minutes(1)), arguments: hostile)
    func hostileFile(_ file: Hostile) {
        let reading = Self.read(file.text)
        if file.message.isEmpty {
            #expect(reading.regions.count == 1, "\(file.name): \(reading.diagnostics.prefix(3))")
        } else {
            #expect(reading.regions.isEmpty, "\(file.name)")
            let errors = reading.diagnostics.filter { $0.severity == .error }
            #expect(errors.first?.message.contains(file.message) == true, "\(file.name): \(errors.prefix(2))")
        }
    }

    @Test("say what the file is where it has no region at all")
    func noRegion() {
        let reading = Self.read("<gpx><trk><trkseg/></trk></gpx>")
        #expect(reading.diagnostics.map(\.code) == ["not_used", "no_places"])
        #expect(reading.diagnostics.last?.message == "This is GPX. The file has no place that can be a region.")
        let links = Self.read(
            "<kml><NetworkLink><Link><href>https://maps.example.org/a.kml</href></Link></NetworkLink></kml>")
        #expect(links.diagnostics.first?.message.hasPrefix("1 network link to other files") == true)
    }

    @Test("may have long rows in a table; one that is too long is named with its line")
    func longRows() {
        let ring = (0..<9000).map { index in
            let angle = Double(index) / 9000 * 2 * Double.pi
            return "\(10 + cos(angle)) \(50 + sin(angle))"
        }
        let table = "name;WKT\nBorder;POLYGON((\((ring + [ring[0]]).joined(separator: ","))))\n"
        let reading = Self.read(table)
        #expect(reading.regions.map(\.id.rawValue) == ["border"], "\(reading.diagnostics)")
        let open = Self.read(table + "Shop;\"" + String(repeating: "POINT(1 2) ", count: 1_600_000))
        #expect(open.regions.count == 1)
        let errors = open.diagnostics.filter { $0.severity == .error }
        #expect(errors.map(\.position) == [.line(3)])
        #expect(errors.first?.message.contains("Perhaps a quote has no end") == true, "\(errors)")
    }

    @Test("have no exterior that is only an inner boundary")
    func innerOnly() {
        let ring = "<LinearRing><coordinates>10,50 10.1,50 10.1,50.1 10,50</coordinates></LinearRing>"
        let reading = Self.read(
            """
            <kml><Placemark><name>Pond</name><Polygon><innerBoundaryIs>\(ring)</innerBoundaryIs></Polygon></Placemark>
            <Placemark><name>Yard</name><Polygon><innerBoundaryIs><LinearRing><coordinates>10.06,50.02 10.08,50.02 10.08,50.04
            10.06,50.02</coordinates></LinearRing></innerBoundaryIs><outerBoundaryIs>\(ring)</outerBoundaryIs></Polygon></Placemark></kml>
            """)
        #expect(reading.regions.map(\.id.rawValue) == ["yard"])
        let errors = reading.diagnostics.filter { $0.severity == .error }
        #expect(errors.map(\.position) == [.line(1)])
        #expect(errors.first?.message.hasPrefix("\"Pond\" is left out: it has a Polygon with inner boundaries") == true)
    }
}
