import FencepostJSON
import FencepostMessages
import FencepostModel
import FencepostService

/// The HTTP request by which a service for people takes a message. A pure function of the endpoint and the text.
struct ServiceRequest: Hashable, Sendable {
    /// May contain a token: never to be logged.
    var url: String
    var headers: [(name: String, value: String)] = []
    var body: String
    /// The body with a file, in place of `body`.
    var bytes: [UInt8]?

    static func == (a: ServiceRequest, b: ServiceRequest) -> Bool {
        a.url == b.url && a.body == b.body && a.bytes == b.bytes && a.headers.elementsEqual(b.headers) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(body)
    }

    /// The request of a message; `nil` for kinds without HTTP, and for an ntfy URL without a topic.
    ///
    /// - Parameters:
    ///   - message: the text and its service.
    ///   - endpointURL: the URL of the endpoint.
    init?(_ message: PersonalMessage, to endpointURL: String) {
        url = endpointURL
        body = ""
        if let file = message.file {
            guard write(message, with: file) else { return nil }
            return
        }
        switch message.kind {
        case .webhook, .mqtt, .email, .nats, .redis, .amqp, .kafka: return nil
        case .ntfy: guard writeNtfy(message) else { return nil }
        case .gotify: writeGotify(message)
        case .telegram: writeTelegram(message)
        case .slack: writeSlack(message)
        case .discord: body = discordPayload(message)
        case .apprise: writeApprise(message)
        }
        headers.append(("content-type", "application/json"))
    }

    var base: String { url.last == "/" ? String(url.dropLast()) : url }

    /// Publishes as JSON at the root of the server, since headers cannot hold every character of a title.
    /// https://docs.ntfy.sh/publish/#publish-as-json
    private mutating func writeNtfy(_ message: PersonalMessage) -> Bool {
        guard let (root, topic) = ntfyTopic else { return false }
        url = root
        let text = message.text
        body = Self.object { writer in
            writer.text("topic", topic)
            writer.text("title", text.title)
            // ntfy writes "triggered" for a message without a text.
            writer.text("message", text.body.isEmpty ? text.title : text.body)
            if let priority = message.people.priority {
                writer.name("priority")
                writer.value(priority)
            }
            if let link = text.link { writer.text("click", link) }
        }
        if let token = message.people.token { headers.append(("authorization", "Bearer " + token)) }
        return true
    }

    /// The address of the server, and the topic; `nil` for a URL without one.
    var ntfyTopic: (root: String, topic: String)? {
        let path = base.prefix { $0 != "?" }
        guard let scheme = path.firstRange(of: "://"), let slash = path.lastIndex(of: "/"),
            slash >= scheme.upperBound
        else { return nil }
        let topic = String(path[path.index(after: slash)...])
        return topic.isEmpty ? nil : (String(path[...slash]), topic)
    }

    /// https://gotify.net/docs/pushmsg and https://gotify.net/docs/msgextras
    private mutating func writeGotify(_ message: PersonalMessage) {
        url = base + "/message"
        if let token = message.people.token { headers.append(("x-gotify-key", token)) }
        let text = message.text
        body = Self.object { writer in
            writer.text("title", text.title)
            writer.text("message", text.body.isEmpty ? text.title : text.body)
            writer.name("priority")
            writer.value(message.people.priority ?? 5)
            guard let link = text.link else { return }
            writer.name("extras")
            writer.beginObject()
            writer.name("client::notification")
            writer.beginObject()
            writer.name("click")
            writer.beginObject()
            writer.text("url", link)
            for _ in 0..<3 { writer.endObject() }
        }
    }

    /// https://core.telegram.org/bots/api#sendmessage
    private mutating func writeTelegram(_ message: PersonalMessage) {
        url = base + "/bot\(message.people.token ?? "")/sendMessage"
        let text = message.text
        var html = "<b>\(Self.markupEscaped(text.title))</b>"
        if !text.body.isEmpty { html += "\n" + Self.markupEscaped(text.body) }
        if let link = text.link {
            html += "\n<a href=\"\(Self.markupEscaped(link).replacing("\"", with: "&quot;"))\">Open</a>"
        }
        body = Self.object { writer in
            writer.text("chat_id", message.people.chat ?? "")
            writer.text("text", html)
            writer.text("parse_mode", "HTML")
            writer.name("link_preview_options")
            writer.beginObject()
            writer.name("is_disabled")
            writer.value(true)
            writer.endObject()
        }
    }

    /// https://api.slack.com/reference/surfaces/formatting#escaping
    private mutating func writeSlack(_ message: PersonalMessage) {
        let text = message.text
        // An asterisk inside the bold title would end it.
        var markup = "*\(Self.markupEscaped(text.title.replacing("*", with: "∗")))*"
        if !text.body.isEmpty { markup += "\n" + Self.markupEscaped(text.body) }
        if let link = text.link { markup += "\n<\(Self.markupEscaped(link))|Open>" }
        body = Self.object { $0.text("text", markup) }
    }

    /// https://discord.com/developers/docs/resources/webhook#execute-webhook
    func discordPayload(_ message: PersonalMessage) -> String {
        let text = message.text
        var markup = "**\(Self.markdownEscaped(text.title))**"
        if !text.body.isEmpty { markup += "\n" + Self.markdownEscaped(text.body) }
        if let link = text.link { markup += "\n<\(link)>" }
        // Discord refuses more than 2000 characters.
        markup = TextLimit.truncated(markup, to: 2000)
        return Self.object { writer in
            writer.text("content", markup)
            // Nobody is notified by an @everyone in a region's name.
            writer.name("allowed_mentions")
            writer.beginObject()
            writer.name("parse")
            writer.beginArray()
            writer.endArray()
            writer.endObject()
        }
    }

    /// https://github.com/caronc/apprise-api#api-details
    private mutating func writeApprise(_ message: PersonalMessage) {
        let text = message.text
        body = Self.object { writer in
            if !message.people.urls.isEmpty { writer.text("urls", message.people.urls.joined(separator: ",")) }
            writer.text("title", text.title)
            var lines = text.body.isEmpty ? text.title : text.body
            if let link = text.link { lines += "\n" + link }
            writer.text("body", lines)
            writer.text("type", "info")
            writer.text("format", "text")
        }
    }

    private static func object(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// What Telegram's HTML and Slack's markup want escaped.
    static func markupEscaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    static func markdownEscaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if "\\*_~`|>#[]()<@".contains(character) { escaped.append("\\") }
            escaped.append(character)
        }
        return escaped
    }
}

extension JSONWriter {
    fileprivate mutating func text(_ name: String, _ text: String) {
        self.name(name)
        value(text)
    }
}
