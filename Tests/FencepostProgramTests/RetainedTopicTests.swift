import FencepostMQTT
import FencepostServiceTesting
import Foundation
import Logging
import Synchronization
import Testing

/// What a broker keeps of a device or a region that is gone: nothing, also where the service ended before it could clear it.
@Suite(
    "Retained messages", .serialized, .enabled(if: Broker.program != nil, "mosquitto is not installed"),
    .timeLimit(.minutes(3)))
struct RetainedTopicTests {
    private static let marker = "tests/marker"

    /// The topics of which a broker keeps messages.
    private static func topics(at port: Int) async throws -> Set<String> {
        let found = Mutex<Set<String>>([])
        let (connected, connecting) = AsyncStream.makeStream(of: Void.self)
        let (ended, ending) = AsyncStream.makeStream(of: Void.self)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let subscriber = MQTTSubscriber(
            MQTTSettings(host: "127.0.0.1", port: port, clientID: "tests-\(UUID())", topic: "#"), logger: logger,
            onConnection: { if $0 { connecting.yield() } }
        ) { messages in
            for message in messages where !message.payload.isEmpty {
                if message.topic == marker { ending.yield() } else { found.withLock { _ = $0.insert(message.topic) } }
            }
        }
        let reading = Task { try await subscriber.run() }
        for await _ in connected { break }
        // The broker hands out what it keeps before anything that is published later.
        let publisher = try MQTTPublisher(
            MQTTSettings(host: "127.0.0.1", port: port, clientID: "tests-\(UUID())"), will: "tests/status")
        publisher.start()
        while await publisher.publish(MQTTMessage(topic: marker, payload: [1])) != .acknowledged {
            try await Task.sleep(for: .milliseconds(20))
        }
        for await _ in ended { break }
        publisher.stop()
        reading.cancel()
        try? await reading.value
        return found.withLock(\.self)
    }

    /// Asks again until a condition holds, for at most a minute.
    static func topics(
        at port: Int, until isExpected: (Set<String>) -> Bool
    ) async throws -> Set<String> {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            let topics = try await topics(at: port)
            if isExpected(topics) || ContinuousClock.now > end { return topics }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    @Test("of a device that was erased and a region that was removed just before a kill are cleared by the next start")
    func erased() async throws {
        let folder = try ServiceFolder()
        let broker = try Broker()
        let config = folder.url.appending(path: "fencepost.json").path
        try Data(#"{"mqtt":{"host":"127.0.0.1","port":\#(broker.port),"publish":true,"homeAssistant":true}}"#.utf8)
            .write(to: URL(filePath: config))
        var program = try await RunningProgram(in: folder.url, arguments: ["--config", config])
        let client = Client(port: program.port, token: try #require(program.firstToken))
        for region in ["park", "yard"] {
            let feature =
                #"{"type":"Feature","properties":{"radius":150},"geometry":{"type":"Point","coordinates":[2.35,48.85]}}"#
            #expect(try await client.request("PUT", "/v1/regions/\(region)", body: feature).status == 201)
        }
        let time = Date().formatted(.iso8601)
        for device in ["ann", "bob"] {
            let body =
                #"{"locations":[{"deviceId":"\#(device)","timestamp":"\#(time)","latitude":48.85,"longitude":2.35}]}"#
            #expect(try await client.request("POST", "/v1/locations", body: body).status == 200)
        }
        let published: Set = [
            "fencepost/devices/ann", "fencepost/devices/bob", "fencepost/presence/ann/park",
            "fencepost/presence/bob/park", "fencepost/presence/bob/yard", "fencepost/regions/park",
        ]
        let before = try await Self.topics(at: broker.port) { published.isSubset(of: $0) }
        #expect(published.isSubset(of: before))
        #expect(try await client.request("DELETE", "/v1/devices/ann?erase=true").status == 204)
        #expect(try await client.request("DELETE", "/v1/regions/park").status == 204)
        await program.killHard()
        program = try await RunningProgram(in: folder.url, arguments: ["--config", config])
        func isGone(_ topic: String) -> Bool { topic.contains("ann") || topic.contains("park") }
        let after = try await Self.topics(at: broker.port) { topics in !topics.contains(where: isGone) }
        #expect(after.filter(isGone) == [])
        #expect(after.isSuperset(of: ["fencepost/devices/bob", "fencepost/presence/bob/yard"]))
        await program.killHard()
    }

    /// Publishes retained messages, as an earlier version has left them.
    private static func leave(_ messages: [String: String], at port: Int) async throws {
        let publisher = try MQTTPublisher(
            MQTTSettings(host: "127.0.0.1", port: port, clientID: "tests-\(UUID())"), will: "tests/status")
        publisher.start()
        for (topic, payload) in messages {
            let message = MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: true)
            while await publisher.publish(message) != .acknowledged { try await Task.sleep(for: .milliseconds(20)) }
        }
        publisher.stop()
    }

    @Test(
        "of versions without a table of topics are cleared, unless another service may have published them",
        arguments: ["offline", "online"])
    func earlier(status: String) async throws {
        let folder = try ServiceFolder()
        let broker = try Broker()
        func discovery(_ status: String) -> String {
            #"{"origin":{"name":"Fencepost"},"availability_topic":"\#(status)","state_topic":"fencepost/devices/gone"}"#
        }
        let old = [
            "fencepost/devices/gone": "{}", "fencepost/presence/gone/park": "ON", "fencepost/alerts/gone/battery": "ON",
            "homeassistant/sensor/fencepost_gone/place/config": discovery("fencepost/status"),
        ]
        let others = [
            "homeassistant/sensor/other_gone/place/config": discovery("other/status"), "other/devices/gone": "{}",
            "fencepost/notes": "mine",
        ]
        try await Self.leave(old.merging(others) { $1 }.merging(["fencepost/status": status]) { $1 }, at: broker.port)
        let config = folder.url.appending(path: "fencepost.json").path
        try Data(#"{"mqtt":{"host":"127.0.0.1","port":\#(broker.port),"publish":true,"homeAssistant":true}}"#.utf8)
            .write(to: URL(filePath: config))
        let program = try await RunningProgram(in: folder.url, arguments: ["--config", config])
        let client = Client(port: program.port, token: try #require(program.firstToken))
        let time = Date().formatted(.iso8601)
        let body = #"{"locations":[{"deviceId":"ann","timestamp":"\#(time)","latitude":48.85,"longitude":2.35}]}"#
        #expect(try await client.request("POST", "/v1/locations", body: body).status == 200)
        let isCleared = status == "offline"
        let after = try await Self.topics(at: broker.port) { topics in
            topics.contains("fencepost/places/ann") && (!isCleared || topics.isDisjoint(with: old.keys))
        }
        #expect(after.isSuperset(of: others.keys) && after.contains("fencepost/places/ann"))
        #expect(after.intersection(old.keys) == (isCleared ? [] : Set(old.keys)))
        await program.killHard()
    }

    @Test("of alerts of two devices with one topic are two, and are cleared each for itself, or with the speed limit")
    func collision() async throws {
        let folder = try ServiceFolder()
        let broker = try Broker()
        let config = folder.url.appending(path: "fencepost.json").path
        let text = #"""
            {"monitor":{"alerts":[{"id":"c","type":"battery","below":0.15}]},
            "mqtt":{"host":"127.0.0.1","port":\#(broker.port),"publish":true,"homeAssistant":true}}
            """#
        try Data(text.utf8).write(to: URL(filePath: config))
        let program = try await RunningProgram(in: folder.url, arguments: ["--config", config])
        let client = Client(port: program.port, token: try #require(program.firstToken))
        let feature = #"""
            {"type":"Feature","properties":{"radius":900,"speedLimit":20},
            "geometry":{"type":"Point","coordinates":[2.35,48.85]}}
            """#
        #expect(try await client.request("PUT", "/v1/regions/c", body: feature).status == 201)
        let now = Int(Date().timeIntervalSince1970)
        func send(_ device: String, _ second: Int, _ more: String) async throws {
            let body = #"""
                {"locations":[{"deviceId":"\#(device)","timestamp":\#((now - 60 + second) * 1000),"latitude":48.85,
                "longitude":2.35,"horizontalAccuracy":5,\#(more)}]}
                """#
            #expect(try await client.request("POST", "/v1/locations", body: body).status == 200)
        }
        try await send("a/speedLimit", 0, #""batteryLevel":0.1"#)
        let plain = "fencepost/alerts/a/speedLimit/c"
        _ = try await Self.topics(at: broker.port) { $0.contains(plain) }
        for second in 0..<30 { try await send("a", second, #""speed":20"#) }
        let other = "fencepost/alerts/a/speedLimit/%63"
        let both = try await Self.topics(at: broker.port) { $0.isSuperset(of: [plain, other]) }
        #expect(both.isSuperset(of: [plain, other]))
        #expect(try await client.request("DELETE", "/v1/devices/a?erase=true").status == 204)
        let after = try await Self.topics(at: broker.port) { !$0.contains(other) }
        #expect(after.contains(plain) && !after.contains(other))
        // A region that loses its limit ends the alerts of it.
        let mine = "fencepost/alerts/b/speedLimit/c"
        for second in 0..<30 { try await send("b", second, #""speed":20"#) }
        #expect(try await Self.topics(at: broker.port) { $0.contains(mine) }.contains(mine))
        let unlimited = feature.replacing(#","speedLimit":20"#, with: "")
        #expect(try await client.request("PUT", "/v1/regions/c", body: unlimited).status == 200)
        let end = try await Self.topics(at: broker.port) { !$0.contains(mine) }
        #expect(end.contains(plain) && !end.contains(mine))
        await program.killHard()
    }

    @Test("of a lasting alert are published again when the broker has forgotten them")
    func forgotten() async throws {
        let folder = try ServiceFolder()
        let broker = try Broker()
        let config = folder.url.appending(path: "fencepost.json").path
        let text = #"""
            {"monitor":{"alerts":[{"type":"battery","below":0.15}]},
            "mqtt":{"host":"127.0.0.1","port":\#(broker.port),"publish":true,"homeAssistant":true}}
            """#
        try Data(text.utf8).write(to: URL(filePath: config))
        let program = try await RunningProgram(in: folder.url, arguments: ["--config", config])
        let client = Client(port: program.port, token: try #require(program.firstToken))
        let time = Date().formatted(.iso8601)
        let body = #"""
            {"locations":[{"deviceId":"ann","timestamp":"\#(time)","latitude":48.85,"longitude":2.35,"batteryLevel":0.1}]}
            """#
        #expect(try await client.request("POST", "/v1/locations", body: body).status == 200)
        let alert: Set = [
            "fencepost/alerts/ann/battery", "homeassistant/binary_sensor/fencepost_ann/alert_battery/config",
        ]
        #expect(try await Self.topics(at: broker.port) { alert.isSubset(of: $0) }.isSuperset(of: alert))
        broker.stop()
        let again = try Broker(port: broker.port)
        #expect(try await Self.topics(at: again.port) { alert.isSubset(of: $0) }.isSuperset(of: alert))
        await program.killHard()
    }

    @Test(
        "of an alert are cleared when its rule is removed, gets another region, or was removed while the service was down"
    )
    func removedRule() async throws {
        let folder = try ServiceFolder()
        let broker = try Broker()
        let config = folder.url.appending(path: "fencepost.json").path
        func write(_ rules: String) throws {
            try Data(
                #"""
                {"monitor":{"alerts":[\#(rules)]},
                "mqtt":{"host":"127.0.0.1","port":\#(broker.port),"publish":true,"homeAssistant":true}}
                """#.utf8
            ).write(to: URL(filePath: config))
        }
        try write(#"{"id":"file","type":"battery","below":0.15}"#)
        var program = try await RunningProgram(in: folder.url, arguments: ["--config", config])
        let token = try #require(program.firstToken)
        var client = Client(port: program.port, token: token)
        for (region, radius) in [("yard", 900), ("park", 900)] {
            let feature = #"""
                {"type":"Feature","properties":{"radius":\#(radius)},
                "geometry":{"type":"Point","coordinates":[2.35,48.85]}}
                """#
            #expect(try await client.request("PUT", "/v1/regions/\(region)", body: feature).status == 201)
        }
        for (id, more) in [("api", ""), ("kept", ""), ("moved", #","region":"yard""#)] {
            let rule = #"{"type":"battery","below":0.15\#(more)}"#
            #expect(try await client.request("PUT", "/v1/alert-rules/\(id)", body: rule).status == 201)
        }
        let now = Int(Date().timeIntervalSince1970)
        for second in 0..<3 {
            let body = #"""
                {"locations":[{"deviceId":"ann","timestamp":\#((now - 60 + second) * 1000),"latitude":48.85,
                "longitude":2.35,"horizontalAccuracy":5,"batteryLevel":0.1}]}
                """#
            #expect(try await client.request("POST", "/v1/locations", body: body).status == 200)
        }
        func alerts(_ names: [String]) -> Set<String> {
            let states = names.map { "fencepost/alerts/ann/\($0)" }
            let entities = names.map { name in
                "homeassistant/binary_sensor/fencepost_ann/alert_\(name.replacing("/", with: "_"))/config"
            }
            return Set(states + entities)
        }
        func found(_ topics: Set<String>) -> Set<String> { topics.filter { $0.contains("alert") } }
        let all = alerts(["file", "api", "kept", "moved/yard"])
        #expect(found(try await Self.topics(at: broker.port) { found($0) == all }) == all)
        #expect(try await client.request("DELETE", "/v1/alert-rules/api").status == 204)
        let elsewhere = #"{"type":"battery","below":0.15,"region":"park"}"#
        #expect(try await client.request("PUT", "/v1/alert-rules/moved", body: elsewhere).status == 200)
        let some = alerts(["file", "kept"])
        #expect(found(try await Self.topics(at: broker.port) { found($0) == some }) == some)
        await program.killHard()
        try write("")
        program = try await RunningProgram(in: folder.url, arguments: ["--config", config])
        client = Client(port: program.port, token: token)
        let one = alerts(["kept"])
        #expect(found(try await Self.topics(at: broker.port) { found($0) == one }) == one)
        // The alert of the rule that is left goes on.
        #expect(try await client.request("GET", "/v1/alert-rules/kept").status == 200)
        await program.killHard()
    }
}
