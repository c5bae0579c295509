public import FencepostModel

/// The operations of the webhook dispatcher that the HTTP API uses.
public protocol EndpointServices: Sendable {
    /// Why a text is not the URL of an endpoint, in one sentence; `nil` when it is. Its network is not checked.
    func problem(withURL url: String, of kind: Endpoint.Kind) -> String?
    /// Why messages to a URL would not be sent; `nil` when they would. Looks its host up, for some seconds at most.
    func refusal(ofURL url: String, of kind: Endpoint.Kind) async -> NetworkRefusal?
    /// The usual notation of a network that an administrator wants to allow.
    ///
    /// - Throws: when the text is no network, or one that may not be allowed.
    func network(_ text: String) throws(InvalidNetwork) -> String
    /// Replaces the private networks to which messages may be sent, without a restart.
    func allow(_ networks: [AllowedNetwork]) throws
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
    /// The `report.ready` of a run, with the messages to the active endpoints of the schedule.
    ///
    /// Its id follows from the schedule and the period, so that a store takes it once; `now` makes it another one, for a
    /// report that somebody asks for.
    func report(
        _ schedule: ReportSchedule, _ run: ReportTiming.Run, at now: Timestamp, isAskedFor: Bool
    ) -> (event: NewEvent, deliveries: [NewDelivery])
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
