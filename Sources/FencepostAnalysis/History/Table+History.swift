public import FencepostFormats
import FencepostGeometry
import FencepostModel

extension Summary {
    /// The rows as a table with the columns of the CSV form of `GET /v1/summaries`.
    public var table: Table {
        Table(
            name: "By \(grouping.rawValue) and \(period.rawValue)",
            columns: [
                grouping.member, "date", "secondsInside", "visits", "trips", "distance", "movingTime", "secondsKnown",
            ],
            rows: rows.map { row in
                [
                    .text(row.group), .text(row.date), .number(row.insideSeconds.rounded()),
                    .number(Double(row.visits)), .number(Double(row.trips)), .number(row.distance.rounded()),
                    .number(row.movingSeconds.rounded()), row.knownSeconds.map { .number($0.rounded()) } ?? .empty,
                ]
            })
    }
}

extension [Trip] {
    /// The trips as a table, without their lines.
    public var table: Table {
        Table(
            name: "Trips",
            columns: [
                "id", "deviceId", "start", "end", "startLatitude", "startLongitude", "endLatitude", "endLongitude",
                "startRegions", "endRegions", "distance", "duration", "movingTime", "unknownTime", "topSpeed", "mode",
                "modeConfidence", "locations",
            ],
            rows: map { trip in
                var row: [Table.Cell] = [
                    .text(trip.id), .text(trip.deviceID.rawValue), .text(trip.start.time.rfc3339),
                    .text(trip.end.time.rfc3339),
                ]
                row += [
                    trip.start.coordinate.latitude, trip.start.coordinate.longitude, trip.end.coordinate.latitude,
                    trip.end.coordinate.longitude,
                ].map { .number(($0 * 1e6).rounded() / 1e6) }
                row += [trip.start, trip.end].map { end in .text(end.regions.map(\.rawValue).joined(separator: " ")) }
                row += [trip.distance, trip.seconds, trip.movingSeconds, trip.unknownSeconds].map { .number($0.rounded()) }
                row += [
                    .number((trip.topSpeed * 10).rounded() / 10), .text(trip.mode.rawValue),
                    .number((trip.modeConfidence * 100).rounded() / 100), .number(Double(trip.locations)),
                ]
                return row
            })
    }
}
