import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import Testing

@Suite("Endpoints for people") struct PeopleEndpointTests {
    static func read(
        _ text: String, over base: Endpoint? = nil, replacing current: Endpoint? = nil
    ) throws -> (endpoint: Endpoint?, problems: [Diagnostic]) {
        let (draft, problems) = EndpointFile.read(
            try JSONDocument(parsing: text).root, over: base, replacing: current)
        return (draft?.endpoint, problems)
    }

    static func shown(_ endpoint: Endpoint) -> String {
        var writer = JSONWriter()
        writer.value(endpoint)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static let complete: [(kind: Endpoint.Kind, json: String)] = [
        (.webhook, #"{"url":"https://a.example/x"}"#),
        (.ntfy, #"{"kind":"ntfy","url":"https://ntfy.sh/t","token":"SECRET","priority":5}"#),
        (.gotify, #"{"kind":"gotify","url":"https://g.example","token":"SECRET","priority":10}"#),
        (.telegram, #"{"kind":"telegram","token":"SECRET","chat":-100200}"#),
        (.slack, #"{"kind":"slack","url":"https://hooks.slack.com/services/SECRET"}"#),
        (.discord, #"{"kind":"discord","url":"https://discord.com/api/webhooks/1/SECRET"}"#),
        (
            .email,
            #"{"kind":"email","url":"smtp://m.example:587","from":"f@m.example","to":"jane@m.example","username":"f","password":"SECRET"}"#
        ),
        (.apprise, #"{"kind":"apprise","url":"https://a.example/notify","urls":["tgram://SECRET"]}"#),
    ]

    private static let manyHours =
        "[" + repeatElement("\"22:00-07:00\"", count: 129).joined(separator: ",") + "]"

    @Test("reads each kind, stores it, and shows it without its secret", arguments: complete)
    func kinds(kind: Endpoint.Kind, json: String) throws {
        let (endpoint, problems) = try Self.read(json)
        #expect(problems.isEmpty)
        let found = try #require(endpoint)
        #expect(found.kind == kind)
        let stored = try JSONDecoder().decode(Endpoint.self, from: try JSONEncoder().encode(found))
        #expect(stored == found)
        #expect(!Self.shown(found).contains("SECRET"))
        #expect(Self.shown(found).contains(#""kind":"\#(kind.rawValue)""#))
    }

    @Test("every kind has an example here")
    func allKinds() {
        #expect(Set(Self.complete.map(\.kind)) == Set(Endpoint.Kind.chosen.filter { !$0.isBroker }))
    }

    @Test(
        "names what is missing or does not belong to the kind",
        arguments: [
            (#"{"kind":"ntfi","url":"https://a/x"}"#, "did you mean \"ntfy\"?"),
            (#"{"kind":"mqtt","url":"mqtt://a"}"#, "in the configuration"),
            (#"{"kind":"gotify","url":"https://a"}"#, "needs \"token\""),
            (#"{"kind":"telegram","token":"t"}"#, "needs \"chat\""),
            (#"{"kind":"email","url":"smtp://a","from":"x@y"}"#, "needs \"to\""),
            (#"{"kind":"email","url":"smtp://a","from":"x","to":["a@b"]}"#, "is not an address"),
            (#"{"kind":"email","url":"smtp://a","from":"a@b>\r\nBcc: c@d","to":["a@b"]}"#, "control characters"),
            (#"{"kind":"email"}"#, "smtp://mail.example.org:587"),
            (#"{"kind":"ntfy","url":"https://a/x","chat":"1"}"#, "has no \"chat\""),
            (#"{"url":"https://a/x","token":"1"}"#, "has no \"token\""),
            (#"{"url":"https://a/x","template":{"title":"x"}}"#, "has no \"template\""),
            (#"{"kind":"ntfy","url":"https://a/x","format":"batch"}"#, "Only webhooks have a format"),
            (#"{"kind":"ntfy","url":"https://a/x","template":{"title":"{{devise}}"}}"#, "no variable {{devise}}"),
            (#"{"kind":"ntfy","url":"https://a/x","template":{"titel":""}}"#, "\"title\" and \"body\""),
            (#"{"kind":"ntfy","url":"https://a/x","priority":6}"#, "from 1 to 5"),
            (#"{"kind":"ntfy","url":"https://a/x","timeZone":"Mars"}"#, "no time zone"),
            (#"{"kind":"ntfy","url":"https://a/x","link":"a"}"#, "address of the page"),
            (#"{"kind":"ntfy","url":"https://a/x","cooldown":"soon"}"#, "PT15M"),
            (#"{"kind":"ntfy","url":"https://a/x","cooldown":1e300}"#, "from 0 to"),
            (#"{"kind":"ntfy","url":"https://a/x","quietHours":\#(manyHours)}"#, "at most 128"),
            (#"{"kind":"ntfy","url":"https://a/x","quietHours":"25:00-07:00"}"#, "Write quiet hours"),
            (#"{"kind":"ntfy","url":"https://a/x","quietHours":{"hours":1}}"#, "Quiet hours have the keys"),
            (#"{"kind":"ntfy","url":"https://a/x","ordered":true,"group":60}"#, "in order already"),
        ])
    func problems(json: String, expected: String) throws {
        let (endpoint, problems) = try Self.read(json)
        #expect(endpoint == nil)
        #expect(problems.contains { $0.message.contains(expected) })
    }

    @Test(
        "reads quiet hours in each of their forms",
        arguments: [
            #""22:00-07:00""#, #"["22:00-07:00"]"#, #"{"weekly":["22:00-07:00"]}"#, #"{"from":"22:00","to":"07:00"}"#,
        ])
    func quietHours(form: String) throws {
        let json = #"{"url":"https://a/x","timeZone":"Asia/Seoul","quietHours":\#(form),"cooldown":"PT15M"}"#
        let endpoint = try #require(try Self.read(json).endpoint)
        #expect(endpoint.cooldown == .seconds(900))
        let schedule = try #require(endpoint.quietHours?.schedule)
        // 22:30 and 07:30 in Seoul.
        #expect(schedule.isOpen(at: try #require(Timestamp(rfc3339: "2026-03-01T13:30:00Z"))))
        #expect(!schedule.isOpen(at: try #require(Timestamp(rfc3339: "2026-03-01T22:30:00Z"))))
    }

    @Test("a replacement keeps the secrets that it leaves out, unless the server is another one")
    func keptSecrets() throws {
        let gotify = try #require(try Self.read(Self.complete[2].json).endpoint)
        let same = try Self.read(#"{"kind":"gotify","url":"https://g.example/sub"}"#, replacing: gotify)
        #expect(same.endpoint?.people.token == "SECRET")
        let moved = try Self.read(#"{"kind":"gotify","url":"https://evil.example"}"#, replacing: gotify)
        #expect(moved.endpoint == nil && moved.problems.contains { $0.message.contains("needs \"token\"") })
        let patched = try Self.read(#"{"url":"https://evil.example"}"#, over: gotify)
        #expect(patched.endpoint == nil)
        let slack = try #require(try Self.read(Self.complete[4].json).endpoint)
        let again = try Self.read(
            #"{"kind":"slack","url":"https://hooks.slack.com/********","description":"x"}"#, replacing: slack)
        #expect(again.endpoint?.url == slack.url)
    }

    @Test("an endpoint that an earlier version stored is a webhook")
    func earlierVersion() throws {
        let endpoint = try #require(try Self.read(Self.complete[0].json).endpoint)
        var object = try #require(
            try JSONSerialization.jsonObject(with: try JSONEncoder().encode(endpoint)) as? [String: Any])
        for key in ["kind", "people", "quietHours", "cooldown"] { object[key] = nil }
        let stored = try JSONDecoder().decode(
            Endpoint.self, from: try JSONSerialization.data(withJSONObject: object))
        #expect(stored == endpoint)
    }
}
