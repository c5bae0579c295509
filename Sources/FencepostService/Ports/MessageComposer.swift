/// Composes the messages of an event: recipients and encoding.
public protocol MessageComposer: Sendable {
    /// The messages for an event, one for each active endpoint that matches.
    ///
    /// The worker calls it during an evaluation, so it must not wait.
    ///
    /// - Returns: the messages; empty if no endpoint matches.
    func messages(for event: NewEvent) -> [NewDelivery]

    /// The messages for an event that an import or late fixes brought about, for the endpoints that ask for such events.
    ///
    /// `event`: its origin is not `live`.
    func messages(forHistory event: NewEvent) -> [NewDelivery]
}

extension MessageComposer {
    /// No messages.
    public func messages(forHistory event: NewEvent) -> [NewDelivery] { [] }
}

/// Composes no messages.
public struct NoMessages: MessageComposer {
    /// A composer without endpoints.
    public init() {}
    /// Always empty.
    public func messages(for event: NewEvent) -> [NewDelivery] { [] }
}
