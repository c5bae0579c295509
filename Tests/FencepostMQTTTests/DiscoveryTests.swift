import FencepostEngine
import FencepostJSON
import FencepostModel
import Testing

@testable import FencepostMQTT

@Suite("Home Assistant's discovery") struct DiscoveryTests {
    private static let topics = MQTTTopics(prefix: "fp", discovery: "homeassistant", version: "1.2.3")

    private static func device(_ id: String, _ name: String = "Jane") -> PublishedDevice {
        PublishedDevice(id: DeviceID(id), name: name, location: nil, regions: [], visit: nil, isStale: false)
    }

    private static func payloads(_ topics: MQTTTopics, _ id: String, _ name: String = "Jane") throws -> [String:
        JSONElement]
    {
        let pairs = try topics.discovery(of: device(id, name)).map {
            let levels = $0.topic.split(separator: "/").map(String.init)
            return (levels[1] + "." + levels[3], try JSONDocument(parsing: $0.payload).root)
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The members that Home Assistant's documentation of each component has; it drops others without a word.
    private static let known: [String: Set<String>] = {
        let common: Set = [
            "name", "unique_id", "availability_topic", "device", "origin", "state_topic", "value_template",
        ]
        return [
            "device_tracker": common.union([
                "json_attributes_topic", "json_attributes_template", "payload_reset", "source_type",
            ]),
            "sensor": common.union([
                "device_class", "state_class", "unit_of_measurement", "entity_category", "icon",
            ]),
            "binary_sensor": common.union(["device_class"]),
            "event": common.union(["event_types", "icon"]),
        ]
    }()

    @Test("has the topics and the members that Home Assistant knows")
    func members() throws {
        var state = PublishedState(Self.topics, names: [:])
        let changes = state.take(
            [PublishedStateTests.status("jane/phone"), PublishedStateTests.status("jane_phone")],
            regions: [PublishedStateTests.region("h", "Home")], removed: [])
        let configs = changes.filter { $0.topic.hasPrefix("homeassistant/") }
        #expect(configs.count == 14)
        var ids: Set<String> = []
        for config in configs {
            let levels = config.topic.split(separator: "/")
            #expect(levels.count == 5 && levels[4] == "config")
            for level in levels {
                #expect(level.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") })
            }
            let payload = try JSONDocument(parsing: config.payload).root
            let names = Set((payload.object.map(Array.init) ?? []).map(\.name))
            #expect(names.isSubset(of: try #require(Self.known[String(levels[1])])))
            ids.insert(try #require(payload["unique_id"]?.string))
            #expect(payload["availability_topic"]?.string == "fp/status")
        }
        #expect(ids.count == 14)
    }

    @Test("has the tracker read the place as it is, and the zones from the names of the regions")
    func tracker() throws {
        let tracker = try #require(try Self.payloads(Self.topics, "jane/phone")["device_tracker.tracker"])
        #expect(tracker["state_topic"]?.string == "fp/places/jane/phone")
        #expect(tracker["value_template"]?.string == "{{ value }}")
        #expect(tracker["json_attributes_topic"]?.string == "fp/devices/jane/phone")
        #expect(tracker["json_attributes_template"]?.string?.contains("in_zones=") == true)
        // A region may be called None.
        #expect(tracker["payload_reset"]?.string != "None")
    }

    @Test("has entities of a fence while the device has one")
    func fence() throws {
        var device = PublishedDevice(
            id: DeviceID("van"), name: "Van", location: nil, regions: [], visit: nil, isStale: false)
        let without = Set(Self.topics.discovery(of: device).map(\.topic))
        device.fence = .broken
        let with = Self.topics.discovery(of: device)
        let added = with.filter { !without.contains($0.topic) }
        #expect(added.count == 3)
        for (topic, payload) in added {
            let root = try JSONDocument(parsing: payload).root
            let names = Set((root.object.map(Array.init) ?? []).map(\.name))
            #expect(names.isSubset(of: try #require(Self.known[String(topic.split(separator: "/")[1])])))
            #expect(root["value_template"]?.string?.contains("value_json is defined") == true)
        }
        #expect(try JSONDocument(parsing: device.state()).root["fence"]?.string == "broken")
        var state = PublishedState(Self.topics, names: [:])
        var status = PublishedStateTests.status("van")
        status.fence = FenceStatus(.armed, FenceSettings())
        _ = state.take([status], regions: [], removed: [])
        status.fence = nil
        let cleared = state.take([status], regions: [], removed: []).filter(\.payload.isEmpty)
        #expect(Set(cleared.map(\.topic)) == Set(added.map(\.topic)))
    }

    @Test("has an entity of the rounds of a device that walks any")
    func rounds() throws {
        var device = PublishedDevice(
            id: DeviceID("guard"), name: "Guard", location: nil, regions: [], visit: nil, isStale: false)
        let without = Set(Self.topics.discovery(of: device).map(\.topic))
        device.walksRounds = true
        let added = Self.topics.discovery(of: device).filter { !without.contains($0.topic) }
        #expect(added.map(\.topic).count == 1 && added[0].topic.contains("event_plan"))
        let types = try JSONDocument(parsing: added[0].payload).root["event_types"]?.array?.map { $0.string ?? "" }
        #expect(types == ["visited", "late", "missed", "completed"])
    }

    @Test("has an entity of the events between devices of a device that a proximity rule watches")
    func pairs() throws {
        var device = PublishedDevice(
            id: DeviceID("ann"), name: "Ann", location: nil, regions: [], visit: nil, isStale: false)
        let without = Set(Self.topics.discovery(of: device).map(\.topic))
        device.isInPairs = true
        let added = Self.topics.discovery(of: device).filter { !without.contains($0.topic) }
        #expect(added.map(\.topic).count == 1 && added[0].topic.contains("event_proximity"))
        let types = try JSONDocument(parsing: added[0].payload).root["event_types"]?.array?.map { $0.string ?? "" }
        #expect(types == ["entered", "exited", "dwelled", "unaccompanied"])
        var status = PublishedStateTests.status("ann")
        status.isInPairs = true
        var state = PublishedState(Self.topics, names: [:])
        let topics = state.take([status], regions: [], removed: []).map(\.topic)
        #expect(topics.contains { $0.contains("event_proximity") })
    }

    @Test("has a template that can read an empty payload, wherever there is one for JSON")
    func emptyPayloads() throws {
        for (name, payload) in try Self.payloads(Self.topics, "a") {
            for member in ["value_template", "json_attributes_template"] {
                let template = payload[member]?.string ?? ""
                #expect(!template.contains("value_json") || template.contains("value_json is defined"), "\(name)")
            }
            #expect(payload["value_template"] != nil, "\(name): Home Assistant would keep an earlier one")
        }
    }

    @Test("has entities of the events that are published, and of no others")
    func events() throws {
        func types(_ events: [String], _ devices: [String] = []) throws -> [String: [String?]] {
            var topics = Self.topics
            (topics.events, topics.devices) = (events.map(GlobPattern.init), devices.map(GlobPattern.init))
            return try Self.payloads(topics, "jane/phone").filter { $0.key.hasPrefix("event.") }.mapValues {
                $0["event_types"]?.array?.map(\.string) ?? []
            }
        }
        let all = [
            "event.event_region": ["entered", "exited", "dwelled"], "event.event_visit": ["arrived", "departed"],
        ]
        #expect(try types([]) == all)
        #expect(try types(["region.entered", "alert.*"]) == ["event.event_region": ["entered"]])
        #expect(try types([], ["van/*"]) == [:])
        #expect(try types(["*"], ["jane/*"]) == all)
        let region = try #require(try Self.payloads(Self.topics, "jane/phone")["event.event_region"])
        #expect(region["state_topic"]?.string == "fp/events/jane/phone")
        #expect(region["value_template"]?.string?.contains("value_json.type[7:]") == true)
    }

    @Test("shortens names that are too long for the id of an entity")
    func names() throws {
        let payloads = try Self.payloads(Self.topics, "a", String(repeating: "n", count: 300))
        let name = try #require(payloads["sensor.place"]?["device"]?["name"]?.string)
        #expect(name.count == MQTTTopics.longestName && name.hasSuffix("…"))
    }
}
