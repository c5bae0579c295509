internal import FencepostModel

/// Decodes KML: tracks (`gx:Track`), points with a time stamp, and points with a time span, which are visits.
struct KMLShape: XMLShape {
    static let root = "kml"

    private struct Placemark {
        var line: Int
        var name: String?
        var time = RawTime.absent
        var begin = RawTime.absent
        var end = RawTime.absent
        /// The content of the Point; `nil` without one.
        var coordinates: [UInt8]?
    }

    /// A track lists its times and its coordinates, alternating or one list after the other.
    private struct Track {
        var times: [RawTime] = []
        var coordinates: [(text: [UInt8], line: Int)] = []
        /// The number of pairs already passed on.
        var pairs = 0
    }

    private var names: [String] = []
    private var placemark: Placemark?
    private var track: Track?
    /// Placemarks without a time, the first one's line, and data of tracks that are not used.
    private var untimed = 0
    private var firstUntimed = 0
    private var unusedData: Set<String> = []
    private var hasTrack = false

    private static let wanted: Set<String> = ["when", "begin", "end", "coordinates", "coord", "name"]

    mutating func start(_ element: XMLElement, into sink: inout RecordSink) -> Bool {
        names.append(element.name)
        switch element.name {
        case "Placemark":
            placemark = Placemark(line: element.line)
            hasTrack = false
        case "Track":
            track = Track()
            hasTrack = true
            sink.appendGap()
        case "angles" where track != nil: unusedData.insert("gx:angles")
        case "SimpleArrayData" where track != nil:
            let name = element["name"].map { String(decoding: $0.prefix(40), as: UTF8.self) } ?? ""
            if unusedData.count < 12 { unusedData.insert("\"\(name)\" of gx:SimpleArrayData") }
        default: break
        }
        return KMLShape.wanted.contains(element.name)
    }

    mutating func end(_ name: String, text: [UInt8], line: Int, into sink: inout RecordSink) {
        names.removeLast()
        switch (name, names.last) {
        case ("when", "Track"):
            track?.times.append(RawTime(text: text))
            emitPairs(into: &sink)
        case ("coord", "Track"):
            track?.coordinates.append((text, line))
            emitPairs(into: &sink)
        case ("when", "TimeStamp"): placemark?.time = RawTime(text: text)
        case ("begin", "TimeSpan"): placemark?.begin = RawTime(text: text)
        case ("end", "TimeSpan"): placemark?.end = RawTime(text: text)
        case ("coordinates", "Point"): placemark?.coordinates = text
        case ("name", "Placemark"): placemark?.name = String(decoding: text.trimmed, as: UTF8.self)
        case ("Track", _):
            emitRest(into: &sink)
            track = nil
        case ("Placemark", _):
            if let placemark { emit(placemark, into: &sink) }
            placemark = nil
        default: break
        }
    }

    func finish(into sink: inout RecordSink) {
        let context = sink.context
        func note(_ text: String, line: Int?) {
            context.notes.add(
                Diagnostic(
                    .warning, code: "not_used", file: context.fileName, at: line.map { .line($0) } ?? .file, text))
        }
        if !unusedData.isEmpty {
            note("data of tracks that are not used: \(unusedData.sorted().joined(separator: ", "))", line: nil)
        }
        if untimed > 0 {
            note(
                "\(untimed) placemark\(untimed == 1 ? " has" : "s have") no time and "
                    + "\(untimed == 1 ? "is" : "are") not used: as places, fencepost import-regions reads them",
                line: firstUntimed)
        }
    }

    private mutating func countUntimed(_ placemark: Placemark) {
        if untimed == 0 { firstUntimed = placemark.line }
        untimed += 1
    }

    private mutating func emitPairs(into sink: inout RecordSink) {
        guard var track else { return }
        self.track = nil
        while track.pairs < min(track.times.count, track.coordinates.count) {
            emit(track.coordinates[track.pairs], at: track.times[track.pairs], into: &sink)
            track.pairs += 1
        }
        // Processed entries are removed in batches, because each removal moves the rest.
        if track.pairs >= 4096 || track.pairs == max(track.times.count, track.coordinates.count) {
            track.times.removeFirst(track.pairs)
            track.coordinates.removeFirst(track.pairs)
            track.pairs = 0
        }
        self.track = track
    }

    /// The rest of the longer list.
    private mutating func emitRest(into sink: inout RecordSink) {
        guard let track else { return }
        for coordinate in track.coordinates.dropFirst(track.pairs) { emit(coordinate, at: .absent, into: &sink) }
        for _ in track.times.dropFirst(track.pairs) {
            sink.append(Rejection(.missingCoordinate, "the track has a when without a gx:coord"))
        }
    }

    private func emit(_ coordinate: (text: [UInt8], line: Int), at time: RawTime, into sink: inout RecordSink) {
        // An empty coordinate marks a time at which the receiver had no fix.
        let parts = coordinate.text.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        guard !parts.isEmpty else { return }
        sink.append(KMLShape.fix(parts, at: time), line: coordinate.line)
    }

    private mutating func emit(_ placemark: Placemark, into sink: inout RecordSink) {
        guard let coordinates = placemark.coordinates else {
            if !hasTrack { countUntimed(placemark) }
            return
        }
        let parts = coordinates.trimmed.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { $0.trimmed }
        let isStay = placemark.begin != .absent || placemark.end != .absent
        if placemark.time == .absent, isStay {
            do throws(Rejection) {
                let raw = try KMLShape.fix(parts, at: .absent).get()
                try sink.append(
                    visit: raw.latitude, raw.longitude, arrival: placemark.begin, departure: placemark.end,
                    name: placemark.name)
            } catch {
                sink.append(Rejection(error.code, "\(error.message) (line \(placemark.line))"))
            }
        } else if placemark.time != .absent || !sink.context.rules.requiresTimestamp {
            sink.append(KMLShape.fix(parts, at: placemark.time), line: placemark.line)
        } else {
            countUntimed(placemark)
        }
    }

    /// Longitude, latitude and optionally altitude.
    private static func fix(_ parts: [ArraySlice<UInt8>], at time: RawTime) -> Result<RawFix, Rejection> {
        guard parts.count >= 2 else {
            return .failure(Rejection(.missingCoordinate, "the coordinate is not a longitude and latitude"))
        }
        var numbers: [Double] = []
        for part in parts.prefix(3) {
            guard let number = DecimalNumber.parse(part) else {
                return .failure(
                    Rejection(.invalidNumber, "the coordinate has \(RawTime.quoted(part)), which is not a number"))
            }
            numbers.append(number)
        }
        var raw = RawFix()
        raw.time = time
        raw.longitude = numbers[0]
        raw.latitude = numbers[1]
        if numbers.count > 2 { raw.altitude = numbers[2] }
        return .success(raw)
    }
}
