import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@Suite("Ingest from OwnTracks") struct OwnTracksIngestTests {
    private func decode(
        _ body: String, sender: String? = "jane/phone", default device: String? = nil, key: String? = nil
    ) throws(Rejection) -> IngestRequest {
        try OwnTracksIngest.decode(
            body.utf8, sender: sender.map { DeviceID($0) }, rules: Ingesting.rules(device),
            key: key.map { Array($0.utf8) })
    }

    @Test("reads requests of the iOS app") func iOS() throws {
        let request = try decode(
            """
            {"_type":"location","BSSID":"0:11:22:33:44:55","SSID":"home","acc":12,"alt":-3,"batt":87,"bs":2,"cog":270,
             "conn":"w","created_at":1772353799,"inregions":["Office"],"lat":48.85833,"lon":2.29513,"m":1,"p":101.3,
             "t":"u","tid":"JP","topic":"owntracks/joe/tablet","tst":1772353800,"vac":4,"vel":36}
            """)
        #expect(
            request.text == [
                #"{"deviceId":"jane/phone","timestamp":"2026-03-01T08:30:00Z","latitude":48.85833,"#
                    + #""longitude":2.29513,"horizontalAccuracy":12,"altitude":-3,"verticalAccuracy":4,"speed":10,"#
                    + #""course":270,"batteryLevel":0.87,"batteryState":"charging","source":"owntracks","trigger":"u"}"#
            ])
        #expect(request.counts == [1, 0, 0, 0, 0])
    }

    @Test("reads requests of the Android app, and numbers in strings") func android() throws {
        let request = try decode(
            """
            {"_type":"location","_id":"6e1d7a5b","acc":"13.5","batt":"42","bs":1,"conn":"m","created_at":1772353805,
             "lat":"-33.5","lon":"151.25","t":"p","tid":"an","tst":"1772353800.25","vac":-1,"vel":-1,"cog":-1,"alt":"0"}
            """)
        #expect(
            request.text == [
                #"{"deviceId":"jane/phone","timestamp":"2026-03-01T08:30:00.250Z","latitude":-33.5,"#
                    + #""longitude":151.25,"horizontalAccuracy":13.5,"altitude":0,"batteryLevel":0.42,"#
                    + #""batteryState":"unplugged","source":"owntracks","trigger":"p"}"#
            ])
        #expect(request.locations.first?.speed == nil)
    }

    @Test("takes the device in the order of I10", arguments: [true, false], [true, false])
    func identity(hasSender: Bool, hasTopic: Bool) throws {
        let topic = hasTopic ? #""topic":"owntracks/joe/tablet/event","# : ""
        let body = #"{"_type":"location",\#(topic)"tid":"tt","lat":1,"lon":2,"tst":1772353800}"#
        func device(_ name: String?) throws -> String? {
            try decode(body, sender: hasSender ? "jane/phone" : nil, default: name).locations.first?.deviceID.rawValue
        }
        let known = hasSender ? "jane/phone" : hasTopic ? "joe/tablet" : nil
        #expect(try device("token") == known ?? "token")
        #expect(try device(nil) == known ?? "tt")
    }

    @Test("separates reports of the phone from fixes") func reports() throws {
        let transition = try decode(
            """
            {"_type":"transition","acc":14,"desc":"Office","event":"leave","lat":48.1,"lon":2.1,"rid":"abc","t":"c",
             "tid":"JP","tst":1772353700,"wtst":1700000000}
            """)
        #expect(transition.counts == [0, 0, 1, 0, 0])
        let report = try #require(transition.reports.first)
        #expect(report.kind == .transition(.leave, region: "Office", regionID: "abc", trigger: "c"))
        #expect(report.deviceID == DeviceID("jane/phone"))
        #expect(report.timestamp == Timestamp(seconds: 1_772_353_700))
        #expect(report.horizontalAccuracy == 14)
        let waypoints = try decode(
            """
            {"_type":"waypoints","_creator":"iOS","waypoints":[
              {"_type":"waypoint","tst":1434020400,"lat":51.5,"lon":-0.1,"rad":100,"desc":"Home","rid":"h"},
              {"_type":"waypoint","lat":51.5,"lon":-0.1,"desc":"no time"},
              {"_type":"waypoint","tst":1e14,"lat":51.5,"lon":-0.1},
              {"_type":"waypoint","tst":1434020401,"lat":91,"lon":-0.1}]}
            """)
        #expect(waypoints.counts == [0, 0, 1, 3, 0])
        #expect(
            waypoints.codes == ["0 missing_timestamp", "0 timestamp_out_of_range", "0 coordinate_out_of_range"])
        #expect(waypoints.rejected.allSatisfy { $0.deviceID == DeviceID("jane/phone") })
    }

    @Test(
        "ignores messages without a location",
        arguments: ["lwt", "card", "cmd", "steps", "beacon", "configuration", "status", "dump", "request", "new"])
    func others(type: String) throws {
        #expect(try decode(#"{"_type":"\#(type)","tst":1772353800,"lat":1,"lon":2}"#).counts == [0, 0, 0, 0, 1])
    }

    @Test("rejects a bad value and continues, because the phone would resend it forever") func badValues() throws {
        let bad = [
            (#"{"_type":"location","lat":91,"lon":2,"tst":1772353800}"#, "coordinate_out_of_range"),
            (#"{"_type":"location","lat":1,"lon":-180.1,"tst":1772353800}"#, "coordinate_out_of_range"),
            (#"{"_type":"location","lon":2,"tst":1772353800}"#, "missing_coordinate"),
            (#"{"_type":"location","lat":1,"lon":2}"#, "missing_timestamp"),
            (#"{"_type":"location","lat":1,"lon":2,"tst":"soon"}"#, "invalid_timestamp"),
            (#"{"_type":"location","lat":1,"lon":2,"tst":0}"#, "timestamp_out_of_range"),
            (#"{"_type":"location","lat":1,"lon":2,"tst":1772440201}"#, "timestamp_out_of_range"),
            (#"{"_type":"location","lat":1e999,"lon":2,"tst":1772353800}"#, "invalid_number"),
            (#"{"_type":"location","lat":[],"lon":2,"tst":1772353800}"#, "invalid_number"),
            (#"{"lat":1,"lon":2,"tst":1772353800}"#, "invalid_shape"),
            (#"{"_type":7}"#, "invalid_shape"), ("[5]", "invalid_shape"), ("[null]", "invalid_shape"),
        ]
        for (body, code) in bad {
            let request = try decode(body)
            #expect(request.codes == ["0 \(code)"], "\(body)")
            #expect(request.rejected.first?.deviceID == DeviceID("jane/phone"))
            #expect(request.locations.isEmpty)
        }
        let batch = try decode("[" + bad.map(\.0).joined(separator: ",") + "]")
        #expect(batch.codes == bad.enumerated().map { "\($0) \($1.1)" })
        let nobody = try decode(#"{"_type":"location","lat":1,"lon":2,"tst":1772353800}"#, sender: nil)
        #expect(nobody.codes == ["0 missing_device"])
    }

    @Test("rejects hostile numbers", arguments: Ingesting.hostileNumbers)
    func hostile(number: String) throws {
        for member in ["lat", "lon", "acc", "alt", "vac", "vel", "cog", "batt", "tst"] {
            var members = ["lat": "1", "lon": "2", "tst": "1772353800"]
            members[member] = "\"\(number)\""
            let body = members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }.joined(separator: ",")
            let request = try decode("{\"_type\":\"location\",\(body)}")
            #expect(request.counts == [0, 0, 0, 1, 0], "\(member) \(number)")
        }
    }

    @Test("throws for an unreadable body") func unreadable() {
        let bodies = ["", "{", "{}x", "not json", "{\"_type\":\"location\",\"lat\":nan}", "\u{FEFF}"]
        for body in bodies { #expect(code { () throws(Rejection) in try decode(body) } == "invalid_json", "\(body)") }
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(code { () throws(Rejection) in try decode(deep) } == "invalid_json")
        #expect(code { () throws(Rejection) in try decode(String(repeating: "[", count: 1 << 20)) } == "invalid_json")
        let many = "[" + Array(repeating: "{}", count: 10_001).joined(separator: ",") + "]"
        #expect(code { () throws(Rejection) in try decode(many) } == "too_many_locations")
    }

    /// `_type` `encrypted` with this data.
    private func encrypted(_ data: String, key: String?) throws(Rejection) -> IngestRequest {
        try decode(#"{"_type":"encrypted","data":"\#(data)"}"#, sender: nil, key: key)
    }

    // Golden: libsodium's crypto_secretbox_easy with the nonce 0, 1, … 23 and the key padded with zeros.
    @Test("decrypts a payload with its key only") func opens() throws {
        let data = """
            AAECAwQFBgcICQoLDA0ODxAREhMUFRYXcmbs1NIgdSSQJpw60EtGYdG9hfIud1XLuB5xeZcvIIIf9mtYWLVwHniw\
            5LOeqsnc/yhTsF97hwSGzKhwHRPCjbskA/x7OnblX54wBaLORjwgnPbgSNRy4AeTsMIYaL1tT8Ud4w==
            """
        #expect(try encrypted(data, key: "s3cret").locations.map(\.deviceID.rawValue) == ["joe/tablet"])
        for key in [nil, "", "s3cre", "S3cret", String(repeating: "k", count: 33)] {
            #expect(code { () throws(Rejection) in try encrypted(data, key: key) } == "cannot_decrypt")
        }
        var broken = try #require(Data(base64Encoded: data))
        broken[broken.count - 1] ^= 1
        let changed = broken.base64EncodedString()
        #expect(code { () throws(Rejection) in try encrypted(changed, key: "s3cret") } == "cannot_decrypt")
        let withWholeKey = try encrypted(
            """
            AAECAwQFBgcICQoLDA0ODxAREhMUFRYXmGfkBA8RiB0rjyYTPkHIrLcvMXAJATSCHST4TvwSjV57iCMmM7ca0XMg\
            x2tXyfr6L2AtCgtE6iU1JxJg+IaXukbVeifi
            """, key: "0123456789abcdef0123456789abcdef")
        #expect(withWholeKey.codes == ["0 missing_device"])
    }

    @Test("rejects invalid boxes, which no key can open") func noBox() throws {
        for data in ["5", "null", "[]", #""%%""#, #""AAAA""#] {
            let body = #"{"_type":"encrypted","data":\#(data)}"#
            #expect(try decode(body, key: "k").codes == ["0 invalid_shape"])
        }
        let twice = """
            AAECAwQFBgcICQoLDA0ODxAREhMUFRYXc1EqPkx+S7xFm+8hVmrC8a1CEWrJDA8Rd8H7o7PJ7w0JQALS8nrvkzIt\
            sFK7g8Trc3t2llHbVNckUycI3mJf7Q0xWOAip6T2Druczes4GldVTIYJi2hPLnPWXJErNsWzW8zFwR4LKQ==
            """
        #expect(try encrypted(twice, key: "k").codes == ["0 invalid_shape"])
        let noJSON = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXoStl0Ugva+JEQic2NAR1sK0="
        #expect(try encrypted(noJSON, key: "k").codes == ["0 invalid_json"])
    }
}
