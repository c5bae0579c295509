import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostTesting
import Testing

@Suite("Ingest of Fencepost's own locations") struct NativeIngestTests {
    private func json(_ body: String, limit: Int = IngestRequest.defaultLimit) throws(Rejection) -> IngestRequest {
        try NativeIngest.decode(json: body.utf8, rules: Ingesting.rules(), limit: limit)
    }

    private func lines(_ body: String, limit: Int = IngestRequest.defaultLimit) throws(Rejection) -> IngestRequest {
        try NativeIngest.decode(ndjson: body.utf8, rules: Ingesting.rules(), limit: limit)
    }

    private func geojson(_ body: String, limit: Int = IngestRequest.defaultLimit) throws(Rejection) -> IngestRequest {
        try NativeIngest.decode(geojson: body.utf8, rules: Ingesting.rules(), limit: limit)
    }

    static let full =
        #"{"deviceId":"jane/phone","timestamp":"2026-03-01T08:30:00Z","latitude":48.85833,"longitude":2.29513,"#
        + #""horizontalAccuracy":12,"altitude":35,"verticalAccuracy":4,"speed":1.5,"course":270,"batteryLevel":0.87,"#
        + #""batteryState":"unplugged","source":"owntracks","trigger":"u"}"#

    @Test("normalises to the canonical format") func canonical() throws {
        for request in [
            try json(Self.full), try json("[\(Self.full)]"), try json(#"{"locations":[\#(Self.full)]}"#),
            try lines(Self.full), try lines("\n \n\(Self.full)\r\n\n"), try lines("\u{FEFF}\(Self.full)"),
        ] {
            #expect(request.text == [Self.full])
            #expect(request.counts == [1, 0, 0, 0, 0])
        }
    }

    /// Valid and invalid records with their codes.
    static let records: [(String, String?)] = [
        (full, nil), (#"{"tid":"a","tst":1772353800123,"lat":0,"lng":0,"acc":0}"#, nil),
        (#"{"deviceId":"a","t":"2026-03-01T08:30:00Z","lat":91,"lon":0}"#, "coordinate_out_of_range"),
        (#"{"deviceId":"a","t":"2026-03-01T08:30:00Z","lat":1,"lon":1e999}"#, "invalid_number"),
        (#"{"deviceId":"a","t":"2026-03-01T08:30:00Z","lat":"1","lon":1}"#, "invalid_number"),
        (#"{"deviceId":"a","t":"2026-03-01T08:30:00Z","lat":1}"#, "missing_coordinate"),
        (#"{"deviceId":"a","t":"2026-03-01T08:30:00Z","lat":1,"lon":2,"acc":-1}"#, "missing_coordinate"),
        (#"{"deviceId":"a","lat":1,"lon":2}"#, "missing_timestamp"),
        (#"{"deviceId":"a","t":"2026-03-01","lat":1,"lon":2}"#, "invalid_timestamp"),
        (#"{"deviceId":"a","t":5,"lat":1,"lon":2}"#, "timestamp_out_of_range"),
        (#"{"t":"2026-03-01T08:30:00Z","lat":1,"lon":2}"#, "missing_device"),
        (#"{"deviceId":"","t":"2026-03-01T08:30:00Z","lat":1,"lon":2}"#, "invalid_device_id"),
        (#"{"deviceId":7,"t":"2026-03-01T08:30:00Z","lat":1,"lon":2}"#, "invalid_device_id"),
        ("7", "invalid_shape"), ("[]", "invalid_shape"),
    ]

    @Test("reports each bad record by index and code, in every form") func badRecords() throws {
        let texts = Self.records.map(\.0)
        let codes = Self.records.enumerated().compactMap { index, record in record.1.map { "\(index) \($0)" } }
        let forms = [
            try json("[\(texts.joined(separator: ","))]"),
            try json(#"{"locations":[\#(texts.joined(separator: ","))]}"#),
            try lines(texts.joined(separator: "\n")), try lines(texts.joined(separator: "\r\n\n") + "\n"),
        ]
        for request in forms {
            #expect(request.codes == codes)
            #expect(request.locations.count == 2)
            let devices = request.rejected.map { $0.deviceID?.rawValue }
            #expect(devices == Array(repeating: "a", count: 8) + Array(repeating: nil, count: 5))
        }
    }

    @Test("continues after a line that is invalid or too long") func badLines() throws {
        let long = #"{"deviceId":"a","x":""# + String(repeating: "x", count: 65_536) + "\"}"
        let deep = String(repeating: "[", count: 100_000 / 2)
        let request = try lines([Self.full, "{", long, deep, "{\"lat\":nan}", Self.full].joined(separator: "\n"))
        #expect(
            request.codes == ["1 invalid_json", "2 payload_too_large", "3 invalid_json", "4 invalid_json"])
        #expect(request.locations.count == 2)
    }

    @Test("throws for a body of another shape, and for too many records") func unreadable() throws {
        for (body, expected) in [
            ("", "invalid_json"), ("{", "invalid_json"), ("{}", "invalid_shape"), ("7", "invalid_json"),
            (#"{"locations":7}"#, "invalid_shape"), (#"{"location":[]}"#, "invalid_shape"),
            (String(repeating: "[", count: 65) + String(repeating: "]", count: 65), "invalid_json"),
        ] {
            #expect(code { () throws(Rejection) in try json(body) } == expected, "\(body)")
        }
        #expect(try json(#"{"locations":[]}"#).counts == [0, 0, 0, 0, 0])
        #expect(try lines("").counts == [0, 0, 0, 0, 0])
        for (count, expected) in [(3, String?.none), (4, "too_many_locations")] {
            let array = Array(repeating: Self.full, count: count)
            #expect(
                code { () throws(Rejection) in try json("[\(array.joined(separator: ","))]", limit: 3) } == expected)
            let text = array.joined(separator: "\n\n") + "\n\n"
            #expect(code { () throws(Rejection) in try lines(text, limit: 3) } == expected)
        }
        #expect(IngestRequest.defaultLimit == 10_000)
    }

    @Test("reads GeoJSON: points, and lines with times") func takesGeoJSON() throws {
        let point =
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1,35]},"properties":{"deviceId":"a","#
            + #""timestamp":"2026-03-01T08:30:00Z"}}"#
        let line =
            #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,1],[2,91],[3,3]]},"properties":"#
            + #"{"deviceId":"b","coordTimes":[1772353800,1772353801,1772353802]}}"#
        let request = try geojson(#"{"type":"FeatureCollection","features":[\#(point),7,\#(line)]}"#)
        #expect(request.locations.map(\.deviceID.rawValue) == ["a", "b", "b"])
        #expect(request.locations.first?.altitude == 35)
        #expect(request.codes == ["1 invalid_shape", "3 coordinate_out_of_range"])
        #expect(request.rejected.map { $0.deviceID?.rawValue } == [nil, "b"])
        #expect(try geojson(point).counts == [1, 0, 0, 0, 0])
        for (body, expected) in [
            ("[]", "invalid_json"), ("{", "invalid_json"), (#"{"type":"Topology"}"#, "invalid_shape"),
            (#"{"type":"FeatureCollection"}"#, "invalid_shape"),
        ] {
            #expect(code { () throws(Rejection) in try geojson(body) } == expected, "\(body)")
        }
        for limit in [2, 3] {
            #expect(
                code { () throws(Rejection) in try geojson(line, limit: limit) }
                    == (limit == 3 ? nil : "too_many_locations"))
        }
        #expect(
            try geojson(point.replacing("[2,1,35]", with: "[2,1e999]")).codes == ["0 invalid_number"])
    }

    @Test("reads lines and a document of them to the same result", arguments: 1...20 as ClosedRange<UInt64>)
    func agree(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let texts = (0..<Int.random(in: 0...300, using: &random)).map { _ in
            Self.records.randomElement(using: &random)?.0 ?? ""
        }
        let a = try lines(texts.joined(separator: "\n"))
        let b = try json("[\(texts.joined(separator: ","))]")
        #expect(a.locations == b.locations)
        #expect(a.codes == b.codes)
    }

    @Test("never throws for lines of any bytes", arguments: 1...40 as ClosedRange<UInt64>)
    func anyBytes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var bytes = Array(Self.records.map(\.0).joined(separator: "\n").utf8)
        for _ in 0..<200 {
            let index = Int.random(in: bytes.indices, using: &random)
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        let request = try NativeIngest.decode(ndjson: bytes, rules: Ingesting.rules())
        #expect(request.locations.count + request.rejected.count > 0)
        #expect(request.locations.allSatisfy { $0.coordinate.isValid })
        _ = code { () throws(Rejection) in
            try OwnTracksIngest.decode(bytes, sender: nil, rules: Ingesting.rules(), key: nil)
        }
    }
}
