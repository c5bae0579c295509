internal import FencepostGeometry
internal import FencepostJSON
internal import FencepostModel

/// Decodes Google's exports of location history: Takeout's files, and Timeline.json of Android and iOS.
struct GoogleShape: DocumentShape {
    static let arrays: Set<String> = [
        "locations", "timelineObjects", "semanticSegments", "rawSignals", "timelineEdits",
    ]

    mutating func take(_ element: JSONElement, of array: String?, into sink: inout RecordSink) throws(Rejection) {
        switch array {
        case "locations": sink.append(try GoogleShape.record(element))
        case "timelineObjects": try take(timelineObject: element, into: &sink)
        case "rawSignals":
            if let position = element["position"] { sink.append(try GoogleShape.position(position)) }
        case "timelineEdits":
            if let position = element["rawSignal"]?["signal"]?["position"] {
                sink.append(try GoogleShape.position(position))
            }
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

    /// Semantic Location History: visits, and the ways between them.
    private func take(timelineObject element: JSONElement, into sink: inout RecordSink) throws(Rejection) {
        if let visit = element["placeVisit"], let visited = visit["location"] {
            let duration = visit["duration"]
            try sink.append(
                visit: GoogleShape.degrees(visited, "latitudeE7"), GoogleShape.degrees(visited, "longitudeE7"),
                arrival: duration.map { GoogleShape.time($0, "startTimestamp") } ?? .absent,
                departure: duration.map { GoogleShape.time($0, "endTimestamp") } ?? .absent,
                name: visited["name"]?.string)
        }
        if let activity = element["activitySegment"] { take(activitySegment: activity, into: &sink) }
        if let path = element["placeVisit"]?["simplifiedRawPath"] { take(rawPath: path, into: &sink) }
    }

    /// A way: its ends, and the points between them. Points of `simplifiedRawPath` have times; the waypoints and the
    /// stops of a transit have none and get them by their distance along the way.
    private func take(activitySegment element: JSONElement, into sink: inout RecordSink) {
        let duration = element["duration"]
        let times = (
            start: duration.map { GoogleShape.time($0, "startTimestamp") } ?? .absent,
            end: duration.map { GoogleShape.time($0, "endTimestamp") } ?? .absent
        )
        let rawPath = element["simplifiedRawPath"]
        var course: [SemanticWay.Point] = []
        func add(_ point: JSONElement?, _ latitude: String, _ longitude: String) {
            guard let point, point.object != nil else { return }
            do throws(Rejection) {
                let point = (
                    try GoogleShape.degrees(point, latitude), try GoogleShape.degrees(point, longitude)
                )
                guard point.0 != nil || point.1 != nil else { return }
                course.append(.init(latitude: point.0, longitude: point.1))
            } catch {
                sink.append(error)
            }
        }
        add(element["startLocation"], "latitudeE7", "longitudeE7")
        let hasStart = !course.isEmpty
        if rawPath?["points"]?.array == nil {
            for point in element["waypointPath"]?["waypoints"]?.array.map(Array.init) ?? [] {
                add(point, "latE7", "lngE7")
            }
            for stop in element["transitPath"]?["transitStops"]?.array.map(Array.init) ?? [] {
                add(stop, "latitudeE7", "longitudeE7")
            }
        }
        let count = course.count
        add(element["endLocation"], "latitudeE7", "longitudeE7")
        let fixes = SemanticWay(
            points: course, hasStart: hasStart, hasEnd: course.count > count, from: times.start, to: times.end
        )
        .fixes
        // In the order of time: the start, the points, the end.
        for fix in fixes.dropLast(course.count > count ? 1 : 0) { sink.append(fix) }
        if let rawPath { take(rawPath: rawPath, into: &sink) }
        if course.count > count, let last = fixes.last { sink.append(last) }
    }

    private func take(rawPath path: JSONElement, into sink: inout RecordSink) {
        for point in path["points"]?.array.map(Array.init) ?? [] {
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
        if let activity = element["activity"] {
            for (end, time) in [("start", "startTime"), ("end", "endTime")] {
                guard let point = try GoogleShape.point(activity[end]?["latLng"] ?? activity[end]) else { continue }
                sink.append(
                    SemanticWay.fix(point.latitude, point.longitude, at: GoogleShape.time(element, time)))
            }
        }
        guard let path = element["timelinePath"]?.array else { return }
        for point in path {
            do throws(Rejection) {
                var raw = RawFix()
                let coordinate = try GoogleShape.point(point["point"])
                raw.latitude = coordinate?.latitude
                raw.longitude = coordinate?.longitude
                raw.time = GoogleShape.time(point, "time")
                if raw.time == .absent { raw.time = try GoogleShape.time(of: point, in: element) }
                sink.append(raw)
            } catch {
                sink.append(error)
            }
        }
    }

    /// The time of a point that states whole minutes since the start of its segment.
    private static func time(of point: JSONElement, in segment: JSONElement) throws(Rejection) -> RawTime {
        guard let minutes = try number(point, "durationMinutesOffsetFromStartTime"),
            case .at(let start) = time(segment, "startTime")
        else { return .absent }
        var longest = longestSegment
        if case .at(let end) = time(segment, "endTime") { longest = max(0, (end - start).seconds / 60) }
        // The minutes are rounded.
        guard (-1...longest + 1).contains(minutes) else {
            throw Rejection(
                .timestampOutOfRange, "durationMinutesOffsetFromStartTime \(minutes) lies outside of the segment")
        }
        return RawTime(epoch: Double(start.milliseconds) / 1000 + minutes * 60)
    }

    /// Minutes of a segment without an end: most last two hours, and none more than some days.
    private static let longestSegment = 14_400.0

    /// A position of `rawSignals`.
    private static func position(_ element: JSONElement) throws(Rejection) -> RawFix {
        var raw = RawFix()
        if let point = element["point"], point.object != nil {
            raw.latitude = try degrees(point, "latE7")
            raw.longitude = try degrees(point, "lngE7")
        } else {
            let point = try point(element["LatLng"] ?? element["latLng"])
            raw.latitude = point?.latitude
            raw.longitude = point?.longitude
        }
        raw.time = time(element, "timestamp")
        let (meters, millimeters) = (try number(element, "accuracyMeters"), try number(element, "accuracyMm"))
        raw.horizontalAccuracy = (meters ?? millimeters.map { $0 / 1000 }).flatMap { $0 < 0 ? nil : $0 }
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
