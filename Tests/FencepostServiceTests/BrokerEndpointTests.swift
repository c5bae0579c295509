import FencepostJSON
import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import Testing

@Suite("Endpoints at message brokers") struct BrokerEndpointTests {
    private static func read(_ json: String, over base: Endpoint? = nil) throws -> (Endpoint?, [Diagnostic]) {
        let (draft, problems) = EndpointFile.read(try JSONDocument(parsing: json).root, over: base)
        return (draft?.endpoint, problems)
    }

    private static func shown(_ endpoint: Endpoint) -> String {
        var writer = JSONWriter()
        writer.value(endpoint)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static let complete: [(kind: Endpoint.Kind, json: String)] = [
        (
            .nats,
            #"{"kind":"nats","url":"tls://a:4222,b","subject":"f.{device}","jetStream":false,"token":"SECRET","ordered":true}"#
        ),
        (
            .redis,
            #"{"kind":"redis","url":"rediss://a/3","stream":"f:{device}","maximumLength":1000,"username":"u","password":"SECRET"}"#
        ),
        (
            .amqp,
            #"{"kind":"amqp","url":"amqps://a/v%2Fh","exchange":"e","routingKey":"f.{type}","username":"u","password":"SECRET"}"#
        ),
        (
            .kafka,
            #"{"kind":"kafka","url":"kafkas://a:9093,b/t","username":"u","password":"SECRET","saslMechanism":"SCRAM-SHA-256","format":"binary"}"#
        ),
    ]

    @Test("each kind is read, stored, and shown without its secret", arguments: complete)
    func kinds(kind: Endpoint.Kind, json: String) throws {
        let (endpoint, problems) = try Self.read(json)
        #expect(problems.isEmpty)
        let found = try #require(endpoint)
        #expect(found.kind == kind)
        #expect(try JSONDecoder().decode(Endpoint.self, from: try JSONEncoder().encode(found)) == found)
        #expect(!Self.shown(found).contains("SECRET"))
        // Every other member that was given is shown with its value.
        let given = try #require(try JSONDocument(parsing: json).root.object)
        let shown = try JSONDocument(parsing: Self.shown(found)).root
        for member in given where member.name != "password" && member.name != "token" {
            var (one, other) = (JSONWriter(), JSONWriter())
            one.value(member.value)
            other.value(try #require(shown[member.name], "\(member.name) is not shown"))
            #expect(one.bytes == other.bytes)
        }
    }

    @Test("every broker has an example here")
    func allKinds() { #expect(Set(Self.complete.map(\.kind)) == Set(Endpoint.Kind.allCases.filter(\.isBroker))) }

    @Test(
        "a configuration that cannot work is refused with one sentence",
        arguments: [
            (#"{"kind":"nats","url":"nats://a"}"#, "needs \"subject\""),
            (#"{"kind":"redis","url":"redis://a"}"#, "needs \"stream\""),
            (#"{"kind":"amqp","url":"amqp://a"}"#, "needs \"routingKey\""),
            (#"{"kind":"kafka","url":"kafka://a:9092"}"#, "names no topic"),
            (#"{"kind":"kafka","url":"kafka://a:9092/"}"#, "names no topic"),
            (#"{"kind":"nats","subject":"a"}"#, "nats://nats.example.org:4222"),
            (#"{"kind":"nats","url":"https://a","subject":"a"}"#, "write nats://, or tls:// for TLS"),
            (#"{"kind":"redis","url":"nats://a","stream":"a"}"#, "write redis://, or rediss:// for TLS"),
            (#"{"kind":"nats","url":"nats://u:p@a","subject":"a"}"#, "must not contain a user name"),
            (#"{"kind":"nats","url":"nats://a/b","subject":"a"}"#, "has no path"),
            (#"{"kind":"redis","url":"redis://a,b","stream":"a"}"#, "names one server"),
            (#"{"kind":"redis","url":"redis://a/x","stream":"a"}"#, "number of a database"),
            (#"{"kind":"redis","url":"redis://a?x=1","stream":"a"}"#, "must not have a query"),
            (#"{"kind":"nats","url":"nats://a,,b","subject":"a"}"#, "1 to 16 servers"),
            (#"{"kind":"nats","url":"nats://a","subject":"a","stream":"b"}"#, "has no \"stream\""),
            (#"{"kind":"redis","url":"redis://a","stream":"a","jetStream":true}"#, "has no \"jetStream\""),
            (#"{"kind":"kafka","url":"kafka://a/t","token":"t"}"#, "has no \"token\""),
            (#"{"url":"https://a/x","subject":"a"}"#, "has no \"subject\""),
            (
                #"{"kind":"nats","url":"nats://a","subject":"a","secret":"whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg=="}"#,
                "no signature"
            ),
            (#"{"kind":"nats","url":"nats://a","subject":"a","format":"batch"}"#, "no batches"),
            (#"{"kind":"nats","url":"nats://a","subject":"a","password":"p"}"#, "Write the \"username\""),
            (#"{"kind":"nats","url":"nats://a","subject":"a","username":"p"}"#, "Write the \"password\""),
            (#"{"kind":"kafka","url":"kafka://a/t","saslMechanism":"PLAIN"}"#, "Write the \"username\""),
            (#"{"kind":"kafka","url":"kafka://a/t","saslMechanism":"NTLM"}"#, "\"SCRAM-SHA-512\""),
            (
                #"{"kind":"nats","url":"nats://a","subject":"a","token":"t","username":"u","password":"p"}"#,
                "but not both"
            ),
            (#"{"kind":"redis","url":"redis://a","stream":"a","maximumLength":0}"#, "from 1 to 1000000000"),
            (#"{"kind":"nats","url":"nats://a","subject":"a.{devise}"}"#, "no placeholder \"{devise}\""),
            (#"{"kind":"nats","url":"nats://a","subject":"a.{device"}"#, "not closed"),
            (#"{"kind":"nats","url":"nats://a","subject":"{device}{type}"}"#, "between two placeholders"),
            (#"{"kind":"nats","url":"nats://a","subject":"{device}x{region}"}"#, "between two placeholders"),
            (#"{"kind":"nats","url":"nats://a","subject":"a..b"}"#, "has words with"),
            (#"{"kind":"nats","url":"nats://a","subject":"a.*"}"#, "has words with"),
            (#"{"kind":"nats","url":"nats://a","subject":"$JS.API"}"#, "belong to the server"),
            (#"{"kind":"nats","url":"nats://a","subject":"a b"}"#, "without spaces"),
            (#"{"kind":"kafka","url":"kafka://a/t:x"}"#, "A topic has letters"),
            (#"{"kind":"kafka","url":"kafka://a/{device}_{region}"}"#, "between two placeholders"),
            (#"{"kind":"amqp","url":"amqp://a","routingKey":"k","exchange":""}"#, "1 to 127 characters"),
        ])
    func refusals(json: String, sentence: String) throws {
        let (endpoint, problems) = try Self.read(json)
        #expect(endpoint == nil)
        #expect(problems.count == 1)
        #expect(problems.first?.message.contains(sentence) == true, "\(problems.map(\.message))")
    }

    @Test("a password stays with its servers, and another kind has another destination")
    func changes() throws {
        let current = try #require(try Self.read(Self.complete[1].json).0)
        let same = try #require(try Self.read(#"{"stream":"g"}"#, over: current).0)
        #expect(same.people.password == "SECRET")
        #expect(same.destination.address == "g")
        let moved = try Self.read(#"{"url":"rediss://b"}"#, over: current)
        #expect(moved.1.first?.message.contains("Write the \"password\"") == true)
        let other = try Self.read(#"{"kind":"nats","url":"nats://a","username":null}"#, over: current)
        #expect(other.1.map(\.code) == ["missing_key"], "the stream is no subject")
    }

    /// The choices of the page are texts in JavaScript, which no compiler compares.
    @Test("the page offers the mechanisms and the formats that the API takes")
    func page() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/FencepostPage/Web/webhooks/endpoint-kinds.js").standardizedFileURL
        let forms = try String(contentsOf: file, encoding: .utf8)
        let mechanisms = Endpoint.Mechanism.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        #expect(forms.contains("choices: [\(mechanisms)]"))
        #expect(forms.contains("choices: [\"standard\", \"structured\", \"binary\"]"))
        let brokers = Endpoint.Kind.allCases.filter(\.isBroker).map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        #expect(forms.contains("[\(brokers)].includes(kind)"))
    }

    @Test("the parts of a URL")
    func urls() throws {
        let nats = try BrokerURL("tls://one:4222,[2001:db8::1]", of: .nats)
        #expect(nats.servers == ["one:4222", "[2001:db8::1]"])
        #expect(nats.isSecure)
        #expect(try BrokerURL("amqp://a/a%2Fb", of: .amqp).path == "a/b")
        #expect(try BrokerURL("amqps://a", of: .amqp).defaultPort == 5671)
        #expect(try BrokerURL("redis://a/15", of: .redis).database == 15)
        #expect(try BrokerURL("kafka://a/t.{type}", of: .kafka).path == "t.{type}")
        #expect(throws: BrokerURL.Failure.self) { try BrokerURL("https://a", of: .webhook) }
    }
}

@Suite("Template of a destination") struct DestinationTemplateTests {
    @Test(
        "escapes values and has a word for what is absent",
        arguments: [
            (Endpoint.Kind.nats, "jane/phone" as String?, "fencepost.jane%2Fphone.region.entered"),
            (.nats, "a.b", "fencepost.a%2Eb.region.entered"), (.nats, "a_b-c", "fencepost.a_b-c.region.entered"),
            (.nats, "*>", "fencepost.%2A%3E.region.entered"), (.nats, "Zoë", "fencepost.Zo%C3%AB.region.entered"),
            (.nats, "-", "fencepost.%2D.region.entered"), (.nats, nil, "fencepost.-.region.entered"),
            (.redis, "a b", "fencepost.a%20b.region.entered"), (.amqp, "a#", "fencepost.a%23.region.entered"),
            (.kafka, "a_b", "fencepost.a_5Fb.region.entered"), (.kafka, "a.b", "fencepost.a_2Eb.region.entered"),
            (.kafka, "a%b", "fencepost.a_25b.region.entered"), (.kafka, "-", "fencepost._2D.region.entered"),
        ])
    func escapes(kind: Endpoint.Kind, device: String?, address: String) throws {
        let template = try DestinationTemplate("fencepost.{device}.{type}", of: kind)
        #expect(try template.address(device: device, type: "region.entered", region: nil) == address)
    }

    private static let alphabet = Array("ab-_.%/ é2F5\u{1F600}*>:")

    @Test("different devices and regions never have the same address", arguments: 1...50 as ClosedRange<UInt64>)
    func neverCollides(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for kind in Endpoint.Kind.allCases where kind.isBroker {
            let template = try DestinationTemplate("{device}.{type}.{region}", of: kind)
            var seen: [String: [String?]] = [:]
            for _ in 0..<400 {
                func text() -> String? {
                    let length = Int.random(in: 0...3, using: &generator)
                    if length == 0 { return nil }
                    return String((0..<length).map { _ in Self.alphabet.randomElement(using: &generator) ?? "a" })
                }
                let type = ["region.entered", "visit.arrived"].randomElement(using: &generator) ?? ""
                let values = [text(), type, text()]
                let address = try template.address(device: values[0], type: type, region: values[2])
                #expect(seen[address] == nil || seen[address] == values, "\(address)")
                seen[address] = values
                #expect(address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                #expect(address.split(separator: ".", omittingEmptySubsequences: false).count == 4)
            }
        }
    }

    @Test("an address that the broker would refuse for its length is not made")
    func length() throws {
        let device = String(repeating: "é", count: 128)
        for kind in [Endpoint.Kind.kafka, .amqp] {
            let template = try DestinationTemplate("f.{device}", of: kind)
            #expect(throws: DestinationTemplate.Failure.self) {
                try template.address(device: device, type: "a.b", region: nil)
            }
        }
        let template = try DestinationTemplate("f.{device}", of: .nats)
        #expect(try template.address(device: device, type: "a.b", region: nil).count == 2 + 128 * 6)
    }

    @Test("the types of events have two words each, on which the separation of values depends")
    func types() {
        for type in EventType.allCases.map(\.rawValue) + ServiceEventType.allCases.map(\.rawValue) + [Retraction.type] {
            #expect(type.split(separator: ".").count == 2)
            #expect(type.allSatisfy { $0.isASCII && $0.isLetter || $0 == "." })
        }
    }
}
