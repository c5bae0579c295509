import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostParquet
import FencepostService

/// The columns of locations: the members of `GET /v1/locations`, and the geometry.
struct LocationTable: ExportTable {
    private var device = TextColumn()
    private var timestamp = NumberColumn<Int64>()
    private var latitude = NumberColumn<Double>()
    private var longitude = NumberColumn<Double>()
    private var horizontalAccuracy = NumberColumn<Double>(isOptional: true)
    private var altitude = NumberColumn<Double>(isOptional: true)
    private var verticalAccuracy = NumberColumn<Double>(isOptional: true)
    private var speed = NumberColumn<Double>(isOptional: true)
    private var course = NumberColumn<Double>(isOptional: true)
    private var floor = NumberColumn<Int32>(isOptional: true)
    private var batteryLevel = NumberColumn<Double>(isOptional: true)
    private var batteryState = TextColumn(isOptional: true)
    private var isSimulated = FlagColumn(isOptional: true)
    private var source = TextColumn(isOptional: true)
    private var trigger = TextColumn(isOptional: true)
    private var late = FlagColumn()
    private var untrusted = TextColumn(isOptional: true)
    private(set) var geometry = GeometryColumn(.point)

    static func rows(of batch: ExportBatch) -> [StoredLocation] {
        guard case .locations(let rows) = batch else { preconditionFailure("a batch of another kind") }
        return rows
    }

    var byteCount: Int { geometry.byteCount }

    var fields: [ParquetField] {
        [
            .text("deviceId"), .time("timestamp"), .number("latitude"), .number("longitude"),
            .number("horizontalAccuracy", isOptional: true), .number("altitude", isOptional: true),
            .number("verticalAccuracy", isOptional: true), .number("speed", isOptional: true),
            .number("course", isOptional: true), ParquetField("floor", .value(.int32, nil), isOptional: true),
            .number("batteryLevel", isOptional: true), .text("batteryState", isOptional: true),
            ParquetField("isSimulated", .value(.boolean, nil), isOptional: true), .text("source", isOptional: true),
            .text("trigger", isOptional: true), ParquetField("late", .value(.boolean, nil)),
            .text("untrusted", isOptional: true),
        ] + geometry.fields
    }

    var columns: [any ParquetColumn] {
        let numbers: [any ParquetColumn] = [
            latitude, longitude, horizontalAccuracy, altitude, verticalAccuracy, speed, course, floor, batteryLevel,
        ]
        return [device, timestamp] + numbers + [batteryState, isSimulated, source, trigger, late, untrusted]
            + geometry.columns
    }

    mutating func append(_ row: StoredLocation) {
        let location = row.location
        device.append(location.deviceID.rawValue)
        timestamp.append(location.timestamp.milliseconds)
        latitude.append(location.coordinate.latitude)
        longitude.append(location.coordinate.longitude)
        horizontalAccuracy.append(location.horizontalAccuracy)
        altitude.append(location.altitude)
        verticalAccuracy.append(location.verticalAccuracy)
        speed.append(location.speed)
        course.append(location.course)
        floor.append(location.floor.flatMap { Int32(exactly: $0) })
        batteryLevel.append(location.batteryLevel)
        // The list of locations leaves out a state that nobody knows, too.
        batteryState.append(location.batteryState.flatMap { $0 == .unknown ? nil : $0.rawValue })
        isSimulated.append(location.isSimulated)
        source.append(location.source)
        trigger.append(location.trigger)
        late.append(row.isLate && !row.isAhead)
        untrusted.append(row.isAhead ? "clock_ahead" : nil)
        geometry.append(longitude: location.coordinate.longitude, latitude: location.coordinate.latitude)
    }

    mutating func removeAll() {
        device.removeAll()
        timestamp.removeAll()
        latitude.removeAll()
        longitude.removeAll()
        horizontalAccuracy.removeAll()
        altitude.removeAll()
        verticalAccuracy.removeAll()
        speed.removeAll()
        course.removeAll()
        floor.removeAll()
        batteryLevel.removeAll()
        batteryState.removeAll()
        isSimulated.removeAll()
        source.removeAll()
        trigger.removeAll()
        late.removeAll()
        untrusted.removeAll()
        geometry.removeAll()
    }
}
