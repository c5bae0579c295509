/// Writes messages in the wire format of Protocol Buffers. Fields with their default value are the caller's to leave out.
struct ProtobufWriter {
    private enum WireType: UInt64 {
        case varint = 0
        case fixed64 = 1
        case bytes = 2
    }

    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: the number of bytes that fit before memory is allocated again.
    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    private mutating func tag(_ field: UInt64, _ type: WireType) { varint(field << 3 | type.rawValue) }

    private mutating func varint(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func number(_ field: UInt64, _ number: UInt64) {
        tag(field, .varint)
        varint(number)
    }

    mutating func fixed(_ field: UInt64, _ number: UInt64) {
        tag(field, .fixed64)
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func text(_ field: UInt64, _ text: String) {
        tag(field, .bytes)
        varint(UInt64(text.utf8.count))
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// An id, the highest byte first.
    mutating func identifier(_ field: UInt64, _ number: UInt64) {
        tag(field, .bytes)
        varint(8)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// An id of two numbers, the highest byte first.
    mutating func identifier(_ field: UInt64, _ high: UInt64, _ low: UInt64) {
        tag(field, .bytes)
        varint(16)
        withUnsafeBytes(of: high.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: low.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// A message inside this one.
    ///
    /// Its length comes before it and is known after it. Most are shorter than 128 bytes, for which one byte is left; a longer one
    /// is moved.
    mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
        tag(field, .bytes)
        let start = bytes.count
        bytes.append(0)
        write(&self)
        var length = UInt64(bytes.count - start - 1)
        guard length >= 0x80 else { return bytes[start] = UInt8(truncatingIfNeeded: length) }
        bytes[start] = UInt8(truncatingIfNeeded: length) | 0x80
        length >>= 7
        var rest: [UInt8] = []
        while length >= 0x80 {
            rest.append(UInt8(truncatingIfNeeded: length) | 0x80)
            length >>= 7
        }
        rest.append(UInt8(truncatingIfNeeded: length))
        bytes.insert(contentsOf: rest, at: start + 1)
    }
}
