public import FencepostFormats
import FencepostGeometry
import FencepostModel

extension DeviceVisit {
    /// Visits as a table with the columns of the CSV form of `GET /v1/visits`.
    public static func table(of visits: [DeviceVisit]) -> Table {
        Table(
            name: "Visits",
            columns: [
                "id", "deviceId", "arrival", "departure", "latitude", "longitude", "horizontalAccuracy", "regions",
                "duration", "arrivalEarliest", "arrivalLatest", "departureEarliest", "departureLatest",
            ],
            rows: visits.map { row in
                let visit = row.visit
                func times(_ times: Timestamp?...) -> [Table.Cell] {
                    times.map { time in time.map { .text($0.rfc3339) } ?? .empty }
                }
                var cells: [Table.Cell] = [.text(visit.id), .text(row.deviceID.rawValue)]
                cells += times(visit.arrival, visit.departure)
                cells += row.position
                cells += [
                    .text(visit.regions.map(\.rawValue).joined(separator: " ")),
                    row.seconds.map { .number($0.rounded()) } ?? .empty,
                ]
                return cells
                    + times(
                        visit.arrivalEarliest, visit.arrivalLatest, visit.departureEarliest, visit.departureLatest)
            })
    }

    /// Visits for people: names with the ids after them, local times and durations, with their total.
    ///
    /// A cell is empty where the arrival or the departure is not known.
    public static func workbookTable(of visits: [DeviceVisit], _ wording: Table.Wording) -> Table {
        Table(
            name: "Visits",
            columns: [
                "Device", "Device ID", "Region", "Region ID", Table.Column("Arrival", .moment),
                Table.Column("Departure", .moment), Table.Column("Duration", .duration, isTotalled: true), "Latitude",
                "Longitude", "Accuracy (m)", "Visit ID",
            ],
            rows: visits.map { row in
                let visit = row.visit
                func joined(_ texts: [String]) -> Table.Cell {
                    texts.isEmpty ? .empty : .text(texts.joined(separator: ", "))
                }
                var cells: [Table.Cell] = [
                    .text(wording.devices[row.deviceID] ?? row.deviceID.rawValue), .text(row.deviceID.rawValue),
                    joined(visit.regions.map { wording.regions[$0] ?? $0.rawValue }),
                    joined(visit.regions.map(\.rawValue)),
                ]
                cells += [visit.arrival, visit.departure].map { time in
                    time.map { .moment($0, in: wording.zone) } ?? .empty
                }
                cells.append(row.seconds.map(Table.Cell.duration) ?? .empty)
                return cells + row.position + [.text(visit.id)]
            })
    }

    /// Latitude and longitude to a decimetre, and the accuracy.
    private var position: [Table.Cell] {
        [visit.coordinate.latitude, visit.coordinate.longitude].map { .number(($0 * 1e6).rounded() / 1e6) }
            + [.number((visit.horizontalAccuracy * 10).rounded() / 10)]
    }
}
