public import FencepostFormats
public import FencepostModel

/// What has been stored, for reading it again; oldest first, stable while rows are added.
public protocol HistoryStore: Sendable {
    func events(_ filter: HistoryFilter, after cursor: Int64, limit: Int) async throws -> [StoredEvent]
    func event(id: String) async throws -> StoredEvent?
    /// The numbers of the oldest event that is kept and of the newest; (1, 0) when there is none.
    func eventNumbers() async throws -> (oldest: Int64, newest: Int64)
    func visits(_ filter: HistoryFilter, after cursor: Int64, limit: Int) async throws -> [StoredVisit]
    /// Fixes of one device by their own time, those of one time in the order of arrival.
    ///
    /// - Parameter cursor: from an earlier page; `nil` for the first.
    func locations(
        of device: DeviceID, from: Timestamp?, to: Timestamp?, after cursor: LocationCursor?, limit: Int
    ) async throws -> [StoredLocation]
    func decisions(
        of app: String, _ filter: HistoryFilter, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, decision: NewDecision)]
    func reports(
        _ filter: HistoryFilter, kind: String?, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, report: PhoneReport)]
    func quarantine(
        _ filter: HistoryFilter, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, entry: QuarantineEntry)]

    /// Removes what is stored of a device for good, delivery bodies and the log included (rule P2).
    ///
    /// The device's checkpoint is removed by `WatchChange.removedDevices` before.
    func erase(_ device: DeviceID) async throws

    /// Removes what is older than its span, by arrival; a part at a time, so that nobody waits long.
    ///
    /// - Returns: how many of each kind were removed.
    func removeExpired(_ retention: Retention, now: Timestamp) async throws -> [String: Int]

    /// Bytes of the database and of its write-ahead log.
    func size() async throws -> (database: Int64, log: Int64)
    /// Reads something; throws when the store does not answer.
    func ping() async throws
}

/// Which rows of history are wanted; what is `nil` does not matter.
public struct HistoryFilter: Hashable, Sendable {
    public var deviceID: DeviceID?
    public var regionID: RegionID?
    /// Patterns of event types; empty is every type.
    public var types: [GlobPattern] = []
    /// From this time of what happened on, and before that one.
    public var from, to: Timestamp?

    public init() {}
}

/// An event as it was stored.
public struct StoredEvent: Hashable, Sendable {
    /// Rises through all devices, with holes; the id of server-sent events.
    public var number: Int64
    public var event: NewEvent
    public var receivedAt: Timestamp

    public init(number: Int64, event: NewEvent, receivedAt: Timestamp) {
        self.number = number
        self.event = event
        self.receivedAt = receivedAt
    }
}

public struct StoredVisit: Hashable, Sendable {
    public var number: Int64
    public var deviceID: DeviceID
    public var visit: NewVisit

    public init(number: Int64, deviceID: DeviceID, visit: NewVisit) {
        self.number = number
        self.deviceID = deviceID
        self.visit = visit
    }
}

/// After which fix a page begins.
public struct LocationCursor: Hashable, Sendable {
    public var timestamp: Timestamp
    /// How many fixes of exactly that time came before.
    public var skip: Int

    public init(timestamp: Timestamp, skip: Int) {
        self.timestamp = timestamp
        self.skip = skip
    }
}

/// How long things are kept after they came (rule P1); `nil` is for ever.
public struct Retention: Hashable, Sendable {
    /// Fixes, quarantine and phones' reports.
    public var locations: Duration? = .seconds(30 * 86_400)
    /// Events and visits.
    public var events: Duration? = .seconds(365 * 86_400)
    /// Deliveries that are over.
    public var deliveries: Duration? = .seconds(14 * 86_400)

    public init() {}
}
