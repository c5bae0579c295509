/// What happened between two devices that a proximity rule watches, as an event says it.
public struct ProximityReport: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// The devices are near each other, or are so when both are first known.
        case entered
        /// They are apart again. `isClosed`: because the hours of the rule ended, not because one moved.
        case exited(isClosed: Bool)
        /// They have been near each other for the rule's dwell time.
        case dwelled(Duration)
        /// The device has moved away from the other one, which stays where it was.
        case unaccompanied

        /// The type on the wire.
        public var type: EventType {
            switch self {
            case .entered: .proximityEntered
            case .exited: .proximityExited
            case .dwelled: .proximityDwelled
            case .unaccompanied: .proximityUnaccompanied
            }
        }
    }

    /// The reason on the wire of an exit at the end of the rule's hours.
    public static let closedReason = "closed"

    /// What happened.
    public var kind: Kind
    /// The id of the rule.
    public var rule: String
    /// The other device.
    public var other: DeviceID
    /// The estimated distance between both, at the time that decided, in metres.
    public var distance: Double
    /// Radius of 68 % confidence of one position relative to the other one, in metres.
    public var uncertainty: Double
    /// The distance of the rule, in metres.
    public var limit: Double

    /// A report. Six parameters, because each is a member of the event.
    public init(
        _ kind: Kind, rule: String, other: DeviceID, distance: Double, uncertainty: Double, limit: Double
    ) {
        (self.kind, self.rule, self.other) = (kind, rule, other)
        (self.distance, self.uncertainty, self.limit) = (distance, uncertainty, limit)
    }

    /// The reason of an exit that is no movement, as on the wire; `nil` for all others.
    public var reason: String? { kind == .exited(isClosed: true) ? Self.closedReason : nil }

    /// The time near each other that a dwell is about; `nil` for all others.
    public var dwell: Duration? { if case .dwelled(let span) = kind { span } else { nil } }
}

extension ProximityReport {
    /// The hash that the id of the event is made of: of what happened to whom and when, not of how it was measured. So
    /// locations that come late and do not change that leave the event as it is.
    ///
    /// - Parameters:
    ///   - device: the device that the event is about.
    ///   - timestamp: when it happened.
    /// - Returns: the hash.
    public func identity(of device: DeviceID, at timestamp: Timestamp) -> Identity {
        var identity = Identity()
        identity.add(device.rawValue)
        identity.add(kind.type.rawValue)
        identity.add(rule)
        identity.add(other.rawValue)
        identity.add(dwell?.milliseconds ?? 0)
        identity.add(timestamp.milliseconds)
        return identity
    }
}
