public import FencepostGeometry

/// An event of one device, as the monitor emits it.
public struct Event: Hashable, Sendable {
    /// Derived from the content of the event, so the same input gives the same id whenever it is computed.
    public var id: String
    /// Rises by one per device, from 1.
    public var sequence: Int
    /// The device that the event is about.
    public var deviceID: DeviceID
    /// What happened, with the region, visit or app concerned.
    public var occurrence: Occurrence
    /// The best estimate of when it happened.
    public var timestamp: Timestamp
    /// The time of the fix or of the deadline that decided the event.
    public var detectedAt: Timestamp
    /// The fixes around a crossing, if they lie more than a minute apart; `timestamp` lies between them.
    public var earliest, latest: Timestamp?
    /// The fix that decided the event, or the last fix before the deadline that did.
    public var location: Location?
    /// Estimated probability that the event is true, 0 to 1; `nil` if the deciding rule estimates none.
    public var confidence: Double?
    /// The rule that decided the event and the values that it used; `nil` for events of the device itself and of apps.
    public var why: Why?

    /// An event with its facts, one parameter for each property because each is set by a different step.
    @inlinable
    public init(
        id: String, sequence: Int, deviceID: DeviceID, occurrence: Occurrence, timestamp: Timestamp,
        detectedAt: Timestamp, earliest: Timestamp? = nil, latest: Timestamp? = nil, location: Location? = nil,
        confidence: Double? = nil, why: Why? = nil
    ) {
        self.id = id
        self.sequence = sequence
        self.deviceID = deviceID
        self.occurrence = occurrence
        self.timestamp = timestamp
        self.detectedAt = detectedAt
        (self.earliest, self.latest) = (earliest, latest)
        self.location = location
        self.confidence = confidence
        self.why = why
    }
}

/// What happened.
public enum Occurrence: Hashable, Sendable {
    /// The device entered a region.
    case regionEntered(RegionSummary)
    /// The device left a region; the reason is `nil` if it moved.
    case regionExited(RegionSummary, reason: ExitReason?)
    /// The device has been in a region for one of its dwell times.
    case regionDwelled(RegionSummary, dwell: Duration)
    /// The device began a stay that is long enough for a visit.
    case visitArrived(Visit)
    /// The device ended a visit.
    case visitDeparted(Visit)
    /// The device has sent nothing for `MonitorSettings.staleAfter`.
    case deviceStale
    /// A stale device has sent a fix.
    case deviceRecovered
    /// The event before this one launched a terminated app in the background.
    case appRelaunched(AppSummary)

    /// Why a device exits a region without having moved.
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

    /// The region of an entry, an exit or a dwell; `nil` for all others.
    public var region: RegionSummary? {
        switch self {
        case .regionEntered(let region), .regionExited(let region, _), .regionDwelled(let region, _): region
        case .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched: nil
        }
    }

    /// The visit of an arrival or a departure; `nil` for all others.
    ///
    /// Only the visit of an arrival or a departure can be replaced; setting it on another occurrence is a programming
    /// error.
    public var visit: Visit? {
        get {
            switch self {
            case .visitArrived(let visit), .visitDeparted(let visit): visit
            case .regionEntered, .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched: nil
            }
        }
        set {
            switch (self, newValue) {
            case (.visitArrived, let visit?): self = .visitArrived(visit)
            case (.visitDeparted, let visit?): self = .visitDeparted(visit)
            default: preconditionFailure("an occurrence keeps its type")
            }
        }
    }
}

/// The names of event types on the wire.
public enum EventType: String, Hashable, Sendable, CaseIterable {
    /// An entry into a region.
    case regionEntered = "region.entered"
    /// An exit from a region.
    case regionExited = "region.exited"
    /// A dwell in a region.
    case regionDwelled = "region.dwelled"
    /// The arrival of a visit.
    case visitArrived = "visit.arrived"
    /// The departure of a visit.
    case visitDeparted = "visit.departed"
    /// Silence of a device.
    case deviceStale = "device.stale"
    /// The end of a device's silence.
    case deviceRecovered = "device.recovered"
    /// The launch of an app in the background.
    case appRelaunched = "app.relaunched"
}

/// The part of an app that its events carry.
public struct AppSummary: Hashable, Sendable {
    /// The id of the app, as the scenario or the registration names it.
    public var id: String
    /// The name for people; `nil` if the app has none.
    public var name: String?

    /// A summary of the app with this id.
    public init(id: String, name: String? = nil) {
        self.id = id
        self.name = name
    }
}

/// The part of a region that its events carry.
public struct RegionSummary: Hashable, Sendable {
    /// The id of the region.
    public var id: RegionID
    /// The name for people; `nil` if the region file has none.
    public var name: String?
    /// The tags of the region, in the order of the region file.
    public var tags: [String]
    /// The `metadata` of the region file, unchanged; `nil` if it has none.
    public var metadata: JSONText?

    /// The id, name, tags and metadata of a region at the time of the event.
    public init(_ region: Region) {
        id = region.id
        name = region.name
        tags = region.tags
        metadata = region.metadata
    }
}

/// A stay at one place, in the terms of Core Location's `CLVisit`.
public struct Visit: Hashable, Sendable, Codable {
    /// `vis_…`; the same in the arrival and in the departure.
    public var id: String
    /// `nil` if the stay began before the first fix of the device.
    public var arrival: Timestamp?
    /// `nil` until the departure is reported.
    public var departure: Timestamp?
    /// The centre of the stay: the mean of its fixes, weighted by accuracy.
    public var coordinate: Coordinate
    /// Radius of 68 % confidence around the centre, in metres.
    public var horizontalAccuracy: Double
    /// The regions that contain the centre, sorted by the bytes of their ids.
    public var regions: [RegionID]
    /// Bounds of the arrival; set if no fix lies near it in time.
    public var arrivalEarliest, arrivalLatest: Timestamp?
    /// Bounds of the departure; set if no fix lies near it in time.
    public var departureEarliest, departureLatest: Timestamp?

    /// A visit without bounds, one parameter for each property because they have no order of their own.
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
