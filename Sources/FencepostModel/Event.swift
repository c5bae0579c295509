public import FencepostGeometry

/// What is told about a device: the envelope of everything that the monitor finds out.
public struct Event: Hashable, Sendable {
    /// Follows from what happened, so that the same input gives the same id whenever it is computed.
    public var id: String
    /// Rises by one per device, from 1.
    public var sequence: Int
    public var deviceID: DeviceID
    public var occurrence: Occurrence
    /// The best estimate of when it happened.
    public var timestamp: Timestamp
    /// The time of the fix, or of the deadline, that settled it.
    public var detectedAt: Timestamp
    /// The fix that settled it, or the last one before a deadline that did.
    public var location: Location?
    /// How likely it is that the event is true, 0 to 1; `nil` where nothing was weighed.
    public var confidence: Double?
    public var why: Why?

    public init(
        id: String, sequence: Int, deviceID: DeviceID, occurrence: Occurrence, timestamp: Timestamp,
        detectedAt: Timestamp, location: Location? = nil, confidence: Double? = nil, why: Why? = nil
    ) {
        self.id = id
        self.sequence = sequence
        self.deviceID = deviceID
        self.occurrence = occurrence
        self.timestamp = timestamp
        self.detectedAt = detectedAt
        self.location = location
        self.confidence = confidence
        self.why = why
    }
}

/// What happened.
public enum Occurrence: Hashable, Sendable {
    case regionEntered(RegionSummary)
    case regionExited(RegionSummary, reason: ExitReason?)
    case regionDwelled(RegionSummary, dwell: Duration)
    case visitArrived(Visit)
    case visitDeparted(Visit)
    case deviceStale
    case deviceRecovered
    /// A terminated app was started for what happened just before.
    case appRelaunched(AppSummary)

    /// Why a device is outside without having moved.
    public enum ExitReason: String, Hashable, Sendable { case expired, deleted }

    /// The type on the wire.
    public var type: EventType {
        switch self {
        case .regionEntered: .regionEntered
        case .regionExited: .regionExited
        case .regionDwelled: .regionDwelled
        case .visitArrived: .visitArrived
        case .visitDeparted: .visitDeparted
        case .deviceStale: .deviceStale
        case .deviceRecovered: .deviceRecovered
        case .appRelaunched: .appRelaunched
        }
    }
}

/// The names of event types on the wire.
public enum EventType: String, Hashable, Sendable, CaseIterable {
    case regionEntered = "region.entered"
    case regionExited = "region.exited"
    case regionDwelled = "region.dwelled"
    case visitArrived = "visit.arrived"
    case visitDeparted = "visit.departed"
    case deviceStale = "device.stale"
    case deviceRecovered = "device.recovered"
    case appRelaunched = "app.relaunched"
}

/// What an event says of an app.
public struct AppSummary: Hashable, Sendable {
    public var id: String
    public var name: String?

    public init(id: String, name: String? = nil) {
        self.id = id
        self.name = name
    }
}

/// What an event says of its region.
public struct RegionSummary: Hashable, Sendable {
    public var id: RegionID
    public var name: String?
    public var tags: [String]
    public var metadata: JSONText?

    public init(_ region: Region) {
        id = region.id
        name = region.name
        tags = region.tags
        metadata = region.metadata
    }
}

/// A stay at a place, in the terms of `CLVisit`.
public struct Visit: Hashable, Sendable, Codable {
    /// `vis_…`; the same in the arrival and in the departure.
    public var id: String
    /// `nil` when the stay began before anything was seen.
    public var arrival: Timestamp?
    /// `nil` while the stay goes on.
    public var departure: Timestamp?
    public var coordinate: Coordinate
    /// Radius of 68 % confidence around the centre, in metres.
    public var horizontalAccuracy: Double
    /// The regions that the centre is in, sorted by bytes.
    public var regions: [RegionID]
    /// When the arrival can have been at the earliest and the latest, where nothing was seen of it.
    public var arrivalEarliest, arrivalLatest: Timestamp?
    public var departureEarliest, departureLatest: Timestamp?

    public init(
        id: String, arrival: Timestamp?, departure: Timestamp? = nil, coordinate: Coordinate,
        horizontalAccuracy: Double, regions: [RegionID] = []
    ) {
        self.id = id
        self.arrival = arrival
        self.departure = departure
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.regions = regions
    }
}

/// Why an event was told.
public struct Why: Hashable, Sendable {
    /// A stable name of what decided, in snake case.
    public var rule: String
    public var fix: Location?
    /// Metres to the boundary, negative inside.
    public var distance: Double?
    /// Metres, as taken into account.
    public var accuracy: Double?
    /// Of being inside, after this fix.
    public var probability: Double?
    /// The fixes of the new side that were not yet enough.
    public var heldBack: [Timestamp]

    public init(
        rule: String, fix: Location? = nil, distance: Double? = nil, accuracy: Double? = nil,
        probability: Double? = nil, heldBack: [Timestamp] = []
    ) {
        self.rule = rule
        self.fix = fix
        self.distance = distance
        self.accuracy = accuracy
        self.probability = probability
        self.heldBack = heldBack
    }
}
