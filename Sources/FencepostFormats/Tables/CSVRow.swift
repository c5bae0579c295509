internal import FencepostGeometry
internal import FencepostModel

/// Reads the values of one row by the names of its columns.
struct CSVRow {
    typealias Text = Slice<UnsafeBufferPointer<UInt8>>

    enum Outcome {
        case fix(RawFix)
        /// Day and month of the date can be either, and no row has said which.
        case undecided
    }

    let header: CSVHeader
    let order: CSVTime.Order?
    let zones: CSVZones
    /// What the row says about its time zone.
    var zoneValues: [ZoneValue] = []
    var raw = RawFix()
    /// The order of day and month that the date of this row shows.
    var shownOrder: CSVTime.Order?
    var isUndecided = false
    private var hasDecimalComma = false
    /// The values that are not understood, without which the location stays.
    private(set) var dropped = DroppedMembers()
    private var droppedColumns: Set<CSVColumn.Meaning> = []

    init(_ header: CSVHeader, order: CSVTime.Order?, zones: CSVZones) {
        (self.header, self.order, self.zones) = (header, order, zones)
    }

    mutating func read(_ row: CSVSplitter.Row, names: inout DeviceNames) throws(Rejection) -> Outcome {
        try checkCount(of: row)
        let columns = header.columns
        zoneValues = header.zones.compactMap { zoneValue(at: $0, of: row) }
        for index in 0..<min(columns.count, row.ends.count) {
            guard let column = columns[index] else { continue }
            let text = row[index]
            guard !text.isEmpty else { continue }
            guard
                header.first[column.meaning] == index || column.meaning == .validity || isEmpty(column.meaning, of: row)
            else {
                if column.meaning.isCompared { try compare(column, text, with: row) }
                continue
            }
            try read(column, text, row, &names)
        }
        try readHemispheres(row)
        if hasDecimalComma { try checkMarks(of: row) }
        if row.isUnfinished, row.ends.count < columns.count, raw.latitude != nil, raw.longitude != nil {
            throw Rejection(
                .invalidShape,
                "the file ends in this row, after \(row.ends.count) of \(columns.count) values: it may be truncated")
        }
        return isUndecided ? .undecided : .fix(raw)
    }

    /// The text of the first column with a meaning; `nil` where the table or the row has none.
    func text(_ meaning: CSVColumn.Meaning, of row: CSVSplitter.Row) -> Text? {
        guard let index = header.first[meaning], index < row.ends.count else { return nil }
        let text = row[index]
        return text.isEmpty ? nil : text
    }

    private func isEmpty(_ meaning: CSVColumn.Meaning, of row: CSVSplitter.Row) -> Bool {
        text(meaning, of: row) == nil
    }

    /// More values than names shift what the values mean.
    private func checkCount(of row: CSVSplitter.Row) throws(Rejection) {
        let count = row.ends.count
        let names = header.columns.count
        if count > names, (names..<count).contains(where: { !row[$0].isEmpty }) {
            let cure =
                header.separator == UInt8(ascii: ",")
                ? ": values with a comma, such as numbers with a decimal comma, need quotes, or semicolons between the values"
                : ": values with the separator need quotes"
            throw Rejection(.invalidShape, "the row has \(count) values for \(names) columns\(cure)")
        }
        if count == 1, names > 1 {
            let name = header.separator == 0x09 ? "a tab" : "\"\(Character(Unicode.Scalar(header.separator)))\""
            throw Rejection(
                .invalidShape, "the row has 1 value for \(names) columns, which \(name) divides in the row of names")
        }
    }

    // MARK: Values

    private mutating func read(
        _ column: CSVColumn, _ text: Text, _ row: CSVSplitter.Row, _ names: inout DeviceNames
    ) throws(Rejection) {
        switch column.meaning {
        case .latitude: raw.latitude = try angle(column, text)
        case .longitude: raw.longitude = try angle(column, text)
        case .time: raw.time = try time(column, RawTime.words(text), text)
        case .date: try readDate(column, text, row)
        case .clock, .millisecond, .zone, .northSouth, .eastWest: break
        case .validity: try checkValidity(column, text)
        case .altitude: raw.altitude = try member(.altitude, column, text)
        case .speed: raw.speed = try member(.speed, column, text)
        case .accuracy: raw.horizontalAccuracy = try member(.horizontalAccuracy, column, text)
        case .verticalAccuracy: raw.verticalAccuracy = try member(.verticalAccuracy, column, text)
        case .course: raw.course = try member(.course, column, text)
        case .floor:
            raw.floor = try member(.floor, column, text).map { value throws(Rejection) in try NativeShape.floor(value) }
        case .batteryLevel: raw.batteryLevel = try battery(column, text)
        case .batteryState: raw.batteryState = Location.BatteryState(known: try words(column, text))
        case .isSimulated:
            switch try words(column, text).lowercased() {
            case "true", "1": raw.isSimulated = true
            case "false", "0": raw.isSimulated = false
            default: throw NativeShape.notABoolean("isSimulated")
            }
        case .device:
            try checkDigits(column, text)
            if column.isTopic {
                let topic = try words(column, text)
                let isOwn = topic.hasPrefix("owntracks/")
                raw.deviceID = try DeviceID(validating: isOwn ? String(topic.dropFirst(10)) : topic)
            } else if header.isWindows {
                raw.deviceID = try DeviceID(validating: try words(column, text))
            } else {
                if text.contains(where: { $0 >= 0x80 }) { _ = try words(column, text) }
                raw.deviceID = try names.device(named: UnsafeBufferPointer(rebasing: text))
            }
        case .source: raw.source = try words(column, text)
        case .trigger: raw.trigger = try words(column, text)
        }
    }

    /// A text in the encoding of the file.
    private func words(_ column: CSVColumn, _ text: Text) throws(Rejection) -> String {
        guard let words = text.text(isWindows: header.isWindows) else {
            throw Rejection(
                .invalidShape,
                "the \(column.meaning.rawValue) \(RawTime.quoted(text)) is not UTF-8: save the file as UTF-8")
        }
        return words
    }

    /// A number that a location can be without: what is not understood is dropped and counted.
    private mutating func member(
        _ member: DroppedMembers.Member, _ column: CSVColumn, _ text: Text
    ) throws(Rejection) -> Double? {
        let hadDecimalComma = hasDecimalComma
        switch number(column, text) {
        case .value(let number): return number
        case .absent: return nil
        case .otherUnit:
            throw Rejection(
                .invalidNumber,
                "the \(column.meaning.rawValue) \(RawTime.quoted(text)) has another unit than \"\(column.heading)\"")
        case .text:
            let words = String(decoding: text, as: UTF8.self).uppercased()
            // A number that is not finite is an error of the program that wrote the file.
            guard Double(words) == nil else { throw notANumber(column, text) }
            if column.meaning == .course, let point = Self.compass.firstIndex(of: words) { return Double(point) * 22.5 }
            hasDecimalComma = hadDecimalComma
            drop(member, column)
            return nil
        }
    }

    private mutating func drop(_ member: DroppedMembers.Member, _ column: CSVColumn) {
        dropped.count(member)
        droppedColumns.insert(column.meaning)
    }

    private static let compass = [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
    ]

    /// A battery level; a value between 0 and 1 without a unit is a share, and 1 can be a hundredth or all.
    private mutating func battery(_ column: CSVColumn, _ text: Text) throws(Rejection) -> Double? {
        if column.isShareOrPercent, text.count <= 64,
            let value = DecimalNumber.parse(text) ?? decimal(String(decoding: text, as: UTF8.self)[...]),
            value > 0, value <= 1
        {
            if value < 1 { return value }
            drop(.batteryLevel, column)
            return nil
        }
        return try member(.batteryLevel, column, text)
    }

    /// Spreadsheets round long numbers, so that several devices get one name.
    private func checkDigits(_ column: CSVColumn, _ text: Text) throws(Rejection) {
        guard text.contains(UInt8(ascii: "+")), text.count <= 32 else { return }
        let parts = String(decoding: text, as: UTF8.self).replacing(",", with: ".").lowercased()
            .split(separator: "e+", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 2, Int(parts[1]) != nil, parts[0].first?.isNumber ?? false,
            DecimalNumber.parse(parts[0]) != nil
        else { return }
        throw Rejection(
            .invalidDeviceID,
            "the device \(RawTime.quoted(text)) has lost digits in a spreadsheet: format its column as text, and enter the "
                + "numbers again")
    }

    private func checkValidity(_ column: CSVColumn, _ text: Text) throws(Rejection) {
        let words = String(decoding: text, as: UTF8.self).lowercased()
        guard Self.invalid.contains(words.filter { $0.isLetter }) || DecimalNumber.parse(text) == 0 else { return }
        throw Rejection(
            .missingCoordinate,
            "the column \"\(column.heading)\" has \(RawTime.quoted(text)): the receiver had no position")
    }

    /// What programs write for a position that the receiver did not have; `V` is that of NMEA.
    private static let invalid: Set<String> = [
        "false", "no", "n", "v", "void", "invalid", "notvalid", "none", "nofix", "falsch", "nein", "faux", "falso",
    ]

    /// What a value says where a number is expected.
    private enum NumberValue {
        case value(Double)
        /// What programs write for a missing value, or bytes of another encoding.
        case absent
        /// A number with another unit than its heading has.
        case otherUnit
        case text
    }

    private mutating func number(_ column: CSVColumn, _ text: Text) -> NumberValue {
        let factor = column.factor ?? 1
        if let number = DecimalNumber.parse(text) { return .value(factor == 1 ? number : number * factor) }
        guard text.count <= 64 else { return .text }
        guard let words = text.text(isWindows: header.isWindows), !Self.absent.contains(words) else { return .absent }
        if let number = decimal(words[...]) { return .value(number * factor) }
        // With its unit, as in `12 m`.
        let end = words.lastIndex { $0.isNumber }.map { words.index(after: $0) } ?? words.startIndex
        let unit = words[end...].lowercased().filter { $0 != " " }
        guard !unit.isEmpty, let number = decimal(words[..<end]), let own = column.factor(ofValue: unit) else {
            return .text
        }
        return column.factor == nil || column.factor == own ? .value(number * own) : .otherUnit
    }

    /// What programs write for a value that is missing.
    static let absent: Set<String> = ["NA", "N/A", "n/a", "NULL", "null", "None", "\\N", "-", "--"]

    private func notANumber(_ column: CSVColumn, _ text: Text) -> Rejection {
        Rejection(.invalidNumber, "the \(column.meaning.rawValue) \(RawTime.quoted(text)) is not a number")
    }

    /// A number with a decimal comma or another sign for minus.
    private mutating func decimal(_ words: Substring) -> Double? {
        let text = words.replacing("\u{2212}", with: "-")
        guard text.contains(",") else { return DecimalNumber.parse(text) }
        guard !text.contains("."), text.count(where: { $0 == "," }) == 1 else { return nil }
        hasDecimalComma = true
        return DecimalNumber.parse(text.replacing(",", with: "."))
    }

    private mutating func angle(_ column: CSVColumn, _ text: Text) throws(Rejection) -> Double? {
        let isLatitude = column.meaning == .latitude
        if let number = DecimalNumber.parse(text) {
            // Of NMEA: degrees and minutes without a mark between them.
            let unsigned = text.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
            let digits = unsigned.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            let isPlain = digits == unsigned.count || unsigned[unsigned.startIndex + digits] == UInt8(ascii: ".")
            if isPlain, digits == (isLatitude ? 4 : 5), column.factor ?? 1 == 1 {
                let whole = Int(clamped: number.magnitude)
                throw Rejection(
                    .coordinateOutOfRange,
                    "the \(column.meaning.rawValue) \(RawTime.quoted(text)) looks like degrees and minutes of NMEA: write "
                        + "them as degrees, \(whole / 100) + \(whole % 100)/60")
            }
            return number * (column.factor ?? 1)
        }
        guard text.count <= 64, let words = text.text(isWindows: header.isWindows) else {
            throw notANumber(column, text)
        }
        if let number = decimal(words[...]) { return number * (column.factor ?? 1) }
        guard column.factor ?? 1 == 1 else { throw notANumber(column, text) }
        if words.contains(",") { hasDecimalComma = true }
        return try CSVAngle.degrees(words, isLatitude: isLatitude)
    }

    /// The letters of hemispheres in columns of their own.
    private mutating func readHemispheres(_ row: CSVSplitter.Row) throws(Rejection) {
        for (letters, coordinate, value) in [
            (CSVColumn.Meaning.northSouth, CSVColumn.Meaning.latitude, \RawFix.latitude),
            (.eastWest, .longitude, \RawFix.longitude),
        ] where header.first[letters] != nil {
            guard let number = raw[keyPath: value] else { continue }
            let letter = text(letters, of: row).map { String(decoding: $0, as: UTF8.self).uppercased() } ?? ""
            let isNorthOrEast = ["N", "NORTH", "E", "EAST"].contains(letter)
            guard
                (coordinate == .latitude ? ["N", "S", "NORTH", "SOUTH"] : ["E", "W", "EAST", "WEST"]).contains(letter)
            else {
                throw Rejection(
                    .invalidNumber,
                    "the letter \(letters.rawValue) of the \(coordinate.rawValue) is '\(letter.prefix(8))'")
            }
            guard number >= 0, !(text(coordinate, of: row)?.last.map { $0 >= UInt8(ascii: "A") } ?? false) else {
                throw Rejection(
                    .invalidNumber,
                    "the \(coordinate.rawValue) has a sign or a letter, and a column with the letter \(letter)")
            }
            raw[keyPath: value] = isNorthOrEast ? number : -number
        }
    }

    /// A decimal comma and a decimal point in one row are not two decimal marks: one divides thousands.
    private func checkMarks(of row: CSVSplitter.Row) throws(Rejection) {
        for index in 0..<min(header.columns.count, row.ends.count) {
            guard let column = header.columns[index] else { continue }
            switch column.meaning {
            case .latitude, .longitude, .altitude, .speed, .accuracy, .verticalAccuracy, .course:
                guard row[index].contains(UInt8(ascii: ".")), !droppedColumns.contains(column.meaning) else { continue }
                throw Rejection(
                    .invalidNumber, "the row has numbers with a point and numbers with a comma: use one decimal mark")
            case .time, .date, .clock, .millisecond, .zone, .validity, .northSouth, .eastWest, .floor, .batteryLevel,
                .batteryState,
                .isSimulated, .device, .source, .trigger:
                continue
            }
        }
    }

    /// What a column says about the time zone of the row.
    struct ZoneValue {
        var column: CSVColumn, text: String
    }

    // MARK: Repeated columns

    /// A second column of where or when must not say something else.
    private mutating func compare(_ column: CSVColumn, _ text: Text, with row: CSVSplitter.Row) throws(Rejection) {
        guard let index = header.first[column.meaning], let other = header.columns[index] else { return }
        var reader = CSVRow(header, order: order, zones: zones)
        reader.zoneValues = zoneValues
        let isEqual: Bool
        if column.meaning == .time {
            let times = (
                try? reader.time(column, RawTime.words(text), text),
                try? reader.time(other, RawTime.words(row[index]), row[index])
            )
            guard case (.at(let first)?, .at(let second)?) = times else { return }
            isEqual = (first.milliseconds - second.milliseconds).magnitude <= 1000
        } else {
            let values = (try? reader.angle(column, text), try? reader.angle(other, row[index]))
            guard let first = values.0 ?? nil, let second = values.1 ?? nil else { return }
            isEqual = (first - second).magnitude <= 1e-5
        }
        guard isEqual else {
            throw Rejection(
                column.meaning == .time ? .invalidTimestamp : .invalidNumber,
                "the columns \"\(other.heading)\" and \"\(column.heading)\" have different values "
                    + "(\(RawTime.quoted(row[index])) and \(RawTime.quoted(text))): remove one of them")
        }
    }
}
