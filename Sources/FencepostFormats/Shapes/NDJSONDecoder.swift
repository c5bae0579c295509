internal import CSimdjson
internal import FencepostJSON
internal import FencepostModel

/// Decodes Fencepost's own locations, one JSON object per line.
final class NDJSONDecoder: RecordDecoder {
    private let context: DecoderContext
    private var decoder: LineDecoder
    private var splitter = LineSplitter()

    /// A bad line does not affect later lines, so the file never fails as a whole.
    var failure: Diagnostic? { nil }

    init(_ context: DecoderContext) {
        self.context = context
        decoder = LineDecoder(context.rules)
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        splitter.feed(chunk) { append($0, to: &records) }
    }

    func finish(into records: inout [Decoded]) {
        splitter.finish { append($0, to: &records) }
    }

    private func append(_ line: LineSplitter.Line, to records: inout [Decoded]) {
        guard line.isTooLong || !line.isBlank else { return }
        do throws(Rejection) {
            guard !line.isTooLong else { throw Rejection.lineTooLong }
            records.append(.location(try decoder.location(of: line), at: .line(line.number)))
            if decoder.hasDropped { context.dropped.members.add(decoder.takeDropped()) }
        } catch {
            records.append(context.rejected(error, at: .line(line.number)))
        }
    }
}

extension Rejection {
    static var lineTooLong: Rejection { Rejection(.payloadTooLarge, "the line is longer than 64 KiB") }
}

extension LineSplitter.Line {
    var isBlank: Bool {
        // Almost always false at the first byte.
        bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }
}

/// A simdjson parser that reads locations in Fencepost's own format without building a document.
final class FixParser {
    private let handle: OpaquePointer

    init() {
        guard let handle = fencepost_json_parser_create() else { fatalError("no memory for a JSON parser") }
        self.handle = handle
    }

    deinit {
        fencepost_json_parser_destroy(handle)
    }

    func parse(_ line: LineSplitter.Line, names: inout DeviceNames) throws(Rejection) -> RawFix {
        guard let start = line.bytes.baseAddress else { throw Rejection(.invalidJSON, "the line is empty") }
        var fix = fencepost_fix()
        switch Int(fencepost_fix_parse(handle, start, line.bytes.count, line.readable, &fix)) {
        case FENCEPOST_FIX_READ: return try RawFix(fix, names: &names)
        case FENCEPOST_FIX_NO_OBJECT: throw Rejection(.invalidShape, "the line is not a JSON object")
        default: return try FixParser.parseSlowly(line.bytes, names: &names)
        }
    }

    /// Parses a line that the fast path rejects, to report the error. It also accepts an integer of more than 64 bits
    /// in an unused member, which is valid.
    private static func parseSlowly(
        _ line: UnsafeBufferPointer<UInt8>, names: inout DeviceNames
    ) throws(Rejection) -> RawFix {
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(parsing: line)
        } catch {
            throw Rejection(.invalidJSON, "column \(error.column): \(error.message)")
        }
        return try RawFix(native: document.root, names: &names)
    }
}

extension RawFix {
    /// The values of a parsed fix, whose strings point into the parser's memory and are copied here.
    fileprivate init(_ fix: fencepost_fix, names: inout DeviceNames) throws(Rejection) {
        latitude = try number(fix.latitude, "latitude")
        longitude = try number(fix.longitude, "longitude")
        horizontalAccuracy = try number(fix.horizontal_accuracy, "horizontalAccuracy")
        switch Int(fix.timestamp.kind) {
        case FENCEPOST_ABSENT: time = .absent
        case FENCEPOST_NUMBER: time = RawTime(epoch: fix.timestamp.number)
        case FENCEPOST_STRING: time = RawTime(rfc3339: fix.timestamp.text)
        default: time = .invalid(NativeShape.otherValue)
        }
        switch Int(fix.device.kind) {
        case FENCEPOST_ABSENT: break
        case FENCEPOST_STRING: deviceID = try names.device(named: fix.device.text)
        default: throw NativeShape.notAString("deviceId", .invalidDeviceID)
        }
        altitude = try number(fix.altitude, "altitude")
        verticalAccuracy = try number(fix.vertical_accuracy, "verticalAccuracy")
        speed = try number(fix.speed, "speed")
        course = try number(fix.course, "course")
        batteryLevel = try number(fix.battery_level, "batteryLevel")
        if let number = try number(fix.floor, "floor") { floor = try NativeShape.floor(number) }
        if let text = try text(fix.battery_state, "batteryState") {
            batteryState = Location.BatteryState(known: String(decoding: text, as: UTF8.self))
        }
        switch Int(fix.is_simulated.kind) {
        case FENCEPOST_ABSENT: break
        case FENCEPOST_TRUE: isSimulated = true
        case FENCEPOST_FALSE: isSimulated = false
        default: throw NativeShape.notABoolean("isSimulated")
        }
        if let text = try text(fix.source, "source") { source = String(decoding: text, as: UTF8.self) }
        if let text = try text(fix.trigger, "trigger") { trigger = String(decoding: text, as: UTF8.self) }
    }
}

extension fencepost_member {
    fileprivate var text: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: Int(length)) }
}

private func number(_ member: fencepost_member, _ name: StaticString) throws(Rejection) -> Double? {
    switch Int(member.kind) {
    case FENCEPOST_ABSENT: return nil
    case FENCEPOST_NUMBER: return member.number
    default: throw NativeShape.notANumber("\(name)")
    }
}

private func text(_ member: fencepost_member, _ name: StaticString) throws(Rejection) -> UnsafeBufferPointer<UInt8>? {
    switch Int(member.kind) {
    case FENCEPOST_ABSENT: return nil
    case FENCEPOST_STRING: return member.text
    default: throw NativeShape.notAString("\(name)", .invalidShape)
    }
}
