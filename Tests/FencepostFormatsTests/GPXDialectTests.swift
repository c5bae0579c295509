import FencepostFormats
import FencepostGeometry
import FencepostModel
import Foundation
import Testing

/// A way in which a program writes GPX.
struct GPXDialect: CustomTestStringConvertible, Sendable {
    var name: String
    var attributes = #"xmlns="http://www.topografix.com/GPX/1/1" version="1.1""#
    /// Before the names of elements, as `ns:`.
    var prefix = ""
    /// The children of a point but for its time; `{}` is the prefix.
    var children: @Sendable (DialectFix) -> String = { _ in "" }
    var time: @Sendable (DialectFix) -> String = { $0.time.rfc3339 }
    var fields: Set<Dialect.Field> = []
    var before = ""
    var after = ""
    /// Points of each segment.
    var segment = 30
    var encoding = Dialect.Encoding.utf8
    var declaration = #"<?xml version="1.0" encoding="UTF-8"?>"#
    var space = ""
    /// Instead of tracks.
    var point = "trkpt"

    var testDescription: String { name }

    func bytes(of fixes: [DialectFix]) -> [UInt8] {
        var text = declaration + "\n<\(prefix)gpx \(attributes)>" + before
        let isTrack = point == "trkpt"
        for start in stride(from: 0, to: fixes.count, by: segment) {
            if isTrack { text += "<\(prefix)trk>\(space)<\(prefix)name>Jürgen</\(prefix)name><\(prefix)trkseg>" }
            for fix in fixes[start..<min(start + segment, fixes.count)] {
                text += "<\(prefix)\(point)\(space) lat=\"\(fix.latitudeText)\" lon='\(fix.longitudeText)'>\(space)"
                let time = self.time(fix)
                if !time.isEmpty { text += "<\(prefix)time>\(time)</\(prefix)time>" }
                text += children(fix).replacing("{}", with: prefix) + "\(space)</\(prefix)\(point)>"
            }
            if isTrack { text += "</\(prefix)trkseg></\(prefix)trk>" }
        }
        text += after + "</\(prefix)gpx>\n"
        return Dialect.encoded(text, encoding)
    }

    private static func tenths(_ number: Int) -> String { String(format: "%.1f", Double(number) / 10) }

    private static let garmin = { @Sendable (fix: DialectFix, prefix: String) in
        "<{}ele>\(fix.altitude)</{}ele><{}extensions><\(prefix):TrackPointExtension><\(prefix):atemp>21</\(prefix):atemp>"
            + "<\(prefix):hr>99</\(prefix):hr><\(prefix):speed>\(tenths(fix.speed))</\(prefix):speed>"
            + "<\(prefix):course>\(fix.course)</\(prefix):course></\(prefix):TrackPointExtension></{}extensions>"
    }
    private static let one = #"xmlns="http://www.topografix.com/GPX/1/1" version="1.1""#
    private static let extensionNames = "http://www.garmin.com/xmlschemas/TrackPointExtension/"

    static let all: [GPXDialect] = [
        GPXDialect(name: "1.1"),
        GPXDialect(
            name: "1.0 with speed and course", attributes: #"xmlns="http://www.topografix.com/GPX/1/0" version="1.0""#,
            children: {
                "<ele>\($0.altitude)</ele><course>\($0.course)</course><speed>\(tenths($0.speed))</speed><hdop>0.9</hdop>"
            }, fields: [.altitude, .speed, .course]),
        GPXDialect(name: "without a namespace", attributes: #"version="1.1""#),
        GPXDialect(
            name: "a prefix for all", attributes: #"xmlns:gpx="http://www.topografix.com/GPX/1/1" version="1.1""#,
            prefix: "gpx:", children: { "<{}ele>\($0.altitude)</{}ele>" }, fields: [.altitude]),
        GPXDialect(
            name: "Garmin's extension, version 1", attributes: one + " xmlns:gpxtpx=\"\(extensionNames)v1\"",
            children: { garmin($0, "gpxtpx") }, fields: [.altitude, .speed, .course]),
        GPXDialect(
            name: "Garmin's extension, version 2, as ns3", attributes: one + " xmlns:ns3=\"\(extensionNames)v2\"",
            children: { garmin($0, "ns3") }, fields: [.altitude, .speed, .course]),
        GPXDialect(
            name: "OsmAnd", attributes: one + #" xmlns:osmand="https://osmand.net""#,
            children: {
                "<ele>\($0.altitude)</ele><hdop>4</hdop><extensions><osmand:speed>\(tenths($0.speed))</osmand:speed>"
                    + "<osmand:heading>12</osmand:heading></extensions>"
            }, fields: [.altitude, .speed]),
        GPXDialect(
            name: "an older OsmAnd",
            attributes: one + #" xmlns:osmand="https://osmand.net/docs/technical/osmand-file-formats/osmand-gpx""#,
            children: { "<extensions><osmand:speed>\(tenths($0.speed))</osmand:speed></extensions>" }, fields: [.speed]),
        GPXDialect(
            name: "speeds of GPXData", attributes: one + #" xmlns:gpxdata="http://www.cluetrust.com/XML/GPXDATA/1/0""#,
            children: {
                "<extensions><gpxdata:speed>\(tenths($0.speed))</gpxdata:speed><gpxdata:hr>88</gpxdata:hr></extensions>"
            },
            fields: [.speed]),
        GPXDialect(name: "several tracks and segments", segment: 7),
        GPXDialect(
            name: "waypoints and a route as well",
            before: #"<wpt lat="1" lon="2"><time>2020-01-01T00:00:00Z</time><name>Home</name></wpt>"#,
            after: #"<rte><rtept lat="3" lon="4"><time>2020-01-01T00:00:00Z</time></rtept></rte>"#),
        GPXDialect(name: "waypoints alone", point: "wpt"),
        GPXDialect(
            name: "offsets",
            time: { fix in
                (fix.time - .seconds(-19_800)).rfc3339.replacing("Z", with: "+05:30")
            }),
        GPXDialect(name: "fractions", time: { $0.time.rfc3339.replacing("Z", with: ".000000000Z") }),
        GPXDialect(
            name: "CDATA and comments",
            children: { fix in
                "<!-- point --><name><![CDATA[<time>1999</time>]]></name><ele><![CDATA[ \(fix.altitude) ]]></ele>"
            }, fields: [.altitude]),
        GPXDialect(name: "white space", time: { "\n   \($0.time.rfc3339)\t " }, space: "\r\n    "),
        GPXDialect(
            name: "Latin-1", encoding: .windows1252, declaration: #"<?xml version="1.0" encoding="ISO-8859-1"?>"#),
        GPXDialect(
            name: "UTF-16", encoding: .utf16LittleEndian,
            declaration: "\u{FEFF}" + #"<?xml version="1.0" encoding="UTF-16"?>"#),
        GPXDialect(name: "a byte order mark and no declaration", declaration: "\u{FEFF}"),
    ]
}

@Suite("GPX in the dialect of a program") struct GPXDialectTests {
    @Test("reads back as the walk that was written", arguments: GPXDialect.all)
    func readsBack(_ dialect: GPXDialect) throws {
        #expect(GPXDialect.all.count >= 12)
        for (seed, start) in DialectTests.starts.enumerated() {
            let fixes = DialectFix.walk(seed: UInt64(seed) + 100, from: start)
            let reading = try Reading(dialect.bytes(of: fixes), name: "track.gpx")
            #expect(reading.failure == nil)
            #expect(reading.rejections == [])
            try #require(reading.locations.count == fixes.count)
            for (fix, location) in zip(fixes, reading.locations) {
                #expect(location.timestamp == fix.time)
                let latitude: Double = location.coordinate.latitude - Double(fix.latitude) / 1e6
                let longitude: Double = location.coordinate.longitude - Double(fix.longitude) / 1e6
                #expect(latitude.magnitude < 1e-9)
                #expect(longitude.magnitude < 1e-9)
                // The dilution of precision is no distance.
                #expect(location.horizontalAccuracy == nil)
                let altitude: Double? = dialect.fields.contains(.altitude) ? Double(fix.altitude) : nil
                let speed: Double? = dialect.fields.contains(.speed) ? Double(fix.speed) / 10 : nil
                let course: Double? = dialect.fields.contains(.course) ? Double(fix.course) : nil
                #expect(location.altitude == altitude)
                #expect(location.speed == speed)
                #expect(location.course == course)
            }
            let gaps = reading.records.count { $0 == .gap }
            #expect(gaps == (fixes.count - 1) / dialect.segment)
            #expect(try Reading(dialect.bytes(of: fixes), maximumRead: 11).records == reading.records)
        }
    }

    @Test("without a time at some points rejects these") func missingTimes() throws {
        let fixes = DialectFix.walk(seed: 7, from: (48_000_000, 11_000_000))
        let dialect = GPXDialect(name: "", time: { $0.seconds % 2 == 0 ? "" : $0.time.rfc3339 })
        let reading = try Reading(dialect.bytes(of: fixes), name: "track.gpx")
        let odd = fixes.map(\.time).filter { $0.milliseconds / 1000 % 2 == 1 }
        #expect(reading.locations.map(\.timestamp) == odd)
        #expect(Set(reading.rejections.map(\.code)) == ["missing_timestamp"])
        #expect(reading.rejections.count + reading.locations.count == fixes.count)
    }
}
