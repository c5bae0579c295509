import FencepostService
import Testing

@testable import FencepostMQTT

@Suite("What a broker keeps") struct KeptTopicTests {
    private static let topics = MQTTTopics(prefix: "fp", discovery: "homeassistant")

    private static func kind(_ topic: String, _ payload: String = "ON") -> String? {
        topics.kind(of: MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: true))?.rawValue
    }

    @Test("is this service's under its prefix, but for the status and what it does not publish")
    func states() {
        for topic in ["fp/devices/a", "fp/places/a", "fp/presence/a/b", "fp/regions/b"] {
            #expect(Self.kind(topic) == "state")
        }
        #expect(Self.kind("fp/alerts/a/battery") == "alert")
        for topic in ["fp/status", "fp/notes/a", "fp", "fpx/devices/a", "other/devices/a"] {
            #expect(Self.kind(topic) == nil)
        }
        #expect(Self.kind("fp/devices/a", "") == nil)
    }

    @Test("of discovery is this service's when it says so, and names its status")
    func discovery() {
        func payload(_ origin: String, _ status: String, _ state: String) -> String {
            #"{"origin":{"name":"\#(origin)"},"availability_topic":"\#(status)","state_topic":"\#(state)"}"#
        }
        let topic = "homeassistant/sensor/fp_a/place/config"
        #expect(Self.kind(topic, payload("Fencepost", "fp/status", "fp/devices/a")) == "state")
        #expect(Self.kind(topic, payload("Fencepost", "fp/status", "fp/alerts/a/battery")) == "alert")
        #expect(Self.kind(topic, payload("Fencepost", "other/status", "fp/devices/a")) == nil)
        #expect(Self.kind(topic, payload("Zigbee", "fp/status", "fp/devices/a")) == nil)
        #expect(Self.kind(topic, "{") == nil)
    }
}
