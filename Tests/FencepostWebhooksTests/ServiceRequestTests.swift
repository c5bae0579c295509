import FencepostMessages
import FencepostModel
import FencepostService
import Testing

@testable import FencepostWebhooks

/// The requests of each service, compared with the examples of its documentation.
@Suite("Requests to services for people") struct ServiceRequestTests {
    static func request(
        _ kind: Endpoint.Kind, _ url: String, title: String = "Jane & <Tom> *came* home", body: String = "18:02",
        link: String? = nil, _ change: (inout Endpoint.People) -> Void = { _ in }
    ) -> ServiceRequest? {
        var people = Endpoint.People()
        change(&people)
        return ServiceRequest(
            PersonalMessage(
                kind: kind, people: people, text: WrittenMessage(title: title, body: body, link: link)), to: url)
    }

    @Test("publishes to ntfy as JSON at the root, with the topic of the URL")
    func ntfy() throws {
        let request = try #require(
            Self.request(.ntfy, "https://ntfy.example.org/sub/my-topic", link: "https://f/#event=e") {
                $0.token = "tk_1"
                $0.priority = 4
            })
        #expect(request.url == "https://ntfy.example.org/sub/")
        #expect(
            request.body
                == #"{"topic":"my-topic","title":"Jane & <Tom> *came* home","message":"18:02","priority":4,"click":"https://f/#event=e"}"#
        )
        #expect(request.headers.contains { $0 == ("authorization", "Bearer tk_1") })
        #expect(Self.request(.ntfy, "https://ntfy.example.org") == nil)
    }

    @Test("posts to Gotify's /message with the application's token in the header")
    func gotify() throws {
        let request = try #require(
            Self.request(.gotify, "https://push.example.org/", link: "https://f/") { $0.token = "A1" })
        #expect(request.url == "https://push.example.org/message")
        #expect(request.headers.contains { $0 == ("x-gotify-key", "A1") })
        #expect(
            request.body
                == #"{"title":"Jane & <Tom> *came* home","message":"18:02","priority":5,"extras":{"client::notification":{"click":{"url":"https://f/"}}}}"#
        )
    }

    @Test("calls Telegram's sendMessage with the markup escaped")
    func telegram() throws {
        let request = try #require(
            Self.request(.telegram, "https://api.telegram.org") { ($0.token, $0.chat) = ("110201543:AAHdq", "-100200") }
        )
        #expect(request.url == "https://api.telegram.org/bot110201543:AAHdq/sendMessage")
        #expect(
            request.body
                == #"{"chat_id":"-100200","text":"<b>Jane &amp; &lt;Tom&gt; *came* home</b>\n18:02","parse_mode":"HTML","link_preview_options":{"is_disabled":true}}"#
        )
    }

    @Test("escapes what Slack and Discord would read as markup or as a mention")
    func chats() throws {
        let slack = try #require(Self.request(.slack, "https://hooks.slack.com/services/T/B/x"))
        #expect(slack.body == #"{"text":"*Jane &amp; &lt;Tom&gt; ∗came∗ home*\n18:02"}"#)
        let discord = try #require(
            Self.request(.discord, "https://discord.com/api/webhooks/1/x", title: "@everyone *x*"))
        #expect(discord.body == #"{"content":"**\\@everyone \\*x\\***\n18:02","allowed_mentions":{"parse":[]}}"#)
        #expect(Self.request(.webhook, "https://a") == nil && Self.request(.email, "smtp://a") == nil)
    }

    @Test("posts to Apprise, with its addresses where it has no stored ones")
    func apprise() throws {
        let request = try #require(
            Self.request(.apprise, "https://a/notify") { $0.urls = ["json://a", "mailto://b"] })
        #expect(
            request.body
                == #"{"urls":"json://a,mailto://b","title":"Jane & <Tom> *came* home","body":"18:02","type":"info","format":"text"}"#
        )
    }

    @Test("reads Telegram's retry_after")
    func telegramRetry() {
        let answer = #"{"ok":false,"error_code":429,"parameters":{"retry_after":35}}"#
        #expect(RetryAfter.telegram(answer) == .seconds(35))
        #expect(RetryAfter.telegram("{") == nil && RetryAfter.telegram(nil) == nil)
    }

    @Test("writes an e-mail whose headers cannot be continued by a title")
    func mail() {
        var people = Endpoint.People()
        (people.from, people.to) = ("fencepost@example.org", ["jane@example.org", "tom@example.org"])
        let long = "Jane kam nach Hause — " + String(repeating: "ü", count: 60)
        let message = MailMessage(
            PersonalMessage(
                kind: .email, people: people, text: WrittenMessage(title: long, body: "", link: "https://f/")),
            id: "evt_1", wall: Timestamp(seconds: 1_772_353_800))
        #expect(message.headers.contains("Date: Sun, 01 Mar 2026 08:30:00 +0000"))
        #expect(message.headers.contains("To: jane@example.org, tom@example.org"))
        #expect(message.headers.contains("Message-ID: <evt_1@example.org>"))
        let subject = message.headers.first { $0.hasPrefix("Subject: ") } ?? ""
        let words = subject.dropFirst(9).split(separator: "\r\n ")
        #expect(words.count > 1 && words.allSatisfy { $0.hasPrefix("=?UTF-8?B?") && $0.count <= 75 })
        #expect(message.text == long + "\n\nhttps://f/\n")
        #expect(MailMessage.encoded("Jane came home") == "Jane came home")
    }

    @Test("sends the token to the service, and nothing of a webhook's signature")
    func sending() async throws {
        try await TestReceiver.run({ _ in .answer(200, body: #"{"id":"x"}"#) }) { receiver in
            var endpoint = Endpoint(
                id: "end_a", url: "http://127.0.0.1:\(receiver.port)/family",
                secrets: [Endpoint.Secret(HTTPMessageSenderTests.secret)], createdAt: HTTPMessageSenderTests.time)
            endpoint.kind = .ntfy
            endpoint.people.token = "tk_1"
            let sender = try HTTPMessageSender(
                guard: AddressGuard(allowedNetworks: [IPNetwork("127.0.0.0/8")].compactMap(\.self), allowsHTTP: true),
                wall: { HTTPMessageSenderTests.time })
            let result = await sender.send(
                WebhookRequest(
                    endpoint, id: "evt_1", body: #"{"type":"device.stale","data":{"deviceId":"jane/phone"}}"#,
                    headers: ["content-type": "application/json"], wall: HTTPMessageSenderTests.time,
                    zone: nil))
            sender.shutdown()
            #expect(result.failure == nil)
            let request = try #require(receiver.requests.first)
            #expect(request.head.first == "POST / HTTP/1.1")
            #expect(request.header("authorization") == "Bearer tk_1" && request.header("webhook-signature") == nil)
            #expect(request.body.contains(#""title":"Jane has stopped reporting""#))
        }
    }

    @Test(
        "takes URLs of mail servers, and no others, to permitted addresses only",
        arguments: [
            ("smtp://mail.example.org", true), ("smtps://mail.example.org:465", true), ("SMTP://a.example", true),
            ("https://a.example", false), ("smtp://127.0.0.1", false), ("smtp://a.example/x", false),
            ("smtp://", false),
        ])
    func mailServers(url: String, isValid: Bool) {
        #expect(((try? MailServer(url, guard: AddressGuard())) != nil) == isValid)
    }

    // MARK: Files

    private static func request(_ kind: Endpoint.Kind, _ url: String, file: ReportFile) throws -> ServiceRequest {
        var people = Endpoint.People()
        (people.token, people.chat, people.priority) = ("t1", "-100", 4)
        var message = PersonalMessage(
            kind: kind, people: people, text: WrittenMessage(title: "Zoë's vans", body: "Summary\nof *May*"))
        message.file = file
        return try #require(ServiceRequest(message, to: url))
    }

    private static let file = ReportFile(name: "trips.csv", type: "text/csv", bytes: Array("a\r\n--1".utf8))

    @Test("puts a file to ntfy as the body, with the text in headers of ASCII") func ntfyFile() throws {
        let request = try Self.request(.ntfy, "https://ntfy.example.org/my-topic", file: Self.file)
        #expect(request.url == "https://ntfy.example.org/my-topic" && request.bytes == Self.file.bytes)
        let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
        #expect(headers["filename"] == "trips.csv" && headers["content-type"] == "text/csv")
        #expect(headers["title"] == "=?UTF-8?B?Wm/DqydzIHZhbnM=?=")
        #expect(headers["message"] == "Summary of *May*" && headers["priority"] == "4")
        #expect(headers["authorization"] == "Bearer t1")
    }

    @Test("sends a document to Telegram, and a file with an escaped text to Discord") func forms() throws {
        let telegram = try Self.request(.telegram, "https://api.telegram.org", file: Self.file)
        #expect(telegram.url == "https://api.telegram.org/bott1/sendDocument")
        let text = String(decoding: try #require(telegram.bytes), as: UTF8.self)
        #expect(text.contains("name=\"chat_id\"\r\n\r\n-100\r\n"))
        #expect(text.contains("name=\"caption\"\r\n\r\nZoë's vans\nSummary\nof *May*\r\n"))
        #expect(
            text.contains("name=\"document\"; filename=\"trips.csv\"\r\nContent-Type: text/csv\r\n\r\na\r\n--1\r\n"))
        let discord = try Self.request(.discord, "https://discord.com/api/webhooks/1/x", file: Self.file)
        #expect(discord.url == "https://discord.com/api/webhooks/1/x")
        let type = try #require(discord.headers.first { $0.name == "content-type" }?.value)
        let boundary = try #require(type.split(separator: "boundary=").last)
        let form = String(decoding: try #require(discord.bytes), as: UTF8.self)
        #expect(form.hasPrefix("--\(boundary)\r\n") && form.hasSuffix("\r\n--\(boundary)--\r\n"))
        #expect(form.contains(#"{"content":"**Zoë's vans**\nSummary\nof \\*May\\*""#))
    }
}
