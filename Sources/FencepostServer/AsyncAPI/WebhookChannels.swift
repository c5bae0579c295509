import FencepostService

/// The channels of webhooks: one for each format of an endpoint (rules W1, W4 and W15).
enum WebhookChannels {
    /// The schemas of the bodies, besides those of events.
    static let schemas: [(name: String, schema: String)] = [
        ("EventData", EventSchema.message),
        (
            "EventMessage",
            Schema.object(
                required: ["type", "timestamp", "data"],
                [("type", Schema.string), ("timestamp", Schema.time), ("data", Schema.named("EventData"))])
        ),
        (
            "CloudEvent",
            Schema.object(
                required: ["specversion", "id", "source", "type", "time", "datacontenttype", "data"],
                [
                    ("specversion", Schema.only("1.0")), ("id", Schema.string), ("source", Schema.string),
                    ("type", Schema.string), ("time", Schema.time), ("subject", Schema.string),
                    ("datacontenttype", Schema.only("application/json")), ("data", Schema.named("EventData")),
                ])
        ),
    ]

    static let all = Endpoint.Format.allCases.map { format in
        let name = format == .standard ? "webhook" : "webhook" + AsyncAPIChannel.capital(format.rawValue)
        return AsyncAPIChannel(
            name: name, address: nil, server: .receiver,
            text: "Requests to the url of an endpoint whose format is \(format.rawValue).",
            messages: SentEvent.all.map { message(of: $0, as: format) },
            operations: [
                AsyncAPIChannel.Operation(
                    name: "send" + AsyncAPIChannel.capital(name),
                    text: "Sends an event until the endpoint answers with a 2xx, at most eight times.",
                    binding: .post, security: ["signature"])
            ])
    }

    private static func message(of event: SentEvent, as format: Endpoint.Format) -> AsyncAPIChannel.Message {
        let cloud = "fencepost." + event.type
        let type: String
        let payload: String
        switch format {
        case .standard:
            (type, payload) = ("application/json", event.message("EventMessage", type: event.type, in: "data"))
        case .binary: (type, payload) = ("application/json", event.message("EventData", type: nil, in: nil))
        case .structured:
            (type, payload) = ("application/cloudevents+json", event.message("CloudEvent", type: cloud, in: "data"))
        case .batch:
            let one = event.message("CloudEvent", type: cloud, in: "data")
            (type, payload) = (
                "application/cloudevents-batch+json",
                #"{"type":"array","minItems":1,"maxItems":\#(EndpointFile.largestBatch),"items":\#(one)}"#
            )
        }
        return AsyncAPIChannel.Message(
            name: event.type, text: event.text, contentType: type,
            headers: headers(type, of: format == .binary ? event : nil), payload: payload, correlation: "webhookId")
    }

    /// The header fields of each request, and those of an event in the binary mode of CloudEvents.
    private static func headers(_ contentType: String, of event: SentEvent?) -> String {
        let own = [
            ("webhook-id", Schema.text(like: "^evt_[0-9a-z]+$")), ("webhook-timestamp", Schema.text(like: "^[0-9]+$")),
            ("webhook-signature", Schema.text(like: "^v1a?,[^ ]+( v1a?,[^ ]+)*$")),
            ("content-type", Schema.only(contentType)), ("user-agent", Schema.text(like: "^Fencepost/")),
        ]
        guard let event else {
            return Schema.object(required: own.map(\.0), own + [("traceparent", Schema.string)])
        }
        let attributes = [
            ("ce-specversion", Schema.only("1.0")), ("ce-id", Schema.string), ("ce-source", Schema.string),
            ("ce-type", Schema.only("fencepost." + event.type)), ("ce-time", Schema.time),
        ]
        let subject = event.isOfDevice ? ["ce-subject"] : []
        return Schema.object(
            required: (own + attributes).map(\.0) + subject,
            own + attributes + subject.map { ($0, Schema.string) } + [("traceparent", Schema.string)])
    }
}
