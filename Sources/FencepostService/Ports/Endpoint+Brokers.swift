extension Endpoint {
    /// Where in a message broker an endpoint's messages go, and how the broker keeps them.
    public struct Destination: Hashable, Sendable, Codable {
        /// The template of the subject of NATS, the stream of Redis, or the routing key of AMQP; `nil` for other kinds. Kafka's
        /// topic is in the URL.
        public var address: String?
        /// The exchange of AMQP; `nil` for the default exchange, whose routing keys are names of queues.
        public var exchange: String?
        /// Whether NATS has to store messages in a stream of JetStream. Otherwise it hands them to who listens now.
        public var usesJetStream = true
        /// The number of messages that a stream of Redis keeps, approximately; `nil` for all.
        public var maximumLength: Int?
        /// How a client of Kafka signs in; `nil` for `PLAIN`. Used with a user name.
        public var mechanism: Mechanism?

        /// The defaults.
        public init() {}
    }

    /// A mechanism of SASL that Kafka has.
    public enum Mechanism: String, Hashable, Sendable, Codable, CaseIterable {
        /// The password itself, or proofs of it (RFC 7677).
        case plain = "PLAIN"
        case scramSHA256 = "SCRAM-SHA-256"
        case scramSHA512 = "SCRAM-SHA-512"
    }

    /// The template of the address of its messages in the broker: that of the destination, or the topic in Kafka's URL.
    ///
    /// - Returns: `nil` for a kind without one, or where it is invalid, which readers of endpoints refuse.
    public var destinationTemplate: DestinationTemplate? {
        let text: String?
        switch kind {
        case .nats, .redis, .amqp: text = destination.address
        case .kafka: text = (try? BrokerURL(url, of: kind))?.path
        case .webhook, .mqtt, .ntfy, .gotify, .telegram, .slack, .discord, .email, .apprise: text = nil
        }
        return text.flatMap { try? DestinationTemplate($0, of: kind) }
    }
}

extension Endpoint.Kind {
    /// Whether messages are published to a message broker that the endpoint names.
    public var isBroker: Bool { broker != nil }

    /// What is particular to a message broker; `nil` for other kinds.
    var broker: BrokerTraits? {
        switch self {
        case .webhook, .mqtt, .ntfy, .gotify, .telegram, .slack, .discord, .email, .apprise: nil
        case .nats:
            BrokerTraits(
                name: "NATS", plainScheme: "nats", secureScheme: "tls", plainPort: 4222, securePort: 4222,
                hasSeveralServers: true, addressKey: "subject", example: "nats://nats.example.org:4222")
        case .redis:
            BrokerTraits(
                name: "Redis", plainScheme: "redis", secureScheme: "rediss", plainPort: 6379, securePort: 6379,
                hasSeveralServers: false, addressKey: "stream", example: "rediss://redis.example.org:6379/0")
        case .amqp:
            BrokerTraits(
                name: "AMQP", plainScheme: "amqp", secureScheme: "amqps", plainPort: 5672, securePort: 5671,
                hasSeveralServers: false, addressKey: "routingKey", example: "amqps://rabbit.example.org/vhost")
        case .kafka:
            BrokerTraits(
                name: "Kafka", plainScheme: "kafka", secureScheme: "kafkas", plainPort: 9092, securePort: 9093,
                hasSeveralServers: true, addressKey: nil,
                example: "kafka://one.example.org:9092,two.example.org:9092/events")
        }
    }
}

/// What is particular to a message broker.
struct BrokerTraits: Hashable, Sendable {
    /// For people.
    var name: String
    /// The schemes of URLs without and with TLS.
    var plainScheme, secureScheme: String
    var plainPort, securePort: Int
    /// Whether a URL may name several servers.
    var hasSeveralServers: Bool
    /// The member of an endpoint with the template of addresses; `nil` where the URL has it.
    var addressKey: String?
    /// A URL.
    var example: String
}
