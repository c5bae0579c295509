internal import FencepostModel

/// Decodes CSV: rows of values below a row of names (RFC 4180), separated by comma, semicolon, tab or bar.
final class CSVDecoder: RecordDecoder {
    private let context: DecoderContext
    private var names = DeviceNames()
    private let zones = CSVZones()
    /// The first bytes, until the encoding is known.
    private var start: [UInt8]? = []
    private var utf16: UTF16Text?
    private var scanner = CSVHeaderScanner()
    /// `nil` until the row of names has been read.
    private var header: CSVHeader?
    /// Whether no row has followed the names: the first one may have their units.
    private var mayHaveUnits = true
    private var splitter: CSVSplitter?
    /// Known once a date shows it.
    private var order: CSVTime.Order?
    /// Rows from the first one whose date can be read in two ways, until a row shows the order.
    private var waiting: [WaitingRow] = []
    private(set) var failure: Diagnostic?

    private struct WaitingRow {
        var bytes: [UInt8], ends: [Int], line: Int
    }

    /// Rows that are kept until the order of day and month is known.
    private static let waitingLimit = 65_536

    init(_ context: DecoderContext) {
        self.context = context
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        guard failure == nil else { return }
        if let known = start {
            start = known + chunk
            guard let bytes = start, bytes.count >= 4 else { return }
            begin(bytes, into: &records)
        } else {
            convert(chunk, into: &records)
        }
    }

    func finish(into records: inout [Decoded]) {
        if let start { begin(start, into: &records) }
        guard failure == nil else { return }
        if header == nil {
            do throws(CSVHeaderScanner.Failure) {
                header = try scanner.finish()
                noteColumns()
            } catch {
                fail(error.rejection, at: .line(error.line))
                return
            }
            if header == nil { fail(Rejection(.invalidShape, "the file has no row of column names"), at: .file) }
            return
        }
        let isInQuotes = splitter?.isInQuotes ?? false
        splitter?.finish { row in
            if isInQuotes {
                flush(into: &records)
                fail(Rejection(.invalidShape, "the file ends within a quoted value"), at: .line(row.line))
            } else {
                take(row, into: &records)
            }
        }
        flush(into: &records)
    }

    private func begin(_ bytes: [UInt8], into records: inout [Decoded]) {
        start = nil
        utf16 = UTF16Text(start: bytes)
        bytes.withUnsafeBufferPointer { convert($0, into: &records) }
    }

    private func convert(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        if let bytes = utf16?.utf8(of: chunk) {
            bytes.withUnsafeBufferPointer { split($0, into: &records) }
        } else {
            split(chunk, into: &records)
        }
    }

    private func split(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        var index = 0
        if header == nil {
            do throws(CSVHeaderScanner.Failure) {
                header = try scanner.feed(chunk, from: &index)
            } catch {
                fail(error.rejection, at: .line(error.line))
                return
            }
            guard let header else { return }
            noteColumns()
            splitter = CSVSplitter(separator: header.separator, line: scanner.line)
        }
        splitter?.feed(UnsafeBufferPointer(rebasing: chunk[index...])) { take($0, into: &records) }
    }

    private func noteColumns() {
        for note in header?.notes ?? [] {
            context.notes.add(
                Diagnostic(.warning, code: "unused_columns", file: context.fileName, at: .line(1), note))
        }
    }

    private func fail(_ rejection: Rejection, at position: Diagnostic.Position) {
        failure = failure ?? context.diagnostic(rejection, at: position)
    }

    private func take(_ row: CSVSplitter.Row, into records: inout [Decoded]) {
        guard failure == nil, let header else { return }
        let position = Diagnostic.Position.line(row.line)
        if row.isTooLong {
            flush(into: &records)
            records.append(
                context.rejected(
                    Rejection(
                        .payloadTooLarge, "the row is longer than 64 KiB: a quotation mark in it may have no second one"
                    ),
                    at: position))
        } else if row.isBlank || row.bytes.first == UInt8(ascii: "#") {
            // An empty line, a row of empty values as spreadsheets write them, or a comment.
        } else if mayHaveUnits, let header = header.with(units: cells(of: row, isWindows: header.isWindows)) {
            self.header = header
            mayHaveUnits = false
        } else if let renewed = self.renewedHeader(of: row) {
            flush(into: &records)
            self.header = renewed
            mayHaveUnits = true
        } else {
            mayHaveUnits = false
            read(row, header, into: &records)
        }
    }

    private func cells(of row: CSVSplitter.Row, isWindows: Bool) -> [String] {
        row.ends.indices.map { row[$0].text(isWindows: isWindows) ?? "\u{FFFD}" }
    }

    /// The names of a second table in the same file, as after `cat`; a row of values has a number for the latitude.
    private func renewedHeader(of row: CSVSplitter.Row) -> CSVHeader? {
        guard let header, let index = header.first[.latitude], index < row.ends.count,
            row[index].first.map({ $0 | 0x20 >= UInt8(ascii: "a") }) ?? true,
            row.ends.indices.contains(where: {
                CSVColumn(heading: String(decoding: row[$0], as: UTF8.self))?.meaning == .latitude
            })
        else { return nil }
        let quoted = row.ends.indices.map { index in
            [UInt8(ascii: "\"")] + row[index].flatMap { $0 == 0x22 ? [$0, $0] : [$0] } + [UInt8(ascii: "\"")]
        }
        return CSVHeader(row: Array(quoted.joined(separator: [header.separator])), separator: header.separator)
    }

    private func read(_ row: CSVSplitter.Row, _ header: CSVHeader, into records: inout [Decoded]) {
        let position = Diagnostic.Position.line(row.line)
        var reader = CSVRow(header, order: order, zones: zones)
        do throws(Rejection) {
            let outcome = try reader.read(row, names: &names)
            if order == nil, let shown = reader.shownOrder {
                order = shown
                flush(into: &records)
            }
            if case .fix(let raw) = outcome, waiting.isEmpty {
                records.append(.location(try context.location(from: raw), at: position))
                if !reader.dropped.isEmpty { context.dropped.members.add(reader.dropped) }
                return
            }
        } catch {
            guard !waiting.isEmpty else {
                records.append(context.rejected(error, at: position))
                return
            }
        }
        waiting.append(WaitingRow(bytes: Array(row.bytes), ends: row.ends, line: row.line))
        if waiting.count >= Self.waitingLimit { flush(into: &records) }
    }

    /// Reads the rows that wait for the order of day and month. If no row has shown it, those of them that need it are rejected.
    private func flush(into records: inout [Decoded]) {
        let rows = waiting
        waiting = []
        for row in rows {
            let position = Diagnostic.Position.line(row.line)
            guard let header else { return }
            row.bytes.withUnsafeBufferPointer { bytes in
                var reader = CSVRow(header, order: order, zones: zones)
                let values = CSVSplitter.Row(bytes: bytes, ends: row.ends, line: row.line, isTooLong: false)
                do throws(Rejection) {
                    switch try reader.read(values, names: &names) {
                    case .fix(let raw):
                        records.append(.location(try context.location(from: raw), at: position))
                        if !reader.dropped.isEmpty { context.dropped.members.add(reader.dropped) }
                    case .undecided:
                        throw Rejection(
                            .invalidTimestamp,
                            "day and month of the date can be either, and no date of the file shows which comes first: write "
                                + "them as yyyy-mm-dd")
                    }
                } catch {
                    records.append(context.rejected(error, at: position))
                }
            }
        }
    }
}
