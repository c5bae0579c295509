internal import FencepostModel

/// Decodes GPX 1.0 and 1.1: the points of tracks or, in files without tracks, waypoints and the points of routes.
///
/// A point without a time is rejected. In a file with tracks, waypoints are places on a map and routes are plans.
struct GPXShape: XMLShape {
    static let root = "gpx"

    private struct Point {
        var raw = RawFix()
        var problem: Rejection?
        var line: Int
        var isWaypoint: Bool
    }

    private var point: Point?
    /// The depth below a point.
    private var depth = 0
    private var rootNamespace = ""
    /// Waypoints precede tracks, and count only if there are no tracks.
    private var waypoints: [Point] = []
    private var hasTracks = false
    /// Whether a segment has ended since the last point.
    private var isInterrupted = false

    /// The number of buffered waypoints; a file with more is taken as one of waypoints.
    private static let waypointLimit = 65_536

    /// A list, since hashing some texts takes minutes, and comparing them does not.
    private static let extensions = [
        "http://www.garmin.com/xmlschemas/TrackPointExtension/v1",
        "http://www.garmin.com/xmlschemas/TrackPointExtension/v2",
        // Of OsmAnd and of GPXData (Cluetrust), in metres per second too.
        "https://osmand.net", "https://osmand.net/docs/technical/osmand-file-formats/osmand-gpx",
        "http://www.cluetrust.com/XML/GPXDATA/1/0",
    ]

    mutating func start(_ element: XMLElement, into sink: inout RecordSink) -> Bool {
        if point != nil {
            depth += 1
            switch element.name {
            case "time", "ele": return depth == 1
            // Of GPX 1.0, of Garmin's extension, or without a namespace.
            case "speed", "course":
                return element.namespace.isEmpty || element.namespace == rootNamespace
                    || GPXShape.extensions.contains(element.namespace)
            default: return false
            }
        }
        switch element.name {
        case GPXShape.root:
            rootNamespace = element.namespace
            noteVersion(of: element, sink.context)
        case "trk":
            hasTracks = true
            waypoints = []
        case "trkpt": point = GPXShape.point(element, isWaypoint: false)
        case "wpt" where !hasTracks, "rtept" where !hasTracks: point = GPXShape.point(element, isWaypoint: true)
        default: break
        }
        return false
    }

    mutating func end(_ name: String, text: [UInt8], line: Int, into sink: inout RecordSink) {
        guard let current = point else {
            if name == "trkseg" { isInterrupted = true }
            return
        }
        guard depth == 0 else {
            depth -= 1
            read(name, text)
            return
        }
        point = nil
        if current.isWaypoint {
            take(waypoint: current, into: &sink)
        } else {
            emit(current, into: &sink)
        }
    }

    /// Says once that a version is not known: what it adds is not read.
    private func noteVersion(of root: XMLElement, _ context: DecoderContext) {
        guard let text = root["version"], !["1.0", "1.1"].contains(String(decoding: text.trimmed, as: UTF8.self)) else {
            return
        }
        context.notes.add(
            Diagnostic(
                .warning, code: "unknown_version", file: context.fileName, at: .line(root.line),
                "GPX of the version \(RawTime.quoted(text)) is not known, it is read as 1.1: compare the count of its points"
            ))
    }

    mutating func finish(into sink: inout RecordSink) {
        for waypoint in waypoints { emit(waypoint, into: &sink) }
        waypoints = []
    }

    private static func point(_ element: XMLElement, isWaypoint: Bool) -> Point {
        var point = Point(line: element.line, isWaypoint: isWaypoint)
        func number(_ name: String) -> Double? {
            guard let text = element[name] else { return nil }
            let number = DecimalNumber.parse(text.trimmed)
            if number == nil {
                point.problem = Rejection(.invalidNumber, "the \(name) \(RawTime.quoted(text)) is not a number")
            }
            return number
        }
        point.raw.latitude = number("lat")
        point.raw.longitude = number("lon")
        return point
    }

    private mutating func read(_ name: String, _ text: [UInt8]) {
        let text = text.trimmed
        guard !text.isEmpty else { return }
        if name == "time" {
            point?.raw.time = RawTime(text: text)
            return
        }
        guard let number = DecimalNumber.parse(text) else {
            point?.problem = Rejection(.invalidNumber, "the \(name) \(RawTime.quoted(text)) is not a number")
            return
        }
        switch name {
        case "ele": point?.raw.altitude = number
        case "speed": point?.raw.speed = number
        case "course": point?.raw.course = number
        default: break
        }
    }

    private mutating func take(waypoint: Point, into sink: inout RecordSink) {
        waypoints.append(waypoint)
        guard waypoints.count >= GPXShape.waypointLimit else { return }
        finish(into: &sink)
    }

    private mutating func emit(_ point: Point, into sink: inout RecordSink) {
        if isInterrupted {
            sink.appendGap()
            isInterrupted = false
        }
        sink.append(point.problem.map { .failure($0) } ?? .success(point.raw), line: point.line)
    }
}
