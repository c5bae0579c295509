public import FencepostModel
public import FencepostService

/// One attempt, ready to be sent.
public struct WebhookRequest: Sendable {
    public var endpointID: String
    public var url: String
    /// Those that sign now, newest first.
    public var secrets: [String]
    /// The value of `webhook-id`.
    public var id: String
    /// In wall time, since receivers compare it with theirs.
    public var timestamp: Timestamp
    public var body: String
    public var headers: [String: String]

    public init(
        endpointID: String, url: String, secrets: [String], id: String, timestamp: Timestamp, body: String,
        headers: [String: String]
    ) {
        self.endpointID = endpointID
        self.url = url
        self.secrets = secrets
        self.id = id
        self.timestamp = timestamp
        self.body = body
        self.headers = headers
    }

    /// - Parameter wall: what the calendar says now.
    init(_ endpoint: Endpoint, id: String, body: String, headers: [String: String], wall: Timestamp) {
        let valid = endpoint.secrets.filter { $0.expires.map { $0 > wall } ?? true }
        self.init(
            endpointID: endpoint.id, url: endpoint.url,
            secrets: (valid.isEmpty ? Array(endpoint.secrets.prefix(1)) : valid).map(\.value), id: id, timestamp: wall,
            body: body, headers: headers)
    }
}

/// What came of one attempt.
public struct WebhookAnswer: Hashable, Sendable {
    /// What the receiver asks for beside the status (rule W5).
    public enum Wish: String, Hashable, Sendable {
        /// Not to get this message again.
        case abortMessage = "abort-message"
        /// Not to get any more.
        case disable
    }

    public var status: Int?
    /// `nil` when the receiver took it.
    public var failure: DeliveryAttempt.Failure?
    public var excerpt: String?
    public var retryAfter: Duration?
    public var wish: Wish?
    /// From the look-up of the name to the end of the answer.
    public var duration: Duration

    public init(
        status: Int? = nil, failure: DeliveryAttempt.Failure? = nil, excerpt: String? = nil,
        retryAfter: Duration? = nil, wish: Wish? = nil, duration: Duration = .zero
    ) {
        self.status = status
        self.failure = failure
        self.excerpt = excerpt
        self.retryAfter = retryAfter
        self.wish = wish
        self.duration = duration
    }
}

/// Makes one attempt.
public protocol MessageSender: Sendable {
    /// Never throws: what went wrong is the answer. Ends early when the task is cancelled.
    func send(_ request: WebhookRequest) async -> WebhookAnswer
    /// Closes the connections that are kept open.
    func shutdown() async
}
