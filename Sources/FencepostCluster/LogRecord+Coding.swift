internal import FencepostModel

/// Bytes of a log that are no record of this program.
public enum LogRecordError: Error, Hashable, Sendable {
    /// They are damaged, or another program wrote them.
    case damaged(String)
    /// A newer version wrote them; it must be installed before this node can go on.
    case newerFormat(UInt8)
}

extension LogRecord {
    /// The newest format that this version reads.
    public static let newestFormat: UInt8 = 2

    private enum Kind: UInt8 {
        case commit = 1
        case upgrade = 2
        case lead = 6
        case part = 7
        case note = 8

        /// The format of the kind's records. That of an upgrade differs, so that a version that does not know the kind asks
        /// for a newer one, and does not take the record for a damaged one.
        var format: UInt8 {
            switch self {
            case .commit, .lead, .part, .note: 1
            case .upgrade: 2
            }
        }
    }

    /// The record as it is in the log: format, kind, fields, content, and a sum over all of it.
    public var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(byte: kind.format)
        writer.append(byte: kind.rawValue)
        writer.append(epoch)
        writer.append(position)
        writer.append(id)
        writer.append(VariableLengthInteger.zigzag(time.milliseconds))
        switch content {
        case .commit(let bytes):
            writer.append(bytes: bytes)
        case .upgrade(let schema):
            writer.append(UInt64(schema))
        case .lead(let leadership):
            writer.append(bytes: Array(leadership.node.utf8))
            writer.append(bytes: Array(leadership.version.utf8))
        case .part(let part):
            writer.append(part.transfer)
            writer.append(UInt64(part.index))
            writer.append(UInt64(part.count))
            writer.append(bytes: part.bytes)
        case .note:
            break
        }
        writer.append(fixed: Self.sum(writer.bytes[...]))
        return writer.bytes
    }

    /// Decodes a record.
    ///
    /// - Parameter bytes: the bytes of one record.
    /// - Throws: when the bytes are damaged or of a newer format.
    public init(decoding bytes: [UInt8]) throws(LogRecordError) {
        guard let format = bytes.first else { throw .damaged("there are none") }
        guard format <= Self.newestFormat else { throw .newerFormat(format) }
        guard bytes.count >= 8 else { throw .damaged("they end too early") }
        var sum = RecordReader(bytes[(bytes.count - 8)...])
        guard try sum.fixed() == Self.sum(bytes[..<(bytes.count - 8)]) else {
            throw .damaged("the sum over them differs")
        }
        var reader = RecordReader(bytes[1..<(bytes.count - 8)])
        let number = try reader.byte()
        guard let kind = Kind(rawValue: number), kind.format == format else {
            throw .damaged("kind \(number) does not exist in format \(format)")
        }
        epoch = try reader.number()
        position = try reader.number()
        id = try reader.id()
        time = Timestamp(milliseconds: VariableLengthInteger.signed(zigzag: try reader.number()))
        content = try Self.content(of: kind, &reader)
        guard reader.isAtEnd else { throw .damaged("they go on after the record") }
    }

    private var kind: Kind {
        switch content {
        case .commit: .commit
        case .upgrade: .upgrade
        case .lead: .lead
        case .part: .part
        case .note: .note
        }
    }

    private static func content(of kind: Kind, _ reader: inout RecordReader) throws(LogRecordError) -> Content {
        switch kind {
        case .commit:
            return .commit(try reader.bytes())
        case .upgrade:
            let schema = try reader.number()
            guard schema <= UInt32.max else { throw .damaged("there is no schema \(schema)") }
            return .upgrade(schema: Int(schema))
        case .lead:
            return .lead(Leadership(node: try reader.text(), version: try reader.text()))
        case .part:
            let transfer = try reader.id()
            let index = try reader.number()
            let count = try reader.number()
            guard index < count, count <= UInt32.max else { throw .damaged("there is no part \(index) of \(count)") }
            return .part(
                Part(transfer: transfer, index: Int(index), count: Int(count), bytes: try reader.bytes()))
        case .note:
            return .note
        }
    }

    private static func sum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var sum = FNV1a64()
        for byte in bytes { sum.add(UInt64(byte)) }
        return sum.hash
    }
}

/// Encodes the fields of a record.
private struct RecordWriter {
    var bytes: [UInt8] = []

    mutating func append(byte: UInt8) { bytes.append(byte) }

    mutating func append(_ number: UInt64) { VariableLengthInteger.encode(number) { bytes.append($0) } }

    /// Appends eight bytes, the lowest first.
    mutating func append(fixed number: UInt64) {
        for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }

    mutating func append(_ id: RecordID) {
        append(fixed: id.run)
        append(fixed: id.number)
    }

    mutating func append(bytes more: [UInt8]) {
        append(UInt64(more.count))
        bytes += more
    }
}

/// Decodes the fields of a record.
private struct RecordReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() throws(LogRecordError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .damaged("they end too early") }
        return byte
    }

    mutating func number() throws(LogRecordError) -> UInt64 {
        let number = try VariableLengthInteger.decode { () throws(LogRecordError) in try byte() }
        guard let number else { throw .damaged("a number is too large") }
        return number
    }

    mutating func fixed() throws(LogRecordError) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<8 { number |= UInt64(try byte()) << UInt64(8 * index) }
        return number
    }

    mutating func id() throws(LogRecordError) -> RecordID {
        RecordID(run: try fixed(), number: try fixed())
    }

    mutating func bytes() throws(LogRecordError) -> [UInt8] {
        let count = try number()
        guard count <= UInt64(rest.count) else { throw .damaged("they end too early") }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    mutating func text() throws(LogRecordError) -> String {
        guard let text = String(validating: try bytes(), as: UTF8.self) else {
            throw .damaged("a text is not UTF-8")
        }
        return text
    }
}
