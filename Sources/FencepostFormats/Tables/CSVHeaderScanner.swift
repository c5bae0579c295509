internal import FencepostModel

/// Finds the row of column names: the first row with a latitude and a longitude, below what programs write above it.
struct CSVHeaderScanner {
    struct Failure: Error {
        var rejection: Rejection
        var line: Int
    }

    private(set) var line = 1
    private var bytes: [UInt8] = []
    private var linesOfRow = 0
    private var isInQuotes = false
    /// From a line `sep=;`, as of Excel.
    private var separator: UInt8?
    /// The first row that has no names, and why.
    private var failure: Failure?
    private var rows = 0
    private var isAtStart = true

    /// The rows above the names, such as a title and the name of the device.
    private static let rowLimit = 32

    /// Takes the bytes of a chunk from an index on, up to the end of the row of names.
    ///
    /// - Returns: the names, if the chunk ends their row; the index is then behind it.
    mutating func feed(_ chunk: UnsafeBufferPointer<UInt8>, from index: inout Int) throws(Failure) -> CSVHeader? {
        while index < chunk.count {
            let byte = chunk[index]
            index += 1
            if byte == 0x0A {
                linesOfRow += 1
                if !isInQuotes {
                    if let header = try endRow() { return header }
                    continue
                }
            } else if byte == UInt8(ascii: "\"") {
                // A quote opens a value at its start, and closes it or is half of a doubled one within.
                isInQuotes = isInQuotes ? false : opensValue
            }
            bytes.append(byte)
            if bytes.count > CSVSplitter.limit {
                throw Failure(rejection: Self.tooLong(bytes), line: line)
            }
        }
        return nil
    }

    /// The names, if the last row has no line ending.
    mutating func finish() throws(Failure) -> CSVHeader? {
        if isInQuotes {
            // A quote of a binary file opens no value.
            let problem = isAtStart ? ForeignFile(start: bytes)?.rejection : nil
            throw Failure(
                rejection: problem ?? Rejection(.invalidShape, "the file ends within a quoted value"), line: line)
        }
        if !bytes.isEmpty, let header = try endRow() { return header }
        if let failure { throw failure }
        return nil
    }

    private var opensValue: Bool {
        guard let last = bytes.last else { return true }
        return last == UInt8(ascii: "\"") || last == 0x20 || CSVHeader.separators.contains(last)
    }

    private mutating func endRow() throws(Failure) -> CSVHeader? {
        defer {
            bytes.removeAll(keepingCapacity: true)
            line += linesOfRow
            linesOfRow = 0
        }
        if isAtStart {
            isAtStart = false
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
            if let problem = Self.problem(of: bytes) { throw Failure(rejection: problem, line: line) }
        }
        var row = Array(bytes.trimmed)
        if let first = bytes.first, first == 0x09 { row = bytes }
        guard !row.isEmpty else { return nil }
        if row.count == 5, row.starts(with: "sep=".utf8) || row.starts(with: "SEP=".utf8) {
            separator = row[4]
            return nil
        }
        let isComment = row.first == UInt8(ascii: "#")
        if isComment { row = Array(row.drop { $0 == UInt8(ascii: "#") || $0 == 0x20 }) }
        let headers = (separator.map { [$0] } ?? CSVHeader.separators).compactMap { CSVHeader(row: row, separator: $0) }
        if let best = headers.max(by: { $0.known < $1.known }) { return best }
        guard !isComment else { return nil }
        rows += 1
        let message = "the first row must name the columns, including a latitude and a longitude"
        failure =
            failure ?? Failure(rejection: Rejection(.invalidShape, message + CSVHeader.hint(for: row)), line: line)
        if let failure,
            rows >= Self.rowLimit || Self.isOfValues(row) || !failure.rejection.message.hasSuffix("longitude")
        {
            throw failure
        }
        return nil
    }

    /// Whether a row has numbers, so it is not above the names.
    private static func isOfValues(_ row: [UInt8]) -> Bool {
        CSVHeader.separators.contains { separator in
            CSVSplitter.values(of: row, separator: separator).count { DecimalNumber.parse($0) != nil } >= 2
        }
    }

    private static func tooLong(_ bytes: [UInt8]) -> Rejection {
        if let problem = ForeignFile(start: bytes)?.rejection { return problem }
        return bytes.contains(0x0D)
            ? oldLineEndings
            : Rejection(
                .payloadTooLarge,
                "the row is longer than 64 KiB: a table has a row of column names and a line for each location")
    }

    private static let oldLineEndings = Rejection(
        .invalidShape,
        "the lines end with a carriage return alone, as of old Macs: convert them, for example with tr '\\r' '\\n'")

    /// Why a file is no table.
    private static func problem(of row: [UInt8]) -> Rejection? {
        if let problem = ForeignFile(start: row)?.rejection { return problem }
        let lines = row.split(separator: 0x0D)
        return lines.count > 1
            && CSVHeader.separators.contains { CSVHeader(row: Array(lines[0]), separator: $0) != nil }
            ? oldLineEndings : nil
    }
}
