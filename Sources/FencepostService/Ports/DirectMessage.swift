/// A message that is sent from memory: its row is written with the outcome of its first attempt, or when it has to wait.
///
/// Until then it follows from its event and its endpoint, so that nothing is lost when the process ends: the store keeps, for each
/// endpoint with such messages, the event up to which all messages have rows, and makes the others again.
public struct DirectMessage: Hashable, Sendable {
    /// The message, with the id of its row.
    public var delivery: PendingDelivery
    /// The number of its event.
    public var event: Int64

    /// A message about an event that is stored.
    public init(_ delivery: PendingDelivery, event: Int64) {
        self.delivery = delivery
        self.event = event
    }
}

/// What a store hands over after a commit: messages without rows.
public struct DirectMessages: Sendable {
    /// The messages of the commit, in the order of their events.
    public var messages: [DirectMessage]
    /// The number of the newest event. All earlier messages were handed over before.
    public var through: Int64
    /// The endpoints that have new rows, because a commit was found whose messages nobody got.
    public var endpointsWithRows: Set<String> = []

    /// What a commit has handed over.
    public init(_ messages: [DirectMessage], through: Int64) {
        self.messages = messages
        self.through = through
    }
}

/// How a store and a dispatcher work together on messages without rows.
public struct DirectDelivery: Sendable {
    /// The messages that an endpoint receives about stored events, as they were made when the events were committed.
    public var messages: @Sendable ([StoredEvent], Endpoint) -> [NewDelivery]
    /// Takes the messages of a commit once it is durable. Called in the order of commits; it must not wait.
    public var deliver: @Sendable (DirectMessages) -> Void

    /// A dispatcher.
    public init(
        messages: @escaping @Sendable ([StoredEvent], Endpoint) -> [NewDelivery],
        deliver: @escaping @Sendable (DirectMessages) -> Void
    ) {
        self.messages = messages
        self.deliver = deliver
    }
}

/// What is written about messages without rows.
public struct DirectProgress: Sendable {
    /// Messages that get rows and wait.
    public var messages: [DirectMessage] = []
    /// By endpoint, the number of an event: all messages about events up to it have rows, or get them now; `nil` when all messages
    /// have, whatever the number.
    public var positions: [String: Int64?] = [:]

    /// Nothing to write.
    public init() {}

    /// Whether there is nothing to write.
    public var isEmpty: Bool { messages.isEmpty && positions.isEmpty }
}
