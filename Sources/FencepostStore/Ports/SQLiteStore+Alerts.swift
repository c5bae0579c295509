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
            guard var conditions = try Self.conditions(filter, db, view.types)?.conditions else { return [] }
            let mark = EventFacts.mark(device.rawValue)
            let numbers = try EventSearch(db, view).numbers(.device, of: [mark])
            conditions.add("number IN (SELECT value FROM json_each(?))", (numbers + view.numbers).json)
            // A device may have many alerts in a year, and few rules.
            let last = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(EventColumns.content) FROM event WHERE number IN (
                      SELECT max(number) FROM event WHERE \(conditions.sql)
                      GROUP BY event_alert(body, packed), region_id)
                    ORDER BY number
                    """, arguments: conditions.arguments)
            return try last.map(EventColumns.event).compactMap { $0.message?.event }
        }
    }

    /// The number of the newest event of a device; 0 for none. What replaces or retracts an event is a newer one.
    ///
    /// - Throws: when the store cannot read.
    public func newestEvent(of device: DeviceID) async throws -> Int64 {
        let mark = EventFacts.mark(device.rawValue)
        let view = eventTail.view { $0.device == mark }
        return try await read { db in
            var newest: Int64 = 0
            // An event of another device with an equal mark only costs a read.
            try EventSearch(db, view).newest(.device, of: mark) { numbers in
                newest = numbers.first ?? 0
                return true
            }
            return newest
        }
    }
}
