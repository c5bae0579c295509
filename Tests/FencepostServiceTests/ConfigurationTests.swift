import FencepostModel
import FencepostMonitor
import FencepostService
import Foundation
import Testing

@Suite("Configuration") struct ConfigurationTests {
    @Test("is read whole, with paths taken from the folder of the file")
    func reads() {
        let text = """
            {"regions":["Regions/*.geojson","/etc/x.geojson"],"monitor":{"crossing":"raw","reorderWindow":1.5,
            "staleAfter":0,"cushion":50},"visits":{"minimumStay":300,"radius":80},"apps":["apps/*.json"],
            "endpoints":[],"server":{"port":1}}
            """
        let (configuration, problems) = ConfigurationReader.read(Array(text.utf8), file: "etc/fencepost.json")
        #expect(problems.isEmpty)
        #expect(configuration.regions == ["etc/Regions/*.geojson", "/etc/x.geojson"])
        #expect(configuration.apps == ["etc/apps/*.json"])
        #expect(configuration.monitor.crossing == .raw)
        #expect(configuration.monitor.reorderWindow == .milliseconds(1500))
        #expect(configuration.monitor.staleAfter == nil)
        #expect(configuration.monitor.cushion == 50)
        #expect(configuration.monitor.visits?.minimumStay == .seconds(300))
        #expect(configuration.monitor.visits?.radius == 80)
    }

    @Test(
        "says what is wrong, where, and how to mend it",
        arguments: [
            (#"{"region":[]}"#, "/region", "unknown_key", "did you mean \"regions\"?"),
            (#"{"monitor":{"stale":3}}"#, "/monitor/stale", "unknown_key", "known are"),
            (#"{"monitor":{"crossing":"core"}}"#, "/monitor/crossing", "invalid_value", "\"coreLocation\""),
            (#"{"visits":{"radius":-1}}"#, "/visits/radius", "invalid_value", "metres from 10 to 5000"),
            (#"{"visits":{"maximumGap":0}}"#, "/visits/maximumGap", "invalid_value", "seconds from 1 to"),
            (#"{"visits":{"enabled":1}}"#, "/visits/enabled", "invalid_value", "true or false"),
            (#"{"regions":[3]}"#, "/regions/0", "invalid_value", "a path"),
            (#"{"regionRadius":0}"#, "/regionRadius", "invalid_value", "metres from 1 to 20037508"),
            (#"{"apps":[],"apps":[]}"#, "/apps", "duplicate_name", "twice"),
            (#"{"map":{"tiles":"street"}}"#, "/map/tiles", "invalid_value", ".pmtiles"),
            (#"{"map":{"tiles":"https://t.example.org/{z}/{x}.png"}}"#, "/map/tiles", "invalid_value", "{z}/{x}/{y}"),
            (#"{"server":{"trustedProxies":["10.0.0.0/33"]}}"#, "/server/trustedProxies/0", "invalid_value", "network"),
            (#"[]"#, "", "invalid_value", "an object"),
        ])
    func diagnoses(text: String, pointer: String, code: String, part: String) throws {
        let (_, problems) = ConfigurationReader.read(Array(text.utf8), file: "f.json")
        let problem = try #require(problems.first)
        #expect(problems.count == 1)
        #expect(problem.position == .pointer(pointer))
        #expect(problem.code == code)
        #expect(problem.message.contains(part), "\(problem.message)")
    }

    @Test("reads alert rules with defaults, and writes what it reads again")
    func alerts() throws {
        let text = #"""
            {"monitor":{"alerts":[{"type":"speed","above":"75 mph","tolerance":"2 m/s","for":0,"devices":"vans/*"},
            {"type":"battery"},{"id":"phones","type":"battery","below":0.15},{"type":"accuracy"},
            {"type":"jump","above":300},{"type":"unplugged","for":60},
            {"type":"absent","region":"school","by":"08:15","days":"Mon-Fri","timeZone":"Europe/Lisbon"},
            {"type":"present","region":"school","at":"20:00","timeZone":"Asia/Seoul","for":60},
            {"type":"silent"},{"id":"vans","type":"silent","above":1800.5}]}}
            """#
        let (configuration, problems) = ConfigurationReader.read(Array(text.utf8), file: "f.json")
        #expect(problems.isEmpty)
        let fast = try #require(SpeedLimit(75, .milesPerHour))
        let jump = try #require(SpeedLimit(300))
        let morning = DailyTime(
            minute: 8 * 60 + 15, weekdays: [0, 1, 2, 3, 4],
            timeZone: try #require(TimeZone(identifier: "Europe/Lisbon")))
        let evening = DailyTime(minute: 20 * 60, timeZone: try #require(TimeZone(identifier: "Asia/Seoul")))
        let rules = [
            AlertRule(
                id: "speed", .speed(above: fast, tolerance: 2), hold: .zero, devices: [GlobPattern("vans/*")]),
            AlertRule(id: "battery", .battery(below: 0.2)), AlertRule(id: "phones", .battery(below: 0.15)),
            AlertRule(id: "accuracy", .accuracy(above: 200), hold: .seconds(900)),
            AlertRule(id: "jump", .jump(above: jump)), AlertRule(id: "unplugged", .unplugged, hold: .seconds(60)),
            AlertRule(id: "absent", .absent(from: RegionID("school"), by: morning), hold: .seconds(300)),
            AlertRule(id: "present", .present(in: RegionID("school"), at: evening), hold: .seconds(60)),
            AlertRule(id: "silent", .silent(longerThan: nil), hold: .seconds(900)),
            AlertRule(id: "vans", .silent(longerThan: .milliseconds(1_800_500)), hold: .zero),
        ]
        #expect(configuration.monitor.alerts == rules)
        let data = try JSONEncoder().encode(configuration.monitor)
        #expect(try JSONDecoder().decode(MonitorSettings.self, from: data) == configuration.monitor)
        // Settings that an earlier version stored have no alerts.
        let plain = try JSONEncoder().encode(MonitorSettings())
        #expect(!String(decoding: plain, as: UTF8.self).contains("alerts"))
    }

    @Test(
        "takes 0 as the tolerance of a speed, with or without a unit",
        arguments: [("0", 0.0), (#""0 km/h""#, 0), (#""0.0 mph""#, 0), ("3.6", 1), (#""2 m/s""#, 2)])
    func tolerance(value: String, metresPerSecond: Double) throws {
        let text = #"{"monitor":{"alerts":[{"type":"speed","above":"90 km/h","tolerance":\#(value)}]}}"#
        let (configuration, problems) = ConfigurationReader.read(Array(text.utf8), file: "f.json")
        #expect(problems.isEmpty, "\(problems)")
        guard case .speed(_, let tolerance) = try #require(configuration.monitor.alerts.first).condition else {
            Issue.record("no rule of a speed")
            return
        }
        #expect((tolerance - metresPerSecond).magnitude < 1e-9)
    }

    @Test(
        "says which alert rule is wrong",
        arguments: [
            (#"{"type":"speed","above":90,"tolerance":-1}"#, "whose \"tolerance\" is a speed"),
            (#"{"type":"speed","above":90,"tolerance":"much"}"#, "whose \"tolerance\" is a speed"),
            (#"{"type":"speed"}"#, "\"120 km/h\""), (#"{"type":"speed","above":0}"#, "above 0"),
            (#"{"type":"speed","above":"90 kph"}"#, "mph"), (#"{"type":"silence"}"#, "\"unplugged\""),
            (#"{"type":"battery","above":3}"#, "no \"above\""), (#"{"type":"battery","below":20}"#, "0 to 1"),
            (#"{"type":"jump"}"#, "another rule has \"jump\""), (#"{"type":"jump","id":"speedLimit"}"#, "is not"),
            (#""fast""#, "\"type\""), (#"{"type":"absent","by":"08:15","timeZone":"UTC"}"#, "\"region\""),
            (#"{"type":"absent","region":"a","timeZone":"UTC"}"#, "\"by\""),
            (#"{"type":"absent","region":"a","by":"24:00","timeZone":"UTC"}"#, "\"23:59\""),
            (#"{"type":"absent","region":"a","by":"8:15","timeZone":"UTC"}"#, "\"23:59\""),
            (#"{"type":"absent","region":"a","by":"08:15"}"#, "\"timeZone\""),
            (#"{"type":"present","region":"a","at":"08:15","timeZone":"Mars"}"#, "\"Europe/Berlin\""),
            (#"{"type":"present","region":"a","by":"08:15","timeZone":"UTC"}"#, "no \"by\""),
            (#"{"type":"present","region":"a","at":"08:15","timeZone":"UTC","days":"Never"}"#, "\"Mon-Fri\""),
            (#"{"type":"silent","above":10}"#, "seconds from 60 to 31536000"),
            (#"{"type":"silent","above":"2 h"}"#, "seconds from 60 to 31536000"),
            (#"{"type":"silent","region":"a"}"#, "no \"region\""),
        ])
    func wrongAlerts(rule: String, part: String) throws {
        let text = #"{"monitor":{"alerts":[{"type":"jump"},\#(rule)]}}"#
        let (_, problems) = ConfigurationReader.read(Array(text.utf8), file: "f.json")
        let problem = try #require(problems.first)
        #expect(problem.position == .pointer("/monitor/alerts/1"))
        #expect(problem.message.contains(part), "\(problem.message)")
    }

    @Test(
        "takes tiles from OpenStreetMap, a server or a file, and from the older setting",
        arguments: [
            (#"{}"#, MapTiles.none), (#"{"map":{"tiles":"none"},"server":{"tileURL":null}}"#, .none),
            (#"{"map":{"tiles":"openstreetmap"}}"#, .openStreetMap),
            (#"{"map":{"tiles":"a.pmtiles"}}"#, .file("etc/a.pmtiles")),
            (#"{"map":{"tiles":"/x/a.MBTiles"}}"#, .file("/x/a.MBTiles")),
            (
                #"{"server":{"tileURL":"https://t.example.org/{z}/{x}/{y}"}}"#,
                TileAddress("https://t.example.org/{z}/{x}/{y}").map(MapTiles.address) ?? .none
            ),
        ])
    func tiles(text: String, tiles: MapTiles) {
        let (configuration, problems) = ConfigurationReader.read(Array(text.utf8), file: "etc/fencepost.json")
        #expect(problems.isEmpty)
        #expect(configuration.server.tiles == tiles)
    }

    @Test(
        "network ranges contain their addresses",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("172.16.0.0/12", "172.31.9.9", true),
            ("172.16.0.0/12", "172.32.0.1", false), ("::1", "::1", true), ("fd00::/9", "fd7f::1", true),
            ("fd00::/9", "fd80::1", false), ("0.0.0.0/0", "::1", false), ("::/0", "1.2.3.4", true),
            ("fe80::/10", "fe80::1%eth0", true), ("::1", "localhost", false),
        ])
    func ranges(range: String, address: String, isInside: Bool) throws {
        #expect(try #require(NetworkRange(range)).contains(address) == isInside)
    }

    @Test("has at most 128 endpoints, each of which gets every event")
    func endpointLimit() {
        func problems(_ count: Int) -> [Diagnostic] {
            let endpoints = (0..<count).map { #"{"id":"e\#($0)","url":"https://example.org/"}"# }
            let text = "{\"endpoints\":[\(endpoints.joined(separator: ","))]}"
            return ConfigurationReader.read(Array(text.utf8), file: "f.json").1
        }
        #expect(problems(128).isEmpty)
        #expect(problems(129).map(\.code) == ["too_many_endpoints"])
        #expect(problems(129).map(\.position) == [.pointer("/endpoints")])
    }

    @Test("knows for each kind of rules what has set them")
    func ruleOrigins() {
        var reader = ConfigurationReader()
        let file = #"{"monitor":{"alerts":[{"type":"jump"}],"proximity":[{"id":"dog","distance":100}]}}"#
        reader.read(Array(file.utf8), file: "f.json")
        reader.set("/monitor/proximity", #"[{"id":"cat","distance":50}]"#, origin: "FENCEPOST_MONITOR_PROXIMITY")
        #expect(reader.diagnostics.isEmpty)
        #expect(reader.configuration.ruleOrigins == [.alert: "f.json", .proximity: "FENCEPOST_MONITOR_PROXIMITY"])
        #expect(reader.configuration.monitor.proximity.map(\.id) == ["cat"])
    }

    @Test("names the line of what is no JSON")
    func syntax() throws {
        let (_, problems) = ConfigurationReader.read(Array("{\n\"regions\":\n}".utf8), file: "f.json")
        guard case .position(line: 3, _)? = problems.first?.position else {
            Issue.record("\(problems)")
            return
        }
    }
}
