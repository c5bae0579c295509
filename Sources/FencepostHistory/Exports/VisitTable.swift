import FencepostGeometry
import FencepostModel
import FencepostParquet
import FencepostService

/// The columns of visits: the members of `GET /v1/visits`, and the geometry.
struct VisitTable: ExportTable {
    private var id = TextColumn()
    private var device = TextColumn()
    private var times = Array(repeating: NumberColumn<Int64>(isOptional: true), count: 6)
    private var latitude = NumberColumn<Double>()
    private var longitude = NumberColumn<Double>()
    private var horizontalAccuracy = NumberColumn<Double>()
    private var regions = TextListColumn()
    private(set) var geometry = GeometryColumn(.point)

    static func rows(of batch: ExportBatch) -> [(device: DeviceID, visit: Visit)] {
        guard case .visits(let rows) = batch else { preconditionFailure("a batch of another kind") }
        return rows.compactMap { row in Visit(stored: row.visit).map { (row.deviceID, $0) } }
    }

    var byteCount: Int { geometry.byteCount }

    var fields: [ParquetField] {
        let times =
            ["arrival", "departure"] + ["arrivalEarliest", "arrivalLatest"]
            + ["departureEarliest", "departureLatest"]
        return [.text("id"), .text("deviceId")] + times.map { .time($0, isOptional: true) }
            + [.number("latitude"), .number("longitude"), .number("horizontalAccuracy")]
            + [ParquetField("regions", .texts)] + geometry.fields
    }

    var columns: [any ParquetColumn] {
        [id, device] + times + [latitude, longitude, horizontalAccuracy, regions] + geometry.columns
    }

    mutating func append(_ row: (device: DeviceID, visit: Visit)) {
        let visit = row.visit
        id.append(visit.id)
        device.append(row.device.rawValue)
        let moments = [
            visit.arrival, visit.departure, visit.arrivalEarliest, visit.arrivalLatest, visit.departureEarliest,
            visit.departureLatest,
        ]
        for (index, moment) in moments.enumerated() { times[index].append(moment?.milliseconds) }
        latitude.append(visit.coordinate.latitude)
        longitude.append(visit.coordinate.longitude)
        horizontalAccuracy.append(visit.horizontalAccuracy)
        regions.append(visit.regions.map(\.rawValue))
        geometry.append(longitude: visit.coordinate.longitude, latitude: visit.coordinate.latitude)
    }

    mutating func removeAll() {
        id.removeAll()
        device.removeAll()
        for index in times.indices { times[index].removeAll() }
        latitude.removeAll()
        longitude.removeAll()
        horizontalAccuracy.removeAll()
        regions.removeAll()
        geometry.removeAll()
    }
}
