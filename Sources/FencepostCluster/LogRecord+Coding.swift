internal import FencepostModel

/// Bytes of a log that are no record of this program.
public enum LogRecordError: Error, Hashable, Sendable {
    /// They are damaged, or no node of the cluster wrote them.
    case damaged(String)
    /// A newer version wrote them; it must be installed before this node can go on.
    case newerFormat(UInt8)
}

extension LogRecord {
    /// The newest format that this version reads, and the one that it writes: from this one on, records are sealed.
    public static let newestFormat: UInt8 = 3
    private static let sealedFormat: UInt8 = 3

    private enum Kind: UInt8 {
        case commit = 1
        case upgrade = 2
        case lead = 6
        case part = 7
        case note = 8

        /// The format of the kind's records before they were sealed.
        var unsealedFormat: UInt8 {
            switch self {
            case .commit, .lead, .part, .note: 1
            case .upgrade: 2
            }
        }
    }

    /// The record as it is in the log: format, kind, fields, content, and the seal of all of it.
    ///
    /// - Parameters:
    ///   - seal: that of the log.
    ///   - last: the sequence behind which it is appended.
    /// - Returns: the bytes, which are a record nowhere else in the log.
    public func encoded(by seal: RecordSeal, behind last: UInt64) -> [UInt8] {
        let bytes = [Self.sealedFormat] + fields
        return bytes + seal.code(for: bytes, behind: last)
    }

    /// The record as versions before the seal wrote it, with a sum that anybody can calculate.
    package var unsealed: [UInt8] {
        var writer = RecordWriter()
        writer.append(byte: kind.unsealedFormat)
        writer.bytes += fields
        writer.append(fixed: Self.sum(writer.bytes[...]))
        return writer.bytes
    }

    private var fields: [UInt8] {
        var writer = RecordWriter()
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
        return writer.bytes
    }

    /// Whether bytes have the format of sealed records, of this version or a newer one.
    static func mayBeSealed(_ bytes: [UInt8]) -> Bool { bytes.first.map { $0 >= sealedFormat } ?? false }

    /// Decodes a record.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of one record.
    ///   - seal: that of the log.
    ///   - last: the sequence behind which it was appended.
    /// - Throws: when the bytes are damaged, not sealed by the cluster, or of a newer format.
    public init(decoding bytes: [UInt8], sealedBy seal: RecordSeal, behind last: UInt64) throws(LogRecordError) {
        // Whatever a newer format has before it, the seal is at the end. So nobody else can ask for a newer version.
        guard seal.isValid(bytes, behind: last) else { throw .damaged("the cluster has not sealed it") }
        guard bytes[0] == Self.sealedFormat else { throw .newerFormat(bytes[0]) }
        try self.init(bytes[1..<(bytes.count - RecordSeal.count)]) { _ in true }
    }

    /// Decodes a record of a version that did not seal them.
    ///
    /// - Parameter bytes: the bytes of one record.
    /// - Throws: when the bytes are damaged.
    public init(decodingUnsealed bytes: [UInt8]) throws(LogRecordError) {
        guard let format = bytes.first, bytes.count >= 8 else { throw .damaged("it ends too early") }
        var sum = RecordReader(bytes[(bytes.count - 8)...])
        guard try sum.fixed() == Self.sum(bytes[..<(bytes.count - 8)]) else {
            throw .damaged("the sum over it differs")
        }
        try self.init(bytes[1..<(bytes.count - 8)]) { $0.unsealedFormat == format }
    }

    /// Decodes what is between the format and the seal.
    private init(_ fields: ArraySlice<UInt8>, accepts: (Kind) -> Bool) throws(LogRecordError) {
        var reader = RecordReader(fields)
        let number = try reader.byte()
        guard let kind = Kind(rawValue: number), accepts(kind) else {
            throw .damaged("kind \(number) does not exist in its format")
        }
        epoch = try reader.number()
        position = try reader.number()
        id = try reader.id()
        time = Timestamp(milliseconds: VariableLengthInteger.signed(zigzag: try reader.number()))
        content = try Self.content(of: kind, &reader)
        guard reader.isAtEnd else { throw .damaged("it goes on after the record") }
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

    mutating func append(_ number: UInt64) { VariableLengthInteger.append(number, to: &bytes) }

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
        guard let byte = rest.popFirst() else { throw .damaged("it ends too early") }
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
        guard count <= UInt64(rest.count) else { throw .damaged("it ends too early") }
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
