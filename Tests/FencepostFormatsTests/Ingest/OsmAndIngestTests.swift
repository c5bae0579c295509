import FencepostFormats
import FencepostGeometry
import FencepostModel
import Testing

@Suite("Ingest from OsmAnd and the Traccar Client") struct OsmAndIngestTests {
    private func decode(_ query: String, default device: String? = nil) throws(Rejection) -> IngestRequest {
        let parameters = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        return try OsmAndIngest.decode(parameters: parameters, rules: Ingesting.rules(device), now: Ingesting.now)
    }

    private func decode(json: String, default device: String? = nil) throws(Rejection) -> IngestRequest {
        try OsmAndIngest.decode(json: json.utf8, rules: Ingesting.rules(device))
    }

    @Test("reads requests of OsmAnd and older Traccar Clients") func query() throws {
        let request = try decode(
            "id=123456&lat=-33.5&lon=151.25&timestamp=1772353700&hdop=1.5&altitude=-3.5&speed=36&bearing=360"
                + "&accuracy=4&batt=87.5&charge=true&driverUniqueId=9&mock=0")
        #expect(
            request.text == [
                #"{"deviceId":"123456","timestamp":"2026-03-01T08:28:20Z","latitude":-33.5,"longitude":151.25,"#
                    + #""horizontalAccuracy":4,"altitude":-3.5,"speed":18.52,"course":0,"batteryLevel":0.875,"#
                    + #""batteryState":"charging","isSimulated":false,"source":"osmand"}"#
            ])
        #expect(request.counts == [1, 0, 0, 0, 0])
    }

    @Test(
        "reads times in every form",
        arguments: [
            ("1772353700", "2026-03-01T08:28:20Z"), ("1772353700123", "2026-03-01T08:28:20.123Z"),
            ("1772353700.5", "2026-03-01T08:28:20.500Z"), ("2026-03-01T09:28:20.5+01:00", "2026-03-01T08:28:20.500Z"),
            ("2026-03-01T09:28:20 01:00", "2026-03-01T08:28:20Z"), ("2026-03-01T08:28:20Z", "2026-03-01T08:28:20Z"),
            ("2026-03-01 08:28:20", "2026-03-01T08:28:20Z"), ("", "2026-03-01T08:30:00Z"),
        ])
    func times(text: String, expected: String) throws {
        #expect(try decode("id=a&lat=1&lon=2&timestamp=\(text)").locations.map(\.timestamp.rfc3339) == [expected])
    }

    @Test("reads alternative names, uses the last of two, and ignores empty values") func names() throws {
        let request = try decode("deviceid=a&location=48.5, 2.5&heading=90&speed=-1&accuracy=-1&batt=&altitude=")
        let location = try #require(request.locations.first)
        #expect(location.coordinate.latitude == 48.5 && location.coordinate.longitude == 2.5)
        #expect(location.course == 90)
        #expect(location.speed == nil && location.horizontalAccuracy == nil && location.altitude == nil)
        #expect(location.timestamp == Ingesting.now)
        #expect(try decode("id=a&id=b&lat=1&lon=2").locations.map(\.deviceID.rawValue) == ["b"])
        #expect(try decode("lat=1&lon=2", default: "t").locations.map(\.deviceID.rawValue) == ["t"])
    }

    @Test("throws without an id and for an invalid number (rule I32)") func unreadable() {
        for (query, expected) in [
            ("lat=1&lon=2", "missing_device"), ("", "missing_device"), ("id=&lat=1&lon=2", "missing_device"),
            ("id=a\u{7}&lat=1&lon=2", "invalid_device_id"), ("id=a&lat=x&lon=2", "invalid_number"),
            ("id=a&location=1", "invalid_number"), ("id=a&location=1,2,3", "invalid_number"),
            ("id=a&lat=1&lon=2&hdop=x", "invalid_number"),
        ] {
            #expect(code { () throws(Rejection) in try decode(query) } == expected, "\(query)")
        }
    }

    @Test("rejects hostile numbers", arguments: Ingesting.hostileNumbers)
    func hostile(number: String) {
        for name in ["lat", "lon", "speed", "bearing", "heading", "altitude", "accuracy", "hdop", "batt"] {
            let query = "id=a&lat=1&lon=2&\(name)=\(number)"
            #expect(code { () throws(Rejection) in try decode(query) } == "invalid_number", "\(query)")
        }
        #expect(code { () throws(Rejection) in try decode("id=a&location=1 \(number)") } == "invalid_number")
    }

    @Test("rejects a fix with values out of range") func rejected() throws {
        for (query, expected) in [
            ("lat=91&lon=2", "coordinate_out_of_range"), ("lat=1", "missing_coordinate"),
            ("lat=1&lon=2&timestamp=soon", "invalid_timestamp"),
            ("lat=1&lon=2&timestamp=1", "timestamp_out_of_range"), ("lat=1&lon=2&valid=false", "missing_coordinate"),
        ] {
            let request = try decode("id=a&\(query)")
            #expect(request.codes == ["0 \(expected)"], "\(query)")
            #expect(request.rejected.first?.deviceID == DeviceID("a"))
        }
        #expect(try decode("id=a&lat=0&lon=0&valid=1").counts == [1, 0, 0, 0, 0])
        #expect(try decode("id=a&cell=310,410,1,2&wifi=00-11,-50&batt=5").counts == [0, 0, 0, 0, 1])
    }

    static let client = """
        {"device_id":"x","location":{"timestamp":"2026-03-01T08:28:20.123Z","coords":{"latitude":-33.5,
         "longitude":151.25,"accuracy":5,"speed":1.5,"heading":271,"altitude":-2,
         "altitude_accuracy":3},"is_moving":true,"odometer":1534,
         "event":"motionchange","battery":{"level":0.8,"is_charging":true},"activity":{"type":"walking"},"extras":{},
         "mock":false}}
        """

    @Test("reads the JSON of the Traccar Client, in metres per second") func client() throws {
        let request = try decode(json: Self.client)
        #expect(
            request.text == [
                #"{"deviceId":"x","timestamp":"2026-03-01T08:28:20.123Z","latitude":-33.5,"longitude":151.25,"#
                    + #""horizontalAccuracy":5,"altitude":-2,"verticalAccuracy":3,"speed":1.5,"course":271,"#
                    + #""batteryLevel":0.8,"batteryState":"charging","isSimulated":false,"source":"osmand","#
                    + #""trigger":"motionchange"}"#
            ])
        let unknown = try decode(
            json: """
                {"device_id":7,"location":{"timestamp":1772353700,"coords":{"latitude":1,"longitude":2,"accuracy":-1,
                 "speed":-1,"heading":-1},"battery":{"level":-1,"is_charging":false}}}
                """)
        #expect(
            unknown.text == [
                #"{"deviceId":"7","timestamp":"2026-03-01T08:28:20Z","latitude":1,"longitude":2,"#
                    + #""batteryState":"unplugged","source":"osmand"}"#
            ])
    }

    @Test("reads several locations and rejects the bad ones") func array() throws {
        let request = try decode(
            json: """
                {"device_id":"x","location":[{"timestamp":1772353700,"coords":{"latitude":1,"longitude":2}},
                 {"coords":{"latitude":1,"longitude":2}},
                 {"timestamp":1772353701,"coords":{"latitude":"1e","longitude":2}},
                 {"timestamp":1772353702},{"timestamp":1772353703,"coords":{"latitude":1e999,"longitude":2}}, 7]}
                """)
        #expect(
            request.codes == ["1 missing_timestamp", "2 invalid_number", "4 invalid_number", "5 invalid_shape"])
        #expect(request.counts == [1, 0, 0, 4, 1])
        #expect(request.rejected.allSatisfy { $0.deviceID == DeviceID("x") })
    }

    @Test("throws for JSON without a device or a readable number") func badJSON() throws {
        for (body, expected) in [
            ("", "invalid_json"), ("[]", "invalid_shape"), (#"{"location":{}}"#, "missing_device"),
            (#"{"device_id":"x","location":5}"#, "invalid_shape"),
            (#"{"device_id":"x","location":{"coords":{"latitude":"nan","longitude":2}}}"#, "invalid_number"),
            (#"{"device_id":"x","location":{"coords":{"latitude":1e999,"longitude":2}}}"#, "invalid_number"),
        ] {
            #expect(code { () throws(Rejection) in try decode(json: body) } == expected, "\(body)")
        }
        #expect(try decode(json: #"{"device_id":"x"}"#).counts == [0, 0, 0, 0, 1])
        #expect(try decode(json: #"{"location":null}"#, default: "t").counts == [0, 0, 0, 0, 1])
    }
}
