public import FencepostModel
public import FencepostService

/// A message to a broker, apart from its body and header fields: where it goes, as whom, and what it is about.
public struct Publication: Hashable, Sendable {
    /// The broker.
    public var kind: Endpoint.Kind
    /// Where in the broker.
    public var destination: Endpoint.Destination
    /// The template of the address; `nil` when it is invalid, which readers of endpoints refuse.
    public var template: DestinationTemplate?
    /// The credentials; `nil` for none.
    public var username, password, token: String?
    /// The device of the event; `nil` for an event without one.
    public var device: DeviceID?
    /// The type of the event on the wire.
    public var type: String

    /// What a message of an endpoint needs; `nil` for an endpoint that is not at a broker.
    ///
    /// - Parameters:
    ///   - endpoint: the recipient.
    ///   - device: the device of the event.
    ///   - type: the type of the event on the wire.
    public init?(_ endpoint: Endpoint, device: DeviceID?, type: String) {
        guard endpoint.kind.isBroker else { return nil }
        kind = endpoint.kind
        destination = endpoint.destination
        template = endpoint.destinationTemplate
        (username, password, token) = (endpoint.people.username, endpoint.people.password, endpoint.people.token)
        self.device = device
        self.type = type
    }
}
