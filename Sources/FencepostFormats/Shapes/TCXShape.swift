internal import FencepostModel

/// Decodes TCX of sports watches (Garmin's Training Center Database 2): the track points of activities.
///
/// Points without a position, as a watch writes them indoors and while it searches, are no locations and are not counted. Courses
/// are plans and are ignored.
struct TCXShape: XMLShape {
    static let root = "TrainingCenterDatabase"

    private struct Point {
        var raw = RawFix()
        var problem: Rejection?
        var line: Int
        var hasPosition = false
    }

    private var point: Point?
    private var isInCourse = false
    /// Whether a track has ended since the last point.
    private var isInterrupted = false

    mutating func start(_ element: XMLElement, into sink: inout RecordSink) -> Bool {
        switch element.name {
        case "Course": isInCourse = true
        case "Trackpoint" where !isInCourse: point = Point(line: element.line)
        case "Position": point?.hasPosition = true
        default: break
        }
        // `Speed` is of Garmin's ActivityExtension, in metres per second.
        return point != nil
            && ["Time", "LatitudeDegrees", "LongitudeDegrees", "AltitudeMeters", "Speed"].contains(element.name)
    }

    mutating func end(_ name: String, text: [UInt8], line: Int, into sink: inout RecordSink) {
        switch name {
        case "Course": isInCourse = false
        case "Track": isInterrupted = true
        case "Trackpoint":
            guard let ended = point else { return }
            point = nil
            if ended.hasPosition { emit(ended, into: &sink) }
        default: read(name, text.trimmed)
        }
    }

    mutating func finish(into sink: inout RecordSink) {}

    private mutating func read(_ name: String, _ text: ArraySlice<UInt8>) {
        guard point != nil, !text.isEmpty else { return }
        if name == "Time" {
            point?.raw.time = RawTime(text: text)
            return
        }
        guard let number = DecimalNumber.parse(text) else {
            point?.problem = Rejection(.invalidNumber, "the \(name) \(RawTime.quoted(text)) is not a number")
            return
        }
        switch name {
        case "LatitudeDegrees": point?.raw.latitude = number
        case "LongitudeDegrees": point?.raw.longitude = number
        case "AltitudeMeters": point?.raw.altitude = number
        case "Speed": point?.raw.speed = number
        default: break
        }
    }

    private mutating func emit(_ point: Point, into sink: inout RecordSink) {
        if isInterrupted {
            sink.appendGap()
            isInterrupted = false
        }
        sink.append(point.problem.map { .failure($0) } ?? .success(point.raw), line: point.line)
    }
}
