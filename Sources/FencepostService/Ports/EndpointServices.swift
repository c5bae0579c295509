/// What the HTTP API needs of whoever sends webhooks.
public protocol EndpointServices: Sendable {
    /// What is wrong with a URL as that of a receiver, in one sentence that does not say what is behind the address;
    /// `nil` when it may be used. No name is looked up.
    func problem(withURL url: String) -> String?
    /// What is wrong with a signing secret that a user brings along, in one sentence; `nil` when it may be used.
    func problem(withSecret secret: String) -> String?
    /// A new signing secret, `whsec_…`.
    func makeSecret() -> String
    /// Endpoints were saved or removed: reads them anew, and returns when events are matched against them.
    func endpointsDidChange() async throws
    /// Deliveries of an endpoint were added or made due: looks at them now.
    func deliveriesDidChange(of endpoint: String)
    /// Sends a `webhook.test` now, once.
    func test(_ endpoint: Endpoint) async -> DeliveryAttempt
    /// The messages that an endpoint would have got for stored events, had it been active.
    func messages(for events: [StoredEvent], to endpoint: Endpoint) -> [NewDelivery]
}
