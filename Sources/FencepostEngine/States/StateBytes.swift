import FencepostModel

/// The binary format of device states, which `StateEncoder` writes and `StateDecoder` reads.
///
/// The parts in order: a version byte; the names of all members, each once, numbered; the value; a checksum. A value
/// starts with a byte for its kind. Objects and lists start with their length, so that a reader can skip them. In an
/// object, each value follows the number of its name. Integers are LEB128, signed ones zigzag-encoded; floating-point
/// numbers keep all bits.
enum StateBytes {
    /// No JSON text starts with this byte, which distinguishes the format from the JSON of older versions.
    static let version: UInt8 = 1
    /// Length of the checksum in bytes.
    static let sumLength = 8
    /// Bytes of the length of an object or a list.
    static let lengthLength = 4

    enum Kind: UInt8 {
        case null, `false`, `true`, signed, unsigned, double, float, text, object, list
    }

    /// The checksum: 64-bit FNV-1a (Fowler, Noll, Vo) over words of eight bytes.
    static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum = FNV1a64()
        var offset = 0
        while offset + 8 <= bytes.count {
            sum.add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
            // The high half must affect the low half too.
            sum.hash ^= sum.hash >> 32
            offset += 8
        }
        while offset < bytes.count {
            sum.add(UInt64(bytes[offset]))
            offset += 1
        }
        return sum.hash
    }
}

/// Bytes that are not a device state.
struct StateError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
