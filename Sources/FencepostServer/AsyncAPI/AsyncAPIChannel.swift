/// A channel of the AsyncAPI document: where the service sends messages, and which.
struct AsyncAPIChannel: Sendable {
    /// Who receives the messages.
    enum Server: String, CaseIterable, Sendable {
        /// The address of an endpoint.
        case receiver
        /// A mail server.
        case mail
        /// The service itself, from which clients read.
        case service
        /// An MQTT broker.
        case broker
        /// The message broker of an endpoint of that kind.
        case nats, redis, amqp, kafka
    }

    /// A part of the address that differs from message to message, or from service to service.
    struct Parameter: Sendable {
        var name: String
        var text: String
        /// What it is where nothing else is configured; `nil` for none.
        var usual: String?
        /// The values that it can have; empty for any.
        var values: [String] = []
    }

    /// One kind of message.
    struct Message: Sendable {
        /// The type of its event, if it has one.
        var name: String
        var text: String
        var contentType: String
        /// JSON Schema of the header fields; `nil` where the protocol has none.
        var headers: String?
        /// JSON Schema of the body.
        var payload: String
        /// The name of the correlation id: where the id of the event is; `nil` where it is not sent.
        var correlation: String?

        /// The name in camel case: `regionEntered` of `region.entered`.
        var key: String {
            name.split(separator: ".").reduce("") { $0.isEmpty ? String($1) : $0 + AsyncAPIChannel.capital(String($1)) }
        }
    }

    /// What the protocol adds to an operation.
    enum Binding: Sendable {
        /// Messages are the bodies of requests.
        case post
        /// Messages are in the answer to a request with such a query, by its JSON Schema.
        case get(query: String)
        /// Messages are published; the broker keeps the last one if they are retained.
        case publish(isRetained: Bool)
        /// Messages are e-mails.
        case mail
        /// The broker answers each message; AMQP also returns one that no queue takes.
        case acknowledged, confirmed
    }

    /// How the service sends the messages of the channel.
    struct Operation: Sendable {
        /// The name of the operation in the document.
        var name: String
        var text: String
        var binding: Binding
        /// Names of security schemes, of which one counts.
        var security: [String] = []
        /// Keys of the messages; empty for all of the channel.
        var messages: [String] = []
    }

    /// In camel case, as the specification recommends.
    var name: String
    /// `nil` for the URL of an endpoint.
    var address: String?
    var server: Server
    var text: String
    var parameters: [Parameter] = []
    var messages: [Message]
    var operations: [Operation]

    /// A name as a later word of a longer one.
    static func capital(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }
}
