public import FencepostFormats
import FencepostGeometry
import FencepostModel

extension Trip {
    /// Trips as a table, without their lines.
    public static func table(of trips: [Trip]) -> Table {
        Table(
            name: "Trips",
            columns: [
                "id", "deviceId", "start", "end", "startLatitude", "startLongitude", "endLatitude", "endLongitude",
                "startRegions", "endRegions", "distance", "duration", "movingTime", "unknownTime", "topSpeed", "mode",
                "modeConfidence", "locations",
            ],
            rows: trips.map { trip in
                var row: [Table.Cell] = [
                    .text(trip.id), .text(trip.deviceID.rawValue), .text(trip.start.time.rfc3339),
                    .text(trip.end.time.rfc3339),
                ]
                row += [
                    trip.start.coordinate.latitude, trip.start.coordinate.longitude, trip.end.coordinate.latitude,
                    trip.end.coordinate.longitude,
                ].map { .number(($0 * 1e6).rounded() / 1e6) }
                row += [trip.start, trip.end].map { end in .text(end.regions.map(\.rawValue).joined(separator: " ")) }
                row += [trip.distance, trip.seconds, trip.movingSeconds, trip.unknownSeconds].map {
                    .number($0.rounded())
                }
                row += [
                    .number((trip.topSpeed * 10).rounded() / 10), .text(trip.mode.rawValue),
                    .number((trip.modeConfidence * 100).rounded() / 100), .number(Double(trip.locations)),
                ]
                return row
            })
    }

    /// Trips for people: names, local times, durations and units, with totals.
    public static func workbookTable(of trips: [Trip], _ wording: Table.Wording) -> Table {
        Table(
            name: "Trips",
            columns: [
                "Device", "Device ID", Table.Column("Start", .moment), Table.Column("End", .moment), "From", "To",
                Table.Column("Distance (\(wording.units.distanceUnit))", .tenths, isTotalled: true),
                Table.Column("Duration", .duration, isTotalled: true),
                Table.Column("Time in motion", .duration, isTotalled: true),
                Table.Column("Time unknown", .duration, isTotalled: true),
                Table.Column("Top speed (\(wording.units.speedUnit))", .tenths), "Mode", "Start latitude",
                "Start longitude", "End latitude", "End longitude", "Trip ID",
            ],
            rows: trips.map { trip in
                func names(_ end: End) -> Table.Cell {
                    let names = end.regions.map { wording.regions[$0] ?? $0.rawValue }
                    return names.isEmpty ? .empty : .text(names.joined(separator: ", "))
                }
                let id = trip.deviceID
                var row: [Table.Cell] = [.text(wording.devices[id] ?? id.rawValue), .text(id.rawValue)]
                row += [trip.start, trip.end].map { .moment($0.time, in: wording.zone) }
                row += [names(trip.start), names(trip.end), .distance(trip.distance, wording.units)]
                row += [trip.seconds, trip.movingSeconds, trip.unknownSeconds].map(Table.Cell.duration)
                row += [
                    .number((wording.units.inSpeedUnit(trip.topSpeed) * 10).rounded() / 10),
                    .text(trip.mode.rawValue.prefix(1).uppercased() + trip.mode.rawValue.dropFirst()),
                ]
                row += [trip.start.coordinate, trip.end.coordinate].flatMap { [$0.latitude, $0.longitude] }
                    .map { .number(($0 * 1e6).rounded() / 1e6) }
                return row + [.text(trip.id)]
            })
    }
}
