/// The 64-bit FNV-1a hash (Fowler, Noll, Vo): stable between runs and versions, so results may be stored.
///
/// It detects accidental differences and is no protection against an attacker.
package struct FNV1a64: Sendable {
    package var hash: UInt64

    @inlinable
    package init() {
        hash = 0xcbf2_9ce4_8422_2325
    }

    /// The hash of a sequence of bytes.
    @inlinable
    package init(_ bytes: some Sequence<UInt8>) {
        self.init()
        for byte in bytes { add(UInt64(byte)) }
    }

    /// Adds one unit: a byte in the standard variant, or a word, which is faster and gives other results.
    @inlinable
    package mutating func add(_ unit: UInt64) {
        hash = (hash ^ unit) &* 0x100_0000_01b3
    }
}
