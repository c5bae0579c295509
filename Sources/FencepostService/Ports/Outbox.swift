public import FencepostModel

/// The messages that endpoints are still to get, and what became of those that they got.
///
/// One process uses it, so that who works on what is kept in memory by the dispatcher.
public protocol Outbox: Sendable {
    func endpoints() async throws -> [Endpoint]
    func health(of endpoint: String) async throws -> EndpointHealth

    /// Deliveries of an endpoint that are due, the longest due first.
    ///
    /// Of an ordered endpoint only the first pending one of each device is ever due.
    ///
    /// - Parameter excluding: ids of deliveries that are being worked on.
    func due(
        for endpoint: String, at now: Timestamp, excluding: Set<String>, limit: Int
    ) async throws -> [PendingDelivery]

    /// When the first pending delivery of an endpoint is due, those excluded apart; `nil` when there is none.
    func nextDue(for endpoint: String, excluding: Set<String>) async throws -> Timestamp?

    /// Writes what became of attempts, together with the events and deliveries that follow; all durable on return.
    func settle(_ settlements: [Settlement], events: [NewEvent], deliveries: [NewDelivery]) async throws

    /// Replaces an endpoint's stored health, and its state when it is disabled here.
    ///
    /// All else stays as it is stored: the caller's copy may be older than what the API has just saved.
    func update(_ endpoint: Endpoint, health: EndpointHealth) async throws

    /// How many deliveries are pending, and since when the oldest is.
    func backlog() async throws -> (pending: Int, oldest: Timestamp?)
}

/// A message that waits to be sent.
public struct PendingDelivery: Hashable, Sendable {
    /// `dlv_…`; follows from the endpoint and the event.
    public var id: String
    public var endpointID: String
    public var eventID: String
    public var eventType: String
    public var deviceID: DeviceID?
    public var body: String
    public var headers: [String: String]
    /// Attempts that were made.
    public var attempts: Int
    public var createdAt: Timestamp
    /// When the next attempt is due, in wall time.
    public var due: Timestamp

    public init(
        id: String, endpointID: String, eventID: String, eventType: String, deviceID: DeviceID?, body: String,
        headers: [String: String], attempts: Int, createdAt: Timestamp, due: Timestamp
    ) {
        self.id = id
        self.endpointID = endpointID
        self.eventID = eventID
        self.eventType = eventType
        self.deviceID = deviceID
        self.body = body
        self.headers = headers
        self.attempts = attempts
        self.createdAt = createdAt
        self.due = due
    }
}

/// One try to hand a message over (rule W12).
public struct DeliveryAttempt: Hashable, Sendable, Codable {
    public enum Failure: String, Hashable, Sendable, Codable, CaseIterable {
        case dns, connect, tls, timeout, reset, blocked, status
    }

    /// From 1.
    public var number: Int
    public var startedAt: Timestamp
    public var duration: Duration
    /// Of the answer, where there was one.
    public var status: Int?
    /// `nil` when the endpoint took it.
    public var failure: Failure?
    /// At most 4 kB of the answer, untrusted.
    public var excerpt: String?
    public var nextAttempt: Timestamp?

    public init(
        number: Int, startedAt: Timestamp, duration: Duration, status: Int? = nil, failure: Failure? = nil,
        excerpt: String? = nil, nextAttempt: Timestamp? = nil
    ) {
        self.number = number
        self.startedAt = startedAt
        self.duration = duration
        self.status = status
        self.failure = failure
        self.excerpt = excerpt
        self.nextAttempt = nextAttempt
    }
}

/// What becomes of a delivery after an attempt, or without one.
public struct Settlement: Hashable, Sendable {
    public enum Result: Hashable, Sendable {
        case delivered
        case retry(at: Timestamp)
        /// No attempt is left: a dead letter.
        case exhausted
        /// The receiver asked not to get it again, or its endpoint is gone.
        case cancelled
    }

    public var deliveryID: String
    public var result: Result
    /// `nil` when nothing was tried (the breaker is open, the endpoint was disabled).
    public var attempt: DeliveryAttempt?

    public init(_ deliveryID: String, _ result: Result, attempt: DeliveryAttempt? = nil) {
        self.deliveryID = deliveryID
        self.result = result
        self.attempt = attempt
    }
}

/// A delivery as people look at it.
public struct DeliveryRecord: Hashable, Sendable {
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case pending, delivered, exhausted, cancelled
    }

    public var pending: PendingDelivery
    public var status: Status
    /// Oldest first.
    public var attempts: [DeliveryAttempt]

    public init(_ pending: PendingDelivery, status: Status, attempts: [DeliveryAttempt]) {
        self.pending = pending
        self.status = status
        self.attempts = attempts
    }
}
