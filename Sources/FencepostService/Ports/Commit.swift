public import FencepostFormats
public import FencepostModel

/// A place in the log of what the monitor took; the first entry has 1.
public typealias LogPosition = Int64

/// All that one turn of the monitor changes: written in one transaction or not at all (rule D2).
public struct Commit: Sendable {
    /// One above that of the commit before.
    public var position: LogPosition
    /// When the fixes came; also the clock that the monitor was told of before them.
    public var receivedAt: Timestamp
    /// Neither duplicates nor rejected fixes, in the order in which the monitor took them.
    public var locations: [StoredLocation] = []
    /// Whether the monitor's clock was advanced to `receivedAt`, after the locations.
    public var advancesClock = false
    public var livePositions: [Location] = []
    public var events: [NewEvent] = []
    public var deliveries: [NewDelivery] = []
    public var decisions: [NewDecision] = []
    public var quarantined: [QuarantineEntry] = []
    public var reports: [PhoneReport] = []
    /// States as of `position`, this commit included.
    public var checkpoints: [DeviceCheckpoint] = []

    public init(position: LogPosition, receivedAt: Timestamp) {
        self.position = position
        self.receivedAt = receivedAt
    }

    /// Whether it has to be replayed to get from an older checkpoint to the state after it.
    public var isLogged: Bool { !locations.isEmpty || advancesClock }
}

/// What has to be replayed after a start: an earlier commit, as far as it bears on the monitor's state.
public struct LogEntry: Sendable {
    public var position: LogPosition
    public var receivedAt: Timestamp
    public var locations: [StoredLocation]
    public var advancesClock: Bool

    public init(
        position: LogPosition, receivedAt: Timestamp, locations: [StoredLocation], advancesClock: Bool
    ) {
        self.position = position
        self.receivedAt = receivedAt
        self.locations = locations
        self.advancesClock = advancesClock
    }
}

/// An event as it is kept and sent.
public struct NewEvent: Hashable, Sendable {
    /// `evt_…`; storing an id that is there already changes nothing.
    public var id: String
    /// Event type on the wire.
    public var type: String
    /// `nil` for events of the service itself (`endpoint.disabled` …).
    public var deviceID: DeviceID?
    public var regionID: RegionID?
    /// When it happened.
    public var timestamp: Timestamp
    /// One line of JSON, the object of CONTRACT 5.2 without `why`.
    public var body: String
    /// The `why` object, where there is one.
    public var why: String?
    /// The visit as it now is, where the event is one of a visit.
    public var visit: NewVisit?

    public init(
        id: String, type: String, deviceID: DeviceID?, regionID: RegionID? = nil, timestamp: Timestamp, body: String,
        why: String? = nil, visit: NewVisit? = nil
    ) {
        self.id = id
        self.type = type
        self.deviceID = deviceID
        self.regionID = regionID
        self.timestamp = timestamp
        self.body = body
        self.why = why
        self.visit = visit
    }
}

/// A visit as it is kept; a departure replaces what the arrival said.
public struct NewVisit: Hashable, Sendable {
    /// `vis_…`
    public var id: String
    /// The arrival, else the earliest moment that is known of the visit: what lists are filtered by.
    public var start: Timestamp
    /// `nil` while it goes on.
    public var end: Timestamp?
    public var regionIDs: [RegionID]
    /// The `visit` object of CONTRACT 5.2 with `deviceId` first.
    public var body: String

    public init(id: String, start: Timestamp, end: Timestamp?, regionIDs: [RegionID], body: String) {
        self.id = id
        self.start = start
        self.end = end
        self.regionIDs = regionIDs
        self.body = body
    }
}

/// What the relaunch rules said of an event in an app.
public struct NewDecision: Hashable, Sendable {
    public var appID: String
    public var eventID: String
    public var deviceID: DeviceID
    public var timestamp: Timestamp
    /// The delivery object of CONTRACT 6.4.
    public var body: String

    public init(appID: String, eventID: String, deviceID: DeviceID, timestamp: Timestamp, body: String) {
        self.appID = appID
        self.eventID = eventID
        self.deviceID = deviceID
        self.timestamp = timestamp
        self.body = body
    }
}

/// A message that an endpoint is to get.
public struct NewDelivery: Hashable, Sendable {
    public var endpointID: String
    public var eventID: String
    /// What ordered endpoints keep in order; `nil` for events of the service itself.
    public var deviceID: DeviceID?
    /// The exact bytes that are signed and sent, now and on every retry (rule W4).
    public var body: String
    /// Headers that the format asks for beside those of Standard Webhooks, `content-type` included.
    public var headers: [String: String]
    /// Whether it waits for earlier ones of the same endpoint and device.
    public var isOrdered: Bool

    public init(
        endpointID: String, eventID: String, deviceID: DeviceID?, body: String, headers: [String: String],
        isOrdered: Bool
    ) {
        self.endpointID = endpointID
        self.eventID = eventID
        self.deviceID = deviceID
        self.body = body
        self.headers = headers
        self.isOrdered = isOrdered
    }
}

/// All that the monitor knows of one device, after the log entry of a position.
public struct DeviceCheckpoint: Hashable, Sendable {
    public var deviceID: DeviceID
    public var position: LogPosition
    /// In a form that only the monitor reads.
    public var state: [UInt8]

    public init(deviceID: DeviceID, position: LogPosition, state: [UInt8]) {
        self.deviceID = deviceID
        self.position = position
        self.state = state
    }
}
