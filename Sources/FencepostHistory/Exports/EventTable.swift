import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostParquet
import FencepostService

/// The columns of events: those members of `GET /v1/events` by which people select and count, the whole event as JSON, and the
/// position of the visit or of the deciding location as the geometry.
struct EventTable: ExportTable {
    private var id = TextColumn()
    private var type = TextColumn()
    private var device = TextColumn()
    private var sequence = NumberColumn<Int64>(isOptional: true)
    /// The times, of which the first is there in each row.
    private var timestamp = NumberColumn<Int64>()
    private var times = Array(repeating: NumberColumn<Int64>(isOptional: true), count: 4)
    private var region = TextColumn(isOptional: true)
    private var regionName = TextColumn(isOptional: true)
    private var regionTags = TextListColumn()
    private var visit = TextColumn(isOptional: true)
    private var app = TextColumn(isOptional: true)
    private var alertRule = TextColumn(isOptional: true)
    private var alertState = TextColumn(isOptional: true)
    private var reason = TextColumn(isOptional: true)
    /// Those of `numberNames`.
    private var numbers = Array(repeating: NumberColumn<Double>(isOptional: true), count: numberNames.count)
    private var json = BytesColumn()
    private(set) var geometry = GeometryColumn(.point, isOptional: true)

    private static let timeNames = ["detectedAt", "receivedAt", "earliest", "latest"]
    private static let numberNames = [
        "confidence", "dwell", "alertValue", "alertLimit", "latitude", "longitude", "horizontalAccuracy",
    ]

    static func rows(of batch: ExportBatch) -> [StoredEvent] {
        guard case .events(let rows) = batch else { preconditionFailure("a batch of another kind") }
        return rows
    }

    var byteCount: Int { geometry.byteCount + json.byteCount }

    var fields: [ParquetField] {
        let ids = ["regionId", "regionName"].map { ParquetField.text($0, isOptional: true) }
        let others = ["visitId", "appId", "alertRule", "alertState", "reason"]
        return [.text("id"), .text("type"), .text("deviceId")]
            + [ParquetField("sequence", .value(.int64, nil), isOptional: true), .time("timestamp")]
            + Self.timeNames.map { .time($0, isOptional: true) } + ids + [ParquetField("regionTags", .texts)]
            + others.map { .text($0, isOptional: true) } + Self.numberNames.map { .number($0, isOptional: true) }
            + [ParquetField("json", .value(.bytes, .json))] + geometry.fields
    }

    var columns: [any ParquetColumn] {
        let texts: [any ParquetColumn] = [visit, app, alertRule, alertState, reason]
        return [id, type, device, sequence, timestamp] + times + [region, regionName, regionTags] + texts + numbers
            + [json] + geometry.columns
    }

    mutating func append(_ row: StoredEvent) {
        let stored = row.event
        let message = stored.message
        let event = message?.event
        id.append(stored.id)
        type.append(stored.type)
        // The reader asks for the events of one device after the other.
        device.append(stored.deviceID?.rawValue ?? "")
        sequence.append(message?.sequence.map { Int64($0) })
        timestamp.append(stored.timestamp.milliseconds)
        let moments = [message?.detectedAt, message?.receivedAt, event?.earliest, event?.latest]
        for (index, moment) in moments.enumerated() { times[index].append(moment?.milliseconds) }
        let summary = message?.region
        region.append(summary?.id.rawValue ?? stored.regionID?.rawValue)
        regionName.append(summary?.name)
        regionTags.append(summary?.tags ?? [])
        let visited = message?.visit
        visit.append(visited?.id)
        append(event?.occurrence)
        let coordinate = visited?.coordinate ?? event?.location?.coordinate
        let accuracy = visited?.horizontalAccuracy ?? event?.location?.horizontalAccuracy
        numbers[0].append(event?.confidence.map { ($0 * 1000).rounded() / 1000 })
        numbers[4].append(coordinate?.latitude)
        numbers[5].append(coordinate?.longitude)
        numbers[6].append(accuracy)
        json.append(stored.body)
        if let coordinate {
            geometry.append(longitude: coordinate.longitude, latitude: coordinate.latitude)
        } else {
            geometry.appendNull()
        }
    }

    /// Appends what only events of some types have.
    private mutating func append(_ occurrence: Occurrence?) {
        var (launched, why, span, warning): (AppSummary?, String?, Duration?, Alert?)
        switch occurrence {
        case .regionExited(_, let reason): why = reason?.rawValue
        case .regionDwelled(_, let dwell): span = dwell
        case .appRelaunched(let app): launched = app
        case .alert(let alert): warning = alert
        case .fence(let report): why = report.reason
        case .proximity(let report): (why, span) = (report.reason, report.dwell)
        case .regionEntered, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .plan, nil: break
        }
        app.append(launched?.id)
        reason.append(why)
        numbers[1].append(span?.seconds)
        alertRule.append(warning?.rule)
        alertState.append(warning?.state.rawValue)
        numbers[2].append(warning?.value)
        numbers[3].append(warning?.limit)
    }

    mutating func removeAll() {
        id.removeAll()
        type.removeAll()
        device.removeAll()
        sequence.removeAll()
        timestamp.removeAll()
        for index in times.indices { times[index].removeAll() }
        region.removeAll()
        regionName.removeAll()
        regionTags.removeAll()
        visit.removeAll()
        app.removeAll()
        alertRule.removeAll()
        alertState.removeAll()
        reason.removeAll()
        for index in numbers.indices { numbers[index].removeAll() }
        json.removeAll()
        geometry.removeAll()
    }
}
