public import FencepostGeometry
public import FencepostModel

/// One item of an input.
public enum Decoded: Hashable, Sendable {
    /// A location and its position: the line from 1 in line formats, otherwise the record from 0.
    case location(Location, at: Diagnostic.Position)
    /// An invalid record, which is counted and skipped.
    case rejected(Diagnostic)
    /// An event that a phone or a file reports, separate from Fencepost's own events.
    case reported(PhoneReport, at: Diagnostic.Position)
    /// The recording was interrupted between the previous location and the next.
    case gap
}

/// An event that a phone or a history file reports.
public struct PhoneReport: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case transition(Transition, region: String?, regionID: String?, trigger: String?)
        /// A region that the phone monitors; the radius is in metres.
        case waypoint(name: String?, regionID: String?, radius: Double?, createdAt: Timestamp?)
        /// A visit; `nil` where its start or end is unknown.
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
