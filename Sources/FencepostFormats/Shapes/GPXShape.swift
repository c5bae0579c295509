internal import FencepostModel

/// Decodes GPX 1.0 and 1.1: the points of tracks or, in files without tracks, waypoints and the points of routes.
///
/// A point without a time is rejected. In a file with tracks, waypoints are places on a map and routes are plans.
struct GPXShape: XMLShape {
    static let root = "gpx"

    private var point: XMLTrackPoint?
    /// Whether the point is none of a track.
    private var isWaypoint = false
    /// The depth below a point.
    private var depth = 0
    private var rootNamespace = ""
    /// Waypoints precede tracks, and count only if there are no tracks.
    private var waypoints: [XMLTrackPoint] = []
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
        case "trkpt": (point, isWaypoint) = (GPXShape.point(element), false)
        case "wpt" where !hasTracks, "rtept" where !hasTracks: (point, isWaypoint) = (GPXShape.point(element), true)
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
        if isWaypoint {
            take(waypoint: current, into: &sink)
        } else {
            sink.append(current, after: &isInterrupted)
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
        for waypoint in waypoints { sink.append(waypoint, after: &isInterrupted) }
        waypoints = []
    }

    private static func point(_ element: XMLElement) -> XMLTrackPoint {
        var point = XMLTrackPoint(line: element.line)
        point.raw.latitude = element["lat"].flatMap { point.number("lat", $0) }
        point.raw.longitude = element["lon"].flatMap { point.number("lon", $0) }
        return point
    }

    private mutating func read(_ name: String, _ text: [UInt8]) {
        let text = text.trimmed
        guard !text.isEmpty else { return }
        if name == "time" {
            point?.raw.time = RawTime(text: text)
            return
        }
        guard let number = point?.number(name, text) else { return }
        switch name {
        case "ele": point?.raw.altitude = number
        case "speed": point?.raw.speed = number
        case "course": point?.raw.course = number
        default: break
        }
    }

    private mutating func take(waypoint: XMLTrackPoint, into sink: inout RecordSink) {
        waypoints.append(waypoint)
        guard waypoints.count >= GPXShape.waypointLimit else { return }
        finish(into: &sink)
    }
}
