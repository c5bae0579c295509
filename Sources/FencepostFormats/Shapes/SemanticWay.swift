internal import FencepostGeometry
internal import FencepostModel

/// A way or a place that an app derived from its own recording, as fixes.
struct SemanticWay {
    struct Point {
        var latitude, longitude: Double?
    }

    /// The points of the way, its start and end among them.
    var points: [Point]
    /// Whether the first point is the start of the way, and the last one its end.
    var hasStart, hasEnd: Bool
    var from, to: RawTime

    /// The radius of 68 % confidence of such a position, in metres.
    ///
    /// The files state none. Apps move positions to the centre of a building or onto a road, mostly less than this.
    static let accuracy = 50.0
    /// Of a point without a time of its own.
    static let interpolatedAccuracy = 250.0

    static func fix(_ latitude: Double?, _ longitude: Double?, at time: RawTime, trigger: String? = nil) -> RawFix {
        var raw = RawFix()
        (raw.latitude, raw.longitude, raw.time, raw.trigger) = (latitude, longitude, time, trigger)
        raw.horizontalAccuracy = accuracy
        return raw
    }

    /// The start, the points in between with interpolated times, and the end.
    ///
    /// Points in between have no time if the way has no start or no end, and are rejected then.
    var fixes: [RawFix] {
        let along = distances
        let isTimed = hasStart && hasEnd && points.count >= 2 && (along.last ?? 0) > 0
        return points.indices.map { index in
            let point = points[index]
            if index == 0, hasStart { return SemanticWay.fix(point.latitude, point.longitude, at: from) }
            if index == points.count - 1, hasEnd { return SemanticWay.fix(point.latitude, point.longitude, at: to) }
            var time = RawTime.absent
            if isTimed, case .at(let start) = from, case .at(let end) = to, let whole = along.last {
                let elapsed = Double(end.milliseconds - start.milliseconds) * along[index] / whole
                time = .at(start.after(Int64(clamped: elapsed.rounded())))
            }
            var raw = SemanticWay.fix(point.latitude, point.longitude, at: time, trigger: "interpolated")
            raw.horizontalAccuracy = SemanticWay.interpolatedAccuracy
            return raw
        }
    }

    /// Metres from the first point along the way, by point.
    private var distances: [Double] {
        var sum = 0.0
        var last: Coordinate?
        return points.map { point in
            guard let latitude = point.latitude, let longitude = point.longitude else { return sum }
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            guard coordinate.isValid else { return sum }
            if let last { sum += Geodesic.distance(last, coordinate) }
            last = coordinate
            return sum
        }
    }
}

extension RecordSink {
    /// Adds a visit in a history file: a report, and the fixes at its start and end, so that it counts like a recorded
    /// stay.
    ///
    /// Where only one of the two times is known there is one fix.
    mutating func append(
        visit latitude: Double?, _ longitude: Double?, arrival: RawTime, departure: RawTime, name: String?
    ) throws(Rejection) {
        guard let device = context.rules.defaultDevice else {
            throw Rejection(.missingDevice, "the visit names no device")
        }
        func checked(_ time: RawTime) throws(Rejection) -> Timestamp? {
            if time == .absent { return nil }
            return try context.rules.timestamp(of: time)
        }
        let (arrival, departure) = (try checked(arrival), try checked(departure))
        guard let timestamp = arrival ?? departure else {
            throw Rejection(.missingTimestamp, "the visit has neither a begin nor an end")
        }
        guard let latitude, let longitude else {
            throw Rejection(.missingCoordinate, "the visit has no coordinate")
        }
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        guard coordinate.isValid else {
            throw Rejection(.coordinateOutOfRange, "the coordinate \(latitude), \(longitude) is not on the globe")
        }
        append(
            PhoneReport(
                deviceID: device, timestamp: timestamp, coordinate: coordinate,
                kind: .visit(arrival: arrival, departure: departure, name: name)))
        for time in [arrival, departure == arrival ? nil : departure].compactMap(\.self) {
            append(SemanticWay.fix(latitude, longitude, at: .at(time), trigger: Location.statedStay))
        }
    }
}
