public import FencepostModel

/// A recipient of messages: a webhook, a message broker, or a person through a service.
public struct Endpoint: Hashable, Sendable, Codable {
    /// The format of messages (rule W15).
    public enum Format: String, Hashable, Sendable, Codable, CaseIterable {
        /// Standard Webhooks: `type`, `timestamp`, `data`.
        case standard
        /// CloudEvents 1.0 in binary, structured or batched mode.
        case binary, structured, batch
    }

    /// An outcome of the relaunch rules, for `when`.
    public enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
        /// The app was terminated and is relaunched.
        case relaunched
        /// As in `Delivery.Outcome`.
        case delivered, queued, held, dropped, notMonitored, lost
    }

    /// Whether the endpoint receives messages.
    public enum State: Hashable, Sendable, Codable {
        /// It receives messages.
        case active
        /// It receives no new messages; the reason is a sentence for people.
        case disabled(since: Timestamp, reason: String)

        /// The reason of one that somebody has disabled.
        public static let handReason = "Disabled by hand."
    }

    /// A signing secret: `whsec_…` or `whsk_…`.
    public struct Secret: Hashable, Sendable, Codable {
        /// The secret as text.
        public var value: String
        /// After a rotation, the wall time until which the old secret signs too; `nil` for the current secret.
        public var expires: Timestamp?

        /// A secret; without `expires`, the current one.
        public init(_ value: String, expires: Timestamp? = nil) {
            self.value = value
            self.expires = expires
        }
    }

    /// `end_…`, or the id in the configuration file.
    public var id: String
    /// Where messages are sent.
    public var url: String
    /// A text for people.
    public var description: String?
    /// What receives the messages.
    public var kind = Kind.webhook
    /// How messages for people are written and sent. A broker has the credentials; a webhook uses none of it.
    public var people = People()
    /// Where in a message broker messages go; unused by other kinds.
    public var destination = Destination()
    /// When messages wait or are dropped; `nil` for never.
    public var quietHours: QuietHours?
    /// Time after a message in which no other one about the same device and region is sent; `nil` for none.
    public var cooldown: Duration?
    /// The signing secrets, the newest first; never empty.
    public var secrets: [Secret]
    /// Patterns of event types; empty for every type.
    public var events: [GlobPattern] = []
    /// Patterns of region ids; empty for every event. Otherwise an event without a region does not match. A visit has the
    /// regions that contain its centre.
    public var regions: [GlobPattern] = []
    /// Patterns of device ids; empty for every device.
    public var devices: [GlobPattern] = []
    /// Ids of apps; empty for every app. Only decisions about these apps count for `when` and are in messages, and only
    /// their `app.relaunched` events match.
    public var apps: [String] = []
    /// Only events with a decision of one of these outcomes match; empty for every event.
    public var when: [Outcome] = []
    /// Whether messages of a device are delivered in order (rule W11).
    public var isOrdered = false
    /// The format of messages.
    public var format = Format.standard
    /// The largest number of events in a request, 1 to 100; above 1 only for a webhook with the format `batch`.
    public var batchSize = 1
    /// Decimals of coordinates in messages, 0 to 7; `nil` for all (rule P4).
    public var precision: Int?
    /// Whether messages contain locations.
    public var includesLocation = true
    /// Whether it receives events that imports and late fixes bring about.
    public var history = false
    /// Whether it receives events that replace earlier ones, and `event.retracted`.
    public var corrections = false
    /// From the event's timestamp to the attempt: an older message is dropped; `nil` for no limit.
    public var maximumAge: Duration?
    /// Whether it receives messages.
    public var state = State.active
    /// When it was created.
    public var createdAt: Timestamp
    /// Hash of the configuration object that defined it last; `nil` when it was created over HTTP.
    public var sourceHash: String?

    /// An active endpoint for every event.
    public init(id: String, url: String, secrets: [Secret], createdAt: Timestamp) {
        self.id = id
        self.url = url
        self.secrets = secrets
        self.createdAt = createdAt
    }

    /// Whether it receives messages.
    public var isActive: Bool { state == .active }

    /// Whether nobody has changed it, but for its state. Names of devices do not count: the dispatcher adds some.
    public func isDefined(as other: Endpoint) -> Bool {
        var (one, other) = (self, other)
        (one.state, other.state) = (.active, .active)
        (one.people.names, other.people.names) = ([:], [:])
        return one == other
    }

    /// Reads a stored endpoint. Those of earlier versions are webhooks without history, corrections, batches and maximum age.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(String.self, forKey: .id)
        url = try values.decode(String.self, forKey: .url)
        description = try values.decodeIfPresent(String.self, forKey: .description)
        kind = try values.decodeIfPresent(Kind.self, forKey: .kind) ?? .webhook
        people = try values.decodeIfPresent(People.self, forKey: .people) ?? People()
        destination = try values.decodeIfPresent(Destination.self, forKey: .destination) ?? Destination()
        quietHours = try values.decodeIfPresent(QuietHours.self, forKey: .quietHours)
        cooldown = try values.decodeIfPresent(Duration.self, forKey: .cooldown)
        secrets = try values.decode([Secret].self, forKey: .secrets)
        events = try values.decode([GlobPattern].self, forKey: .events)
        regions = try values.decode([GlobPattern].self, forKey: .regions)
        devices = try values.decode([GlobPattern].self, forKey: .devices)
        apps = try values.decode([String].self, forKey: .apps)
        when = try values.decode([Outcome].self, forKey: .when)
        isOrdered = try values.decode(Bool.self, forKey: .isOrdered)
        format = try values.decode(Format.self, forKey: .format)
        batchSize = try values.decodeIfPresent(Int.self, forKey: .batchSize) ?? 1
        precision = try values.decodeIfPresent(Int.self, forKey: .precision)
        includesLocation = try values.decode(Bool.self, forKey: .includesLocation)
        history = try values.decodeIfPresent(Bool.self, forKey: .history) ?? false
        corrections = try values.decodeIfPresent(Bool.self, forKey: .corrections) ?? false
        maximumAge = try values.decodeIfPresent(Duration.self, forKey: .maximumAge)
        state = try values.decode(State.self, forKey: .state)
        createdAt = try values.decode(Timestamp.self, forKey: .createdAt)
        sourceHash = try values.decodeIfPresent(String.self, forKey: .sourceHash)
    }

    /// The origins of the events that it receives.
    public var origins: Set<EventOrigin> {
        var origins: Set<EventOrigin> = [.live]
        if history { origins.insert(.history) }
        if corrections { origins.formUnion([.correction, .retraction]) }
        return origins
    }
}

/// The recent results of an endpoint. The circuit breaker and the disabling depend on them.
public struct EndpointHealth: Hashable, Sendable, Codable {
    /// Failed attempts since the last success.
    public var consecutiveFailures = 0
    /// Wall time of the last success; `nil` before.
    public var lastSuccess: Timestamp?
    /// Wall time of the first failure since the last success; `nil` without one.
    public var firstFailure: Timestamp?
    /// Wall time of the last failure; `nil` without one.
    public var lastFailure: Timestamp?
    /// Times of the last messages by device and region, for the cooldown; `nil` without one.
    public var lastMessages: [String: Timestamp]?
    /// What the last messages to people said, by device and region; `nil` without one.
    public var sentFacts: [String: SentFact]?

    /// The health of a new endpoint.
    public init() {}
}
