import FencepostFormats
import FencepostModel
import FencepostTesting
import Testing

@Suite("Members beyond their ranges") struct DroppedMemberTests {
    private static let rules = FixRules(defaultDevice: DeviceID("d"), now: Reading.now)

    private static func line(_ members: String) -> String {
        #"{"deviceId":"a","timestamp":"2026-03-01T08:30:00Z","latitude":48.8,"longitude":2.2,\#(members)}"#
    }

    @Test(
        "are dropped and named, and the location stays",
        arguments: [
            (#""altitude":-9223372036854775808"#, "altitude"), (#""altitude":1e19"#, "altitude"),
            (#""altitude":-12000.1"#, "altitude"), (#""horizontalAccuracy":1e155"#, "horizontalAccuracy"),
            (#""horizontalAccuracy":20000000.5"#, "horizontalAccuracy"),
            (#""verticalAccuracy":1e300"#, "verticalAccuracy"),
            (#""speed":100001"#, "speed"), (#""course":361"#, "course"), (#""batteryLevel":1.5"#, "batteryLevel"),
            (#""floor":9223372036854775807"#, "floor"), (#""floor":-1001"#, "floor"),
            ("\"source\":\"\(String(repeating: "e\u{301}", count: 100))\"", "source"),
            ("\"trigger\":\"\(String(repeating: "a", count: 257))\"", "trigger"),
        ])
    func named(member: String, name: String) throws {
        let text = Self.line(member)
        let plain = Self.line(#""isSimulated":null"#)
        let expected = try NativeIngest.decode(json: Array(plain.utf8), rules: Self.rules).locations
        #expect(expected.count == 1)
        for request in [
            try NativeIngest.decode(json: Array(text.utf8), rules: Self.rules),
            try NativeIngest.decode(ndjson: Array(text.utf8), rules: Self.rules),
            try LineIngest().decode(Array(text.utf8), rules: Self.rules),
        ] {
            #expect(request.rejected.isEmpty)
            #expect(request.locations == expected)
            #expect(request.dropped.named.map(\.name) == [name])
        }
        let reading = try Reading(Array((text + "\n").utf8), format: .ndjson)
        #expect(reading.locations == expected && reading.rejections.isEmpty)
        #expect(reading.dropped.named.map(\.name) == [name])
    }

    @Test(
        "that phones use for unknown values are not named",
        arguments: [
            #""speed":-1"#, #""course":-1"#, #""verticalAccuracy":-1"#, #""batteryLevel":-1"#, #""speed":1e-300"#,
            #""horizontalAccuracy":20000000"#, #""altitude":-12000"#,
        ])
    func unknown(member: String) throws {
        let request = try NativeIngest.decode(json: Array(Self.line(member).utf8), rules: Self.rules)
        #expect(request.locations.count == 1 && request.dropped.isEmpty)
    }

    @Test("are named in lines that a learned shape fits", arguments: 1...20 as ClosedRange<UInt64>)
    func shapes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var lines: [String] = []
        var expected = 0
        for _ in 0..<200 {
            let isBeyond = Int.random(in: 0..<10, using: &random) == 0
            expected += isBeyond ? 1 : 0
            let altitude = isBeyond ? "-9223372036854775808" : "12.5"
            lines.append(Self.line("\"altitude\":\(altitude),\"horizontalAccuracy\":5"))
        }
        let body = Array(lines.joined(separator: "\n").utf8)
        let request = try LineIngest().decode(body, rules: Self.rules)
        #expect(request.locations.count == 200)
        #expect(request.locations.filter { $0.altitude == nil }.count == expected)
        #expect((request.dropped.named.first?.count ?? 0) == expected)
    }

    @Test(
        "are dropped in the formats of phones and files",
        arguments: [
            ("a.csv", "device,timestamp,lat,lon,altitude\na,2026-03-01T08:30:00Z,48.8,2.2,1e19\n"),
            (
                "a.gpx",
                #"<gpx version="1.1"><trk><trkseg><trkpt lat="48.8" lon="2.2"><ele>-9223372036854775808</ele>"#
                    + "<time>2026-03-01T08:30:00Z</time></trkpt></trkseg></trk></gpx>"
            ),
            (
                "a.geojson",
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","#
                    + #""coordinates":[2.2,48.8,1e19]},"properties":{"timestamp":"2026-03-01T08:30:00Z"}}]}"#
            ),
        ])
    func files(name: String, text: String) throws {
        let reading = try Reading(Array(text.utf8), name: name)
        #expect(reading.locations.count == 1, "\(reading.text)")
        #expect(reading.locations.first?.altitude == nil)
        #expect(reading.dropped.named.map(\.name) == ["altitude"])
    }

    @Test("do not keep an answer from friends from being written") func friends() throws {
        let body = #"{"_type":"location","lat":48.8,"lon":2.2,"tst":1772353800,"acc":12,"alt":1e19,"vel":1e300}"#
        let request = try OwnTracksIngest.decode(Array(body.utf8), sender: DeviceID("bob"), rules: Self.rules, key: nil)
        let location = try #require(request.locations.first)
        #expect(request.dropped.named.map(\.name) == ["altitude", "speed"])
        let answer = OwnTracksAnswer.encode([OwnTracksFriend(deviceID: DeviceID("bob"), location: location)], key: nil)
        #expect(String(decoding: answer, as: UTF8.self).contains(#""acc":12"#))
    }

    @Test("such as long names of marks are refused without composing them") func names() {
        let name = "a" + String(repeating: "\u{301}\u{316}", count: 100_000)
        #expect(throws: Rejection.self) { try DeviceID(validating: name) }
    }
}
