import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostStore
import NIOHTTP1
import Synchronization
import Testing

/// Connections that are not made.
final class FakeBrokers: BrokerServices {
    let configured: (choice: BrokerChoice, origin: String?)?
    let mayPublish: Bool
    let changes = Mutex(0)
    let tested = Mutex<[BrokerChoice]>([])
    let failure: BrokerFailure?

    init(configured: BrokerChoice? = nil, mayPublish: Bool = true, failure: BrokerFailure? = nil) {
        (self.configured, self.mayPublish) = (configured.map { ($0, "/etc/fencepost.json") }, mayPublish)
        self.failure = failure
    }

    func brokerDidChange() async throws { changes.withLock { $0 += 1 } }

    func status() async -> BrokerStatus {
        var status = BrokerStatus()
        status.receiving = BrokerStatus.Link()
        status.receiving?.messages = 7
        status.receiving?.lastFailure = (BrokerFailure(.refused), TestServer.now)
        status.uncleared = ["old:1883": 3]
        return status
    }

    func test(_ choice: BrokerChoice) async -> BrokerTest {
        tested.withLock { $0.append(choice) }
        var result = BrokerTest(failure: failure, duration: .milliseconds(250))
        result.homeAssistant = choice.broker.publish?.homeAssistant.map { _ in (2, 14) }
        return result
    }
}

@Suite("The MQTT broker over HTTP") struct BrokerRouteTests {
    private static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBmTCCAT+gAwIBAgIUAgjnA8zdaepgVApkhBhA4l7v4UIwCgYIKoZIzj0EAwIw
        ITEfMB0GA1UEAwwWYXV0aG9yaXR5IG9mIHRoZSB0ZXN0czAgFw0yNjExMjgxOTI3
        NTFaGA8yMTI2MTEwNDE5Mjc1MVowITEfMB0GA1UEAwwWYXV0aG9yaXR5IG9mIHRo
        ZSB0ZXN0czBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKOUkvusVv6CKakEmOny
        hcWdCHEkAbFa5TdERPwfekWqyuJxBCA2snss4sY/+HsRIw3UDDpBoKo+WynXEtEa
        66KjUzBRMB0GA1UdDgQWBBTr3ACJxktdiCSnaUGkdUHe0SrcDjAfBgNVHSMEGDAW
        gBTr3ACJxktdiCSnaUGkdUHe0SrcDjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49
        BAMCA0gAMEUCID5u45XUP3ASPKzFCrfrl/UdYiZqVi/qg45D4muyC2UcAiEAjq2v
        Tq7SD5GTHDarB+WGJW9O+/H/dmyUk1zfIM2wBMo=
        -----END CERTIFICATE-----

        """

    private static let body = #"{"host":"h","username":"u","password":"SECRET","homeAssistant":true}"#

    @Test("is set, read, replaced and removed, each with its tag, and never shows the password") func lifecycle()
        async throws
    {
        let brokers = FakeBrokers()
        try await TestServer.run({ $0.brokers = brokers }) { server in
            let none = try await server.get("/v1/mqtt")
            #expect(try none.json["isSet"]?.bool == false && none.json["settings"] == nil && none["ETag"] == nil)
            #expect(try none.json["uncleared"]?[0]?["broker"]?.string == "old:1883")
            let set = try await server.put("/v1/mqtt", Self.body)
            #expect(set.status == 200 && brokers.changes.withLock { $0 } == 1)
            let shown = try await server.get("/v1/mqtt")
            let tag = try #require(shown["ETag"])
            #expect(set["ETag"] == tag && set.text == shown.text && !shown.text.contains("SECRET"))
            let json = try shown.json
            #expect(json["settings"]?["passwordIsSet"]?.bool == true && json["settings"]?["port"]?.int == 1883)
            #expect(json["settings"]?["homeAssistant"]?.string == "homeassistant")
            #expect(json["receiving"]?["messages"]?.int == 7 && json["receiving"]?["isConnected"]?.bool == false)
            #expect(json["receiving"]?["lastFailure"]?["reason"]?.string == "refused")

            // What was read can be sent back, and changes nothing.
            var writer = JSONWriter()
            writer.value(try #require(json["settings"]))
            let settings = String(decoding: writer.bytes, as: UTF8.self)
            #expect(try await server.put("/v1/mqtt", settings).status == 200)
            #expect(brokers.changes.withLock { $0 } == 1)
            func put(_ body: String, _ tag: String) async throws -> Int {
                try await server.send(
                    .PUT, "/v1/mqtt", body: Array(body.utf8), type: "application/json", headers: [("If-Match", tag)]
                ).status
            }
            #expect(try await put(#"{"host":"h","topic":"x/#"}"#, "\"x\"") == 412)
            #expect(try await put(#"{"host":"h","topic":"x/#"}"#, tag) == 200)
            #expect(try await put(#"{"host":"h","topic":"y/#"}"#, tag) == 412)
            let text = try #require(try await server.store.brokerText())
            #expect(BrokerFile.read(stored: text)?.broker.password == "SECRET")

            #expect(try await server.send(.DELETE, "/v1/mqtt", headers: [("If-Match", tag)]).status == 412)
            let removed = try await server.send(.DELETE, "/v1/mqtt")
            #expect(try removed.status == 200 && removed.json["isSet"]?.bool == false)
            #expect(try removed.json["uncleared"]?[0]?["topics"]?.int == 3)
            #expect(try await server.send(.DELETE, "/v1/mqtt").status == 404)
            #expect(brokers.changes.withLock { $0 } == 3)
            #expect(!server.log.lines.withLock { $0.contains { $0.contains("SECRET") } })
        }
    }

    @Test("that is wrong is refused with the place and the cure") func refused() async throws {
        try await TestServer.run({ $0.brokers = FakeBrokers() }) { server in
            let wrong = #"{"host":"mqtt://h","topic":"a#"}"#
            for answer in [
                try await server.put("/v1/mqtt", wrong), try await server.post("/v1/mqtt/test", wrong),
            ] {
                #expect(answer.status == 422)
                #expect(try answer.json["errors"]?.array?.map { $0["pointer"]?.string } == ["/host", "/topic"])
            }
            #expect(try await server.put("/v1/mqtt", Self.body).status == 200)
            let other = try await server.put("/v1/mqtt", #"{"host":"other","username":"u"}"#)
            #expect(try other.status == 422 && other.json["errors"]?[0]?["pointer"]?.string == "/password")
        }
    }

    @Test("has the certificate of its authority, which has to be one") func certificate() async throws {
        try await TestServer.run({ $0.brokers = FakeBrokers() }) { server in
            let lines = Self.authority.split(separator: "\n")
            func body(_ text: String) -> String {
                #"{"host":"h","tls":true,"caCertificate":"\#(text.replacing("\n", with: "\\n"))"}"#
            }
            let set = try await server.put("/v1/mqtt", body(Self.authority))
            #expect(set.status == 200, "\(set.text)")
            #expect(try set.json["settings"]?["caCertificate"]?.string == Self.authority)
            // In PEM and DER, but no certificate.
            let other = "\(lines[0])\nMAQCAgEB\n\(lines[lines.count - 1])\n"
            for answer in [
                try await server.put("/v1/mqtt", body(other)), try await server.post("/v1/mqtt/test", body(other)),
            ] {
                #expect(answer.status == 422 && answer.text.contains("cannot be read"), "\(answer.text)")
                #expect(try answer.json["errors"]?[0]?["pointer"]?.string == "/caCertificate")
            }
            let there = #"{"host":"h","publishTo":\#(body(other))}"#
            let refused = try await server.put("/v1/mqtt", there)
            #expect(try refused.json["errors"]?[0]?["pointer"]?.string == "/publishTo/caCertificate", "\(refused.text)")
        }
    }

    @Test("is tested with the settings that are sent, or those that are set") func test() async throws {
        let brokers = FakeBrokers(failure: BrokerFailure(.tls))
        try await TestServer.run({ $0.brokers = brokers }) { server in
            let none = try await server.send(.POST, "/v1/mqtt/test")
            #expect(try none.status == 409 && none.json["code"]?.string == "no_broker")
            #expect(try await server.put("/v1/mqtt", Self.body).status == 200)
            let found = try await server.post("/v1/mqtt/test", #"{"host":"h","port":1883,"tls":true}"#)
            #expect(try found.status == 200 && found.json["succeeded"]?.bool == false)
            #expect(try found.json["reason"]?.string == "tls" && found.json["broker"]?.string == "h:1883")
            #expect(try found.json["detail"]?.string?.contains("8883") == true)
            #expect(try await server.send(.POST, "/v1/mqtt/test").json["homeAssistant"]?["entities"]?.int == 14)
            let tested = brokers.tested.withLock { $0 }
            #expect(
                tested.map(\.broker.password) == ["SECRET", "SECRET"] && tested.map(\.broker.usesTLS) == [true, false])
        }
    }

    @Test("of the configuration is shown, and can only be tested") func configured() async throws {
        var settings = BrokerSettings(host: "file")
        settings.password = "SECRET"
        let brokers = FakeBrokers(configured: BrokerChoice(settings))
        try await TestServer.run({ $0.brokers = brokers }) { server in
            let shown = try await server.get("/v1/mqtt").json
            #expect(shown["isConfigured"]?.bool == true && shown["origin"]?.string == "/etc/fencepost.json")
            #expect(shown["settings"]?["host"]?.string == "file" && shown["settings"]?["passwordIsSet"]?.bool == true)
            for answer in [try await server.put("/v1/mqtt", Self.body), try await server.send(.DELETE, "/v1/mqtt")] {
                #expect(try answer.status == 409 && answer.json["code"]?.string == "mqtt_is_configured")
            }
            #expect(try await server.send(.POST, "/v1/mqtt/test").json["succeeded"]?.bool == true)
            #expect(brokers.tested.withLock { $0.first?.broker.password } == "SECRET")
        }
    }

    @Test("does not take the id of an endpoint that somebody has added") func endpoint() async throws {
        try await TestServer.run { server in
            let hook = #"{"id":"mqtt","url":"https://example.org/hook"}"#
            #expect(try await server.post("/v1/endpoints", hook).status == 201)
            let answer = try await server.put("/v1/mqtt", Self.body)
            #expect(try answer.status == 409 && answer.json["code"]?.string == "endpoint_exists")
            #expect(try await server.get("/v1/mqtt").json["isSet"]?.bool == false)
            #expect(try await server.put("/v1/mqtt", #"{"host":"h"}"#).status == 200, "nothing is published")
        }
    }

    @Test("publishes nothing in a cluster of several partitions") func partitions() async throws {
        try await TestServer.run({ $0.brokers = FakeBrokers(mayPublish: false) }) { server in
            for (body, pointer) in [
                (#"{"host":"h","publish":true}"#, "/publish"),
                (#"{"host":"h","homeAssistant":true}"#, "/homeAssistant"),
                (#"{"host":"h","publishTo":{"host":"o"}}"#, "/publishTo"),
            ] {
                let answer = try await server.put("/v1/mqtt", body)
                #expect(try answer.status == 422 && answer.json["errors"]?[0]?["pointer"]?.string == pointer)
            }
            #expect(try await server.put("/v1/mqtt", #"{"host":"h"}"#).status == 200)
        }
    }
}
