import FencepostFormats
import FencepostModel
import Testing

/// Which name a device gets, and which bodies are refused.
@Suite("A request of a phone") struct DeviceNameTests {
    static let now = Timestamp(seconds: 1_772_353_800)
    static let address = "a4:83:e7:00:11:22"
    let rules = FixRules(defaultDevice: DeviceID("token"), now: now)

    @Test("is named by a hardware address only if nothing better was sent")
    func hardwareAddress() throws {
        func gpsLogger(_ more: [(String, String)], _ rules: FixRules) throws -> String? {
            let parameters = [("lat", "48"), ("lon", "11")] + more
            return try GPSLoggerIngest.decode(parameters: parameters, rules: rules, now: Self.now)
                .locations.first?.deviceID.rawValue
        }
        let unbound = FixRules(now: Self.now)
        #expect(try gpsLogger([("id", Self.address), ("name", "jane")], rules) == "jane")
        #expect(try gpsLogger([("id", Self.address), ("deviceid", "jane")], rules) == "jane")
        #expect(try gpsLogger([("id", Self.address), ("tid", "JP")], unbound) == "JP")
        #expect(try gpsLogger([("id", Self.address)], unbound) == Self.address)
        #expect(try gpsLogger([("id", "jane"), ("name", "other")], rules) == "jane")

        func osmAnd(_ more: [(String, String)], _ rules: FixRules) throws -> String? {
            let parameters = [("lat", "48"), ("lon", "11")] + more
            return try OsmAndIngest.decode(parameters: parameters, rules: rules, now: Self.now)
                .locations.first?.deviceID.rawValue
        }
        #expect(try osmAnd([("id", Self.address), ("name", "jane")], unbound) == "jane")
        #expect(try osmAnd([("id", Self.address)], rules) == "token")
        #expect(try osmAnd([("id", Self.address)], unbound) == Self.address)
        #expect(try osmAnd([("id", "12-34-56")], rules) == "12-34-56")

        let overland = """
            {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[11,48]},"properties":\
            {"timestamp":"2026-03-01T08:30:00Z","device_id":"\(Self.address)"}}]}
            """
        let request = try OverlandIngest.decode(Array(overland.utf8), tokenDevice: nil, rules: rules)
        #expect(request.locations.map(\.deviceID.rawValue) == ["token"])
    }

    @Test("whose body is no object is refused", arguments: ["1", "\"text\"", "null", "true"])
    func scalars(_ body: String) {
        let bytes = Array(body.utf8)
        #expect(throws: Rejection.self) {
            try OwnTracksIngest.decode(bytes, sender: nil, rules: rules, key: nil)
        }
        #expect(throws: Rejection.self) { try OverlandIngest.decode(bytes, tokenDevice: nil, rules: rules) }
        #expect(throws: Rejection.self) { try GPSLoggerIngest.decode(json: bytes, rules: rules) }
        #expect(throws: Rejection.self) { try OsmAndIngest.decode(json: bytes, rules: rules) }
        #expect(throws: Rejection.self) { try NativeIngest.decode(json: bytes, rules: rules) }
        #expect(throws: Rejection.self) { try NativeIngest.decode(geojson: bytes, rules: rules) }
    }
}
