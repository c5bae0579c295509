import FencepostFiles
public import FencepostFormats
import FencepostGeometry
import FencepostModel
public import FencepostService
import Foundation
import GRDB

extension SQLiteStore: HistoryStore {
    /// Events by number.
    public func events(_ filter: HistoryFilter, after cursor: Int64, limit: Int) async throws -> [StoredEvent] {
        let view = eventTail.view(limit: filter.isDecidedByTail ? max(0, limit) : .max) {
            $0.number > cursor && filter.mayMatch($0)
        }
        return try await read { db in
            guard let found = try Self.conditions(filter, db, view.types) else { return [] }
            let search = try EventSearch(db, view)
            let readsAll = filter.isDecidedByTail && filter.from == nil && filter.to == nil
            let keys = readsAll ? nil : try search.keys(filter, types: found.types)
            var page = EventPage(db: db, conditions: found.conditions, limit: limit)
            try search.byNumber(filter, keys, after: cursor) { part in
                switch part {
                case .numbers(let numbers): try page.add(numbers)
                case .rows(let span): try page.add(span)
                }
                return page.isFull
            }
            try page.add(view.numbers)
            return page.events
        }
    }

    public func events(
        _ filter: HistoryFilter, after cursor: TimeCursor?, limit: Int, order: HistoryOrder
    ) async throws -> [StoredEvent] {
        let view = eventTail.view(byTime: order, limit: filter.isDecidedByTail ? max(0, limit) : .max) { event in
            filter.mayMatch(event)
                && cursor.map { order.isAfter((event.timestamp, event.number), $0.milliseconds) } ?? true
        }
        return try await read { db in
            guard let found = try Self.conditions(filter, db, view.types) else { return [] }
            let search = try EventSearch(db, view)
            var all = search.byTime(
                try search.keys(filter, types: found.types), order: order,
                from: filter.start(after: cursor?.milliseconds, order))
            var page = EventPage(db: db, conditions: found.conditions, order: order.sql("timestamp"), limit: limit)
            try page.fill(from: &all, through: filter.end(order))
            return page.events
        }
    }

    /// Conditions on events, and the types of the filter, `nil` for all; `nil` when no event can match.
    ///
    /// `known`: the types of all events.
    static func conditions(
        _ filter: HistoryFilter, _ db: Database, _ known: Set<String>
    ) throws -> (conditions: Conditions, types: [String]?)? {
        var conditions = Conditions()
        conditions.add(filter, time: "timestamp")
        conditions.add(pairsOf: filter)
        if let region = filter.regionID { conditions.add("region_id = ?", region.rawValue) }
        if let regions = filter.regionIDs {
            conditions.add(
                "region_id IN (SELECT value FROM json_each(?))", JSONColumn.encode(regions.map(\.rawValue)))
        }
        var types: [String]?
        if !filter.types.isEmpty {
            let matching = known.sorted().filter { type in filter.types.contains { $0.matches(type) } }
            guard !matching.isEmpty else { return nil }
            conditions.add("type IN (SELECT value FROM json_each(?))", JSONColumn.encode(matching))
            types = matching
        }
        if filter.holdsOnly { conditions.add("superseded_by IS NULL") }
        if let origins = filter.origins {
            conditions.add("origin IN (\(origins.map { String($0.rawValue) }.sorted().joined(separator: ", ")))")
        }
        return (conditions, types)
    }

    /// An event with its visit; `nil` when there is none.
    public func event(id: String) async throws -> StoredEvent? {
        let view = eventTail.view(ofIDs: [id])
        return try await read { db in
            var conditions = Conditions()
            conditions.add("id = ?", id)
            var page = EventPage(db: db, conditions: conditions, limit: 1)
            try page.add(EventSearch(db, view).numbers(.identity, of: [EventFacts.mark(id)]) + view.numbers)
            return page.events.first
        }
    }

    static func events(
        _ db: Database, _ conditions: Conditions, order: String = "number", limit: Int
    ) throws -> [StoredEvent] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT \(EventColumns.content), number, received_at, visit_id, detected_at, cause, revision, origin,
                  superseded_by FROM event
                WHERE \(conditions.sql) ORDER BY \(order) LIMIT \(max(0, limit))
                """, arguments: conditions.arguments)
        return try rows.map { row in
            var event = try EventColumns.event(row)
            let first = EventColumns.count
            event.detectedAt = try (row[first + 3] as Int64?).map { Timestamp(milliseconds: $0) }
            (event.cause, event.revision) = try (row[first + 4], row[first + 5])
            event.origin = try EventOrigin(rawValue: row[first + 6]) ?? .live
            event.supersededBy = try row[first + 7]
            if let id = try row[first + 2] as String? {
                event.visit = try Row.fetchOne(
                    db.cachedStatement(sql: "SELECT \(StoredVisit.columns) FROM visit WHERE id = ?"), arguments: [id]
                ).map { try StoredVisit(row: $0).visit }
            }
            return try StoredEvent(
                number: row[first], event: event, receivedAt: Timestamp(milliseconds: row[first + 1]))
        }
    }

    /// The numbers of the oldest and the newest event. Numbers are never used again: when all events are removed, the
    /// first is one more than the second.
    public func eventNumbers() async throws -> (oldest: Int64, newest: Int64) {
        try await read { db in
            let newest = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
            let oldest = try Int64.fetchOne(db, sql: "SELECT min(number) FROM event")
            return (oldest ?? newest + 1, newest)
        }
    }

    public func visits(
        _ filter: HistoryFilter, after cursor: TimeCursor?, limit: Int, order: HistoryOrder
    ) async throws -> [StoredVisit] {
        try await read { db in
            var conditions = Conditions()
            conditions.add(filter, time: "start", isByTime: filter.deviceID == nil)
            conditions.add(endOf: filter)
            conditions.add(regionsOf: filter)
            conditions.add(cursor, in: order, of: "start")
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT \(StoredVisit.columns) FROM visit
                    WHERE \(conditions.sql) ORDER BY \(order.sql("start")) LIMIT \(max(0, limit))
                    """, arguments: conditions.arguments
            ).map(StoredVisit.init(row:))
        }
    }

    /// Visits by number; those without a departure count as well. The time of the filter is that of their start.
    public func visits(_ filter: HistoryFilter, after cursor: Int64, limit: Int) async throws -> [StoredVisit] {
        try await read { db in
            var conditions = Conditions()
            conditions.add(filter, time: "start")
            conditions.add(endOf: filter)
            conditions.add(regionsOf: filter)
            if filter.deviceID == nil {
                conditions.addSpan(filter, table: "visit", index: "visit_by_time", time: "start", after: cursor)
            } else {
                conditions.add("number > ?", cursor)
            }
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT \(StoredVisit.columns) FROM visit
                    WHERE \(conditions.sql) ORDER BY number LIMIT \(max(0, limit))
                    """, arguments: conditions.arguments
            ).map(StoredVisit.init(row:))
        }
    }

    /// Decisions about an app by number. The time of the filter is that of the decision.
    public func decisions(
        of app: String, _ filter: HistoryFilter, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, decision: NewDecision)] {
        try await read { db in
            var conditions = Conditions()
            conditions.add("app_id = ? AND number > ?", app, cursor)
            conditions.add(filter, time: "timestamp")
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT number, event_id, device_id, timestamp, body FROM decision
                    WHERE \(conditions.sql) ORDER BY number LIMIT \(max(0, limit))
                    """, arguments: conditions.arguments
            ).map { row in
                let decision = try NewDecision(
                    appID: app, eventID: row[1], deviceID: DeviceID(row[2]),
                    timestamp: Timestamp(milliseconds: row[3]), body: row[4])
                return try (row[0], decision)
            }
        }
    }

    /// Reports by number.
    ///
    /// - Throws: a `StoreError` `corrupt` for a report that cannot be read.
    public func reports(
        _ filter: HistoryFilter, kind: String?, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, report: PhoneReport)] {
        try await read { db in
            var conditions = Conditions()
            conditions.add("number > ?", cursor)
            conditions.add(filter, time: "timestamp")
            if let kind { conditions.add("kind = ?", kind) }
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT number, kind, device_id, timestamp, latitude, longitude, accuracy, detail FROM report
                    WHERE \(conditions.sql) ORDER BY number LIMIT \(max(0, limit))
                    """, arguments: conditions.arguments
            ).map { row in
                guard let kind = try JSONColumn.decode(ReportDetail.self, row[7]).kind(named: row[1]) else {
                    throw StoreError(.corrupt, "A stored report cannot be read.")
                }
                var coordinate: Coordinate?
                if let latitude = try row[4] as Double?, let longitude = try row[5] as Double? {
                    coordinate = Coordinate(latitude: latitude, longitude: longitude)
                }
                let report = try PhoneReport(
                    deviceID: DeviceID(row[2]), timestamp: Timestamp(milliseconds: row[3]), coordinate: coordinate,
                    horizontalAccuracy: row[6], kind: kind)
                return try (row[0], report)
            }
        }
    }

    /// Rejected records by number. The time of the filter is that of their arrival.
    public func quarantine(
        _ filter: HistoryFilter, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, entry: QuarantineEntry)] {
        try await read { db in
            var conditions = Conditions()
            conditions.add("number > ?", cursor)
            conditions.add(filter, time: "received_at")
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT number, received_at, format, device_id, place, code, detail, fix FROM quarantine
                    WHERE \(conditions.sql) ORDER BY number LIMIT \(max(0, limit))
                    """, arguments: conditions.arguments
            ).map { row in
                let device = try (row[3] as String?).map { DeviceID($0) }
                let fix = try (row[7] as Data?).flatMap { bytes in
                    device.flatMap { try? FixDecoder.all([UInt8](bytes), devices: [$0]).first?.location }
                }
                let entry = try QuarantineEntry(
                    receivedAt: Timestamp(milliseconds: row[1]), format: row[2], deviceID: device, index: row[4],
                    code: row[5], detail: row[6], fix: fix)
                return try (row[0], entry)
            }
        }
    }

    /// By the lengths of the files. They are not opened, because closing them would release the database's locks.
    public func size() async throws -> (database: Int64, log: Int64) {
        (Self.length(of: path), Self.length(of: FileName.canonical(path) + "-wal"))
    }

    private static func length(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Reads one row on a connection for reading.
    public func ping() async throws {
        _ = try await read { db in try Int.fetchOne(db, sql: "SELECT id FROM store") }
    }
}

extension StoredVisit {
    /// The columns of `init(row:)`, in its order.
    static let columns = "number, id, device_id, start, \"end\", regions, body"

    init(row: Row) throws {
        try self.init(
            number: row[0], deviceID: DeviceID(row[2]),
            visit: NewVisit(
                id: row[1], start: Timestamp(milliseconds: row[3]),
                end: (row[4] as Int64?).map { Timestamp(milliseconds: $0) },
                regionIDs: try JSONColumn.decode([String].self, row[5]).map { RegionID($0) }, body: row[6]))
    }
}

extension TimeCursor {
    fileprivate var milliseconds: (Int64, Int64) { (timestamp.milliseconds, number) }
}

extension HistoryOrder {
    /// Whether a row, by its time and number, comes after another one.
    fileprivate func isAfter(_ row: (Int64, Int64), _ other: (Int64, Int64)) -> Bool {
        switch self {
        case .ascending: row > other
        case .descending: row < other
        }
    }

    /// The order of rows by a time and their numbers, which an index has in both directions.
    fileprivate func sql(_ column: String) -> String {
        switch self {
        case .ascending: "\(column), number"
        case .descending: "\(column) DESC, number DESC"
        }
    }
}

extension Conditions {
    /// Restricts visits to those that do not end before the time of a filter.
    fileprivate mutating func add(endOf filter: HistoryFilter) {
        if let time = filter.endsFrom { add("(\"end\" IS NULL OR \"end\" >= ?)", time.milliseconds) }
    }

    /// Restricts visits to those in the regions of a filter.
    fileprivate mutating func add(regionsOf filter: HistoryFilter) {
        if let region = filter.regionID {
            add("EXISTS (SELECT 1 FROM json_each(regions) WHERE value = ?)", region.rawValue)
        }
        if let regions = filter.regionIDs {
            add(
                "EXISTS (SELECT 1 FROM json_each(regions) AS at WHERE at.value IN (SELECT value FROM json_each(?)))",
                JSONColumn.encode(regions.map(\.rawValue)))
        }
    }

    /// Restricts rows by time to those after a cursor; `nil` for all.
    fileprivate mutating func add(_ cursor: TimeCursor?, in order: HistoryOrder, of column: String) {
        guard let cursor else { return }
        let comparison =
            switch order {
            case .ascending: ">"
            case .descending: "<"
            }
        add("(\(column), number) \(comparison) (?, ?)", cursor.timestamp.milliseconds, cursor.number)
    }
}

extension HistoryFilter {
    /// Whether an event that is in no run may match.
    func mayMatch(_ event: EventFacts) -> Bool {
        if let deviceID, EventFacts.mark(deviceID.rawValue) != event.device { return false }
        if let regionID, EventFacts.mark(regionID.rawValue) != event.region { return false }
        if let from, event.timestamp < from.milliseconds { return false }
        if let to, event.timestamp >= to.milliseconds { return false }
        return true
    }

    /// Whether each event matches that may match, so that not all of them have to be looked at.
    fileprivate var isDecidedByTail: Bool {
        deviceID == nil && devices == nil && chosen.isEmpty && regionID == nil && regionIDs == nil && types.isEmpty
            && origins == nil && !holdsOnly
    }

    /// The time and number of the first event that may match after a cursor; `nil` for any.
    fileprivate func start(after cursor: (Int64, Int64)?, _ order: HistoryOrder) -> (time: Int64, number: Int64)? {
        switch order {
        case .ascending:
            let first = from.map { ($0.milliseconds, Int64.min) }
            let next = cursor.map { ($0.0, $0.1 + 1) }
            return [first, next].compactMap(\.self).max(by: <)
        case .descending:
            let first = to.map { ($0.milliseconds - 1, Int64.max) }
            let next = cursor.map { ($0.0, $0.1 - 1) }
            return [first, next].compactMap(\.self).min(by: <)
        }
    }

    /// Whether events at a time, and those after it in the order, may match.
    fileprivate func end(_ order: HistoryOrder) -> (Int64) -> Bool {
        let (from, to) = (from?.milliseconds ?? .min, to?.milliseconds ?? .max)
        return { order == .ascending ? $0 < to : $0 >= from }
    }
}
