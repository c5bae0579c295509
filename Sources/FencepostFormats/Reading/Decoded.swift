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
    /// What happened or what was set up.
    public enum Kind: Hashable, Sendable {
        /// The phone crossed the boundary of a region that it monitors.
        case transition(Transition, region: String?, regionID: String?, trigger: String?)
        /// A region that the phone monitors; the radius is in metres.
        case waypoint(name: String?, regionID: String?, radius: Double?, createdAt: Timestamp?)
        /// A visit; `nil` where its start or end is unknown.
        case visit(arrival: Timestamp?, departure: Timestamp?, name: String?)
    }

    /// The direction in which the phone crossed the boundary of its region.
    public enum Transition: String, Hashable, Sendable { case enter, leave }

    /// The device that reports.
    public var deviceID: DeviceID
    /// When it happened, by the phone's clock.
    public var timestamp: Timestamp
    /// Where it happened, or the centre of a waypoint or a visit; `nil` when unknown.
    public var coordinate: Coordinate?
    /// Radius of uncertainty around the coordinate in metres; `nil` when unknown.
    public var horizontalAccuracy: Double?
    /// What is reported.
    public var kind: Kind

    /// A report; the accuracy and the radius of a waypoint are in metres, and absent beyond `ValueLimits.accuracy`.
    public init(
        deviceID: DeviceID, timestamp: Timestamp, coordinate: Coordinate? = nil, horizontalAccuracy: Double? = nil,
        kind: Kind
    ) {
        self.deviceID = deviceID
        self.timestamp = timestamp
        self.coordinate = coordinate
        func known(_ metres: Double?) -> Double? {
            metres.flatMap { ValueLimits.accuracy.contains($0) ? $0 : nil }
        }
        self.horizontalAccuracy = known(horizontalAccuracy)
        self.kind = kind
        if case .waypoint(let name, let regionID, let radius, let createdAt) = kind {
            self.kind = .waypoint(name: name, regionID: regionID, radius: known(radius), createdAt: createdAt)
        }
    }
}
