internal import FencepostGeometry
internal import FencepostJSON
internal import FencepostModel

/// Decodes Google's exports of location history in their four forms.
struct GoogleShape: DocumentShape {
    static let arrays: Set<String> = ["locations", "timelineObjects", "semanticSegments", "rawSignals"]

    mutating func take(_ element: JSONElement, of array: String?, into sink: inout RecordSink) throws(Rejection) {
        switch array {
        case "locations": sink.append(try GoogleShape.record(element))
        case "timelineObjects": try take(timelineObject: element, into: &sink)
        case "rawSignals":
            if let position = element["position"] { sink.append(try GoogleShape.position(position)) }
        default: try take(segment: element, into: &sink)
        }
    }

    mutating func take(member name: String, _ value: JSONElement) {}

    func finish(hasArrays: Bool, into sink: inout RecordSink) throws(Rejection) {
        guard hasArrays else {
            throw Rejection(.invalidShape, "the document has none of the arrays of a Google location history")
        }
    }

    /// `Records.json`.
    private static func record(_ element: JSONElement) throws(Rejection) -> RawFix {
        var raw = RawFix()
        raw.latitude = try degrees(element, "latitudeE7")
        raw.longitude = try degrees(element, "longitudeE7")
        raw.time = time(element, "timestamp")
        // Here a negative value does not mark the coordinate as invalid.
        raw.horizontalAccuracy = try number(element, "accuracy").flatMap { $0 < 0 ? nil : $0 }
        raw.altitude = try number(element, "altitude")
        raw.verticalAccuracy = try number(element, "verticalAccuracy")
        raw.speed = try number(element, "velocity")
        raw.course = try number(element, "heading")
        if let charging = element["batteryCharging"]?.bool { raw.batteryState = charging ? .charging : .unplugged }
        return raw
    }

    /// Semantic Location History: visits, and the simplified paths between them.
    private func take(timelineObject element: JSONElement, into sink: inout RecordSink) throws(Rejection) {
        if let visit = element["placeVisit"], let visited = visit["location"] {
            let duration = visit["duration"]
            try sink.append(
                visit: GoogleShape.degrees(visited, "latitudeE7"), GoogleShape.degrees(visited, "longitudeE7"),
                arrival: duration.map { GoogleShape.time($0, "startTimestamp") } ?? .absent,
                departure: duration.map { GoogleShape.time($0, "endTimestamp") } ?? .absent,
                name: visited["name"]?.string)
        }
        let path = element["activitySegment"]?["simplifiedRawPath"] ?? element["placeVisit"]?["simplifiedRawPath"]
        guard let points = path?["points"]?.array else { return }
        for point in points {
            do throws(Rejection) {
                var raw = RawFix()
                raw.latitude = try GoogleShape.degrees(point, "latE7")
                raw.longitude = try GoogleShape.degrees(point, "lngE7")
                raw.time = GoogleShape.time(point, "timestamp")
                raw.horizontalAccuracy = try GoogleShape.number(point, "accuracyMeters").flatMap { $0 < 0 ? nil : $0 }
                sink.append(raw)
            } catch {
                sink.append(error)
            }
        }
    }

    /// `Timeline.json` of a phone: a segment with a visit, an activity or a path.
    private func take(segment element: JSONElement, into sink: inout RecordSink) throws(Rejection) {
        guard element.object != nil else { throw Rejection(.invalidShape, "the segment is not a JSON object") }
        if let visit = element["visit"] {
            let visited = visit["topCandidate"]?["placeLocation"]
            let point = try GoogleShape.point(visited?["latLng"] ?? visited)
            try sink.append(
                visit: point?.latitude, point?.longitude, arrival: GoogleShape.time(element, "startTime"),
                departure: GoogleShape.time(element, "endTime"),
                name: visit["topCandidate"]?["semanticType"]?.string)
        }
        guard let path = element["timelinePath"]?.array else { return }
        for point in path {
            do throws(Rejection) {
                var raw = RawFix()
                let coordinate = try GoogleShape.point(point["point"])
                raw.latitude = coordinate?.latitude
                raw.longitude = coordinate?.longitude
                raw.time = GoogleShape.time(point, "time")
                let offset = try GoogleShape.number(point, "durationMinutesOffsetFromStartTime")
                if raw.time == .absent, let offset, case .at(let start) = GoogleShape.time(element, "startTime") {
                    raw.time = RawTime(epoch: Double(start.milliseconds) / 1000 + offset * 60)
                }
                sink.append(raw)
            } catch {
                sink.append(error)
            }
        }
    }

    /// A position of `rawSignals`.
    private static func position(_ element: JSONElement) throws(Rejection) -> RawFix {
        var raw = RawFix()
        let point = try point(element["LatLng"] ?? element["latLng"])
        raw.latitude = point?.latitude
        raw.longitude = point?.longitude
        raw.time = time(element, "timestamp")
        raw.horizontalAccuracy = try number(element, "accuracyMeters").flatMap { $0 < 0 ? nil : $0 }
        raw.altitude = try number(element, "altitudeMeters")
        raw.speed = try number(element, "speedMetersPerSecond")
        return raw
    }

    /// Degrees times 1e7. Some exports wrote them as unsigned numbers, so values for west and south exceed 180 degrees.
    private static func degrees(_ element: JSONElement, _ name: String) throws(Rejection) -> Double? {
        guard let number = try number(element, name) else { return nil }
        return (number > 1_800_000_000 ? number - 4_294_967_296 : number) / 1e7
    }

    /// A number, or a string that contains one.
    private static func number(_ element: JSONElement, _ name: String) throws(Rejection) -> Double? {
        guard let member = element[name], !member.isNull else { return nil }
        if let number = member.double { return number }
        guard let text = member.utf8, let number = DecimalNumber.parse(text) else { throw NativeShape.notANumber(name) }
        return number
    }

    /// RFC 3339 under this name, or milliseconds under the name with the suffix `Ms`.
    private static func time(_ element: JSONElement, _ name: String) -> RawTime {
        if let text = element[name]?.utf8 { return RawTime(text: text) }
        guard let member = element[name + "Ms"] else { return .absent }
        guard let milliseconds = member.double ?? member.utf8.flatMap({ DecimalNumber.parse($0) }) else {
            return .invalid(RawTime.quoted(member.utf8 ?? []))
        }
        return RawTime(epoch: milliseconds / 1000)
    }

    /// `"48.85°, 2.29°"` or `"geo:48.85,2.29"`.
    private static func point(_ element: JSONElement?) throws(Rejection) -> (latitude: Double, longitude: Double)? {
        guard let text = element?.string else { return nil }
        let numbers = (text.hasPrefix("geo:") ? text.dropFirst(4) : text[...])
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { part in DecimalNumber.parse(part.filter { $0 != "°" && $0 != " " }) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
            throw Rejection(.invalidNumber, "\(RawTime.quoted(text.utf8)) is not a latitude and longitude")
        }
        return (latitude, longitude)
    }
}

extension RecordSink {
    /// A visit in a history file.
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
    }
}
