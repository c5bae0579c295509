public import FencepostFormats
public import FencepostModel

/// Reads stored history, the oldest first where no order is given. Pages stay stable while rows are added.
///
/// A `cursor` is the number of the last row of the page before, 0 for the first page.
public protocol HistoryStore: Sendable {
    /// Events.
    func events(_ filter: HistoryFilter, after cursor: Int64, limit: Int) async throws -> [StoredEvent]
    /// An event; `nil` when there is none.
    func event(id: String) async throws -> StoredEvent?
    /// The numbers of the oldest and the newest stored event. Without events the first is one more than the second: (1,
    /// 0) in a new store.
    func eventNumbers() async throws -> (oldest: Int64, newest: Int64)
    /// Events by their timestamps, which those of the past precede when they are stored later.
    func events(
        _ filter: HistoryFilter, after cursor: TimeCursor?, limit: Int, order: HistoryOrder
    ) async throws -> [StoredEvent]
    /// The entries into the regions in which a device was before a time: of each region the first entry after its last
    /// exit, by time. Events that another one replaces do not count.
    func openEntries(of device: DeviceID, before time: Timestamp) async throws -> [StoredEvent]
    /// Visits by their starts.
    func visits(
        _ filter: HistoryFilter, after cursor: TimeCursor?, limit: Int, order: HistoryOrder
    ) async throws -> [StoredVisit]
    /// Visits.
    func visits(_ filter: HistoryFilter, after cursor: Int64, limit: Int) async throws -> [StoredVisit]
    /// Fixes of one device by their time; those of the same time in order of arrival.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - from: the inclusive start; `nil` for none.
    ///   - to: the exclusive end; `nil` for none.
    ///   - cursor: the end of the page before; `nil` for the first page.
    ///   - limit: the largest number of fixes to return.
    ///   - includesAhead: whether fixes whose time is ahead of their arrival are returned too.
    ///   - order: the order; the descending one is the reverse of the other.
    /// - Returns: the fixes; empty at the end.
    /// - Throws: when the store cannot read.
    ///
    /// Seven parameters, because a page of a span takes five.
    func locations(
        of device: DeviceID, from: Timestamp?, to: Timestamp?, after cursor: LocationCursor?, limit: Int,
        includesAhead: Bool, order: HistoryOrder
    ) async throws -> [StoredLocation]
    /// Calls a body for each device that has been near an area, by the bytes of the ids, with all of its fixes.
    ///
    /// All is read from one snapshot of the store, which keeps what the store replaces meanwhile: it should take seconds at most.
    ///
    /// - Parameters:
    ///   - search: the area. Some of the devices may not have been near it.
    ///   - body: gets a device and its fixes, and returns whether to go on with the next device.
    /// - Throws: when the store cannot read, or what the body throws.
    func forEachDevice(
        near search: FixSearch, _ body: @escaping @Sendable (DeviceID, FixSource) throws -> Bool
    ) async throws
    /// Decisions of the relaunch rules for an app.
    func decisions(
        of app: String, _ filter: HistoryFilter, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, decision: NewDecision)]
    /// Reports of phones; `kind` `nil` for all.
    func reports(
        _ filter: HistoryFilter, kind: String?, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, report: PhoneReport)]
    /// Rejected records.
    func quarantine(
        _ filter: HistoryFilter, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, entry: QuarantineEntry)]

    /// Erases all stored data of a device, including delivery bodies and the log (rule P2).
    ///
    /// - Precondition: `WatchChange.removedDevices` has removed the device's checkpoint.
    func erase(_ device: DeviceID) async throws

    /// Fixes of the quarantine, of which only the time was refused.
    func quarantinedFixes(
        after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, format: String, fix: Location)]
    /// Removes rows of the quarantine.
    func removeQuarantined(_ numbers: [Int64]) async throws

    /// The newest fix that was ever stored, by the smaller one of its own time and its arrival; `nil` without one.
    func newestFix() async throws -> Timestamp?
    /// Remembers that the true time is at least `trustedTime`, for the next start.
    func remember(trustedTime: Timestamp) async throws
    /// Removes rows that arrived before their retention, in small transactions.
    ///
    /// - Parameters:
    ///   - retention: how long rows of each kind are kept.
    ///   - now: the time from which retention counts.
    ///   - isGuarded: whether one run removes at most a part, as `RetentionGuard.limit` says.
    /// - Returns: the number of removed rows by kind.
    /// - Throws: when the store cannot write; rows of earlier transactions stay removed.
    func removeExpired(_ retention: Retention, now: Timestamp, isGuarded: Bool) async throws -> [String: Int]

    /// Size of the database and of its write-ahead log in bytes.
    func size() async throws -> (database: Int64, log: Int64)
    /// Reads something.
    ///
    /// - Throws: when the store does not answer.
    func ping() async throws
}

extension HistoryStore {
    /// Removes all expired rows at once.
    public func removeExpired(_ retention: Retention, now: Timestamp) async throws -> [String: Int] {
        try await removeExpired(retention, now: now, isGuarded: false)
    }
}

/// Selects rows of history. Members that are `nil` match all.
public struct HistoryFilter: Hashable, Sendable {
    /// The device.
    public var deviceID: DeviceID?
    /// Patterns of devices; `nil` for every device and for rows without one.
    public var devices: [GlobPattern]?
    /// More patterns of devices: of each list one has to match.
    public var chosen: [[GlobPattern]] = []
    /// The region.
    public var regionID: RegionID?
    /// Regions, of which it is one; `nil` for every region and for rows without one.
    public var regionIDs: [RegionID]?
    /// Patterns of event types; empty for every type.
    public var types: [GlobPattern] = []
    /// The time of the event: at or after `from`, before `to`.
    public var from, to: Timestamp?
    /// Only visits that end at or after a time, or go on; `nil` for all. Events have no end.
    public var endsFrom: Timestamp?

    /// What brought the events about; `nil` for any.
    public var origins: Set<EventOrigin>?
    /// Only events that no other one replaces or retracts.
    public var holdsOnly = false

    /// A filter that matches all.
    public init() {}
}

/// In which direction of time a list goes.
public enum HistoryOrder: String, CaseIterable, Hashable, Sendable {
    /// The oldest first.
    case ascending = "asc"
    /// The newest first.
    case descending = "desc"
}

/// The end of a page of rows by time.
public struct TimeCursor: Hashable, Sendable {
    /// The time of the page's last row.
    public var timestamp: Timestamp
    /// The number of that row.
    public var number: Int64

    /// A cursor after a row.
    public init(timestamp: Timestamp, number: Int64) {
        (self.timestamp, self.number) = (timestamp, number)
    }
}

/// An event with its number in the store.
public struct StoredEvent: Hashable, Sendable {
    /// Increases over all devices, with gaps; the id of server-sent events.
    public var number: Int64
    /// The event.
    public var event: NewEvent
    /// When its commit was evaluated.
    public var receivedAt: Timestamp

    /// A stored event.
    public init(number: Int64, event: NewEvent, receivedAt: Timestamp) {
        self.number = number
        self.event = event
        self.receivedAt = receivedAt
    }
}

/// A visit with its number in the store.
public struct StoredVisit: Hashable, Sendable {
    /// Increases over all devices, with gaps.
    public var number: Int64
    /// The device.
    public var deviceID: DeviceID
    /// The visit.
    public var visit: NewVisit

    /// A stored visit.
    public init(number: Int64, deviceID: DeviceID, visit: NewVisit) {
        self.number = number
        self.deviceID = deviceID
        self.visit = visit
    }
}

/// The end of a page of fixes.
public struct LocationCursor: Hashable, Sendable {
    /// The time of the page's last fix.
    public var timestamp: Timestamp
    /// Number of fixes of exactly that time that arrived before those of the next page, for an ascending list those on this page
    /// and the ones before. In a descending list they are the ones that are left, so that what arrives later moves none of them.
    public var skip: Int

    /// A cursor after a fix.
    public init(timestamp: Timestamp, skip: Int) {
        self.timestamp = timestamp
        self.skip = skip
    }
}

/// How long rows are kept after their arrival (rule P1); `nil` for ever.
public struct Retention: Hashable, Sendable {
    /// Fixes, rejected records and reports of phones; 30 days.
    public var locations: Duration? = .seconds(30 * 86_400)
    /// Events and visits; 365 days.
    public var events: Duration? = .seconds(365 * 86_400)
    /// Deliveries that are no longer pending; 14 days.
    public var deliveries: Duration? = .seconds(14 * 86_400)

    /// The default retention.
    public init() {}
}

extension HistoryStore {
    /// All fixes of one device, also those whose time is ahead of their arrival, which are never evaluated.
    public func locations(
        of device: DeviceID, from: Timestamp?, to: Timestamp?, after cursor: LocationCursor?, limit: Int
    ) async throws -> [StoredLocation] {
        try await locations(of: device, from: from, to: to, after: cursor, limit: limit, includesAhead: true)
    }

    /// The fixes of one device, the oldest first. Six parameters, because the protocol has them.
    public func locations(
        of device: DeviceID, from: Timestamp?, to: Timestamp?, after cursor: LocationCursor?, limit: Int,
        includesAhead: Bool
    ) async throws -> [StoredLocation] {
        try await locations(
            of: device, from: from, to: to, after: cursor, limit: limit, includesAhead: includesAhead,
            order: .ascending)
    }

    /// Events by their timestamps, the oldest first.
    public func events(
        _ filter: HistoryFilter, after cursor: TimeCursor?, limit: Int
    ) async throws -> [StoredEvent] {
        try await events(filter, after: cursor, limit: limit, order: .ascending)
    }

    /// Visits by their starts, the oldest first.
    public func visits(
        _ filter: HistoryFilter, after cursor: TimeCursor?, limit: Int
    ) async throws -> [StoredVisit] {
        try await visits(filter, after: cursor, limit: limit, order: .ascending)
    }
}
