package import FencepostAnalysis
package import FencepostEngine
package import FencepostFormats
package import FencepostJSON
import FencepostModel

extension Presence {
    /// Seconds from the arrival to the departure; `nil` while one of them is not known.
    package var seconds: Double? {
        guard let arrival, let departure else { return nil }
        return (departure - arrival).seconds
    }

    /// Presences as a table with the columns of the CSV form of `POST /v1/query/presences`.
    package static func table(of presences: [Presence]) -> Table {
        Table(
            name: "Presences",
            columns: [
                "deviceId", "arrival", "departure", "duration", "arrivalConfidence", "departureConfidence",
                "arrivalEarliest", "arrivalLatest", "departureEarliest", "departureLatest",
            ],
            rows: presences.map { row in
                func times(_ times: Timestamp?...) -> [Table.Cell] {
                    times.map { time in time.map { .text($0.rfc3339) } ?? .empty }
                }
                var cells: [Table.Cell] = [.text(row.deviceID.rawValue)] + times(row.arrival, row.departure)
                cells.append(row.seconds.map { .number($0.rounded()) } ?? .empty)
                cells += [row.entry, row.exit].map { $0?.statedConfidence.map { .number($0) } ?? .empty }
                return cells
                    + times(row.entry?.earliest, row.entry?.latest, row.exit?.earliest, row.exit?.latest)
            })
    }

    /// Presences for people: names with the ids after them, local times and durations, with their total.
    package static func workbookTable(of presences: [Presence], _ wording: Table.Wording) -> Table {
        Table(
            name: "Presences",
            columns: [
                "Device", "Device ID", Table.Column("Arrival", .moment), Table.Column("Departure", .moment),
                Table.Column("Duration", .duration, isTotalled: true), "Arrival confidence", "Departure confidence",
            ],
            rows: presences.map { row in
                var cells: [Table.Cell] = [
                    .text(wording.devices[row.deviceID] ?? row.deviceID.rawValue), .text(row.deviceID.rawValue),
                ]
                cells += [row.arrival, row.departure].map { time in
                    time.map { .moment($0, in: wording.zone) } ?? .empty
                }
                cells.append(row.seconds.map(Table.Cell.duration) ?? .empty)
                return cells + [row.entry, row.exit].map { $0?.statedConfidence.map { .number($0) } ?? .empty }
            })
    }
}

extension Event {
    /// The confidence to thousandths, as events on the wire have it.
    fileprivate var statedConfidence: Double? {
        confidence.flatMap { $0.isFinite ? ($0 * 1000).rounded() / 1000 : nil }
    }
}

extension JSONWriter {
    /// Writes a presence: the times of its entry and exit with their confidences, and their bounds where events have them.
    package mutating func value(_ presence: Presence) {
        beginObject()
        name("deviceId")
        value(presence.deviceID.rawValue)
        for (member, time) in [("arrival", presence.arrival), ("departure", presence.departure)] {
            name(member)
            if let time { value(time.rfc3339) } else { null() }
        }
        for (member, event) in [("arrivalConfidence", presence.entry), ("departureConfidence", presence.exit)] {
            guard let confidence = event?.statedConfidence else { continue }
            name(member)
            value(confidence)
        }
        for (member, event) in [("arrival", presence.entry), ("departure", presence.exit)] {
            for (bound, time) in [("Earliest", event?.earliest), ("Latest", event?.latest)] {
                guard let time else { continue }
                name(member + bound)
                value(time.rfc3339)
            }
        }
        endObject()
    }
}
