internal import FencepostJSON

/// The input formats for locations; the raw values are those of `--format`.
public enum LocationFormat: String, Hashable, Sendable, CaseIterable {
    /// Fencepost's own locations, one per line.
    case ndjson
    /// Comma-, semicolon- or tab-separated values with a header.
    case csv
    /// GPX, the GPS Exchange Format.
    case gpx
    /// TCX of sports watches (Garmin Training Center).
    case tcx
    /// GeoJSON (RFC 7946).
    case geojson
    /// KML, with tracks and points with a time.
    case kml
    /// A zip archive with a KML file.
    case kmz
    /// NMEA 0183 sentences.
    case nmea
    /// OwnTracks: the Recorder's `.rec`, or its JSON, one object per line.
    case owntracks
    /// Google: Records.json, Semantic Location History, Timeline.json of Android and iOS.
    case google
    /// `{"locations":[…]}` or an array of Fencepost's own locations.
    case json
    /// Dawarich's export of all data: its points as JSON lines, or as one document.
    case dawarich
    /// GeoPulse's export of raw positions.
    case geopulse
    /// The JSON of Arc Timeline.
    case arc
    /// An archive of files in any of these formats, such as Google Takeout.
    case zip
    /// One compressed file in any of these formats.
    case gzip

    /// Detects the format from a file name's extension; `.json` and `.jsonl` are ambiguous.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: "."), !fileName[dot...].contains("/") else { return nil }
        switch fileName[dot...].dropFirst().lowercased() {
        case "ndjson": self = .ndjson
        case "csv", "tsv": self = .csv
        case "gpx": self = .gpx
        case "tcx": self = .tcx
        case "geojson": self = .geojson
        case "kml": self = .kml
        case "kmz": self = .kmz
        case "nmea", "nma": self = .nmea
        case "rec": self = .owntracks
        case "zip": self = .zip
        case "gz": self = .gzip
        default: return nil
        }
    }

    /// Detects the format from the first bytes; `nil` while more bytes are needed.
    ///
    /// `isComplete` is whether there are no more bytes; then there is a result, unless there are no bytes at all.
    init?(head: [UInt8], isComplete: Bool) {
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head[3...] : head[...]
        // A byte order mark of UTF-16, which XML files and tables have.
        let isUTF16 = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
        let start = text.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        guard let first = start.first, isComplete || head.count >= 4 else { return nil }
        let isEnough = isComplete || head.count >= 65_536
        let letters = isUTF16 ? head.dropFirst(2).filter { $0 != 0 } : []
        if isUTF16, letters.drop(while: { $0 <= 0x20 }).first != UInt8(ascii: "<") {
            guard !letters.isEmpty else { return nil }
            self = .csv
        } else if first == UInt8(ascii: "<") || isUTF16 {
            let letters = isUTF16 ? letters : head.filter { $0 != 0 }
            if letters.containsWord("<kml") || letters.containsWord(":kml") {
                self = .kml
            } else if letters.containsWord("<TrainingCenterDatabase") {
                self = .tcx
            } else if letters.containsWord("<gpx") || letters.containsWord(":gpx") || isEnough {
                self = .gpx
            } else {
                return nil
            }
        } else if head.starts(with: [0x1F, 0x8B]) {
            self = .gzip
        } else if start.starts(with: Array("PK\u{03}\u{04}".utf8)) {
            guard isEnough || start.count > 512 else { return nil }
            self = ZipArchive.firstName(in: start).hasSuffix(".kml") ? .kmz : .zip
        } else if [UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "\\")].contains(first) {
            self = .nmea
        } else if first == UInt8(ascii: "[") {
            guard isEnough || start.count > 4096 else { return nil }
            self =
                start.containsWord("\"startTime\"")
                ? .google
                : start.containsWord("\"tracker_id\"")
                    ? .dawarich : start.containsWord("\"sampleId\"") ? .arc : .json
        } else if first == UInt8(ascii: "{") {
            guard let format = LocationFormat(object: start, isEnough: isEnough) else { return nil }
            self = format
        } else if let end = start.firstIndex(of: 0x0A) ?? (isEnough ? start.endIndex : nil) {
            let line = start[..<end]
            // Lines of the Recorder: time, tab, kind, tab, JSON.
            let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
            let isRecorder = fields.count >= 3 && fields[2].first == UInt8(ascii: "{")
            self = isRecorder ? .owntracks : .csv
        } else {
            return nil
        }
    }

    /// Distinguishes a JSON document from JSON lines by the members of the first object.
    private init?(object: ArraySlice<UInt8>, isEnough: Bool) {
        let scan = HeadScan(object)
        if scan.names.contains("_type") {
            self = .owntracks
        } else if !scan.names.isDisjoint(with: GoogleShape.arrays.subtracting(["locations"])) {
            self = .google
        } else if !scan.names.isDisjoint(with: ArcShape.arrays), !scan.names.contains("locations") {
            self = .arc
        } else if scan.names.contains("dataType") {
            self = .geopulse
        } else if scan.names.isSuperset(of: ["counts", "settings"]) || scan.names.contains("tracker_id") {
            self = .dawarich
        } else if scan.names.contains("locations") {
            // Both have this member; its elements decide, once there are enough bytes of them.
            guard scan.isClosed || isEnough || object.count > 4096 else { return nil }
            self = object.containsWord("E7\"") ? .google : .json
        } else if !scan.names.isDisjoint(with: ["features", "geometry", "coordinates", "geometries"]) {
            self = .geojson
        } else if scan.names.contains("lonlat") {
            self = .dawarich
        } else if scan.hasLines {
            // Lines of JSON have an object each; this one is a document, whose other members may name its format.
            guard scan.isClosed || isEnough else { return nil }
            self = .json
        } else if scan.isClosed || isEnough || !scan.names.isDisjoint(with: LocationFormat.ownNames) {
            self = .ndjson
        } else {
            return nil
        }
    }

    private static let ownNames: Set<String> = ["latitude", "longitude", "lat", "lon", "lng"]

    /// Detects the format of a `.json` file in an archive, which may contain something other than locations.
    ///
    /// - Returns: `nil` if the head is no location file.
    init?(archivedJSON head: [UInt8]) {
        guard let format = LocationFormat(head: head, isComplete: true) else { return nil }
        switch format {
        case .ndjson, .json:
            guard head.containsWord("\"lat"), head.containsWord("time") || head.containsWord("\"t") else { return nil }
            self = format
        case .csv: return nil
        case .gpx, .tcx, .geojson, .kml, .kmz, .nmea, .owntracks, .google, .dawarich, .geopulse, .arc, .zip, .gzip:
            self = format
        }
    }
}

/// The names of the top-level members in the first bytes of a JSON object.
private struct HeadScan {
    var names: Set<String> = []
    /// Whether the object ends within the bytes.
    var isClosed = false
    /// Whether the object has line endings in it.
    var hasLines = false

    init(_ bytes: ArraySlice<UInt8>) {
        var (depth, index, expectsName) = (0, bytes.startIndex, false)
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                expectsName = depth == 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 {
                    isClosed = true
                    return
                }
            case UInt8(ascii: ","): expectsName = depth == 1
            case 0x0A: hasLines = hasLines || depth > 0
            case UInt8(ascii: "\""):
                let start = index + 1
                index = start
                while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                guard index < bytes.endIndex else { return }
                if expectsName {
                    // Longer names are none of those that are looked for, and some take minutes to hash.
                    if index - start <= 64 { names.insert(String(decoding: bytes[start..<index], as: UTF8.self)) }
                    expectsName = false
                }
            default: break
            }
            index += 1
        }
    }
}

extension Collection<UInt8> {
    /// Whether the ASCII word occurs.
    fileprivate func containsWord(_ word: StaticString) -> Bool {
        let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard let first = word.first else { return true }
        var rest = self[...]
        while let index = rest.firstIndex(of: first) {
            rest = rest[index...]
            if rest.starts(with: word) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
