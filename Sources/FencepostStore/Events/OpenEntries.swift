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
    ///   - view: the events that are in no run.
    /// - Throws: when the database cannot be read.
    init(_ db: Database, of device: DeviceID, before time: Timestamp, _ view: EventTail.View) throws {
        let mark = EventFacts.mark(device.rawValue)
        let numbers = try EventSearch(db, view).numbers(.device, of: [mark], before: time.milliseconds)
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT timestamp, number, type = ?1, region_id FROM event
                    WHERE number IN (SELECT value FROM json_each(?5)) AND device_id = ?3 AND timestamp < ?4
                      AND type IN (?1, ?2) AND superseded_by IS NULL AND region_id IS NOT NULL
                    ORDER BY timestamp, number
                    """),
            arguments: [
                EventType.regionEntered.rawValue, EventType.regionExited.rawValue, device.rawValue, time.milliseconds,
                (numbers + view.numbers).json,
            ])
        while let row = try rows.next() { try add(row) }
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
