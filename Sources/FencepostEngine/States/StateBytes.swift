/// How states of devices are written: what `StateEncoder` and `StateDecoder` have in common.
///
/// A version; the names of all members, once each with its number; the value; and a sum over all of it. A value begins
/// with a byte that says its kind. Objects and lists say how long they are, so that what is not asked for is passed over; in an object each
/// value follows the number of its name. Whole numbers take seven bits to a byte (LEB128), with their sign in the lowest
/// bit; other numbers are kept to the last bit.
enum StateBytes {
    /// No text begins with it, so that states that older versions wrote as JSON are told from these.
    static let version: UInt8 = 1
    static let sumLength = 8
    /// The bytes that say how long an object or a list is.
    static let lengthLength = 4

    enum Kind: UInt8 {
        case null, no, yes, signed, unsigned, double, float, text, object, list
    }

    /// Source: Fowler, Noll, Vo; FNV-1a of 64 bits, over words of eight bytes.
    static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var place = 0
        while place + 8 <= bytes.count {
            hash = (hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian) &* 0x100_0000_01b3
            // What was in the high half must bear on the low one too.
            hash ^= hash >> 32
            place += 8
        }
        while place < bytes.count {
            hash = (hash ^ UInt64(bytes[place])) &* 0x100_0000_01b3
            place += 1
        }
        return hash
    }
}

/// Why bytes are no state.
struct StateError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
