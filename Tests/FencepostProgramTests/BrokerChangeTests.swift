import FencepostMQTT
import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostStore
import Foundation
import Testing

/// A broker that administrators set, test, change and remove while the service runs.
@Suite(
    "A broker that is set over the API", .serialized, .enabled(if: Broker.program != nil, "mosquitto is not installed"),
    .timeLimit(.minutes(4)))
struct BrokerChangeTests {
    private static let region = #"""
        {"type":"Feature","properties":{"radius":150},"geometry":{"type":"Point","coordinates":[2.35,48.85]}}
        """#

    /// A service without a broker, with one region.
    private struct World {
        let folder: ServiceFolder
        var program: RunningProgram
        var client: Client

        init() async throws {
            folder = try ServiceFolder()
            program = try await RunningProgram(in: folder.url, arguments: [])
            client = Client(port: program.port, token: try #require(program.firstToken))
            #expect(try await client.request("PUT", "/v1/regions/park", body: region).status == 201)
        }

        mutating func restart() async throws {
            await program.killHard()
            program = try await RunningProgram(in: folder.url, arguments: [])
            client = Client(port: program.port, token: client.token)
        }

        func mqtt(_ method: String = "GET", _ path: String = "", _ body: String? = nil) async throws -> [String: Any] {
            let answer = try await client.request(method, "/v1/mqtt" + path, body: body)
            #expect(answer.status == 200, "\(answer.text)")
            return answer.object
        }

        func link(_ name: String) async throws -> [String: Any] { try await mqtt()[name] as? [String: Any] ?? [:] }

        func isConnected(_ name: String) async throws -> Bool { try await link(name)["isConnected"] as? Bool ?? false }

        func events() async throws -> [String] {
            try await client.request("GET", "/v1/events").data.compactMap { $0["type"] as? String }
        }

        func pending() async throws -> Int {
            try await client.request("GET", "/v1/deliveries?status=pending").data.count
        }
    }

    private static func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(40)
        while try await !condition() {
            if ContinuousClock.now > end {
                Issue.record("it did not happen: \(what)")
                return
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Waits for both connections: before the subscription the broker keeps no message for the service.
    private static func untilConnected(_ world: World) async throws {
        try await until("both connections") {
            let (receiving, publishing) = (
                try await world.isConnected("receiving"), try await world.isConnected("publishing")
            )
            return receiving && publishing
        }
    }

    private static func settings(_ broker: Broker, _ more: String = #""homeAssistant":true"#) -> String {
        #"{"host":"127.0.0.1","port":\#(broker.port),\#(more)}"#
    }

    /// A message of a phone, so many seconds ago.
    private static func fix(_ ago: Int, _ longitude: Double) -> String {
        let time = Int(Date().timeIntervalSince1970) - ago
        return #"{"_type":"location","lat":48.85,"lon":\#(longitude),"acc":5,"tst":\#(time)}"#
    }

    private static func walkIn(_ broker: Broker, _ device: String) throws {
        for (ago, longitude) in [(40, 2.40), (30, 2.35), (20, 2.35), (10, 2.35)] {
            try broker.publish("owntracks/\(device)", fix(ago, longitude))
        }
    }

    private static func kept(_ broker: Broker, until isExpected: (Set<String>) -> Bool = { _ in true }) async throws
        -> Set<String>
    {
        try await RetainedTopicTests.topics(at: broker.port, until: isExpected)
    }

    @Test("is used at once: phones' messages become locations, events go there, and all of it after a restart too")
    func begins() async throws {
        let broker = try Broker()
        var world = try await World()
        #expect(try await world.mqtt()["isSet"] as? Bool == false)
        let tested = try await world.mqtt("POST", "/test", Self.settings(broker))
        #expect(tested["succeeded"] as? Bool == true)
        _ = try await world.mqtt("PUT", "", Self.settings(broker))
        try await Self.untilConnected(world)
        try Self.walkIn(broker, "ann/phone")
        try await Self.until("the event") { try await world.events().contains("region.entered") }
        let topics = try await Self.kept(broker) { $0.contains("fencepost/presence/ann/phone/park") }
        #expect(topics.contains { $0.hasPrefix("homeassistant/device_tracker/") })
        try await Self.until("the message of the event") { try await world.pending() == 0 }
        #expect(try await world.client.request("GET", "/v1/endpoints/mqtt").status == 200)
        #expect(try await world.link("receiving")["messages"] as? Int ?? 0 >= 4)
        let found = try await world.mqtt("POST", "/test")["homeAssistant"] as? [String: Any]
        #expect(found?["devices"] as? Int == 1)
        let discovered = topics.count { $0.hasPrefix("homeassistant/") }
        #expect(found?["entities"] as? Int == discovered)

        // What a phone sends while the service is down waits at the broker.
        await world.program.killHard()
        try Self.walkIn(broker, "bob/phone")
        try await world.restart()
        try await Self.until("the phone's locations") {
            try await world.client.request("GET", "/v1/devices/bob%2Fphone").status == 200
        }
        _ = try await Self.kept(broker) { $0.contains("fencepost/presence/bob/phone/park") }
        #expect(try await world.isConnected("publishing"))
        await world.program.killHard()
    }

    @Test("gives way to another one: the former keeps nothing, and no message is lost") func replaced() async throws {
        let (first, second) = (try Broker(), try Broker())
        let world = try await World()
        _ = try await world.mqtt("PUT", "", Self.settings(first))
        try await Self.untilConnected(world)
        try Self.walkIn(first, "ann/phone")
        _ = try await Self.kept(first) { $0.contains("fencepost/presence/ann/phone/park") }
        try await Self.until("the message of the event") {
            let (waiting, events) = (try await world.pending(), try await world.events())
            return waiting == 0 && events.contains("region.entered")
        }
        let answer = try await world.mqtt("PUT", "", Self.settings(second))
        #expect((answer["uncleared"] as? [Any])?.isEmpty == true)
        #expect(try await Self.kept(first) { $0.isEmpty } == [])
        let topics = try await Self.kept(second) { $0.contains("fencepost/presence/ann/phone/park") }
        #expect(topics.contains("fencepost/status") && topics.contains("fencepost/devices/ann/phone"))

        second.stop()
        try await Self.until("the lost connection") { try await !world.isConnected("publishing") }
        #expect(try await world.client.request("DELETE", "/v1/regions/park").status == 204)
        // It goes to the next broker.
        try await Self.until("a message that waits") { try await world.pending() > 0 }
        // The broker cannot be reached, so it keeps what it has; the service says so.
        let third = try Broker()
        let changed = try await world.mqtt("PUT", "", Self.settings(third))
        let left = (changed["uncleared"] as? [[String: Any]])?.first
        #expect(left?["broker"] as? String == "127.0.0.1:\(second.port)")
        #expect(left?["topics"] as? Int ?? 0 > 3)
        try await Self.until("what has waited") { try await world.pending() == 0 }
        let sent = try await world.client.request("GET", "/v1/deliveries?status=delivered").data
        #expect(sent.count == (try await world.events().count))
        await world.program.killHard()
    }

    @Test("with a wrong password says so, and what an earlier one has published is cleared by its removal")
    func wrongPassword() async throws {
        let folder = try ServiceFolder()
        let file = folder.url.appending(path: "users").path
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/mosquitto_passwd")
        process.arguments = ["-b", "-c", file, "fencepost", "right"]
        try process.run()
        process.waitUntilExit()
        // Readers of the tests have no password.
        let acl = folder.url.appending(path: "acl").path
        try Data("topic readwrite #\nuser fencepost\ntopic readwrite #\n".utf8).write(to: URL(filePath: acl))
        let broker = try Broker(configuration: ["allow_anonymous true", "password_file \(file)", "acl_file \(acl)"])
        func settings(_ password: String) -> String {
            Self.settings(broker, #""username":"fencepost","password":"\#(password)","homeAssistant":true"#)
        }
        var world = try await World()
        _ = try await world.mqtt("PUT", "", settings("right"))
        try await Self.untilConnected(world)
        try Self.walkIn(broker, "ann/phone")
        _ = try await Self.kept(broker) { $0.contains("fencepost/presence/ann/phone/park") }

        let tested = try await world.mqtt("POST", "/test", settings("wrong"))
        #expect(tested["reason"] as? String == "refused")
        _ = try await world.mqtt("PUT", "", settings("wrong"))
        try await Self.until("the refusal") {
            let failure = try await world.link("receiving")["lastFailure"] as? [String: Any]
            return failure?["reason"] as? String == "refused"
        }
        #expect(try await !world.isConnected("publishing"))
        #expect(try await Self.kept(broker).contains("fencepost/devices/ann/phone"), "the topics are the same")
        let removed = try await world.mqtt("DELETE")
        #expect((removed["uncleared"] as? [Any])?.isEmpty == true && removed["isSet"] as? Bool == false)
        #expect(try await Self.kept(broker) { $0.isEmpty } == [])
        #expect(try await world.client.request("GET", "/v1/endpoints/mqtt").status == 404)
        let metrics = try await world.client.request("GET", "/metrics").text
        #expect(!metrics.contains("\nfencepost_mqtt_connected "))
        try await world.restart()
        #expect(try await world.mqtt()["isSet"] as? Bool == false)
        await world.program.killHard()
    }

    @Test("has its endpoint enabled again by a change, unless somebody has disabled that") func disabled() async throws
    {
        let broker = try Broker()
        var world = try await World()
        _ = try await world.mqtt("PUT", "", Self.settings(broker))
        func state() async throws -> String? {
            try await world.client.request("GET", "/v1/endpoints/mqtt").object["state"] as? String
        }
        let byHand = try await world.client.request("PATCH", "/v1/endpoints/mqtt", body: #"{"state":"disabled"}"#)
        #expect(byHand.status == 200)
        _ = try await world.mqtt("PUT", "", Self.settings(broker, #""clientId":"b","homeAssistant":true"#))
        #expect(try await state() == "disabled")
        // As a broker that was away for days leaves it.
        await world.program.killHard()
        let store = try SQLiteStore(path: world.folder.url.appending(path: "fencepost.sqlite").path)
        let former = try #require(try await store.endpoint(id: "mqtt")?.endpoint)
        var failed = former
        failed.state = .disabled(since: .distantPast, reason: "It has failed for 5 days.")
        #expect(try await store.replace(former, with: failed))
        try store.close()
        try await world.restart()
        #expect(try await state() == "disabled")
        _ = try await world.mqtt("PUT", "", Self.settings(broker, #""clientId":"c","homeAssistant":true"#))
        #expect(try await state() == "active")
        await world.program.killHard()
    }

    @Test("does not count while the configuration names one") func configured() async throws {
        let (own, other) = (try Broker(), try Broker())
        var world = try await World()
        _ = try await world.mqtt("PUT", "", Self.settings(other))
        try await Self.until("the connection") { try await world.isConnected("publishing") }
        await world.program.killHard()
        let config = world.folder.url.appending(path: "fencepost.json").path
        try Data(#"{"mqtt":{"host":"127.0.0.1","port":\#(own.port),"publish":"own"}}"#.utf8).write(
            to: URL(filePath: config))
        world.program = try await RunningProgram(in: world.folder.url, arguments: ["--config", config])
        world.client = Client(port: world.program.port, token: world.client.token)
        let shown = try await world.mqtt()
        #expect(
            shown["isConfigured"] as? Bool == true && (shown["origin"] as? String)?.hasSuffix("fencepost.json") == true)
        #expect((shown["settings"] as? [String: Any])?["port"] as? Int == own.port)
        try await Self.until("the connection") { try await world.isConnected("publishing") }
        #expect(try await world.client.request("PUT", "/v1/mqtt", body: Self.settings(other)).status == 409)
        // The configuration's endpoints are applied while the service answers already.
        func endpoint(hasPrefix prefix: String) async throws -> Bool {
            let endpoint = try await world.client.request("GET", "/v1/endpoints/mqtt").object
            return (endpoint["url"] as? String)?.hasSuffix("/" + prefix) == true
        }
        try await Self.until("its endpoint") { try await endpoint(hasPrefix: "own") }
        await world.program.killHard()
        try await world.restart()
        try await Self.until("the stored one again") { try await world.isConnected("publishing") }
        try await Self.until("the stored one's endpoint") { try await endpoint(hasPrefix: "fencepost") }
        await world.program.killHard()
    }
}
