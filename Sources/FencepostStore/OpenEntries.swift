public import FencepostModel
public import FencepostService
import GRDB

/// Finds the regions in which a device was at a time, by its crossings before it.
///
/// The rows of the crossings are read without what events say, which is nearly all of their bytes.
struct OpenEntries {
    /// The time and the number of the first entry after the last exit.
    private var entries: [String: (time: Int64, number: Int64)] = [:]

    /// The numbers of the entries, by time.
    var numbers: [Int64] {
        entries.values.sorted { ($0.time, $0.number) < ($1.time, $1.number) }.map(\.number)
    }

    /// The entries before a time.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - device: the device.
    ///   - time: the exclusive end.
    ///   - view: the events that are not in the indexes.
    /// - Throws: when the database cannot be read.
    init(_ db: Database, of device: DeviceID, before time: Timestamp, _ view: EventTail.View) throws {
        let columns = "timestamp, number, type = ?1, region_id"
        let condition = """
            device_id = ?3 AND timestamp < ?4 AND +type IN (?1, ?2) AND superseded_by IS NULL AND region_id IS NOT NULL
            """
        let arguments: StatementArguments = [
            EventType.regionEntered.rawValue, EventType.regionExited.rawValue, device.rawValue, time.milliseconds,
        ]
        // The index has them by time and number.
        let indexed = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM event INDEXED BY event_by_device_time
                    WHERE is_indexed = 1 AND \(condition) AND +number <= ?5 ORDER BY timestamp, number
                    """), arguments: arguments + [view.through])
        guard !view.numbers.isEmpty else {
            while let row = try indexed.next() { try add(row) }
            return
        }
        var crossings: [Row] = []
        while let row = try indexed.next() { crossings.append(row.copy()) }
        crossings += try Row.fetchAll(
            db,
            sql: """
                SELECT \(columns) FROM event
                WHERE number IN (SELECT value FROM json_each(?5)) AND \(condition)
                """, arguments: arguments + [view.numbers.json])
        let keyed = try crossings.map { row in (try row[0] as Int64, try row[1] as Int64, row) }
        for (_, _, row) in keyed.sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }) { try add(row) }
    }

    /// Adds a crossing. They come by time, then by number.
    private mutating func add(_ row: Row) throws {
        let region: String = try row[3]
        if try row[2] as Bool {
            guard entries[region] == nil else { return }
            let (time, number): (Int64, Int64) = try (row[0], row[1])
            entries[region] = (time: time, number: number)
        } else {
            entries[region] = nil
        }
    }
}

extension SQLiteStore {
    public func openEntries(of device: DeviceID, before time: Timestamp) async throws -> [StoredEvent] {
        var filter = HistoryFilter()
        (filter.deviceID, filter.to) = (device, time)
        let view = eventTail.view { filter.mayMatch($0) }
        return try await read { db in
            let numbers = try OpenEntries(db, of: device, before: time, view).numbers
            guard !numbers.isEmpty else { return [] }
            var conditions = Conditions()
            conditions.add("number IN (SELECT value FROM json_each(?))", numbers.json)
            return try Self.events(db, conditions, order: "timestamp, number", limit: numbers.count)
        }
    }
}
