import FencepostFormats
import FencepostModel
import Testing

@Suite("Ingest from GPSLogger") struct GPSLoggerIngestTests {
    private func decode(
        _ query: String, sender: String? = nil, default device: String? = nil
    ) throws(Rejection) -> IngestRequest {
        let parameters = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        return try GPSLoggerIngest.decode(
            parameters: parameters, rules: Ingesting.rules(device), now: Ingesting.now,
            sender: sender.map { DeviceID($0) })
    }

    private func decode(json: String, sender: String? = nil, now: Timestamp? = nil) throws(Rejection) -> IngestRequest {
        try GPSLoggerIngest.decode(
            json: json.utf8, rules: Ingesting.rules(), now: now, sender: sender.map { DeviceID($0) })
    }

    /// The parameters of `%ALL`.
    static let all =
        "lat=-33.5&lon=151.25&sat=11&desc=&alt=-3.5&acc=4.0&dir=271.5&prov=gps&spd=1.5&timestamp=1772353700"
        + "&timeoffset=2026-03-01T09:28:20.000+01:00&time=2026-03-01T08:28:20.000Z&starttimestamp=1772350000"
        + "&date=2026-03-01&batt=87.0&ischarging=true&aid=0a1b2c3d4e5f6071&ser=unknown&act=&filename=20260301"
        + "&profile=Default+Profile&hdop=0.8&vdop=&pdop=&dist=1200&"

    @Test("reads %ALL, in metres per second") func takesAll() throws {
        let request = try decode(Self.all, sender: "jane/phone")
        #expect(
            request.text == [
                #"{"deviceId":"jane/phone","timestamp":"2026-03-01T08:28:20Z","latitude":-33.5,"longitude":151.25,"#
                    + #""horizontalAccuracy":4,"altitude":-3.5,"speed":1.5,"course":271.5,"batteryLevel":0.87,"#
                    + #""batteryState":"charging","source":"gpslogger"}"#
            ])
        #expect(request.counts == [1, 0, 0, 0, 0])
    }

    @Test("reads the template of its documentation for OwnTracks, in metres per second")
    func template() throws {
        let request = try decode(
            json: """
                {"_type":"location","t":"u","acc":"4.0","alt":"-3.5","batt":"87.0","bs":"true","lat":"-33.5",
                 "lon":"151.25","tst":"1772353700","vel":"1.5","cog":271.5,"tid":"JP"}
                """)
        #expect(
            request.text == [
                #"{"deviceId":"JP","timestamp":"2026-03-01T08:28:20Z","latitude":-33.5,"longitude":151.25,"#
                    + #""horizontalAccuracy":4,"altitude":-3.5,"speed":1.5,"course":271.5,"batteryLevel":0.87,"#
                    + #""batteryState":"charging","source":"gpslogger","trigger":"u"}"#
            ])
        #expect(try decode(json: #"{"_type":"lwt","tst":1}"#).counts == [0, 0, 0, 0, 1])
    }

    @Test("takes the device of the user's id, the token, the app's ids, then the default")
    func identity() throws {
        func device(_ ids: String, sender: String? = nil, default device: String? = nil) throws -> String? {
            try decode("lat=1&lon=2&\(ids)", sender: sender, default: device).locations.first?.deviceID.rawValue
        }
        #expect(try device("id=mine&aid=a", sender: "token") == "mine")
        #expect(try device("topic=owntracks/jane/phone&aid=a", sender: "token") == "jane/phone")
        #expect(try device("aid=a", sender: "token", default: "d") == "token")
        #expect(try device("aid=a&tid=JP", default: "d") == "JP")
        #expect(try device("aid=a", default: "d") == "a")
        #expect(try device("x=1", default: "d") == "d")
        #expect(try decode("lat=1&lon=2").codes == ["0 missing_device"])
    }

    @Test("reads times, and uses the current time for a fix without one") func times() throws {
        for (text, expected) in [
            ("time=2026-03-01T08:28:20.000Z", "2026-03-01T08:28:20Z"),
            ("timeoffset=2026-03-01T09:28:20.000 01:00", "2026-03-01T08:28:20Z"),
            ("TIMESTAMP=1772353700", "2026-03-01T08:28:20Z"), ("date=2026-03-01", "2026-03-01T08:30:00Z"),
        ] {
            #expect(try decode("id=a&LAT=1&Lon=2&\(text)").locations.map(\.timestamp.rfc3339) == [expected], "\(text)")
        }
        #expect(try decode(json: #"{"id":"a","lat":1,"lon":2}"#).codes == ["0 missing_timestamp"])
        #expect(try decode(json: #"{"id":"a","lat":1,"lon":2}"#, now: Ingesting.now).counts == [1, 0, 0, 0, 0])
    }

    @Test("rejects a bad value without throwing", arguments: Ingesting.hostileNumbers)
    func hostile(number: String) throws {
        for name in ["lat", "lon", "acc", "alt", "spd", "dir", "batt"] {
            let request = try decode("id=a&lat=1&lon=2&\(name)=\(number)")
            #expect(request.codes == ["0 invalid_number"], "\(name)=\(number)")
            #expect(request.rejected.first?.deviceID == DeviceID("a"))
        }
        #expect(try decode("id=a&lat=91&lon=2").codes == ["0 coordinate_out_of_range"])
        #expect(try decode("id=a&batt=50").counts == [0, 0, 0, 0, 1])
    }

    @Test("reads a batch, and throws for invalid JSON") func batch() throws {
        let request = try decode(
            json: #"[{"id":"a","lat":1,"lon":2,"tst":1772353700},5,{"id":"b","lat":1e999,"lon":2,"tst":1772353700}]"#)
        #expect(request.codes == ["1 invalid_shape", "2 invalid_number"])
        #expect(request.counts == [1, 0, 0, 2, 0])
        #expect(code { () throws(Rejection) in try decode(json: "{") } == "invalid_json")
    }
}
