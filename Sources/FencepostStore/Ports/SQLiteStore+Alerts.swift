public import FencepostModel
import FencepostService
import GRDB

extension SQLiteStore {
    /// The last live events of alerts of a device, one for each rule and region, and perhaps some more before them: those that no
    /// other event replaces or retracts, in their order.
    ///
    /// - Throws: when the store cannot read.
    public func alertEvents(of device: DeviceID) async throws -> [Event] {
        var filter = HistoryFilter()
        (filter.deviceID, filter.types, filter.origins, filter.holdsOnly) = (
            device, [GlobPattern("alert.*")], [.live], true
        )
        let view = eventTail.view { [filter] in filter.mayMatch($0) }
        return try await read { [filter] db in
            guard let conditions = try Self.conditions(filter, db, view.types) else { return [] }
            var indexed = conditions
            indexed.add("is_indexed = 1 AND number <= ?", view.through)
            // A device may have many alerts in a year, and few rules.
            let last = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(EventColumns.content) FROM event WHERE number IN (
                      SELECT max(number) FROM event WHERE \(indexed.sql)
                      GROUP BY event_alert(body, packed), region_id)
                    ORDER BY number
                    """, arguments: indexed.arguments)
            let events =
                try last.map(EventColumns.event)
                + Self.events(db, conditions, of: view, limit: .max).map(\.event)
            return events.compactMap { $0.message?.event }
        }
    }

    /// The number of the newest event of a device; 0 for none. What replaces or retracts an event is a newer one.
    ///
    /// - Throws: when the store cannot read.
    public func newestEvent(of device: DeviceID) async throws -> Int64 {
        var filter = HistoryFilter()
        filter.deviceID = device
        let view = eventTail.view { [filter] in filter.mayMatch($0) }
        let indexed = try await read { db in
            try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT max(number) FROM event WHERE is_indexed = 1 AND device_id = ?"),
                arguments: [device.rawValue])
        }
        // An event of another device with an equal hash only costs a read.
        return max(indexed ?? 0, view.numbers.last ?? 0)
    }
}
