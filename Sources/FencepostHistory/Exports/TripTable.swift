import FencepostAnalysis
import FencepostGeometry
import FencepostModel
import FencepostParquet

/// The columns of trips: the members of `GET /v1/trips` without legs, rounded as there, and the line as the geometry.
struct TripTable: ExportTable {
    private var id = TextColumn()
    private var device = TextColumn()
    private var ends = [TripEndColumns("start"), TripEndColumns("end")]
    private var figures = Array(repeating: NumberColumn<Double>(), count: 6)
    private var mode = TextColumn()
    private var locations = NumberColumn<Int32>()
    private(set) var geometry = GeometryColumn(.line)

    static func rows(of batch: ExportBatch) -> [Trip] {
        guard case .trips(let rows) = batch else { preconditionFailure("a batch of another kind") }
        return rows.map(\.trip)
    }

    var byteCount: Int { geometry.byteCount }

    var fields: [ParquetField] {
        let figures = ["distance", "duration", "movingTime", "unknownTime", "topSpeed", "modeConfidence"]
        return [.text("id"), .text("deviceId")] + ends.flatMap(\.fields) + figures.map { .number($0) }
            + [.text("mode"), ParquetField("locations", .value(.int32, nil))] + geometry.fields
    }

    var columns: [any ParquetColumn] {
        [id, device] + ends.flatMap(\.columns) + figures + [mode, locations] + geometry.columns
    }

    mutating func append(_ trip: Trip) {
        id.append(trip.id)
        device.append(trip.deviceID.rawValue)
        for (index, end) in [trip.start, trip.end].enumerated() { ends[index].append(end) }
        let values = [
            trip.distance.rounded(), trip.seconds.rounded(), trip.movingSeconds.rounded(),
            trip.unknownSeconds.rounded(), (trip.topSpeed * 10).rounded() / 10,
            (trip.modeConfidence * 100).rounded() / 100,
        ]
        for (index, value) in values.enumerated() { figures[index].append(value) }
        mode.append(trip.mode.rawValue)
        locations.append(Int32(clamping: trip.locations))
        // A line needs two positions.
        let line = trip.line.count > 1 ? trip.line : [trip.start.coordinate, trip.end.coordinate]
        geometry.append(line: line.map { ($0.longitude.rounded(decimals: 6), $0.latitude.rounded(decimals: 6)) })
    }

    mutating func removeAll() {
        id.removeAll()
        device.removeAll()
        for index in ends.indices { ends[index].removeAll() }
        for index in figures.indices { figures[index].removeAll() }
        mode.removeAll()
        locations.removeAll()
        geometry.removeAll()
    }
}

/// The columns of one end of trips.
private struct TripEndColumns {
    private let name: String
    private var time = NumberColumn<Int64>()
    private var latitude = NumberColumn<Double>()
    private var longitude = NumberColumn<Double>()
    private var visit = TextColumn(isOptional: true)
    private var regions = TextListColumn()

    init(_ name: String) { self.name = name }

    var fields: [ParquetField] {
        [
            .time("\(name)Time"), .number("\(name)Latitude"), .number("\(name)Longitude"),
            .text("\(name)VisitId", isOptional: true), ParquetField("\(name)Regions", .texts),
        ]
    }

    var columns: [any ParquetColumn] { [time, latitude, longitude, visit, regions] }

    mutating func append(_ end: Trip.End) {
        time.append(end.time.milliseconds)
        latitude.append(end.coordinate.latitude.rounded(decimals: 6))
        longitude.append(end.coordinate.longitude.rounded(decimals: 6))
        visit.append(end.visitID)
        regions.append(end.regions.map(\.rawValue))
    }

    mutating func removeAll() {
        time.removeAll()
        latitude.removeAll()
        longitude.removeAll()
        visit.removeAll()
        regions.removeAll()
    }
}

extension Double {
    /// A tenth of a metre for six decimals of a degree.
    fileprivate func rounded(decimals: Int) -> Double {
        let factor = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
        return (self * factor).rounded() / factor
    }
}
