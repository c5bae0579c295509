import FencepostModel
import FencepostService
import GRDB

/// The terms of a WHERE clause, joined by AND. Values are always passed as arguments.
struct Conditions {
    private var terms: [String] = []
    /// Patterns of devices that become a term each.
    private static let fewPatterns = 100
    private(set) var arguments = StatementArguments()

    var sql: String { terms.isEmpty ? "1" : terms.joined(separator: " AND ") }

    mutating func add(_ term: String, _ values: (any DatabaseValueConvertible)?...) {
        terms.append(term)
        arguments += StatementArguments(values)
    }

    /// `isByTime`: whether the rows are read along an index of times. A plus keeps SQLite from going along another index then,
    /// and sorting all that it finds there.
    mutating func add(_ filter: HistoryFilter, time column: String, isByTime: Bool = false) {
        let device = isByTime ? "+device_id" : "device_id"
        if let device = filter.deviceID { add("device_id = ?", device.rawValue) }
        for devices in filter.chosen + (filter.devices.map { [$0] } ?? []) {
            // SQLite's GLOB has the same stars and question marks, and classes of characters besides.
            let patterns = devices.map { $0.rawValue.replacing("[", with: "[[]") }
            if patterns.count <= Self.fewPatterns {
                let each = patterns.map { _ in "\(device) GLOB ?" }.joined(separator: " OR ")
                terms.append(patterns.isEmpty ? "0" : "(\(each))")
                arguments += StatementArguments(patterns)
            } else {
                // SQLite refuses an expression that is deeper than 1,000, and groups can add up to more patterns.
                add("EXISTS (SELECT 1 FROM json_each(?) WHERE device_id GLOB value)", JSONColumn.encode(patterns))
            }
        }
        if let from = filter.from { add("\(column) >= ?", from.milliseconds) }
        if let to = filter.to { add("\(column) < ?", to.milliseconds) }
    }

    /// Of events that name two devices, those of which a caller who sees some devices only sees both.
    mutating func add(pairsOf filter: HistoryFilter) {
        guard let devices = filter.devices else { return }
        let patterns = devices.map { $0.rawValue.replacing("[", with: "[[]") }
        let list = JSONColumn.encode(patterns)
        add(
            """
            (type NOT GLOB 'proximity.*' OR EXISTS (
              SELECT 1 FROM proximity_event WHERE event_id = coalesce(cause, id)
                AND EXISTS (SELECT 1 FROM json_each(?) WHERE proximity_event.device_id GLOB value)
                AND EXISTS (SELECT 1 FROM json_each(?) WHERE proximity_event.other_id GLOB value)))
            """, list, list)
    }

    /// Restricts the row numbers to those of a time span, which an index on the time finds.
    ///
    /// Lists are ordered by number. Numbers increase with arrival, as times mostly do, so the scan starts near the span
    /// instead of at the first row.
    ///
    /// `condition`: of the index, if it has not all rows. More than five parameters, because each is a part of the SQL.
    mutating func addSpan(
        _ filter: HistoryFilter, table: String, index: String, where condition: String = "1", time column: String,
        after: Int64
    ) {
        add("number > ?", after)
        guard filter.from != nil || filter.to != nil else { return }
        let from = filter.from?.milliseconds ?? .min
        let to = filter.to?.milliseconds ?? .max
        for (comparison, end) in [(">=", "min"), ("<=", "max")] {
            add(
                """
                number \(comparison) (SELECT \(end)(number) FROM \(table) INDEXED BY \(index)
                  WHERE \(condition) AND \(column) >= ? AND \(column) < ? AND number > ?)
                """, from, to, after)
        }
    }
}
