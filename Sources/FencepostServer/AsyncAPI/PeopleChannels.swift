import FencepostService

/// The channels of messages for people (rule W16): the request of each service that a message goes to.
enum PeopleChannels {
    static let all = Endpoint.Kind.allCases.flatMap(channels)

    /// The channels of a kind; none for one whose messages are for programs.
    private static func channels(of kind: Endpoint.Kind) -> [AsyncAPIChannel] {
        switch kind {
        case .webhook, .mqtt, .nats, .redis, .amqp, .kafka: []
        case .ntfy: [channel(kind, "/", ntfy), channel(kind, "/{topic}", ntfyFile, topic)]
        case .gotify: [channel(kind, "/message", gotify)]
        case .telegram:
            [
                channel(kind, "/bot{token}/sendMessage", telegram, token),
                channel(kind, "/bot{token}/sendDocument", telegramFile, token),
            ]
        case .slack: [channel(kind, nil, slack)]
        case .discord: [channel(kind, nil, discord, file: discordFile)]
        case .apprise: [channel(kind, nil, apprise)]
        case .email: [mail]
        }
    }

    private static let token = AsyncAPIChannel.Parameter(name: "token", text: "The member token of the endpoint.")
    private static let topic = AsyncAPIChannel.Parameter(name: "topic", text: "The topic in the url of the endpoint.")

    private static func channel(
        _ kind: Endpoint.Kind, _ address: String?, _ message: AsyncAPIChannel.Message,
        _ parameter: AsyncAPIChannel.Parameter? = nil, file: AsyncAPIChannel.Message? = nil
    ) -> AsyncAPIChannel {
        let name = message.name == "text" ? kind.rawValue : kind.rawValue + AsyncAPIChannel.capital(message.name)
        return AsyncAPIChannel(
            name: name, address: address, server: .receiver,
            text: "Requests for an endpoint of the kind \(kind.rawValue)"
                + (address == nil ? ": to its url." : ", below the server of its url."),
            parameters: [parameter].compactMap(\.self), messages: [message, file].compactMap(\.self),
            operations: [
                AsyncAPIChannel.Operation(
                    name: "send" + AsyncAPIChannel.capital(name), text: "Sends a message that people read.",
                    binding: .post)
            ])
    }

    private static func text(
        _ required: [String], _ members: [(name: String, schema: String)], headers: [String] = []
    ) -> AsyncAPIChannel.Message {
        AsyncAPIChannel.Message(
            name: "text", text: "The text of the endpoint's template.", contentType: "application/json",
            headers: fields("^application/json$", headers), payload: Schema.object(required: required, members))
    }

    private static func file(
        _ type: String, _ text: String, _ payload: String, contentType: String, headers: [String] = []
    ) -> AsyncAPIChannel.Message {
        AsyncAPIChannel.Message(
            name: "file", text: text, contentType: type, headers: fields(contentType, headers), payload: payload)
    }

    private static func fields(_ contentType: String, _ others: [String]) -> String {
        Schema.object(
            required: ["content-type", "user-agent"],
            [("content-type", Schema.text(like: contentType)), ("user-agent", Schema.text(like: "^Fencepost/"))]
                + others.map { ($0, Schema.string) })
    }

    private static let ntfy = text(
        ["topic", "title", "message"],
        [
            ("topic", Schema.string), ("title", Schema.string), ("message", Schema.string),
            ("priority", Schema.integer), ("click", Schema.string),
        ], headers: ["authorization"])

    private static let ntfyFile = file(
        "application/octet-stream", "The file of a report; its text is in the header fields.", Schema.string,
        contentType: "/", headers: ["title", "message", "filename", "priority", "click", "authorization"])

    private static let gotify = text(
        ["title", "message", "priority"],
        [
            ("title", Schema.string), ("message", Schema.string), ("priority", Schema.integer),
            (
                "extras",
                Schema.object([
                    (
                        "client::notification",
                        Schema.object([("click", Schema.object([("url", Schema.string)]))])
                    )
                ])
            ),
        ], headers: ["x-gotify-key"])

    private static let telegram = text(
        ["chat_id", "text", "parse_mode", "link_preview_options"],
        [
            ("chat_id", Schema.string), ("text", Schema.string), ("parse_mode", Schema.only("HTML")),
            ("link_preview_options", Schema.object([("is_disabled", #"{"type":"boolean"}"#)])),
        ])

    private static let telegramFile = file(
        "multipart/form-data", "The file of a report.",
        Schema.object(
            required: ["chat_id", "caption", "document"],
            ["chat_id", "caption", "document"].map { ($0, Schema.string) }),
        contentType: "^multipart/form-data; boundary=")

    private static let slack = text(["text"], [("text", Schema.string)])

    private static let discord = text(
        ["content", "allowed_mentions"],
        [
            ("content", #"{"type":"string","maxLength":2000}"#),
            ("allowed_mentions", Schema.object(required: ["parse"], [("parse", Schema.strings)])),
        ])

    private static let discordFile = file(
        "multipart/form-data", "The file of a report; payload_json is the message of the text.",
        Schema.object(
            required: ["payload_json", "files[0]"], ["payload_json", "files[0]"].map { ($0, Schema.string) }),
        contentType: "^multipart/form-data; boundary=")

    private static let apprise = text(
        ["title", "body", "type", "format"],
        [
            ("urls", Schema.string), ("title", Schema.string), ("body", Schema.string),
            ("type", Schema.only("info")), ("format", Schema.only("text")),
        ])

    private static let mail = AsyncAPIChannel(
        name: "email", address: nil, server: .mail, text: "E-mails of an endpoint of the kind email, by SMTP.",
        messages: [
            AsyncAPIChannel.Message(
                name: "text", text: "The text of the endpoint's template; a report is an attachment.",
                contentType: "multipart/mixed",
                headers: Schema.object(
                    required: [
                        "date", "from", "to", "subject", "message-id", "auto-submitted", "mime-version", "content-type",
                    ],
                    ["date", "from", "to", "subject", "message-id", "mime-version"].map { ($0, Schema.string) } + [
                        ("auto-submitted", Schema.only("auto-generated")),
                        ("content-type", Schema.text(like: "^multipart/mixed; boundary=")),
                    ]),
                payload: Schema.string, correlation: "messageId")
        ],
        operations: [
            AsyncAPIChannel.Operation(name: "sendEmail", text: "Sends a message that people read.", binding: .mail)
        ])
}
