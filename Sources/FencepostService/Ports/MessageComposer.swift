public import FencepostModel
public import FencepostSimulator

/// Says which endpoints get an event, and in which bytes.
public protocol MessageComposer: Sendable {
    /// The messages for an event of a device, one for each active endpoint that asked for it.
    ///
    /// Called on the monitor's path, so it must not wait.
    func messages(for event: Event, decisions: [Delivery]) -> [NewDelivery]
}

/// Sends nothing to nobody.
public struct NoMessages: MessageComposer {
    public init() {}
    public func messages(for event: Event, decisions: [Delivery]) -> [NewDelivery] { [] }
}
