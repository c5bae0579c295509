/// Writes messages in the wire format of Protocol Buffers. Fields with their default value are the caller's to leave out.
struct ProtobufWriter {
    private enum WireType: UInt64 {
        case varint = 0
        case fixed64 = 1
        case bytes = 2
    }

    private(set) var bytes: [UInt8] = []

    private mutating func tag(_ field: UInt64, _ type: WireType) { varint(field << 3 | type.rawValue) }

    private mutating func varint(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func number(_ field: UInt64, _ number: UInt64) {
        tag(field, .varint)
        varint(number)
    }

    mutating func fixed(_ field: UInt64, _ number: UInt64) {
        tag(field, .fixed64)
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    mutating func text(_ field: UInt64, _ text: String) {
        tag(field, .bytes)
        varint(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    /// Ids, the highest byte first.
    mutating func identifier(_ field: UInt64, _ numbers: UInt64...) {
        tag(field, .bytes)
        varint(UInt64(8 * numbers.count))
        for number in numbers {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
    }

    /// A message inside this one.
    mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        write(&inner)
        tag(field, .bytes)
        varint(UInt64(inner.bytes.count))
        bytes += inner.bytes
    }
}
