import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import Testing

@testable import FencepostMQTT

@Suite("The topics of alerts") struct AlertTopicTests {
    private static let topics = MQTTTopics(prefix: "fp", discovery: "homeassistant", version: "1.2.3")

    private static func messages(
        _ type: String, _ alert: String, region: String = "", topics: MQTTTopics = Self.topics
    ) throws -> [MQTTMessage] {
        let text = #"{"type":"\#(type)","data":{"deviceId":"vans/12",\#(region)"alert":\#(alert)}}"#
        let topic = try #require(AlertTopic(try JSONDocument(parsing: text).root))
        return topic.messages(topics, name: "Van 12")
    }

    private static func payload(_ message: MQTTMessage) -> String { String(decoding: message.payload, as: UTF8.self) }

    @Test("say whether an alert lasts, and have an entity")
    func states() throws {
        let started = try Self.messages("alert.battery", #"{"rule":"battery","state":"started","value":0.1}"#)
        #expect(started.map(\.topic).last == "fp/alerts/vans/12/battery")
        #expect(started.map(\.isRetained) == [true, true])
        #expect(started.last.map(Self.payload) == "ON")
        let entity = try JSONDocument(parsing: Self.payload(try #require(started.first))).root
        #expect(entity["name"]?.string == "Battery low" && entity["device_class"]?.string == "battery")
        #expect(entity["state_topic"]?.string == "fp/alerts/vans/12/battery")
        #expect(entity["device"]?["name"]?.string == "Van 12")
        #expect(entity["availability_topic"]?.string == "fp/status")
        let ended = try Self.messages("alert.battery", #"{"rule":"battery","state":"ended"}"#)
        #expect(ended.last.map(Self.payload) == "OFF")
        #expect(ended.first == started.first)
        #expect(try Self.messages("alert.speed", #"{"rule":"a","state":"ended"}"#, topics: MQTTTopics()).count == 1)
    }

    @Test("differ by rule and region, also where ids have slashes")
    func names() throws {
        let region = #""region":{"id":"depot/north","name":"Depot"},"#
        let limit = try Self.messages("alert.speed", #"{"rule":"speedLimit","state":"started"}"#, region: region)
        #expect(limit.last?.topic == "fp/alerts/vans/12/speedLimit/depot%2Fnorth")
        let entity = try JSONDocument(parsing: Self.payload(try #require(limit.first))).root
        #expect(entity["name"]?.string == "Too fast in Depot")
        let rule = try Self.messages("alert.speed", #"{"rule":"motor/way","state":"started"}"#)
        #expect(rule.last?.topic == "fp/alerts/vans/12/motor%2Fway")
        #expect(rule.first?.topic != limit.first?.topic)
        #expect(Self.payload(try #require(rule.first)).contains("Too fast (motor/way)"))
    }

    /// Whether an alert is one of rules and of a region `yard` with or without a speed limit.
    private static func isOf(_ alert: AlertTopic, _ rules: [AlertRule], isLimited: Bool = false) -> Bool {
        var yard = Region(
            id: RegionID("yard"),
            shape: .circle(Circle(center: Coordinate(latitude: 48, longitude: 2), radius: 100)))
        if isLimited { yard.speedLimit = SpeedLimit(18) }
        return alert.isOf(AlertRules(rules, [yard]))
    }

    @Test("are those of a rule while it has the alert's type and region, and of a region while it has a speed limit")
    func rules() throws {
        func alert(_ rule: String, _ type: String = "alert.battery", region: String? = nil) throws -> AlertTopic {
            let member = region.map { #""region":{"id":"\#($0)"},"# } ?? ""
            let text =
                #"{"type":"\#(type)","data":{"deviceId":"v",\#(member)"alert":{"rule":"\#(rule)","state":"started"}}}"#
            return try #require(AlertTopic(try JSONDocument(parsing: text).root))
        }
        let battery = AlertRule(id: "low", .battery(below: 0.1))
        #expect(Self.isOf(try alert("low"), [battery]))
        #expect(!Self.isOf(try alert("low"), []))
        #expect(!Self.isOf(try alert("low"), [AlertRule(id: "other", .battery(below: 0.1))]))
        #expect(!Self.isOf(try alert("low"), [AlertRule(id: "low", .unplugged)]))
        var placed = battery
        placed.region = RegionID("yard")
        #expect(!Self.isOf(try alert("low"), [placed]))
        #expect(Self.isOf(try alert("low", region: "yard"), [placed]))
        #expect(!Self.isOf(try alert("low", region: "park"), [placed]))
        let limit = try alert("speedLimit", "alert.speed", region: "yard")
        #expect(Self.isOf(limit, [], isLimited: true))
        #expect(!Self.isOf(limit, [battery]))
        #expect(!Self.isOf(try alert("speedLimit", "alert.speed", region: "park"), [], isLimited: true))
    }

    @Test("of a silent device are a problem while it lasts")
    func silence() throws {
        let started = try Self.messages(
            "alert.silent", #"{"rule":"silent","state":"started","limit":3600,"unit":"s"}"#)
        #expect(started.map(\.topic).last == "fp/alerts/vans/12/silent")
        #expect(started.last.map(Self.payload) == "ON" && started.last?.isRetained == true)
        let entity = try JSONDocument(parsing: Self.payload(try #require(started.first))).root
        #expect(entity["name"]?.string == "Silent" && entity["device_class"]?.string == "problem")
    }

    @Test("of a jump are for a minute and not kept")
    func jumps() throws {
        let jump = try Self.messages("alert.jump", #"{"rule":"jump","state":"started","distance":9000}"#)
        #expect(jump.map(\.isRetained) == [true, false])
        #expect(try JSONDocument(parsing: Self.payload(try #require(jump.first))).root["off_delay"]?.int == 60)
    }

    @Test("have another form where a device has the topic whose id has a slash")
    func collisions() throws {
        func alert(_ device: String, _ rule: String, _ region: String? = nil) throws -> AlertTopic {
            let region = region.map { #""region":{"id":"\#($0)","name":"Depot"},"# } ?? ""
            let alert = #""alert":{"rule":"\#(rule)","state":"started"}"#
            let text = #"{"type":"alert.speed","data":{"deviceId":"\#(device)",\#(region)\#(alert)}}"#
            return try #require(AlertTopic(try JSONDocument(parsing: text).root))
        }
        let (fleet, single) = (try alert("a/b", "c"), try alert("a", "b", "c"))
        #expect(fleet.topic(Self.topics) == "fp/alerts/a/b/c" && single.topic(Self.topics) == "fp/alerts/a/b/c")
        #expect(single.topic(Self.topics, isTaken: true) == "fp/alerts/a/b/%63")
        let messages = single.messages(Self.topics, name: "A", isTaken: true)
        #expect(messages.last?.topic == "fp/alerts/a/b/%63")
        #expect(Self.payload(try #require(messages.first)).contains(#""state_topic":"fp/alerts/a/b/%63""#))
        // It has the same meaning, and is the plain topic of no names.
        for (rule, other) in [("é", "%C3%A9"), ("%c", "%25%63"), ("##", "%23%23%"), ("%63", "%25%363")] {
            let topic = try alert("a", rule).topic(Self.topics, isTaken: true)
            #expect(topic == "fp/alerts/a/\(other)")
        }
    }

    @Test("of stored events are the last ones of each rule and region")
    func last() {
        func event(_ occurrence: Occurrence) -> Event {
            let time = Timestamp(seconds: 1_772_000_000)
            return Event(
                id: "evt_1", sequence: 1, deviceID: DeviceID("vans/12"), occurrence: occurrence, timestamp: time,
                detectedAt: time)
        }
        func alert(_ rule: String, _ state: Alert.State, _ region: RegionSummary? = nil) -> Event {
            event(.alert(Alert(kind: .speed, rule: rule, state: state, region: region)))
        }
        let depot = RegionSummary(id: RegionID("depot"), name: "Depot", tags: [], metadata: nil)
        let found = AlertTopic.last(of: [
            alert("a", .started), alert("speedLimit", .started, depot), alert("speedLimit", .started),
            alert("a", .ended), event(.regionEntered(depot)), alert("speedLimit", .ended),
        ])
        let states = found.flatMap { $0.messages(MQTTTopics(prefix: "fp"), name: "Van") }.map {
            "\($0.topic) \(Self.payload($0))"
        }
        #expect(
            states == [
                "fp/alerts/vans/12/a OFF", "fp/alerts/vans/12/speedLimit OFF", "fp/alerts/vans/12/speedLimit/depot ON",
            ])
    }

    @Test(
        "do not exist for other events",
        arguments: [
            #"{"type":"region.entered","data":{"deviceId":"a"}}"#, #"{"type":"alert.speed","data":{"deviceId":"a"}}"#,
            "{}",
        ])
    func others(text: String) throws {
        #expect(AlertTopic(try JSONDocument(parsing: text).root) == nil)
    }
}
