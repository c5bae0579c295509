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
}
