import FencepostAnalysis
import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostParquet
import FencepostService

/// A file of OGC Moving Features JSON 1.0 (OGC 19-045r3): a feature with a `MovingPoint` for each trajectory.
///
/// Times increase strictly, as the standard wants it: of locations with the same time the first one stored counts. Times end in
/// `+00:00`, because MobilityDB reads no `Z`, and all have milliseconds, because pandas wants one format. Altitudes are a
/// property, because MovingPandas reads two coordinates.
struct TrajectoryEncoder: ExportEncoder {
    private var trajectory: Trajectory?
    private(set) var rows = 0
    private var pending: [UInt8] = []

    /// A trajectory of more locations continues in another feature, since each is in memory until it is written.
    static let most = 100_000

    mutating func begin() -> [UInt8] {
        Array(
            """
            {"type":"FeatureCollection",\
            "crs":{"type":"Name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}},\
            "trs":{"type":"Name","properties":{"name":"urn:ogc:data:time:iso8601"}},\
            "features":[
            """.utf8)
    }

    mutating func append(_ batch: ExportBatch) throws(ParquetError) -> [UInt8] {
        switch batch {
        case .locations(let rows): for row in rows where !row.isAhead { append(row.location) }
        case .trips(let rows): for row in rows { append(row) }
        case .visits, .events: preconditionFailure("a batch without trajectories")
        }
        return takePending()
    }

    mutating func finish() throws(ParquetError) -> [UInt8] {
        write()
        return takePending() + Array("]}\n".utf8)
    }

    private mutating func append(_ location: Location) {
        let part: Int
        if let trajectory, trajectory.device == location.deviceID {
            part = trajectory.positions.count < Self.most ? trajectory.part : trajectory.part + 1
        } else {
            part = 1
        }
        if trajectory?.device != location.deviceID || trajectory?.part != part {
            write()
            trajectory = Trajectory(
                id: location.deviceID.rawValue + (part > 1 ? "#\(part)" : ""), device: location.deviceID, part: part)
        }
        trajectory?.append(location)
    }

    /// A trip begins and ends where its visits are; between them are the locations.
    private mutating func append(_ row: ExportedTrip) {
        write()
        var found = Trajectory(id: row.trip.id, device: row.trip.deviceID, part: 1)
        found.trip = row.trip
        func end(_ end: Trip.End) -> Location {
            Location(deviceID: row.trip.deviceID, timestamp: end.time, coordinate: end.coordinate)
        }
        found.append(end(row.trip.start))
        for location in row.track where location.timestamp < row.trip.end.time { found.append(location) }
        found.append(end(row.trip.end))
        trajectory = found
    }

    /// Writes the trajectory that is complete. One location is no movement.
    private mutating func write() {
        defer { trajectory = nil }
        guard let trajectory, trajectory.positions.count > 1 else { return }
        var feature = JSONWriter()
        trajectory.write(to: &feature)
        pending += Array((rows > 0 ? ",\n" : "\n").utf8) + feature.bytes
        rows += 1
    }

    private mutating func takePending() -> [UInt8] {
        defer { pending = [] }
        return pending
    }
}

/// One trajectory in memory.
private struct Trajectory {
    let id: String
    let device: DeviceID
    let part: Int
    var trip: Trip?
    private(set) var positions: [Location] = []

    init(id: String, device: DeviceID, part: Int) { (self.id, self.device, self.part) = (id, device, part) }

    mutating func append(_ location: Location) {
        if let last = positions.last, location.timestamp <= last.timestamp { return }
        positions.append(location)
    }

    /// A value that changes along the trajectory, with its unit by the codes of UN/CEFACT.
    private struct Measure: Sendable {
        var name, unit: String
        var value: @Sendable (Location) -> Double?
    }

    private static let measures = [
        Measure(name: "horizontalAccuracy", unit: "MTR", value: \.horizontalAccuracy),
        Measure(name: "altitude", unit: "MTR", value: \.altitude),
        Measure(name: "speed", unit: "MTS", value: \.speed), Measure(name: "course", unit: "DD", value: \.course),
        Measure(name: "batteryLevel", unit: "C62", value: \.batteryLevel),
    ]

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        member("type", "Feature", &writer)
        member("id", id, &writer)
        properties(&writer)
        writer.name("temporalGeometry")
        writer.beginObject()
        member("type", "MovingPoint", &writer)
        // MobilityDB takes the SRID from here, and longitude before latitude under this name too.
        writer.name("crs")
        writer.raw(#"{"type":"Name","properties":{"name":"EPSG:4326"}}"#)
        times(of: positions, &writer)
        writer.name("coordinates")
        writer.beginArray()
        for position in positions {
            writer.beginArray()
            writer.value(position.coordinate.longitude)
            writer.value(position.coordinate.latitude)
            writer.endArray()
        }
        writer.endArray()
        member("interpolation", "Linear", &writer)
        writer.endObject()
        temporalProperties(&writer)
        writer.endObject()
    }

    private func properties(_ writer: inout JSONWriter) {
        writer.name("properties")
        writer.beginObject()
        member("id", id, &writer)
        member("deviceId", device.rawValue, &writer)
        if let trip {
            member("mode", trip.mode.rawValue, &writer)
            for (name, value) in [("distance", trip.distance), ("duration", trip.seconds)] {
                writer.name(name)
                writer.value(value.rounded())
            }
        } else {
            writer.name("part")
            writer.value(part)
        }
        writer.endObject()
    }

    /// A group for each measure, with the times at which it is known.
    private func temporalProperties(_ writer: inout JSONWriter) {
        let known = Self.measures.map { measure in (measure, positions.filter { measure.value($0) != nil }) }
            .filter { !$0.1.isEmpty }
        guard !known.isEmpty else { return }
        writer.name("temporalProperties")
        writer.beginArray()
        for (measure, positions) in known {
            writer.beginObject()
            times(of: positions, &writer)
            writer.name(measure.name)
            writer.beginObject()
            member("type", "Measure", &writer)
            member("form", measure.unit, &writer)
            writer.name("values")
            writer.beginArray()
            for value in positions.compactMap(measure.value) { writer.value(value) }
            writer.endArray()
            // Nothing is known between two measurements.
            member("interpolation", "Discrete", &writer)
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
    }

    private func times(of positions: [Location], _ writer: inout JSONWriter) {
        writer.name("datetimes")
        writer.beginArray()
        for position in positions {
            let text = position.timestamp.rfc3339.dropLast()
            writer.value(text + (text.contains(".") ? "" : ".000") + "+00:00")
        }
        writer.endArray()
    }

    private func member(_ name: String, _ value: String, _ writer: inout JSONWriter) {
        writer.name(name)
        writer.value(value)
    }
}
