public import FencepostModel

/// A webhook receiver.
public struct Endpoint: Hashable, Sendable, Codable {
    /// How the event is written into the request (rule W15).
    public enum Format: String, Hashable, Sendable, Codable, CaseIterable {
        /// Standard Webhooks: `type`, `timestamp`, `data`.
        case standard
        /// CloudEvents 1.0 in HTTP headers, structured JSON, or batches.
        case binary, structured, batch
    }

    /// What a decision about an app has to be for the endpoint to be called.
    public enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
        /// The terminated app would have been started.
        case relaunched
        case delivered, queued, held, dropped, notMonitored, lost
    }

    public enum State: Hashable, Sendable, Codable {
        case active
        /// Collects nothing new; the reason is a sentence for people.
        case disabled(since: Timestamp, reason: String)
    }

    /// A signing secret: `whsec_…` or `whsk_…`.
    public struct Secret: Hashable, Sendable, Codable {
        public var value: String
        /// After a rotation the old one signs until then, in wall time.
        public var expires: Timestamp?

        public init(_ value: String, expires: Timestamp? = nil) {
            self.value = value
            self.expires = expires
        }
    }

    /// `end_…`, or as the config file says.
    public var id: String
    public var url: String
    public var description: String?
    /// Newest first, never empty.
    public var secrets: [Secret]
    /// Patterns of event types; empty is every type.
    public var events: [GlobPattern] = []
    /// Patterns of region ids; empty is every region. An event without a region fits only where this is empty; a visit
    /// has the regions that its centre is in.
    public var regions: [GlobPattern] = []
    public var devices: [GlobPattern] = []
    /// Ids of apps; only decisions about these count for `when` and are shown, and of `app.relaunched` only theirs.
    /// Empty is every app.
    public var apps: [String] = []
    /// Called only for events with a decision of one of these outcomes; empty is every event.
    public var when: [Outcome] = []
    /// Keeps the order of each device's events (rule W11).
    public var isOrdered = false
    public var format = Format.standard
    /// Decimals of coordinates that receivers see, 0 to 7; `nil` is all (rule P4).
    public var precision: Int?
    /// Whether messages hold locations.
    public var includesLocation = true
    public var state = State.active
    public var createdAt: Timestamp
    /// Hash of the config's object that it was last taken from; `nil` when it was made over HTTP.
    public var sourceHash: String?

    public init(id: String, url: String, secrets: [Secret], createdAt: Timestamp) {
        self.id = id
        self.url = url
        self.secrets = secrets
        self.createdAt = createdAt
    }

    public var isActive: Bool { state == .active }
}

/// How an endpoint has been doing: what the circuit breaker and the disabling go by.
public struct EndpointHealth: Hashable, Sendable, Codable {
    /// Failed attempts since the last success.
    public var consecutiveFailures = 0
    public var lastSuccess: Timestamp?
    public var firstFailure: Timestamp?
    public var lastFailure: Timestamp?

    public init() {}
}
