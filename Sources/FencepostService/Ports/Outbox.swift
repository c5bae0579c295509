public import FencepostModel

/// The transactional outbox: stored messages to webhook endpoints, and the results of their delivery.
///
/// One process uses it. The dispatcher keeps in memory which deliveries are being attempted.
public protocol Outbox: Sendable {
    /// All endpoints.
    func endpoints() async throws -> [Endpoint]
    /// The stored health of an endpoint.
    func health(of endpoint: String) async throws -> EndpointHealth

    /// The due deliveries of an endpoint, in the order of their due times.
    ///
    /// For an ordered endpoint, only the first pending delivery of each device is returned.
    ///
    /// - Parameters:
    ///   - endpoint: the id of the endpoint.
    ///   - now: deliveries that are due at or before it are returned.
    ///   - excluding: ids of deliveries that are being attempted.
    ///   - limit: the largest number of deliveries to return.
    /// - Returns: the deliveries; empty if none is due or the endpoint is disabled.
    /// - Throws: when the store cannot read.
    func due(
        for endpoint: String, at now: Timestamp, excluding: Set<String>, limit: Int
    ) async throws -> [PendingDelivery]

    /// The earliest due time of an endpoint's pending deliveries; `nil` when there is none.
    ///
    /// - Parameters:
    ///   - endpoint: the id of the endpoint.
    ///   - excluding: ids of deliveries that are not counted.
    /// - Returns: the due time, which may have passed.
    /// - Throws: when the store cannot read.
    func nextDue(for endpoint: String, excluding: Set<String>) async throws -> Timestamp?

    /// Stores the results of attempts, and events with their deliveries, in one transaction; durable on return.
    ///
    /// Results without events survive the end of the process. A power cut may undo them; their messages are sent again.
    ///
    /// - Parameters:
    ///   - settlements: the results.
    ///   - events: events about them.
    ///   - deliveries: the messages about these events, and others about stored events.
    ///   - direct: what is written about messages without rows.
    /// - Throws: when the store cannot write; nothing is written then.
    func settle(
        _ settlements: [Settlement], events: [NewEvent], deliveries: [NewDelivery], direct: DirectProgress
    ) async throws

    /// Hands messages of endpoints that the roster marks as `NewDelivery.isDirect` over without rows, from now on. Before that,
    /// messages that the process before has not finished get rows.
    ///
    /// - Parameter delivery: makes messages, and takes those of commits.
    /// - Returns: whether the store hands messages over. A cluster's does not: its copies need the rows.
    /// - Throws: when the store cannot write.
    func beginDirectDelivery(_ delivery: DirectDelivery) async throws -> Bool

    /// Stores an endpoint's health, and its state if it is disabled, where it is as the caller knows it.
    ///
    /// Nothing is stored for an endpoint that somebody has changed in the meantime: what failed was sent to its former address,
    /// with its former settings. It keeps the health of before then.
    func update(_ endpoint: Endpoint, health: EndpointHealth) async throws

    /// The number of pending deliveries, and the creation time of the oldest.
    func backlog() async throws -> (pending: Int, oldest: Timestamp?)
    /// The names that people gave devices, by id, for the texts of messages.
    func deviceNames() async throws -> [String: String]
}

extension Outbox {
    /// No names.
    public func deviceNames() async throws -> [String: String] { [:] }

    /// Hands nothing over.
    public func beginDirectDelivery(_ delivery: DirectDelivery) async throws -> Bool { false }

    /// Stores results, and events with their deliveries.
    public func settle(_ settlements: [Settlement], events: [NewEvent], deliveries: [NewDelivery]) async throws {
        try await settle(settlements, events: events, deliveries: deliveries, direct: DirectProgress())
    }
}

/// A message to an endpoint that is not delivered yet.
public struct PendingDelivery: Hashable, Sendable {
    /// `dlv_…`; it follows from the endpoint and the event.
    public var id: String
    /// The recipient.
    public var endpointID: String
    /// The event.
    public var eventID: String
    /// The event type on the wire.
    public var eventType: String
    /// As in `NewDelivery`.
    public var deviceID: DeviceID?
    /// As in `NewDelivery`.
    public var body: String
    /// As in `NewDelivery`.
    public var headers: [String: String]
    /// Number of attempts so far.
    public var attempts: Int
    /// When the message was stored.
    public var createdAt: Timestamp
    /// Wall time of the next attempt.
    public var due: Timestamp
    /// When the event happened; `nil` when that is not known.
    public var eventTimestamp: Timestamp?

    /// A pending delivery.
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

/// One attempt to deliver a message (rule W12).
public struct DeliveryAttempt: Hashable, Sendable, Codable {
    /// Why an attempt failed; `status` for a response other than 2xx.
    public enum Failure: String, Hashable, Sendable, Codable, CaseIterable {
        /// The part of the attempt that failed; `blocked` means an address that is not permitted.
        case dns, connect, tls, timeout, reset, blocked, status
        /// The file of a report could not be made, so that nothing was sent.
        case report
        /// A broker's reason: it refuses the credentials; nothing there takes the message; it has no room; the message is too large;
        /// another one, which the excerpt says.
        case login, unroutable, full, size, refused
        /// The library of the broker is not installed on this machine.
        case library
    }

    /// Counted from 1.
    public var number: Int
    /// Wall time of the start.
    public var startedAt: Timestamp
    /// From the start to the response or the failure.
    public var duration: Duration
    /// HTTP status of the response; `nil` without a response.
    public var status: Int?
    /// `nil` after success.
    public var failure: Failure?
    /// At most 4 kB of the response body. It is untrusted.
    public var excerpt: String?
    /// Wall time of the next attempt; `nil` when there is none.
    public var nextAttempt: Timestamp?

    /// An attempt.
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

/// The new state of a delivery, after an attempt or without one.
public struct Settlement: Hashable, Sendable {
    /// What follows.
    public enum Result: Hashable, Sendable {
        /// The endpoint accepted the message.
        case delivered
        /// The next attempt is at this wall time.
        case retry(at: Timestamp)
        /// No attempt is left: a dead letter.
        case exhausted
        /// The endpoint refused further attempts, or was removed.
        case cancelled
        /// The event was older than the endpoint's maximum age.
        case expired
        /// It fell into quiet hours that drop messages, or into the cooldown after another message.
        case suppressed
    }

    /// The delivery.
    public var deliveryID: String
    /// What follows.
    public var result: Result
    /// `nil` without an attempt (the circuit breaker is open, the endpoint was disabled).
    public var attempt: DeliveryAttempt?
    /// The message, where it may have no row.
    public var message: DirectMessage?

    /// A settlement of a delivery.
    public init(_ deliveryID: String, _ result: Result, attempt: DeliveryAttempt? = nil) {
        self.deliveryID = deliveryID
        self.result = result
        self.attempt = attempt
    }
}

/// A delivery with its attempts, as the API shows it.
public struct DeliveryRecord: Hashable, Sendable {
    /// The state of a delivery.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// `pending` is due now or later, `exhausted` is a dead letter, `cancelled` belonged to a removed endpoint,
        /// `expired` was older than its endpoint's `maximumAge`, `suppressed` fell into its quiet hours or cooldown.
        case pending, delivered, exhausted, cancelled, expired, suppressed
    }

    /// The message.
    public var pending: PendingDelivery
    /// Its state.
    public var status: Status
    /// Its attempts, the oldest first.
    public var attempts: [DeliveryAttempt]

    /// A delivery with its attempts.
    public init(_ pending: PendingDelivery, status: Status, attempts: [DeliveryAttempt]) {
        self.pending = pending
        self.status = status
        self.attempts = attempts
    }
}
