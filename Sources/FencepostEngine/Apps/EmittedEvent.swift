public import FencepostModel
public import FencepostSimulator

/// An event with the decisions of the relaunch rules about it.
public struct EmittedEvent: Sendable {
    /// The event, numbered among those of its device.
    public var event: Event
    /// One for each app and service that the event concerns.
    public var deliveries: [Delivery]

    package init(event: Event, deliveries: [Delivery]) {
        (self.event, self.deliveries) = (event, deliveries)
    }
}
