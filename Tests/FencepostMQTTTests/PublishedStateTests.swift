import FencepostEngine
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostServiceTesting
import Foundation
import Testing

@testable import FencepostMQTT

@Suite("The retained topics") struct PublishedStateTests {
    static let topics = MQTTTopics(prefix: "fp", discovery: "homeassistant", version: "1.2.3")

    static func region(_ id: String, _ name: String? = nil, devices: [String]? = nil) -> Region {
        var region = Region(
            id: RegionID(id), shape: .circle(Circle(center: Coordinate(latitude: 1, longitude: 2), radius: 100)))
        region.name = name
        region.devices = devices?.map(GlobPattern.init)
        return region
    }

    static func status(_ id: String, in regions: String...) -> DeviceStatus {
        var status = DeviceStatus(deviceID: DeviceID(id))
        status.regions = regions.map { RegionID($0) }
        status.lastLocation = Location(
            deviceID: DeviceID(id), timestamp: Timestamp(seconds: 1_772_353_800),
            coordinate: Coordinate(latitude: 38.7, longitude: -9.1), horizontalAccuracy: 12.4)
        return status
    }

    static func payloads(_ changes: [PublishedState.Change]) -> [String: String] {
        Dictionary(changes.map { ($0.topic, $0.payload) }) { first, _ in first }
    }

    @Test("names state, presence, occupants and discovery of a device once")
    func first() throws {
        var state = PublishedState(Self.topics, names: ["jane/phone": "Jane"])
        let regions = [Self.region("h", "Home"), Self.region("van area", "Vans", devices: ["van-*"])]
        let found = Self.payloads(state.take([Self.status("jane/phone", in: "h")], regions: regions, removed: []))
        let payload = try #require(found["fp/devices/jane/phone"])
        let own = try JSONDocument(parsing: payload).root
        #expect(own["place"]?.string == "home" && own["gps_accuracy"]?.double == 12)
        #expect(own["latitude"]?.double == 38.7 && own["name"]?.string == "Jane")
        #expect(found["fp/presence/jane/phone/h"] == "ON")
        #expect(found["fp/presence/jane/phone/van area"] == nil)
        #expect(found["fp/regions/h"] == #"{"name":"Home","count":1,"devices":["jane/phone"]}"#)
        #expect(found["fp/regions/van area"] == #"{"name":"Vans","count":0,"devices":[]}"#)
        #expect(found["fp/places/jane/phone"] == "home")
        #expect(own["regionNames"]?.array?.map(\.string) == ["Home"])
        #expect(found.keys.filter { $0.hasPrefix("homeassistant/") }.count == 7)
        #expect(state.take([Self.status("jane/phone", in: "h")], regions: regions, removed: []) == [])
    }

    @Test("names only what changed, and everything again after a new connection")
    func changes() {
        var state = PublishedState(Self.topics, names: [:])
        let regions = [Self.region("h", "Home"), Self.region("w", "Work")]
        let all = state.take([Self.status("a", in: "h")], regions: regions, removed: [])
        let changed = Self.payloads(state.take([Self.status("a", in: "w")], regions: regions, removed: []))
        #expect(
            Set(changed.keys) == [
                "fp/devices/a", "fp/places/a", "fp/presence/a/h", "fp/presence/a/w", "fp/regions/h", "fp/regions/w",
            ])
        #expect(changed["fp/presence/a/h"] == "OFF")
        state.forgetPublished()
        #expect(Set(state.take([], regions: regions, removed: []).map(\.topic)) == Set(all.map(\.topic)))
    }

    @Test("clears the topics of removed devices and regions")
    func removals() {
        var state = PublishedState(Self.topics, names: [:])
        _ = state.take([Self.status("a", in: "h")], regions: [Self.region("h"), Self.region("w")], removed: [])
        let withoutRegion = state.take([], regions: [Self.region("h")], removed: [])
        #expect(
            Set(withoutRegion.filter(\.payload.isEmpty).map(\.topic)) == [
                "fp/presence/a/w", "fp/regions/w", "homeassistant/binary_sensor/fp_a/in_w/config",
            ])
        let gone = state.take([], regions: [Self.region("h")], removed: [DeviceID("a")])
        #expect(gone.filter(\.payload.isEmpty).count == 10)
        // Home Assistant would read the empty payload of a state otherwise.
        let order = gone.map { $0.topic.hasSuffix("/config") }
        #expect(order.first == true && !order.drop(while: \.self).contains(true))
        #expect(Self.payloads(gone)["fp/regions/h"] == #"{"name":"h","count":0,"devices":[]}"#)
    }

    @Test("topics have no wildcards and no control characters")
    func escapes() {
        #expect(Self.topics.state(of: DeviceID("a+b/#%c")) == "fp/devices/a%2Bb/%23%25c")
        // mosquitto and Home Assistant refuse controls and what is no character.
        let none = String(String.UnicodeScalarView([0xFDD0, 0x1FFFE].compactMap { Unicode.Scalar(UInt32($0)) }))
        let topic = Self.topics.zone(of: DeviceID("é\u{1}\u{85}\(none)☕"))
        #expect(topic == "fp/places/é%01%C2%85%EF%B7%90%F0%9F%BF%BE☕")
        #expect(Self.topics.presence(of: DeviceID("a"), in: RegionID("x/y")) == "fp/presence/a/x%2Fy")
        #expect(Self.topics.events(of: nil) == "fp/events")
    }

    @Test("OwnTracks gets entries and exits with their position, and they are not read back")
    func transitions() throws {
        let message = #"""
            {"type":"region.entered","timestamp":"2026-03-01T08:30:00Z","data":{"deviceId":"jane/phone",
            "region":{"id":"h","name":"Home"},"location":{"latitude":1.5,"longitude":2,"horizontalAccuracy":9.6}}}
            """#
        let text = try #require(OwnTracksTransition.payload(of: try JSONDocument(parsing: message).root))
        let payload = try JSONDocument(parsing: text).root
        #expect(payload["_type"]?.string == "transition" && payload["event"]?.string == "enter")
        #expect(payload["desc"]?.string == "Home" && payload["tst"]?.double == 1_772_353_800)
        #expect(OwnTracksTransition.isOwn(Array(text.utf8)))
        let other = #"{"type":"visit.arrived","timestamp":"2026-03-01T08:30:00Z","data":{}}"#
        #expect(OwnTracksTransition.payload(of: try JSONDocument(parsing: other).root) == nil)
    }
}

@Suite(
    "An MQTT publisher", .serialized, .enabled(if: Broker.program != nil, "mosquitto is not installed"),
    .timeLimit(.minutes(2)))
struct MQTTPublisherTests {
    private static func publisher(at port: Int) throws -> MQTTPublisher {
        try MQTTPublisher(
            MQTTSettings(host: "127.0.0.1", port: port, clientID: "test-publisher"), will: "fp/status")
    }

    /// Polls for a condition that another process brings about.
    static func eventually(_ isTrue: () async -> Bool) async throws -> Bool {
        for _ in 0..<600 {
            if await isTrue() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    @Test("publishes once the broker is there, and again after its restart; between them nothing is kept back")
    func reconnection() async throws {
        let port = try Socket.freePort()
        let publisher = try Self.publisher(at: port)
        publisher.start()
        defer { publisher.stop() }
        let message = MQTTMessage(topic: "fp/events/a", payload: Array("{}".utf8))
        #expect(await publisher.publish(message) == .disconnected)
        let broker = try Broker(port: port)
        #expect(try await Self.eventually { publisher.isConnected })
        #expect(await publisher.publish(message) == .acknowledged)
        broker.stop()
        #expect(try await Self.eventually { !publisher.isConnected })
        #expect(await publisher.publish(message) == .disconnected)
        let again = try Broker(port: port)
        #expect(try await Self.eventually { publisher.isConnected })
        #expect(await publisher.publish(message) == .acknowledged)
        withExtendedLifetime(again) {}
    }

    @Test("reads what the broker keeps, and not what comes later or elsewhere")
    func reading() async throws {
        let broker = try Broker()
        let publisher = try Self.publisher(at: broker.port)
        publisher.start()
        defer { publisher.stop() }
        #expect(try await Self.eventually { publisher.isConnected })
        for topic in ["fp/a", "fp/b/c", "elsewhere"] {
            let message = MQTTMessage(topic: topic, payload: Array("x".utf8), isRetained: true)
            #expect(await publisher.publish(message) == .acknowledged)
        }
        let online = MQTTMessage(topic: "fp/status", payload: Array("online".utf8), isRetained: true)
        let first = try #require(await publisher.read(["fp/#"], before: online))
        #expect(Set(first.map(\.topic)) == ["fp/a", "fp/b/c"])
        let second = try #require(await publisher.read(["fp/#"], before: online))
        #expect(Set(second.map(\.topic)) == ["fp/a", "fp/b/c", "fp/status"])
        // The message does not come back.
        #expect(await publisher.read(["other/#"], before: online, within: .milliseconds(300)) == nil)
    }

    @Test("many messages at once are all answered")
    func many() async throws {
        let broker = try Broker()
        let publisher = try Self.publisher(at: broker.port)
        publisher.start()
        defer { publisher.stop() }
        #expect(try await Self.eventually { publisher.isConnected })
        let outcomes = await withTaskGroup(of: MQTTPublisher.Outcome.self) { group in
            for number in 0..<200 {
                group.addTask {
                    await publisher.publish(MQTTMessage(topic: "fp/\(number)", payload: Array("x".utf8)))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 200 && outcomes.allSatisfy { $0 == .acknowledged })
    }
}
