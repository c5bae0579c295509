internal import FencepostModel

/// Decodes CSV: rows of values below a row of names (RFC 4180), separated by comma, semicolon or tab.
final class CSVDecoder: RecordDecoder {
    private let context: DecoderContext
    private var splitter = CSVSplitter()
    private var names = DeviceNames()
    /// `nil` until the row of names has been read.
    private var columns: [MeasuredColumn?]?
    private(set) var failure: Diagnostic?

    init(_ context: DecoderContext) {
        self.context = context
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        splitter.feed(chunk) { take($0, into: &records) }
    }

    func finish(into records: inout [Decoded]) {
        let isInQuotes = splitter.isInQuotes
        splitter.finish { row in
            if isInQuotes {
                fail("the file ends within a quoted value", at: .line(row.line))
            } else {
                take(row, into: &records)
            }
        }
        if columns == nil { fail("the file has no row of column names", at: .file) }
    }

    private func fail(_ message: String, at position: Diagnostic.Position) {
        failure = failure ?? context.diagnostic(Rejection(.invalidShape, message), at: position)
    }

    private func take(_ row: CSVSplitter.Row, into records: inout [Decoded]) {
        guard failure == nil else { return }
        let position = Diagnostic.Position.line(row.line)
        if row.isTooLong {
            let rejection = Rejection(.payloadTooLarge, "the row is longer than 64 KiB")
            if columns == nil {
                failure = context.diagnostic(rejection, at: position)
            } else {
                records.append(context.rejected(rejection, at: position))
            }
        } else if row.bytes.trimmed.isEmpty {
            // An empty line, or a row of empty values as spreadsheets write them.
        } else if let columns {
            do throws(Rejection) {
                var raw = RawFix()
                for index in 0..<min(columns.count, row.ends.count) {
                    if let column = columns[index] { try read(column, row[index], into: &raw) }
                }
                records.append(.location(try context.location(from: raw), at: position))
            } catch {
                records.append(context.rejected(error, at: position))
            }
        } else {
            readNames(row, at: position)
        }
    }

    private func readNames(_ row: CSVSplitter.Row, at position: Diagnostic.Position) {
        // FIT has its name after eight bytes of its header; no text has a byte 0.
        let start = Array(row.bytes.prefix(14))
        if start.dropFirst(8).starts(with: ".FIT".utf8) {
            fail(
                "this is a FIT file of a sports watch: convert it to GPX first (gpsbabel -i garmin_fit -o gpx)",
                at: position)
            return
        }
        if start.contains(0) {
            fail("this is a binary file of a format that is not read", at: position)
            return
        }
        let found = row.ends.indices.map { MeasuredColumn(heading: String(decoding: row[$0], as: UTF8.self)) }
        let known = Set(found.compactMap { $0?.column })
        guard known.isSuperset(of: [.latitude, .longitude]) else {
            fail("the first row must name the columns, including a latitude and a longitude", at: position)
            return
        }
        columns = found
    }

    private func read(_ measured: MeasuredColumn, _ text: Slice<UnsafeBufferPointer<UInt8>>, into raw: inout RawFix)
        throws(Rejection)
    {
        guard !text.isEmpty else { return }
        let column = measured.column
        func number() throws(Rejection) -> Double {
            guard let number = DecimalNumber.parse(text) else {
                throw Rejection(.invalidNumber, "the \(column.rawValue) \(RawTime.quoted(text)) is not a number")
            }
            return measured.factor == 1 ? number : number * measured.factor
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
            default: throw NativeShape.notABoolean("isSimulated")
            }
        case .device: raw.deviceID = try names.device(named: UnsafeBufferPointer(rebasing: text))
        case .source: raw.source = String(decoding: text, as: UTF8.self)
        case .trigger: raw.trigger = String(decoding: text, as: UTF8.self)
        }
    }
}

/// A column whose heading may end with a unit, as in `accuracy(m)` or `Speed [km/h]`.
private struct MeasuredColumn {
    let column: Column
    /// From the unit of the heading to that of the location: metres, metres per second, degrees, or a share.
    let factor: Double

    private enum Quantity { case length, speed, angle, share, moment, none }

    /// `nil` for a heading that names no known column, or a unit that does not fit it.
    init?(heading: String) {
        let trimmed = heading.trimmingPrefix { $0.isWhitespace }
        guard let start = trimmed.firstIndex(where: { "([".contains($0) }), start > trimmed.startIndex else {
            guard let column = Column(name: heading) else { return nil }
            (self.column, factor) = (column, 1)
            return
        }
        let unit = trimmed[start...].lowercased().filter { !"()[] ".contains($0) }
        guard let column = Column(name: String(trimmed[..<start])),
            let factor = Self.factor(of: unit, for: Self.quantity(of: column))
        else { return nil }
        (self.column, self.factor) = (column, factor)
    }

    private static func quantity(of column: Column) -> Quantity {
        switch column {
        case .altitude, .accuracy, .verticalAccuracy: .length
        case .speed: .speed
        case .latitude, .longitude, .course: .angle
        case .batteryLevel: .share
        case .time: .moment
        case .speedKMH, .floor, .batteryState, .isSimulated, .device, .source, .trigger: .none
        }
    }

    private static func factor(of unit: String, for quantity: Quantity) -> Double? {
        switch (quantity, unit) {
        case (.length, "m"), (.length, "meters"), (.length, "metres"), (.length, "meter"), (.length, "metre"): 1
        case (.length, "ft"), (.length, "feet"): 0.3048
        case (.length, "km"): 1000
        case (.speed, "m/s"), (.speed, "mps"), (.speed, "ms"): 1
        case (.speed, "km/h"), (.speed, "kmh"), (.speed, "kph"): 1 / 3.6
        case (.speed, "mph"), (.speed, "mi/h"): 0.44704
        case (.speed, "kn"), (.speed, "kt"), (.speed, "kts"), (.speed, "knots"): 1852.0 / 3600
        case (.angle, "deg"), (.angle, "degrees"), (.angle, "°"), (.angle, "degree"): 1
        case (.share, "%"), (.share, "percent"): 0.01
        case (.moment, "utc"), (.moment, "gmt"), (.moment, "iso8601"), (.moment, "z"): 1
        case (.length, _), (.speed, _), (.angle, _), (.share, _), (.moment, _), (.none, _): nil
        }
    }
}

/// The meaning of a column; the raw values appear in messages.
private enum Column: String {
    case latitude, longitude, time, altitude, speed
    case speedKMH = "speed in km/h"
    case accuracy, verticalAccuracy = "vertical accuracy"
    case course, floor
    case batteryLevel = "battery level"
    case batteryState = "battery state"
    case isSimulated, device, source, trigger

    /// Ignores case, spaces, underscores and hyphens in names.
    init?(name: String) {
        switch name.lowercased().filter({ $0.isLetter || $0.isNumber }) {
        case "lat", "latitude", "y": self = .latitude
        case "lon", "lng", "longitude", "x": self = .longitude
        case "time", "timestamp", "datetime", "tst": self = .time
        case "alt", "ele", "altitude", "elevation": self = .altitude
        case "speed": self = .speed
        case "speedkmh", "velocity": self = .speedKMH
        case "accuracy", "acc", "horizontalaccuracy": self = .accuracy
        case "verticalaccuracy": self = .verticalAccuracy
        case "course", "bearing", "heading": self = .course
        case "floor": self = .floor
        case "batterylevel": self = .batteryLevel
        case "batterystate": self = .batteryState
        case "issimulated": self = .isSimulated
        case "device", "deviceid", "trackerid", "tid": self = .device
        case "source": self = .source
        case "trigger": self = .trigger
        default: return nil
        }
    }
}
