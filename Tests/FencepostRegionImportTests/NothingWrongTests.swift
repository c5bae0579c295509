import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegionImport
import Testing

/// Files in which one thing contradicts another, or something is left out: it is read right, or reported.
@Suite("Regions of other programs are not read wrong without a word") struct NothingWrongTests {
    private func read(_ text: String, _ options: RegionImport.Options = .init()) -> RegionImport {
        RegionImport(Array(text.utf8), options: options)
    }

    private func centers(_ read: RegionImport) -> [String] {
        read.regions.map { region in
            switch region.shape {
            case .circle(let circle): "\(circle.center.latitude) \(circle.center.longitude) \(circle.radius)"
            case .polygons(let shape): "\(shape.polygons[0].rings[0].coordinates.map(\.latitude).max() ?? 0)"
            case .corridor: "corridor"
            }
        }
    }

    @Test("A table in which a circle of Traccar has its latitude first has it first in all rows") func traccarTable() {
        let read = read(
            """
            name,area
            A,"POLYGON ((52.5 13.4, 52.5 13.42, 52.52 13.42, 52.5 13.4))"
            B,"CIRCLE (52.5 13.4, 100)"
            """)
        #expect(centers(read) == ["52.52", "52.5 13.4 100.0"])
        #expect(read.notes.contains { $0.text.contains("the latitude comes first") })
        let usual = self.read("name,wkt\nA,\"POLYGON ((13.4 52.5, 13.42 52.5, 13.42 52.52, 13.4 52.5))\"\n")
        #expect(centers(usual) == ["52.52"])
    }

    @Test("A point between thousands is no decimal point in a row with decimal commas") func thousands() {
        for cell in ["1.500", "1.500 m"] {
            let read = read("Name;Breite;Länge;Radius\nA;52,5;13,4;\(cell)\nB;52,6;13,4;150,5\n")
            #expect(centers(read) == ["52.6 13.4 150.5"])
            #expect(read.diagnostics.contains { $0.message.contains("may be in thousands") })
        }
        let height = read("Name;Breite;Länge;minAltitude\nA;52,5;13,4;1.000\n")
        #expect(height.regions.isEmpty && height.diagnostics.count == 1)
        let low = read("Name;Breite;Länge;minAltitude;speedLimit\nA;52,5;13,4;10,5;50,5\n")
        #expect(low.regions.map(\.minAltitude) == [10.5] && low.diagnostics.isEmpty)
        #expect(centers(read("Name;lat;lon;radius\nA;52.5;13.4;1.5\n")) == ["52.5 13.4 1.5"])
    }

    @Test("A table that ends within a row has no region of its part") func cutTable() {
        let read = read("name;lat;lon;radius\nA;52,5;13,4;100\nB;52,6;13")
        #expect(read.regions.map(\.id.rawValue) == ["a"])
        #expect(read.diagnostics.contains { $0.message.contains("after 3 of 4 values") })
        #expect(self.read("name;lat;lon;radius\nA;52,5;13,4;100\nB;52,6;13\n").regions.count == 2)
    }

    @Test("Devices of a table are several patterns") func devices() {
        let read = read("name;lat;lon;devices\nA;52,5;13,4;van-*;\nB;52,5;13,4;\"van-1, car-*\"\n")
        #expect(read.regions.map { $0.devices?.map(\.rawValue) ?? [] } == [["van-*"], ["van-1", "car-*"]])
    }

    @Test("A table has the names of properties as databases write them, and Booleans and durations as texts")
    func databaseTable() throws {
        let read = read(
            """
            NAME,LAT,LON,RADIUS,NOTIFY_ON_EXIT,dwell,min_altitude,notifyonentry
            A,52.5,13.4,0.1 km,FALSE,300,10,yes
            B,52.6,13.4,150,TRUE,PT1H,,1
            """)
        #expect(centers(read) == ["52.5 13.4 100.0", "52.6 13.4 150.0"])
        #expect(read.regions.map(\.notifyOnExit) == [false, true])
        #expect(read.regions.map(\.notifyOnEntry) == [true, true])
        #expect(read.regions.map(\.dwells) == [[.seconds(300)], [.seconds(3600)]])
        #expect(read.regions.map(\.minAltitude) == [10, nil])
        #expect(read.diagnostics.isEmpty)
    }

    @Test("Lengths of extended data have units and capitals") func extendedData() {
        func placemark(_ name: String, _ value: String) -> String {
            """
            <kml><Placemark><name>A</name><ExtendedData><Data name="\(name)"><value>\(value)</value></Data></ExtendedData>
            <Point><coordinates>13.4,52.5</coordinates></Point></Placemark></kml>
            """
        }
        #expect(centers(read(placemark("Radius", "150"))) == ["52.5 13.4 150.0"])
        #expect(centers(read(placemark("radius", "150 m"))) == ["52.5 13.4 150.0"])
        #expect(centers(read(placemark("RADIUS", "0,5 km"))) == ["52.5 13.4 500.0"])
        let unknown = read(placemark("radius", "two leagues"))
        #expect(unknown.regions.isEmpty && unknown.diagnostics.map(\.code) == ["wrong_type"])
    }

    @Test("Dimensions of well-known text may follow the type without a space", arguments: ["", " "])
    func dimensions(_ space: String) {
        let text = """
            POLYGON\(space)Z ((13.4 52.5 7, 13.42 52.5 7, 13.42 52.52 7, 13.4 52.5 7))
            MULTIPOINTM\(space)((13.4 52.5 1))
            linestring\(space)zm(13.4 52.5 1 2, 13.5 52.5 1 2)
            """
        let read = read(text)
        #expect(centers(read) == ["52.52", "52.5 13.4 100.0", "corridor"])
        #expect(read.diagnostics.isEmpty)
    }

    @Test("XML may say that it is UTF-16, and may begin with white space", arguments: [true, false])
    func encodings(_ isBigEndian: Bool) {
        let text = """
            <?xml version="1.0"
              encoding="UTF-16"?>
            <kml><Placemark><name>Löwe</name><Point><coordinates>13.4,52.5</coordinates></Point></Placemark>
            <Placemark><name>B</name></Placemark></kml>
            """
        var bytes: [UInt8] = isBigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]
        for unit in text.utf16 {
            bytes += isBigEndian ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
        for read in [
            RegionImport(bytes), self.read("\n  \n" + text.replacing("UTF-16", with: "UTF-8")),
        ] {
            #expect(read.regions.map(\.name) == ["Löwe"])
            #expect(read.diagnostics.map(\.code) == ["missing_geometry"])
        }
        #expect(RegionImport(bytes).diagnostics.map(\.position) == [.line(4)])
        #expect(self.read("\n  \n" + text.replacing("UTF-16", with: "UTF-8")).diagnostics.map(\.position) == [.line(6)])
    }

    @Test("A property for the ids that no place has is named") func unknownProperty() {
        let text = "fid;name;lat;lon\n7;A;52.5;13.4\n"
        let wrong = read(text, .init(regions: RegionOptions(idProperty: "FID")))
        #expect(wrong.notes.contains { $0.code == "unknown_property" && $0.text.contains("\"FID\"") })
        let right = read(text, .init(regions: RegionOptions(idProperty: "fid")))
        #expect(right.regions.map(\.id.rawValue) == ["7"] && !right.notes.contains { $0.code == "unknown_property" })
    }

    @Test("Geometries without positions are counted") func empty() {
        let read = read("POLYGON EMPTY\nPOINT EMPTY\nPOINT (13 52)\n")
        #expect(read.regions.count == 1)
        #expect(read.notes.map(\.text).contains("2 not used: geometries without positions"))
    }

    @Test("An answer of ArcGIS that is not all is said to be so") func limit() {
        let read = read(
            """
            {"exceededTransferLimit":true,"features":[{"attributes":{"NAME":"P","RADIUS":250},"geometry":{"x":13,"y":52}}],
            "geometryType":"esriGeometryPoint"}
            """)
        #expect(read.notes.contains { $0.text.contains("exceededTransferLimit") })
        #expect(centers(read) == ["52.0 13.0 250.0"])
    }

    @Test("A first geometry of any length is recognised") func longFirst() {
        let ring = (0..<2000).map { index in
            let angle = Double(index) / 2000 * 2 * .pi
            return Coordinate(latitude: 50 + 0.2 * sine(angle), longitude: 10 + 0.2 * sine(angle + .pi / 2))
        }
        let closed = ring + [ring[0]]
        let positions = closed.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",")
        let feature = { (name: String) in
            #"{"type":"Feature","properties":{"name":"\#(name)"},"geometry":{"type":"Polygon","coordinates":[[\#(positions)]]}}"#
        }
        for mark in ["", "\u{1E}"] {
            let lines = read(mark + feature("A") + "\n" + mark + feature("B") + "\n")
            #expect(lines.format == .geojsonl && lines.regions.count == 2)
        }
        var hex = "0103000000" + "01000000" + digits(UInt64(closed.count), 4)
        for position in closed {
            hex += digits(position.longitude.bitPattern, 8) + digits(position.latitude.bitPattern, 8)
        }
        let binary = read(hex + "\n")
        #expect(binary.format == .wkb && binary.regions.count == 1)
        // In the form of ISO with heights, as PostGIS gives it.
        var point = "01" + digits(1001, 4)
        for number in [13.4, 52.5, 30.0] { point += digits(number.bitPattern, 8) }
        let tall = read(point + "\n")
        #expect(tall.format == .wkb && centers(tall) == ["52.5 13.4 100.0"])
    }

    /// Little-endian hexadecimal digits.
    private func digits(_ number: UInt64, _ bytes: Int) -> String {
        (0..<bytes).map { byte in
            let value = UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))
            return (value < 16 ? "0" : "") + String(value, radix: 16)
        }.joined()
    }

    /// By its series, so that the test needs no other library.
    private func sine(_ angle: Double) -> Double {
        let x = angle.remainder(dividingBy: 2 * .pi)
        var (term, sum) = (x, x)
        for step in 1..<14 {
            term *= -x * x / Double(2 * step * (2 * step + 1))
            sum += term
        }
        return sum
    }
}
