import FencepostAnalysis
import FencepostHTTP
import FencepostJSON
import FencepostModel

extension JSONWriter {
    /// A summary without rounding, for the node that adds those of all partitions, with the names for its rows.
    mutating func value(exact summary: Summary, names: [String: String]) {
        beginObject()
        member("by", summary.grouping.rawValue)
        member("period", summary.period.rawValue)
        member("timeZone", summary.timeZone)
        member("dayStartsAt", summary.dayStart.text)
        name("names")
        beginObject()
        for (id, text) in names.sorted(by: { $0.key < $1.key }) { member(id, text) }
        endObject()
        array("rows", summary.rows) { writer, row in
            writer.beginArray()
            writer.value(row.group)
            writer.value(row.period.start.milliseconds)
            writer.value(row.period.end.milliseconds)
            writer.value(row.date)
            writer.value(row.insideSeconds)
            writer.value(row.visits)
            writer.value(row.trips)
            writer.value(row.distance)
            writer.value(row.movingSeconds)
            for seconds in [row.knownSeconds, row.unknownSeconds] {
                if let seconds { writer.value(seconds) } else { writer.null() }
            }
            writer.endArray()
        }
        endObject()
    }
}

extension Summary {
    /// The summary that `JSONWriter.value(exact:)` has written; `nil` for anything else.
    init?(exact root: JSONElement) {
        guard let grouping = root["by"]?.string.flatMap({ SummaryGrouping(rawValue: $0) }),
            let period = root["period"]?.string.flatMap({ SummaryPeriod(rawValue: $0) }),
            let timeZone = root["timeZone"]?.string,
            let dayStart = root["dayStartsAt"]?.string.flatMap({ DayStart($0) }), let elements = root["rows"]?.array
        else { return nil }
        var rows: [Row] = []
        for element in elements {
            let cells = element.array.map(Array.init) ?? []
            guard cells.count == 11, let group = cells[0].string, let start = cells[1].int, let end = cells[2].int,
                let date = cells[3].string, let inside = cells[4].double, let visits = cells[5].int,
                let trips = cells[6].int, let distance = cells[7].double, let moving = cells[8].double
            else { return nil }
            let span = TimeSpan(Timestamp(milliseconds: Int64(start)), Timestamp(milliseconds: Int64(end)))
            var row = Row(group: group, period: span, date: date)
            (row.insideSeconds, row.visits, row.trips) = (inside, visits, trips)
            (row.distance, row.movingSeconds) = (distance, moving)
            (row.knownSeconds, row.unknownSeconds) = (cells[9].double, cells[10].double)
            rows.append(row)
        }
        self.init(grouping: grouping, period: period, timeZone: timeZone, dayStart: dayStart, rows: rows)
    }
}
