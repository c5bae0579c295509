public import FencepostGeometry
public import FencepostModel

/// One thing found in an input.
public enum Decoded: Hashable, Sendable {
    /// A fix, and where it stood: the line from 1 in formats of lines, else the record from 0.
    case location(Location, at: Diagnostic.Place)
    /// A record that is no location, counted and left out.
    case rejected(Diagnostic)
    /// What a phone or a file says happened, kept apart from what Fencepost finds out.
    case reported(PhoneReport, at: Diagnostic.Place)
    /// The recording was interrupted between the fix before and the one after.
    case gap
}

/// A statement of a phone or of a history file about what happened.
public struct PhoneReport: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case transition(Transition, region: String?, regionID: String?, trigger: String?)
        /// A region that the phone watches; the radius in metres.
        case waypoint(name: String?, regionID: String?, radius: Double?, createdAt: Timestamp?)
        /// A stay; `nil` where it began or ended unseen.
        case visit(arrival: Timestamp?, departure: Timestamp?, name: String?)
    }

    public enum Transition: String, Hashable, Sendable { case enter, leave }

    public var deviceID: DeviceID
    public var timestamp: Timestamp
    public var coordinate: Coordinate?
    /// Metres.
    public var horizontalAccuracy: Double?
    public var kind: Kind

    public init(
        deviceID: DeviceID, timestamp: Timestamp, coordinate: Coordinate? = nil, horizontalAccuracy: Double? = nil,
        kind: Kind
    ) {
        self.deviceID = deviceID
        self.timestamp = timestamp
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.kind = kind
    }
}
