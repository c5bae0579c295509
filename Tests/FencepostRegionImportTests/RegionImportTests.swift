import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegionImport
import Foundation
import Testing

/// The same three regions in each format: a circle of 150 m, a corridor of 80 m, and a triangle with a hole.
@Suite("Regions of other programs") struct RegionImportTests {
    private static let ring = "10 50, 10.4 50, 10.2 50.3, 10 50"
    private static let hole = "10.15 50.05, 10.2 50.15, 10.25 50.05, 10.15 50.05"

    private static func kml(_ ring: String) -> String {
        ring.split(separator: ", ").map { $0.replacing(" ", with: ",") + ",0" }.joined(separator: " ")
    }

    private static func swapped(_ ring: String) -> String {
        ring.split(separator: ", ").map { $0.split(separator: " ").reversed().joined(separator: " ") }.joined(
            separator: ", ")
    }

    private static func json(_ ring: String) -> String {
        "[" + ring.split(separator: ", ").map { "[\($0.replacing(" ", with: ","))]" }.joined(separator: ",") + "]"
    }

    private static let kmlText = """
        <?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Map</name>
        <Style id="s"/><Folder><name>Work</name>
        <Placemark><name>Depot</name><styleUrl>#s</styleUrl><ExtendedData><Data name="radius"><value>150</value></Data></ExtendedData>
        <Point><coordinates>10.1,50.1,0</coordinates></Point></Placemark>
        <Placemark><name>Road</name><ExtendedData><Data name="width"><value>80</value></Data></ExtendedData>
        <LineString><coordinates>10.1,50.1 10.2,50.2</coordinates></LineString></Placemark></Folder>
        <Placemark><name>Yard</name><Polygon><outerBoundaryIs><LinearRing><coordinates>\(kml(ring))</coordinates></LinearRing>
        </outerBoundaryIs><innerBoundaryIs><LinearRing><coordinates>\(kml(hole))</coordinates></LinearRing></innerBoundaryIs>
        </Polygon></Placemark></Document></kml>
        """

    static let files: [(format: String, text: String)] = [
        ("kml", kmlText),
        (
            "traccar",
            """
            [{"id":1,"name":"Depot","area":"CIRCLE (50.1 10.1, 150)"},
            {"id":2,"name":"Road","area":"LINESTRING (50.1 10.1, 50.2 10.2)","attributes":{"polylineDistance":40}},
            {"id":3,"name":"Yard","area":"POLYGON ((\(swapped(ring))), (\(swapped(hole))))"}]
            """
        ),
        (
            "csv",
            """
            \u{FEFF}Name;Radius (m);Width;WKT
            Depot;150;;POINT (10.1 50.1)
            Road;;80;"LINESTRING (10.1 50.1, 10.2 50.2)"
            Yard;;;"SRID=4326;POLYGON ((\(ring)), (\(hole)))"
            """
        ),
        (
            "geojsonl",
            """
            \u{1E}{"type":"Feature","properties":{"Name":"Depot","radius":"150"},"geometry":{"type":"Point","coordinates":[10.1,50.1]}}
            {"type":"Feature","properties":{"Name":"Road","width":80},"geometry":{"type":"LineString","coordinates":[[10.1,50.1],[10.2,50.2]]}}
            {"type":"Feature","properties":{"Name":"Yard"},"geometry":{"type":"Polygon","coordinates":[\(json(ring)),\(json(hole))]}}
            """
        ),
        (
            "topojson",
            """
            {"type":"Topology","objects":{"places":{"type":"GeometryCollection","geometries":[
            {"type":"Point","coordinates":[10.1,50.1],"properties":{"name":"Depot","radius":150}},
            {"type":"LineString","arcs":[0],"properties":{"name":"Road","width":80}},
            {"type":"Polygon","arcs":[[1,-3],[3]],"properties":{"name":"Yard"}}]}},
            "arcs":[[[10.1,50.1],[10.2,50.2]],[[10,50],[10.4,50]],[[10,50],[10.2,50.3],[10.4,50]],\(json(hole))]}
            """
        ),
        (
            "esri",
            """
            {"geometryType":"any","spatialReference":{"wkid":4326},"features":[
            {"attributes":{"NAME":"Depot","radius":150},"geometry":{"x":10.1,"y":50.1}},
            {"attributes":{"NAME":"Road","width":80},"geometry":{"paths":[[[10.1,50.1],[10.2,50.2]]]}},
            {"attributes":{"NAME":"Yard"},"geometry":{"rings":[
            \(json(ring.split(separator: ", ").reversed().joined(separator: ", "))),
            \(json(hole.split(separator: ", ").reversed().joined(separator: ", ")))]}}]}
            """
        ),
    ]

    @Test("become the same regions from each format", arguments: files)
    func equal(_ file: (format: String, text: String)) throws {
        let read = RegionImport(Array(file.text.utf8))
        #expect(read.format?.rawValue == file.format)
        #expect(read.diagnostics == [])
        #expect(read.regions.map(\.id.rawValue) == ["depot", "road", "yard"])
        try #require(read.regions.count == 3)
        #expect(
            read.regions[0].shape == .circle(Circle(center: Coordinate(latitude: 50.1, longitude: 10.1), radius: 150)))
        guard case .corridor(let corridor) = read.regions[1].shape, case .polygons(let polygons) = read.regions[2].shape
        else {
            Issue.record("other shapes")
            return
        }
        #expect(corridor.width == 80)
        #expect(corridor.lines == [[(50.1, 10.1), (50.2, 10.2)].map { Coordinate(latitude: $0.0, longitude: $0.1) }])
        #expect(polygons.polygons.map(\.rings.count) == [2])
        #expect(Set(polygons.polygons[0].rings[0].coordinates.map(\.longitude)) == [10, 10.4, 10.2])
        // What was written is read back as equal regions.
        #expect(RegionFile.read(RegionImport.file(of: read.regions)).regions == read.regions)
    }

    @Test("keep folders as tags and count styles")
    func folders() {
        let read = RegionImport(Array(Self.kmlText.utf8))
        #expect(read.regions.map(\.tags) == [["Work"], ["Work"], []])
        #expect(read.notes.map(\.text) == ["1 not used: styles"])
    }

    /// Texts with what their regions are: id and radius, and the parts of messages.
    static let others: [(text: String, regions: [String], messages: [String])] = [
        (
            """
            {"_type":"waypoints","waypoints":[
            {"_type":"waypoint","desc":"Home","lat":50.1,"lon":10.2,"rad":100,"tst":1700000000,"rid":"6da9cf"},
            {"_type":"waypoint","desc":"Shop","lat":"50.2","lon":10.2,"rad":75,"tst":1700000001},
            {"_type":"waypoint","desc":"Key","lat":0,"lon":0,"rad":0,"tst":1}]}
            """, ["6da9cf 100", "shop 75"], ["\"Key\" is left out: its radius"]
        ),
        (
            """
            <gpx version="1.1"><wpt lat="50.1" lon="10.2"><name>Lake 1</name><type>swim</type></wpt>
            <wpt lat="x" lon="10.2"><name>Bad</name></wpt>
            <wpt lat="50.2" lon="10.2"><name>Rock</name><extensions><p:WaypointExtension xmlns:p="urn:g"><p:Proximity>30</p:Proximity>
            </p:WaypointExtension></extensions></wpt><trk><trkseg/></trk></gpx>
            """, ["lake-1 100", "rock 30"], ["\"Bad\" is left out: the wpt in line 2 has no numbers"]
        ),
        (
            "Name,Latitude,Longitude,Radius km\nA,48.5 N,11.5 E,0.2\nB,33 26 12 S,70 39 W,1\nC,x,1,1\nD,1,2,0.1,9,9\n",
            ["a 200", "b 1000"], ["the latitude 'x' is not a number", "it has 6 cells, but there are 4 names"]
        ),
        ("Ort;Koordinaten\nSüd-See;\"48,5; 11,25\"\n", ["süd-see 100"], []),
        ("CIRCLE (25.0024 121.5110, 250)\nPOINT (x 1)\n", ["unnamed 250"], ["a number is expected, but found \"x\""]),
        (
            "010100000000000000000026400000000000004840\n0103000000ff\n", ["unnamed 100"], ["the geometry is cut off"]
        ),
        (
            #"{"type":"FeatureCollection","features":[{"type":"Feature","id":7,"properties":null,"geometry":{"type":"Point","coordinates":[1,2]}},{"type":"Feature","properties":{"name":"Two"},"geometry":{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}},{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[1]}}]}"#,
            ["7 100", "two 100", "two 100"], ["Expected an array of positions"]
        ),
    ]

    @Test("keep what is good and say what is not", arguments: others)
    func mixed(_ file: (text: String, regions: [String], messages: [String])) {
        let read = RegionImport(Array(file.text.utf8), name: "places")
        let regions = read.regions.map { region in
            guard case .circle(let circle) = region.shape else { return "\(region.id)" }
            let id = region.id.rawValue
            let stem = id.hasPrefix("unnamed-") || id.hasPrefix("two-") ? String(id.prefix { $0 != "-" }) : id
            return "\(stem) \(Int(circle.radius))"
        }
        #expect(regions == file.regions)
        #expect(read.diagnostics.count == file.messages.count, "\(read.diagnostics)")
        for (diagnostic, part) in zip(read.diagnostics, file.messages) {
            #expect(diagnostic.message.contains(part), "\(diagnostic)")
            #expect(diagnostic.file == "places")
            #expect(diagnostic.position != .file)
        }
    }

    @Test("have ids that do not depend on their order")
    func order() {
        let rows = ["Shop,48,11", "Shop,49,11", "Home,50,11", ",51,11"]
        func ids(_ rows: [String]) -> Set<RegionID> {
            Set(RegionImport(Array(("name,lat,lon\n" + rows.joined(separator: "\n")).utf8)).regions.map(\.id))
        }
        #expect(ids(rows).count == 4)
        #expect(ids(rows) == ids(rows.reversed()))
    }

    @Test(
        "are refused by name where the format is not read",
        arguments: [
            ("SQLite format 3\0", "ogr2ogr -f GeoJSON -lco RFC7946=YES regions.geojson 'my places'"),
            ("891e1c96303ffff\n", "These are cells of H3."), ("", "The file is empty."),
            ("hello", "This is none of the formats"),
            ("<kml><Document><NetworkLink/></Document></kml>", "no place that can be a region"),
            ("<kml><Document><Placemark><name>A</name>", "The rest of the file is left out"),
        ])
    func refused(_ text: String, _ message: String) {
        let read = RegionImport(Array(text.utf8), name: "my places")
        #expect(read.regions.isEmpty)
        #expect(read.diagnostics.count == 1)
        #expect(read.diagnostics.first?.message.contains(message) == true, "\(read.diagnostics)")
    }

    @Test("read geohashes as rectangles with their own ids")
    func geohashes() {
        let read = RegionImport(Array("ezs42\nEZS43\n".utf8))
        #expect(read.regions.map(\.id.rawValue) == ["ezs42", "ezs43"])
        guard case .polygons(let shape) = read.regions.first?.shape else {
            Issue.record("no polygon")
            return
        }
        let ring = shape.polygons[0].rings[0].coordinates
        #expect(ring.map(\.longitude).min() == -5.625)
        #expect(ring.map(\.latitude).max() == 42.626953125)
    }
}
