/// The operations of the webhook dispatcher that the HTTP API uses.
public protocol EndpointServices: Sendable {
    /// Why a URL is not allowed as an endpoint's, in one sentence that reveals nothing about the network; `nil` when it is
    /// allowed. No name is resolved.
    func problem(withURL url: String, of kind: Endpoint.Kind) -> String?
    /// Why a signing secret is not allowed, in one sentence; `nil` when it is allowed.
    func problem(withSecret secret: String) -> String?
    /// A new signing secret, `whsec_…`.
    func makeSecret() -> String
    /// Loads the endpoints again after a change. On return, new events are matched against them.
    func endpointsDidChange() async throws
    /// Notifies the dispatcher that deliveries of an endpoint are new or due.
    func deliveriesDidChange(of endpoint: String)
    /// Sends one `webhook.test` message, without retries.
    func test(_ endpoint: Endpoint) async -> DeliveryAttempt
    /// The messages of an endpoint for people about sample events, by type of event; empty for a webhook.
    func preview(_ endpoint: Endpoint) -> [MessagePreview]
    /// The messages of stored events that match an endpoint, for a replay.
    func messages(for events: [StoredEvent], to endpoint: Endpoint) -> [NewDelivery]
}

/// A message to a person about a sample event.
public struct MessagePreview: Hashable, Sendable {
    /// The type of the event.
    public var type: String
    /// The title as it would be sent.
    public var title: String
    /// The text as it would be sent; may be empty.
    public var body: String

    /// A sample message.
    public init(type: String, title: String, body: String) {
        self.type = type
        self.title = title
        self.body = body
    }
}
