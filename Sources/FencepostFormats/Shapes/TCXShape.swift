internal import FencepostModel

/// Decodes TCX of sports watches (Garmin's Training Center Database 2): the track points of activities.
///
/// Points without a position, as a watch writes them indoors and while it searches, are no locations and are not counted. Courses
/// are plans and are ignored.
struct TCXShape: XMLShape {
    static let root = "TrainingCenterDatabase"

    private var point: XMLTrackPoint?
    private var hasPosition = false
    private var isInCourse = false
    /// Whether a track has ended since the last point.
    private var isInterrupted = false

    mutating func start(_ element: XMLElement, into sink: inout RecordSink) -> Bool {
        switch element.name {
        case "Course": isInCourse = true
        case "Trackpoint" where !isInCourse: (point, hasPosition) = (XMLTrackPoint(line: element.line), false)
        case "Position": hasPosition = true
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
            if hasPosition { sink.append(ended, after: &isInterrupted) }
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
        guard let number = point?.number(name, text) else { return }
        switch name {
        case "LatitudeDegrees": point?.raw.latitude = number
        case "LongitudeDegrees": point?.raw.longitude = number
        case "AltitudeMeters": point?.raw.altitude = number
        case "Speed": point?.raw.speed = number
        default: break
        }
    }
}
