internal import FencepostModel

/// Rows of values below a row of names (RFC 4180), separated by comma, semicolon or tab.
final class CSVDecoder: RecordDecoder {
    private enum State {
        /// At the start of a value, or in one without quotes.
        case plain
        case quoted
        /// After a quote in a quoted value: its end, or the first of two that stand for one.
        case quoteInQuoted
    }

    private let context: DecoderContext
    private var names = DeviceNames()
    private var state = State.plain
    /// `nil` until the row of names has been read.
    private var columns: [Column?]?
    private var separator = UInt8(ascii: ",")
    private var row: [[UInt8]] = []
    private var value: [UInt8] = []
    private var size = 0
    /// Of the row that is being read.
    private var line = 1
    private var linesOfRow = 0
    private var isFirst = true
    private var mark: [UInt8] = []
    private(set) var failure: Diagnostic?

    private static let rowLimit = 65_536

    init(_ context: DecoderContext) {
        self.context = context
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        for byte in chunk where failure == nil {
            if isFirst {
                // A byte order mark of three bytes may come in three reads.
                mark.append(byte)
                if [0xEF, 0xBB, 0xBF].starts(with: mark) {
                    if mark.count == 3 { isFirst = false }
                    continue
                }
                isFirst = false
                for byte in mark { take(byte, into: &records) }
            } else {
                take(byte, into: &records)
            }
        }
    }

    func finish(into records: inout [Decoded]) {
        if isFirst { for byte in mark { take(byte, into: &records) } }
        if state == .quoted, size <= CSVDecoder.rowLimit {
            failure = context.diagnostic(
                Rejection(.invalidShape, "the file ends within a quoted value"), at: .line(line))
            return
        }
        if size > 0 || !row.isEmpty { endRow(into: &records) }
        if columns == nil, failure == nil {
            failure = context.diagnostic(
                Rejection(.invalidShape, "the file has no row of column names"), at: .file)
        }
    }

    private func take(_ byte: UInt8, into records: inout [Decoded]) {
        if byte == 0x0A { linesOfRow += 1 }
        switch state {
        case .plain where byte == 0x0A:
            endRow(into: &records)
            return
        case .plain where byte == UInt8(ascii: "\"") && value.isEmpty: state = .quoted
        case .plain where isSeparator(byte): endValue(byte)
        case .plain: keep(byte)
        case .quoted where byte == UInt8(ascii: "\""): state = .quoteInQuoted
        case .quoted: keep(byte)
        case .quoteInQuoted where byte == UInt8(ascii: "\""):
            keep(byte)
            state = .quoted
        case .quoteInQuoted:
            state = .plain
            if byte == 0x0A {
                endRow(into: &records)
                return
            } else if isSeparator(byte) {
                endValue(byte)
            } else if byte != 0x0D {
                keep(byte)
            }
        }
        size += 1
    }

    private func keep(_ byte: UInt8) {
        if size <= CSVDecoder.rowLimit { value.append(byte) }
    }

    /// In the row of names the first of the three that occurs is the one.
    private func isSeparator(_ byte: UInt8) -> Bool {
        if columns != nil || !row.isEmpty { return byte == separator }
        return byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == 0x09
    }

    private func endValue(_ byte: UInt8) {
        separator = byte
        if size <= CSVDecoder.rowLimit { row.append(value) }
        value.removeAll(keepingCapacity: true)
    }

    private func endRow(into records: inout [Decoded]) {
        if value.last == 0x0D { value.removeLast() }
        row.append(value)
        let (values, place) = (row, Diagnostic.Place.line(line))
        let isTooLarge = size > CSVDecoder.rowLimit
        value.removeAll(keepingCapacity: true)
        row.removeAll(keepingCapacity: true)
        state = .plain
        size = 0
        line += linesOfRow
        linesOfRow = 0
        if isTooLarge {
            let rejection = Rejection(.payloadTooLarge, "the row is longer than 64 KiB")
            if columns == nil {
                failure = context.diagnostic(rejection, at: place)
            } else {
                records.append(context.rejected(rejection, at: place))
            }
        } else if values.allSatisfy({ $0.trimmed.isEmpty }) {
            // An empty line, or a row of nothing as spreadsheets leave them.
        } else if let columns {
            records.append(decoded(values, columns, at: place))
        } else {
            readNames(values, at: place)
        }
    }

    private func readNames(_ values: [[UInt8]], at place: Diagnostic.Place) {
        let found = values.map { Column(name: String(decoding: $0, as: UTF8.self)) }
        guard found.contains(.latitude), found.contains(.longitude) else {
            failure = context.diagnostic(
                Rejection(
                    .invalidShape, "the first row has to name the columns, and does not name a latitude and a longitude"
                ),
                at: place)
            return
        }
        columns = found
    }

    private func decoded(_ values: [[UInt8]], _ columns: [Column?], at place: Diagnostic.Place) -> Decoded {
        do throws(Rejection) {
            var raw = RawFix()
            for (column, value) in zip(columns, values) {
                guard let column else { continue }
                try read(column, value.trimmed, into: &raw)
            }
            return .location(try context.rules.location(from: raw), at: place)
        } catch {
            return context.rejected(error, at: place)
        }
    }

    private func read(_ column: Column, _ text: ArraySlice<UInt8>, into raw: inout RawFix) throws(Rejection) {
        guard !text.isEmpty else { return }
        func number() throws(Rejection) -> Double {
            guard let number = DecimalNumber.parse(text) else {
                throw Rejection(.invalidNumber, "the \(column.rawValue) \(RawTime.quoted(text)) is no number")
            }
            return number
        }
        switch column {
        case .latitude: raw.latitude = try number()
        case .longitude: raw.longitude = try number()
        case .time: raw.time = RawTime(text: text)
        case .altitude: raw.altitude = try number()
        case .speed: raw.speed = try number()
        case .speedKMH: raw.speed = try number() / 3.6
        case .accuracy: raw.horizontalAccuracy = try number()
        case .verticalAccuracy: raw.verticalAccuracy = try number()
        case .course: raw.course = try number()
        case .floor: raw.floor = try NativeShape.floor(number())
        case .batteryLevel: raw.batteryLevel = try number()
        case .batteryState: raw.batteryState = Location.BatteryState(known: String(decoding: text, as: UTF8.self))
        case .isSimulated:
            switch String(decoding: text, as: UTF8.self).lowercased() {
            case "true", "1": raw.isSimulated = true
            case "false", "0": raw.isSimulated = false
            default: throw NativeShape.noBool("isSimulated")
            }
        case .device: raw.deviceID = try names.device(named: text)
        case .source: raw.source = String(decoding: text, as: UTF8.self)
        case .trigger: raw.trigger = String(decoding: text, as: UTF8.self)
        }
    }
}

/// What a column holds; the raw values are for sentences.
private enum Column: String {
    case latitude, longitude, time, altitude, speed
    case speedKMH = "speed in km/h"
    case accuracy, verticalAccuracy = "vertical accuracy"
    case course, floor
    case batteryLevel = "battery level"
    case batteryState = "battery state"
    case isSimulated, device, source, trigger

    /// Case, spaces, underscores and hyphens of names do not count.
    init?(name: String) {
        switch name.lowercased().filter({ $0.isLetter || $0.isNumber }) {
        case "lat", "latitude", "y": self = .latitude
        case "lon", "lng", "longitude", "x": self = .longitude
        case "time", "timestamp", "datetime", "tst": self = .time
        case "alt", "ele", "altitude", "elevation": self = .altitude
        case "speed": self = .speed
        case "speedkmh": self = .speedKMH
        case "accuracy", "acc", "horizontalaccuracy": self = .accuracy
        case "verticalaccuracy": self = .verticalAccuracy
        case "course", "bearing", "heading": self = .course
        case "floor": self = .floor
        case "batterylevel": self = .batteryLevel
        case "batterystate": self = .batteryState
        case "issimulated": self = .isSimulated
        case "device", "deviceid", "tid": self = .device
        case "source": self = .source
        case "trigger": self = .trigger
        default: return nil
        }
    }
}
