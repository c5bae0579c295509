internal import FencepostModel

/// A table of text that is read as a whole: names of columns, and rows of cells.
package struct PlainTable {
    /// The names, as the file has them.
    package private(set) var names: [String] = []
    /// The cells of each row, without surrounding white space, and its line.
    package private(set) var rows: [(line: Int, cells: [String])] = []
    /// The lines of rows that are longer than `lengthLimit`.
    package private(set) var tooLong: [Int] = []
    /// Whether the last row has no line ending: the file may have been cut there.
    package let endsInRow: Bool
    /// Between the cells.
    package let separator: Character

    /// The rows above the names.
    private static let rowLimit = 32
    /// The most bytes of a row: the border of a country is a cell of some hundred thousand.
    package static let lengthLimit = 16 << 20

    /// Reads a table of UTF-8 or Windows-1252; `nil` without a row of names among the first ones. `isHeader` says whether
    /// names are those of the columns.
    package init?(_ bytes: [UInt8], isHeader: ([String]) -> Bool) {
        var bytes = bytes
        if !bytes.contains(0x0A) { bytes = bytes.map { $0 == 0x0D ? 0x0A : $0 } }
        endsInRow = bytes.last != 0x0A
        let isWindows = String(validating: bytes, as: UTF8.self) == nil
        for separator in CSVHeader.separators {
            let all = Self.rows(of: bytes, separator: separator, isWindows: isWindows)
            guard let index = all.rows.prefix(Self.rowLimit).firstIndex(where: { isHeader($0.cells) }) else { continue }
            self.separator = Character(Unicode.Scalar(separator))
            names = all.rows[index].cells
            rows = Array(all.rows.dropFirst(index + 1))
            tooLong = all.tooLong
            return
        }
        return nil
    }

    private static func rows(
        of bytes: [UInt8], separator: UInt8, isWindows: Bool
    ) -> (rows: [(line: Int, cells: [String])], tooLong: [Int]) {
        var rows: [(line: Int, cells: [String])] = []
        var tooLong: [Int] = []
        var splitter = CSVSplitter(separator: separator, limit: lengthLimit)
        func take(_ row: CSVSplitter.Row) {
            guard !row.isTooLong else {
                tooLong.append(row.line)
                return
            }
            guard !row.isBlank else { return }
            rows.append((row.line, row.ends.indices.map { row[$0].text(isWindows: isWindows) ?? "" }))
        }
        bytes.withUnsafeBufferPointer { splitter.feed($0, take) }
        splitter.finish(take)
        return (rows, tooLong)
    }
}

/// What the heading of a column says about coordinates.
package enum CoordinateHeading {
    case latitude(factor: Double), longitude(factor: Double), northSouth, eastWest

    /// `nil` for a heading of something else.
    package init?(_ heading: String) {
        guard let column = CSVColumn(heading: heading), column.isUsable else { return nil }
        switch column.meaning {
        case .latitude: self = .latitude(factor: column.factor ?? 1)
        case .longitude: self = .longitude(factor: column.factor ?? 1)
        case .northSouth: self = .northSouth
        case .eastWest: self = .eastWest
        case .time, .date, .clock, .millisecond, .zone, .validity, .altitude, .speed, .accuracy, .verticalAccuracy,
            .course, .floor, .batteryLevel, .batteryState, .isSimulated, .device, .source, .trigger:
            return nil
        }
    }
}

/// Numbers as people write them in tables.
package enum TableNumber {
    /// A decimal number, with a comma for its point where commas do not separate the cells; `nil` for another text.
    package static func parse(_ text: some StringProtocol, decimalComma: Bool = true) -> Double? {
        if let number = DecimalNumber.parse(text) { return number }
        return decimalComma
            ? DecimalNumber.parse(text.utf8.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }) : nil
    }

    /// A latitude or a longitude, also in degrees, minutes and seconds.
    ///
    /// - Throws: why the text is not one.
    package static func degrees(_ text: String, isLatitude: Bool) throws(Rejection) -> Double {
        if let number = parse(text) { return number }
        return try CSVAngle.degrees(text, isLatitude: isLatitude)
    }
}

/// UTF-16 and byte order marks in files that are read as a whole.
package enum PlainText {
    /// The bytes as UTF-8 without a byte order mark; others unchanged. XML that says that it is UTF-16 says so no more.
    package static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        if var text = UTF16Text(start: bytes) { return withoutEncoding(text.utf8(of: bytes)) }
        return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// Without the declaration of XML, which names the encoding that the bytes had.
    private static func withoutEncoding(_ bytes: [UInt8]) -> [UInt8] {
        let start = bytes.drop { $0 <= 0x20 }
        guard start.starts(with: "<?xml".utf8), let end = start.firstIndex(of: UInt8(ascii: ">")) else { return bytes }
        // The lines stay where they are.
        return bytes[start.startIndex...end].filter { $0 == 0x0A } + bytes[(end + 1)...]
    }
}
