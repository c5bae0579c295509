import FencepostService

/// The channels of endpoints at message brokers (rule W19): one for each kind, whose messages are those of the formats.
enum MessageBrokerChannels {
    static let all = Endpoint.Kind.allCases.flatMap(channels)

    private static func channels(of kind: Endpoint.Kind) -> [AsyncAPIChannel] {
        switch kind {
        case .webhook, .mqtt, .ntfy, .gotify, .telegram, .slack, .discord, .email, .apprise: []
        case .nats:
            [
                channel(
                    .nats, "The member subject of the endpoint.", prefix: "ce-",
                    [("Nats-Msg-Id", id), ("content-type", Schema.string)])
            ]
        case .redis:
            [
                channel(
                    .redis, "The member stream of the endpoint. The headers are the fields of an entry besides body.",
                    prefix: "ce-", [("id", id), ("type", Schema.string), ("content-type", Schema.string)],
                    optional: ["device"])
            ]
        case .amqp:
            [
                channel(
                    .amqp, "The members exchange and routingKey of the endpoint.", prefix: "cloudEvents_", [],
                    optional: ["device"])
            ]
        case .kafka:
            [
                channel(
                    .kafka, "The topic in the url of the endpoint. The key is the device.", prefix: "ce_",
                    [("message-id", id), ("content-type", Schema.string)])
            ]
        }
    }

    private static let id = Schema.text(like: "^evt_[0-9a-z]+$")

    /// The channel of a kind.
    ///
    /// - Parameters:
    ///   - server: the broker.
    ///   - text: which member decides about the address.
    ///   - prefix: begins the names of header fields with attributes of CloudEvents.
    ///   - headers: header fields of every message.
    ///   - optional: header fields of some messages.
    /// - Returns: the channel.
    private static func channel(
        _ server: AsyncAPIChannel.Server, _ text: String, prefix: String, _ headers: [(String, String)],
        optional: [String] = []
    ) -> AsyncAPIChannel {
        let names = ["specversion", "id", "source", "type", "time"].map { prefix + $0 }
        let others = optional.map { ($0, Schema.string) }
        let plain = Schema.object(required: headers.map(\.0), headers + others)
        let attributes = (names + [prefix + "subject"]).map { ($0, Schema.string) }
        let binary = Schema.object(required: headers.map(\.0) + names, headers + others + attributes)
        func message(
            _ name: String, _ type: String, _ schema: String, _ headers: String, id: String
        ) -> AsyncAPIChannel.Message {
            AsyncAPIChannel.Message(
                name: name, text: "An event for an endpoint whose format is \(name).", contentType: type,
                headers: headers, payload: Schema.named(schema), correlation: id)
        }
        return AsyncAPIChannel(
            name: server.rawValue, address: nil, server: server, text: text,
            messages: [
                message("standard", "application/json", "EventMessage", plain, id: "dataEventId"),
                message("structured", "application/cloudevents+json", "CloudEvent", plain, id: "eventId"),
                message("binary", "application/json", "EventData", binary, id: "binaryEventId"),
            ],
            operations: [
                AsyncAPIChannel.Operation(
                    name: "publishTo" + AsyncAPIChannel.capital(server.rawValue),
                    text: "Publishes an event until the broker has it, for 27.6 hours at most.",
                    binding: server == .amqp ? .confirmed : .acknowledged)
            ])
    }
}
