/// Splits a stream of bytes into rows of values (RFC 4180), independent of how the stream is divided into reads.
struct CSVSplitter {
    struct Row {
        /// The concatenated values, without quotes and separators.
        var bytes: UnsafeBufferPointer<UInt8>
        /// The end of each value.
        var ends: [Int]
        /// The line on which the row begins, from 1.
        var line: Int
        /// Longer than 64 KiB; some of the values are then missing.
        var isTooLong: Bool
        /// Whether the row ends with the file, without a line ending.
        var isUnfinished = false

        /// A value, without surrounding white space.
        subscript(index: Int) -> Slice<UnsafeBufferPointer<UInt8>> {
            var (start, end) = (index == 0 ? 0 : ends[index - 1], ends[index])
            while start < end, Self.isSpace(bytes[start]) { start += 1 }
            while start < end, Self.isSpace(bytes[end - 1]) { end -= 1 }
            return bytes[start..<end]
        }

        /// Whether no value has more than white space.
        var isBlank: Bool { bytes.allSatisfy(Self.isSpace) }

        private static func isSpace(_ byte: UInt8) -> Bool {
            byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
        }
    }

    private enum State {
        /// At the start of a value, or in one without quotes.
        case plain
        case quoted
        /// After a quote in a quoted value: its end, or the first half of an escaped quote.
        case quoteInQuoted
    }

    /// The most bytes of a row of a stream.
    static let limit = 65_536

    private var state = State.plain
    private let separator: UInt8
    private let limit: Int
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// The bytes of the current row, including quotes and separators.
    private var size = 0
    private var line: Int
    private var linesOfRow = 0

    /// A splitter of the rows from a line on.
    init(separator: UInt8, line: Int = 1, limit: Int = CSVSplitter.limit) {
        (self.separator, self.line, self.limit) = (separator, line, limit)
    }

    /// The values of one row.
    static func values(of row: some Collection<UInt8>, separator: UInt8) -> [[UInt8]] {
        var splitter = CSVSplitter(separator: separator)
        var values: [[UInt8]] = []
        func take(_ row: Row) { values += row.ends.indices.map { Array(row[$0]) } }
        Array(row).withUnsafeBufferPointer { splitter.feed($0, take) }
        splitter.finish(take)
        return values
    }

    /// Whether the input ended within quotes.
    var isInQuotes: Bool { state == .quoted && size <= limit }

    /// Takes the next bytes and passes on every row that ends in them.
    mutating func feed(_ chunk: UnsafeBufferPointer<UInt8>, _ body: (Row) -> Void) {
        var index = 0
        while index < chunk.count {
            let start = index
            switch state {
            case .plain:
                while index < chunk.count, !isSpecial(chunk[index]) { index += 1 }
            case .quoted:
                while index < chunk.count, chunk[index] != UInt8(ascii: "\"") {
                    if chunk[index] == 0x0A { linesOfRow += 1 }
                    index += 1
                }
            case .quoteInQuoted: break
            }
            if index > start { keep(chunk[start..<index]) }
            guard index < chunk.count else { return }
            take(chunk[index], body)
            index += 1
        }
    }

    /// Passes on the last row if it has no line ending.
    mutating func finish(_ body: (Row) -> Void) {
        if size > 0 { endRow(isUnfinished: true, body) }
    }

    private func isSpecial(_ byte: UInt8) -> Bool {
        byte == 0x0A || byte == UInt8(ascii: "\"") || byte == separator
    }

    private mutating func keep(_ part: some Collection<UInt8>) {
        size += part.count
        if size <= limit { bytes.append(contentsOf: part) }
    }

    /// Processes a byte that may be a control character of the format.
    private mutating func take(_ byte: UInt8, _ body: (Row) -> Void) {
        switch state {
        case .plain where byte == UInt8(ascii: "\"") && bytes.count == ends.last ?? 0:
            size += 1
            state = .quoted
        case .plain: takePlain(byte, body)
        case .quoted:
            size += 1
            state = .quoteInQuoted
        case .quoteInQuoted where byte == UInt8(ascii: "\""):
            keep(CollectionOfOne(byte))
            state = .quoted
        case .quoteInQuoted:
            state = .plain
            takePlain(byte, body)
        }
    }

    private mutating func takePlain(_ byte: UInt8, _ body: (Row) -> Void) {
        if byte == 0x0A {
            linesOfRow += 1
            endRow(isUnfinished: false, body)
        } else if byte == separator {
            size += 1
            if size <= limit { ends.append(bytes.count) }
        } else {
            keep(CollectionOfOne(byte))
        }
    }

    private mutating func endRow(isUnfinished: Bool, _ body: (Row) -> Void) {
        ends.append(bytes.count)
        bytes.withUnsafeBufferPointer {
            let isTooLong = size > limit
            body(Row(bytes: $0, ends: ends, line: line, isTooLong: isTooLong, isUnfinished: isUnfinished))
        }
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        state = .plain
        size = 0
        line += linesOfRow
        linesOfRow = 0
    }
}
