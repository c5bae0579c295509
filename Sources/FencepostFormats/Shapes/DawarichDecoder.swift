internal import FencepostJSON
internal import FencepostModel

/// Decodes Dawarich's export of all data: `points.jsonl`, an array of points, or a document with `points`.
///
/// Speeds are metres per second. Hardware addresses in the export (`bssid`) are not read.
final class DawarichDecoder: RecordDecoder {
    private let context: DecoderContext
    private var head: [UInt8] = []
    private var form: Form?
    private var names = DeviceNames()

    private enum Form {
        case document(JSONDocumentDecoder<DawarichShape>)
        case lines
    }

    private var splitter = LineSplitter()
    private var parser = JSONParser()

    var failure: Diagnostic? {
        switch form {
        case .document(let decoder): decoder.failure
        case .lines, nil: nil
        }
    }

    init(_ context: DecoderContext) {
        self.context = context
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        guard form == nil else { return pass(chunk, into: &records) }
        head.append(contentsOf: chunk)
        if head.count >= 64 { start(into: &records) }
    }

    func finish(into records: inout [Decoded]) {
        if form == nil { start(into: &records) }
        switch form {
        case .document(let decoder): decoder.finish(into: &records)
        case .lines: splitter.finish { take($0, into: &records) }
        case nil: break
        }
    }

    private func start(into records: inout [Decoded]) {
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head[3...] : head[...]
        let start = String(decoding: text.trimmed.prefix(16), as: UTF8.self).filter { !$0.isWhitespace }
        let isDocument = start.hasPrefix("[") || start.hasPrefix("{\"counts\"") || start.hasPrefix("{\"points\"")
        form = isDocument ? .document(JSONDocumentDecoder(context)) : .lines
        let bytes = head
        head = []
        bytes.withUnsafeBufferPointer { pass($0, into: &records) }
    }

    private func pass(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        switch form {
        case .document(let decoder): decoder.decode(chunk, into: &records)
        case .lines: splitter.feed(chunk) { take($0, into: &records) }
        case nil: break
        }
    }

    private func take(_ line: LineSplitter.Line, into records: inout [Decoded]) {
        let position = Diagnostic.Position.line(line.number)
        guard line.isTooLong || !line.isBlank else { return }
        do throws(Rejection) {
            guard !line.isTooLong else { throw Rejection.lineTooLong }
            let element: JSONElement
            do throws(JSONSyntaxError) {
                element = try parser.parse(line.bytes).root
            } catch {
                throw Rejection(.invalidJSON, "column \(error.column): \(error.message)")
            }
            records.append(context.decoded(try RawFix(dawarich: element, names: &names), at: position))
        } catch {
            records.append(context.rejected(error, at: position))
        }
    }
}

/// Points of Dawarich in a JSON document.
struct DawarichShape: DocumentShape {
    static let arrays: Set<String> = ["points"]

    func take(_ element: JSONElement, of array: String?, into sink: inout RecordSink) throws(Rejection) {
        sink.append(try RawFix(dawarich: element, names: &sink.names))
    }

    func take(member name: String, _ value: JSONElement) {}

    func finish(hasArrays: Bool, into sink: inout RecordSink) throws(Rejection) {
        guard hasArrays else { throw Rejection(.invalidShape, "the document has no array of points") }
    }
}

/// `rawgps.json` of GeoPulse's export.
struct GeoPulseShape: DocumentShape {
    static let arrays: Set<String> = ["points"]

    private var dataType: String?

    mutating func take(_ element: JSONElement, of array: String?, into sink: inout RecordSink) throws(Rejection) {
        sink.append(try RawFix(geoPulse: element, names: &sink.names))
    }

    mutating func take(member name: String, _ value: JSONElement) {
        if name == "dataType" { dataType = value.string }
    }

    func finish(hasArrays: Bool, into sink: inout RecordSink) throws(Rejection) {
        guard hasArrays else {
            throw Rejection(
                .invalidShape, "the document contains \(dataType ?? "other data") of GeoPulse, not its raw positions")
        }
    }
}

extension RawFix {
    /// A point of Dawarich. Its numbers may be strings.
    ///
    /// `element`: a point of the export, or the properties of a feature of its GeoJSON.
    init(dawarich element: JSONElement, names: inout DeviceNames) throws(Rejection) {
        guard element.object != nil else { throw Rejection(.invalidShape, "the point is not a JSON object") }
        latitude = try element.number("latitude")
        longitude = try element.number("longitude")
        time = element.value("timestamp")?.time ?? .absent
        if let topic = element["topic"]?.string, let name = OwnTracksPayload.device(topic: topic) {
            deviceID = try names.device(named: name.utf8)
        } else {
            deviceID = try element.value("tracker_id")?.device(&names)
        }
        horizontalAccuracy = try element.number("accuracy")?.ifKnown
        altitude = try element.number("altitude")
        verticalAccuracy = try element.number("vertical_accuracy")
        speed = try element.number("velocity")
        course = try element.number("course")
        batteryLevel = try element.number("battery").map { $0 / 100 }
        batteryState = element["battery_status"]?.string.flatMap { Location.BatteryState(known: $0) }
        source = "dawarich"
    }

    /// A point of GeoPulse, with a speed in km/h.
    ///
    /// `element`: a point of the export, or the properties of a feature of its GeoJSON.
    init(geoPulse element: JSONElement, names: inout DeviceNames) throws(Rejection) {
        guard element.object != nil else { throw Rejection(.invalidShape, "the point is not a JSON object") }
        latitude = try element.number("latitude")
        longitude = try element.number("longitude")
        time = element.value("timestamp")?.time ?? .absent
        deviceID = try element.value("deviceId")?.device(&names)
        horizontalAccuracy = try element.number("accuracy")?.ifKnown
        altitude = try element.number("altitude")
        let (velocity, other) = (try element.number("velocity"), try element.number("speed"))
        speed = (velocity ?? other).map { $0 / 3.6 }
        batteryLevel = try element.number("battery").map { $0 / 100 }
        source = "geopulse"
    }

    /// The properties of a GeoJSON feature, in the form of the program that wrote it.
    init(properties: JSONElement, names: inout DeviceNames) throws(Rejection) {
        if properties["tracker_id"] != nil || properties["battery_status"] != nil {
            try self.init(dawarich: properties, names: &names)
        } else if properties["sourceType"] != nil, properties["velocity"] != nil || properties["deviceId"] != nil {
            try self.init(geoPulse: properties, names: &names)
        } else {
            try self.init(native: properties, names: &names)
            // Other programs' names for the direction of travel.
            if course == nil { course = properties.value("heading", "bearing")?.number }
        }
    }
}
