import FencepostService

/// JSON Schemas of the MQTT broker. The values are checked as those of the configuration are.
enum BrokerSchemas {
    private static let flag = #"{"type":"boolean"}"#
    private static let text = #"{"type":["string","null"],"minLength":1,"maxLength":65535}"#
    private static let patterns = #"{"type":"array","items":{"type":"string","minLength":1}}"#

    private static func object(_ required: [String], _ members: [(String, String)], isClosed: Bool = false) -> String {
        Schema.object(required: required, members.map { (name: $0.0, schema: $0.1) }, isClosed: isClosed)
    }

    // MARK: Answers

    private static let address = [
        ("host", Schema.string), ("port", #"{"type":"integer"}"#), ("tls", flag), ("username", Schema.string),
        ("passwordIsSet", flag), ("caFile", Schema.string), ("caCertificate", Schema.string),
        ("clientId", Schema.string),
    ]
    private static let needed = ["host", "port", "tls", "passwordIsSet", "clientId"]

    private static let publication = object(
        ["prefix", "events", "regions", "devices", "ownTracks", "names"],
        [
            ("prefix", Schema.string), ("events", patterns), ("regions", patterns), ("devices", patterns),
            ("ownTracks", #"{"type":["string","null"]}"#),
            ("names", #"{"type":"object","additionalProperties":{"type":"string"}}"#),
        ])

    private static let failure = [
        ("reason", Schema.words(BrokerFailure.Reason.allCases.map(\.rawValue))), ("detail", Schema.string),
    ]

    // MARK: Bodies

    private static let newAddress = [
        ("host", #"{"type":"string","minLength":1,"maxLength":255}"#),
        ("port", #"{"type":["integer","null"],"minimum":1,"maximum":65535}"#), ("tls", #"{"type":["boolean","null"]}"#),
        ("username", text), ("password", text), ("passwordIsSet", #"{"type":["boolean","null"]}"#), ("clientId", text),
        ("caCertificate", #"{"type":["string","null"],"minLength":1,"maxLength":24576}"#),
    ]

    private static let level = #"{"type":["boolean","string","null"],"minLength":1,"maxLength":200}"#

    private static let newPublicationObject = object(
        [],
        [
            ("prefix", #"{"type":"string","minLength":1,"maxLength":200}"#), ("events", patterns),
            ("regions", patterns),
            ("devices", patterns), ("ownTracks", level),
            ("names", #"{"type":"object","additionalProperties":{"type":"string","minLength":1}}"#),
        ], isClosed: true)

    private static let newPublication = #"{"anyOf":[\#(level),\#(newPublicationObject)]}"#
    private static let newPublishBroker = object(["host"], newAddress, isClosed: true)
    private static let uncleared = object(
        ["broker", "topics"], [("broker", Schema.string), ("topics", #"{"type":"integer"}"#)])

    static let all: [(name: String, schema: String)] = [
        (
            "Broker",
            object(
                ["isSet", "isConfigured", "mayPublish", "uncleared"],
                [
                    ("isSet", flag), ("isConfigured", flag), ("origin", Schema.string), ("mayPublish", flag),
                    ("settings", Schema.named("BrokerSettings")), ("receiving", Schema.named("BrokerLink")),
                    ("publishing", Schema.named("BrokerLink")),
                    ("uncleared", #"{"type":"array","items":\#(uncleared)}"#),
                ])
        ),
        (
            "BrokerSettings",
            object(
                needed + ["topic"],
                address + [
                    ("topic", Schema.string), ("publish", publication), ("homeAssistant", Schema.string),
                    ("publishTo", object(needed, address)),
                ])
        ),
        (
            "BrokerLink",
            object(
                ["isConnected", "messages"],
                [
                    ("isConnected", flag), ("since", Schema.time), ("messages", #"{"type":"integer"}"#),
                    ("lastFailure", object(["at", "reason", "detail"], [("at", Schema.time)] + failure)),
                ])
        ),
        (
            "NewBroker",
            object(
                ["host"],
                newAddress + [
                    ("topic", text), ("publish", newPublication), ("homeAssistant", level),
                    ("publishTo", #"{"anyOf":[{"type":"null"},\#(newPublishBroker)]}"#),
                ], isClosed: true)
        ),
        (
            "BrokerTest",
            object(
                ["succeeded", "broker", "detail", "duration"],
                [("succeeded", flag), ("broker", Schema.string)] + failure + [
                    ("duration", #"{"type":"number"}"#),
                    (
                        "homeAssistant",
                        object(
                            ["devices", "entities"],
                            [("devices", #"{"type":"integer"}"#), ("entities", #"{"type":"integer"}"#)])
                    ),
                ])
        ),
    ]
}
