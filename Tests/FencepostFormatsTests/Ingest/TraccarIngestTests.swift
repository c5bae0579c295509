import FencepostFormats
import FencepostModel
import Testing

@Suite("Ingest from a Traccar server") struct TraccarIngestTests {
    private func decode(
        _ json: String, sender: String? = nil, default device: String? = nil
    ) throws(Rejection) -> IngestRequest {
        try TraccarIngest.decode(
            json.utf8, rules: Ingesting.rules(device), sender: sender.map { DeviceID($0) })
    }

    private static func record(_ members: String = "", id: String = #""356938035643809""#) -> String {
        #"{"position":{"fixTime":"2026-03-01T08:28:20.000+00:00","latitude":-33.5,"longitude":151.25\#(members)},"#
            + #""device":{"id":7,"uniqueId":\#(id),"name":"Van"}}"#
    }

    /// The members that a server of version 6 writes.
    private static let whole = """
        {"position":{"id":18336,"attributes":{"batteryLevel":80.0,"charge":true,"distance":0.0,"totalDistance":1234.5,
         "motion":true,"ignition":true,"alarm":"sos","battery":3.9,"sat":11},"deviceId":7,"protocol":"h02",
         "serverTime":"2026-03-01T08:28:25.123+00:00","deviceTime":"2026-03-01T08:28:21.000+00:00",
         "fixTime":"2026-03-01T08:28:20.000+00:00","valid":true,"latitude":-33.5,"longitude":151.25,"altitude":-3.5,
         "speed":10.0,"course":271.5,"address":null,"accuracy":5.0,"network":null,"geofenceIds":null},
         "device":{"id":7,"attributes":{},"groupId":0,"calendarId":0,"name":"Van","uniqueId":"356938035643809",
         "status":"online","lastUpdate":"2026-03-01T08:28:25.123+00:00","positionId":18335,"phone":null,"model":null,
         "contact":null,"category":"van","disabled":false,"expirationTime":null}}
        """

    @Test("reads a forwarded position: knots, percent, the alarm") func takesAll() throws {
        let expected =
            #"{"deviceId":"356938035643809","timestamp":"2026-03-01T08:28:20Z","latitude":-33.5,"longitude":151.25,"#
            + #""horizontalAccuracy":5,"altitude":-3.5,"speed":5.144444444444445,"course":271.5,"batteryLevel":0.8,"#
            + #""batteryState":"charging","source":"traccar","trigger":"sos"}"#
        #expect(try decode(Self.whole).text == [expected])
        #expect(try decode("[\(Self.whole),\(Self.whole)]").text == [expected, expected])
    }

    @Test("reads the times of all versions") func times() throws {
        for time in [#""2026-03-01T08:28:20.000+0000""#, #""2026-03-01T09:28:20+01:00""#, "1772353700000"] {
            let json = #"{"position":{"fixTime":\#(time),"latitude":1,"longitude":2},"device":{"uniqueId":"a"}}"#
            #expect(try decode(json).locations.first?.timestamp == Timestamp(seconds: 1_772_353_700), "\(time)")
        }
    }

    @Test("takes an accuracy of 0 as not stated") func accuracy() throws {
        #expect(try decode(Self.record(#","accuracy":0.0"#)).locations.first?.horizontalAccuracy == nil)
        #expect(try decode(Self.record(#","accuracy":0.5"#)).locations.first?.horizontalAccuracy == 0.5)
    }

    @Test("takes the device of uniqueId, the token, the default") func identity() throws {
        func device(_ id: String, sender: String? = nil, default device: String? = nil) throws -> String? {
            try decode(Self.record(id: id), sender: sender, default: device).locations.first?.deviceID.rawValue
        }
        #expect(try device(#""a""#, sender: "b", default: "c") == "a")
        #expect(try device("356938035643809") == "356938035643809")
        #expect(try device("null", sender: "b", default: "c") == "b")
        #expect(try device("null", default: "c") == "c")
        #expect(try decode(Self.record(id: "null")).rejected.map(\.rejection.code) == [.missingDevice])
    }

    @Test("keeps the good ones of several") func several() throws {
        let request = try decode(
            "[\(Self.record()),\(Self.record(#","valid":false"#)),7,\(Self.record(#","speed":"fast""#)),{},"
                + #"{"event":{"type":"deviceOffline"},"device":{"uniqueId":"a"}},\#(Self.record(#","altitude":3"#))]"#)
        #expect(request.locations.count == 2)
        #expect(request.ignored == 1)
        #expect(request.rejected.map(\.index) == [1, 2, 3, 4])
        #expect(
            request.rejected.map(\.rejection.code) == [
                .missingCoordinate, .invalidShape, .invalidNumber, .invalidShape,
            ]
        )
        #expect(request.rejected[0].deviceID?.rawValue == "356938035643809")
    }

    @Test("does not refuse a position for an attribute in words") func attributes() throws {
        let request = try decode(Self.record(#","attributes":{"batteryLevel":"full","charge":"?","alarm":7}"#))
        #expect(request.locations.first?.batteryLevel == nil)
        #expect(request.rejected.isEmpty)
    }

    @Test("refuses what is no record and no array", arguments: ["7", "null", #""x""#, "{", ""])
    func bodies(_ body: String) {
        #expect(throws: Rejection.self) { try decode(body) }
    }

    @Test("is also forwarded to a URL, where absent attributes are null") func url() throws {
        let parameters = [
            ("id", "356938035643809"), ("timestamp", "1772353700000"), ("lat", "-33.5"), ("lon", "151.25"),
            ("speed", "10.0"), ("batt", "null"), ("charge", "null"),
        ]
        let request = try OsmAndIngest.decode(
            parameters: parameters, rules: Ingesting.rules(), now: Ingesting.now)
        #expect(request.locations.first?.batteryLevel == nil)
        #expect(request.locations.first?.speed == 10.0 * 1852 / 3600)
    }
}
