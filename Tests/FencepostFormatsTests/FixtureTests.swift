import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@Suite("A file of locations") struct FixtureTests {
    @Test("gives the expected records", arguments: try Fixture.all())
    func records(_ fixture: Fixture) throws {
        let text = try Reading(fixture.bytes(), name: fixture.url.lastPathComponent).text
        if ProcessInfo.processInfo.environment["FENCEPOST_REWRITE"] != nil {
            try Data(text.utf8).write(to: fixture.expected)
        }
        #expect(try String(contentsOf: fixture.expected, encoding: .utf8) == text)
    }

    @Test("gives the same records for any division into reads", arguments: try Fixture.all(), [1, 2, 7, 61, 65_536])
    func reads(_ fixture: Fixture, _ size: Int) throws {
        let (bytes, name) = (try fixture.bytes(), fixture.url.lastPathComponent)
        #expect(try Reading(bytes, name: name, maximumRead: size) == Reading(bytes, name: name))
    }

    @Test("is detected by its first bytes alone", arguments: try Fixture.all(), [1, 65_536])
    func detection(_ fixture: Fixture, _ size: Int) throws {
        let bytes = try fixture.bytes()
        let named = try Reading(bytes, name: fixture.url.lastPathComponent)
        // Files whose name suggests another format.
        let onlyByName = ["other-root.gpx", "bad.ndjson", "topology.geojson", "empty.kmz"]
        guard !onlyByName.contains(fixture.url.lastPathComponent) else { return }
        #expect(try Reading(bytes, maximumRead: size).format == named.format)
    }

    @Test("truncated anywhere gives no other records", arguments: try Fixture.all())
    func truncation(_ fixture: Fixture) throws {
        let bytes = try fixture.bytes()
        let format = try Reading(bytes, name: fixture.url.lastPathComponent).format
        let all = try Reading(bytes, format: format).records
        let whole = Set(try Reading(bytes, format: format).locations.map(\.coordinate))
        for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 400)) {
            let part = try Reading(Array(bytes[..<count]), format: format)
            // The last row of text may be truncated within a number, which is another number; and a file
            // that is truncated before its tracks is one of waypoints.
            let extra = part.locations.dropLast().filter { !whole.contains($0.coordinate) && format != .gpx }
            #expect(extra.isEmpty, "cut at \(count)")
            let isDocument =
                format == .gpx || format == .geojson || format == .kml || format == .google || format == .json
            if isDocument, count > 0 {
                let isWhole = part.records == all
                #expect(part.failure != nil || isWhole, "cut at \(count)")
            }
        }
    }
}

@Suite("A real track", .enabled(if: SharedData.isPresent, "the shared data is missing"))
struct TrackTests {
    /// Counted independently: lines, and points with and without a time. Some points of one hike have no time; all of
    /// another's are of 1901, because the clock was not set.
    static let tracks: [(name: String, locations: Int, rejected: Int)] = [
        ("android-a-20150827.ndjson", 555, 0), ("android-b-20160621.ndjson", 394, 0),
        ("android-c-20160903.ndjson", 182, 0), ("android-d-20160112.ndjson", 638, 0),
        ("android-e-20160810.ndjson", 194, 0), ("android-f-20230312.ndjson", 660, 0), ("car-munich.ndjson", 1194, 0),
        ("google-history-zurich.ndjson", 416, 0), ("ios-a-20160222.ndjson", 260, 0),
        ("ios-b-20151106.ndjson", 474, 0), ("ios-c-20160720.ndjson", 97, 0), ("posmo-switzerland.ndjson", 1327, 0),
        ("edge-gpx-with-node-with-comments.gpx", 1, 0), ("edge-gpx1.1_with_all_fields.gpx", 1, 0),
        ("edge-track-with-empty-segment.gpx", 9, 0), ("edge-track-with-extremes.gpx", 0, 25),
        ("edge-track-with-less-sec-time.gpx", 2, 0), ("edge-track_with_speed.gpx", 3, 0),
        ("edge-unicode_with_bom.gpx", 1, 0), ("hike-korita-zbevnica.gpx", 513, 358), ("hike-mojstrovka.gpx", 0, 184),
        ("ride-cerknica-lake.gpx", 296, 0), ("ride-lyon.gpx", 2500, 0),
    ]

    @Test("is read to its end", arguments: tracks)
    func track(_ track: (name: String, locations: Int, rejected: Int)) throws {
        let bytes = Array(try Data(contentsOf: SharedData.file("tracks/\(track.name)")))
        let reading = try Reading(bytes, name: track.name)
        #expect(reading.locations.count == track.locations)
        #expect(reading.rejections.count == track.rejected, "\(reading.rejections.prefix(3))")
        #expect(reading.failure == nil)
    }

    @Test("without times gives its coordinates") func coordinates() throws {
        let bytes = Array(try Data(contentsOf: SharedData.file("tracks/edge-track-with-extremes.gpx")))
        let rules = FixRules(defaultDevice: DeviceID("default"), requiresTimestamp: false)
        let reading = try Reading(bytes, name: "extremes.gpx", rules: rules)
        #expect(reading.locations.count == 25)
        #expect(reading.locations.allSatisfy { $0.timestamp == Timestamp(milliseconds: 0) })
    }

    @Test("is read as by Foundation", arguments: tracks.filter { $0.name.hasSuffix(".ndjson") }.map(\.name))
    func agreesWithFoundation(_ name: String) throws {
        let data = try Data(contentsOf: SharedData.file("tracks/\(name)"))
        let locations = try Reading(Array(data), name: name).locations
        let lines = data.split(separator: 0x0A)
        #expect(lines.count == locations.count)
        for (line, location) in zip(lines, locations) {
            let reference = try #require(ReferenceFix(line: Array(line)))
            #expect(reference.location == location)
        }
    }
}

@Suite("A coordinate out of range") struct RangeTests {
    /// One record at latitude 91 in each format, with a valid time.
    static let files: [(name: String, text: String)] = [
        ("a.ndjson", #"{"timestamp":"2026-03-01T08:30:00Z","latitude":91,"longitude":11}"#),
        ("a.csv", "time,lat,lon\n2026-03-01T08:30:00Z,91,11\n"),
        (
            "a.gpx",
            #"<gpx><trk><trkseg><trkpt lat="91" lon="11"><time>2026-03-01T08:30:00Z</time></trkpt></trkseg></trk></gpx>"#
        ),
        (
            "a.kml",
            "<kml><Placemark><TimeStamp><when>2026-03-01T08:30:00Z</when></TimeStamp><Point><coordinates>11,91"
                + "</coordinates></Point></Placemark></kml>"
        ),
        (
            "b.kml",
            "<kml><Placemark><TimeSpan><begin>2026-03-01T08:30:00Z</begin></TimeSpan><Point><coordinates>11,91"
                + "</coordinates></Point></Placemark></kml>"
        ),
        (
            "a.geojson",
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[11,91]},"properties":{"time":"2026-03-01T08:30:00Z"}}"#
        ),
        ("a.rec", #"{"_type":"location","lat":91,"lon":11,"tst":1772353800}"#),
        ("a.json", #"{"locations":[{"latitudeE7":910000000,"longitudeE7":1,"timestamp":"2026-03-01T08:30:00Z"}]}"#),
        (
            "b.json",
            #"{"semanticSegments":[{"startTime":"2026-03-01T08:30:00Z","visit":{"topCandidate":{"placeLocation":{"latLng":"91°, 11°"}}}}]}"#
        ),
        (
            "c.json",
            #"{"dataType":"rawGps","points":[{"timestamp":"2026-03-01T08:30:00Z","latitude":91,"longitude":11}]}"#
        ),
    ]

    @Test("is in the report of each format", arguments: files)
    func isReported(_ file: (name: String, text: String)) throws {
        let reading = try Reading(Array(file.text.utf8), name: file.name)
        #expect(reading.rejections.map(\.code) == ["coordinate_out_of_range"])
        #expect(reading.locations.isEmpty)
    }
}

@Suite("A compressed file") struct CompressedTests {
    @Test("can have several members, and padding") func members() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        let member = Array(try Data(contentsOf: folder.appending(path: "track.gpx.gz")))
        // Two members are one document with something after its end.
        let reading = try Reading(member + member, name: "track.gpx.gz")
        #expect(reading.failure != nil)
        // Padding after the member is ignored.
        #expect(try Reading(member + [0, 0, 0], name: "track.gpx.gz").failure == nil)
    }
}
