import FencepostFormats
import FencepostGeometry
import FencepostModel
import Testing

@Suite("Ingest from Overland") struct OverlandIngestTests {
    private func decode(
        _ body: String, device: String? = "token", limit: Int = IngestRequest.defaultLimit
    ) throws(Rejection) -> IngestRequest {
        try OverlandIngest.decode(
            body.utf8, tokenDevice: device.map { DeviceID($0) }, rules: Ingesting.rules(), limit: limit)
    }

    /// One batch of the app: a fix, log entries, a visit, a trip, and the current position.
    private let batch = """
        {"locations":[
          {"type":"Feature","geometry":{"type":"Point","coordinates":[-122.030581,37.3318]},"properties":{
            "timestamp":"2026-03-01T00:30:00-0800","altitude":-12,"speed":4,"course":0,"horizontal_accuracy":30,
            "vertical_accuracy":-1,"motion":["driving","stationary"],"pauses":false,"activity":"other_navigation",
            "desired_accuracy":100,"deferred":1000,"significant_change":"disabled","locations_in_payload":1,
            "battery_state":"charging","battery_level":0.89,"device_id":"jane","wifi":"home"}},
          {"type":"Feature","geometry":{"type":"Point","coordinates":[2.5,48.5,35]},"properties":{
            "timestamp":"2026-03-01T08:29:00Z","speed":-1,"course":-1,"horizontal_accuracy":-1,"vertical_accuracy":-1,
            "battery_state":"unknown","battery_level":-1,"device_id":""}},
          {"type":"Feature","geometry":{"type":"Point","coordinates":[2.5,48.5]},"properties":{
            "timestamp":"2026-03-01T08:28:00Z","action":"visit","arrival_date":"2026-03-01T07:00:00Z",
            "departure_date":null,"horizontal_accuracy":25,"battery_level":0.5,"device_id":"jane"}},
          {"type":"Feature","properties":{"timestamp":"2026-03-01T08:27:00Z","action":"paused_location_updates"}},
          {"type":"Feature","geometry":null,"properties":{"type":"trip","mode":"walk","start":"2026-03-01T07:00:00Z"}}],
         "current":{"type":"Feature","geometry":{"type":"Point","coordinates":[2.6,48.6]},"properties":{
            "timestamp":"2026-03-01T08:30:00Z","horizontal_accuracy":5,"device_id":"jane"}},
         "trip":{"distance":200,"mode":"walk","start":"2026-03-01T08:00:00Z"}}
        """

    @Test("reads a batch of the app") func takesBatch() throws {
        let request = try decode(batch)
        #expect(
            request.text == [
                #"{"deviceId":"jane","timestamp":"2026-03-01T08:30:00Z","latitude":37.3318,"longitude":-122.030581,"#
                    + #""horizontalAccuracy":30,"altitude":-12,"speed":4,"course":0,"batteryLevel":0.89,"#
                    + #""batteryState":"charging","source":"overland"}"#,
                #"{"deviceId":"token","timestamp":"2026-03-01T08:29:00Z","latitude":48.5,"longitude":2.5,"#
                    + #""altitude":35,"source":"overland"}"#,
            ])
        #expect(request.counts == [2, 1, 1, 0, 3])
        #expect(request.livePositions.map(\.coordinate.latitude) == [48.6])
        let visit = try #require(request.reports.first)
        #expect(
            visit.kind
                == .visit(arrival: Timestamp(rfc3339: "2026-03-01T07:00:00Z"), departure: nil, name: nil))
        #expect(visit.coordinate == Coordinate(latitude: 48.5, longitude: 2.5))
        #expect(visit.horizontalAccuracy == 25)
    }

    private func feature(_ geometry: String, _ properties: String) -> String {
        #"{"locations":[{"type":"Feature","geometry":\#(geometry),"properties":\#(properties)}]}"#
    }

    private let point = #"{"type":"Point","coordinates":[2,1]}"#

    @Test("reads a visit without a coordinate or an end, and distant dates as unknown")
    func visits() throws {
        let far = #""arrival_date":"0001-01-01T00:00:00Z","departure_date":"4001-01-01T00:00:00Z""#
        let request = try decode(
            feature("null", #"{"action":"visit","timestamp":"2026-03-01T08:00:00Z",\#(far)}"#))
        #expect(request.reports.map(\.kind) == [.visit(arrival: nil, departure: nil, name: nil)])
        let untimed = try decode(
            feature("null", #"{"action":"visit","arrival_date":null,"departure_date":"2026-03-01T07:30:00Z"}"#))
        #expect(untimed.reports.map(\.timestamp.rfc3339) == ["2026-03-01T07:30:00Z"])
        #expect(try decode(feature("null", #"{"action":"visit"}"#)).codes == ["0 missing_timestamp"])
        #expect(
            try decode(feature("null", #"{"action":"visit","arrival_date":"noon"}"#)).codes == ["0 invalid_timestamp"])
    }

    @Test("rejects bad records and keeps the good ones") func bad() throws {
        let time = #""timestamp":"2026-03-01T08:30:00Z""#
        let bad = [
            (feature(point, "{}"), "missing_timestamp"), (feature(point, #"{"timestamp":"x"}"#), "invalid_timestamp"),
            (feature("null", "{\(time)}"), "missing_coordinate"),
            (feature(#"{"type":"Point","coordinates":[2]}"#, "{\(time)}"), "missing_coordinate"),
            (feature(#"{"type":"Point","coordinates":[2,"1"]}"#, "{\(time)}"), "invalid_number"),
            (feature(#"{"type":"Point","coordinates":[2,1e999]}"#, "{\(time)}"), "invalid_number"),
            (feature(#"{"type":"Point","coordinates":[2,90.1]}"#, "{\(time)}"), "coordinate_out_of_range"),
            (feature(point, #"{\#(time),"speed":"nan"}"#), "invalid_number"),
            (feature(point, #"{\#(time),"device_id":"a\u0007"}"#), "invalid_device_id"),
            (feature(point, #"{\#(time),"device_id":{}}"#), "invalid_device_id"),
            (feature(point, "7"), "invalid_shape"), (#"{"locations":[3]}"#, "invalid_shape"),
        ]
        for (body, code) in bad { #expect(try decode(body).codes == ["0 \(code)"], "\(body)") }
        #expect(try decode(feature(point, "{\(time)}"), device: nil).codes == ["0 missing_device"])
        let mixed = try decode(batch.replacing("[2.5,48.5,35]", with: "[2.5,148.5,35]"))
        #expect(mixed.codes == ["1 coordinate_out_of_range"])
        #expect(mixed.counts == [1, 1, 1, 1, 3])
        let badCurrent = try decode(batch.replacing("[2.6,48.6]", with: "[2.6]"))
        #expect(badCurrent.counts == [2, 0, 1, 0, 4])
    }

    @Test("throws for a body without locations, so that the app deletes nothing")
    func unreadable() {
        for (body, expected) in [
            ("", "invalid_json"), ("{", "invalid_json"), ("{}", "invalid_shape"), ("[]", "invalid_json"),
            (#"{"locations":{}}"#, "invalid_shape"), (#"{"locations":null}"#, "invalid_shape"),
        ] {
            #expect(code { () throws(Rejection) in try decode(body) } == expected, "\(body)")
        }
        #expect(code { () throws(Rejection) in try decode(batch, limit: 4) } == "too_many_locations")
        #expect(code { () throws(Rejection) in try decode(batch, limit: 5) } == nil)
        #expect(code { () throws(Rejection) in try decode(#"{"locations":[]}"#) } == nil)
    }
}
