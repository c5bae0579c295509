/// Eight bytes of text at a time, the first in the lowest byte: what is asked of each byte costs no branch.
///
/// Whoever reads words reads up to seven bytes beyond what it asks about: they have to be there.
enum WordScan {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080
    static let zeroDigits: UInt64 = 0x3030_3030_3030_3030

    @inline(__always)
    static func word(at bytes: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
    }

    /// The first `count` bytes of a word, 0 to 7, and zeros.
    @inline(__always)
    static func head(_ word: UInt64, count: Int) -> UInt64 {
        word & ((1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1)
    }

    /// How many bytes come before the first whose high bit is set; 8 when none is.
    @inline(__always)
    static func count(before marks: UInt64) -> Int { marks.trailingZeroBitCount >> 3 }

    /// The high bit of the first byte that ends plain text in a JSON string: a quote, a backslash, a control character.
    ///
    /// Bytes behind that one may be marked wrongly, for the subtractions borrow.
    @inline(__always)
    static func ends(of word: UInt64) -> UInt64 {
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let marks =
            ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)
        return marks & highBits
    }

    /// The high bit of each byte that is no digit, of a word from which `zeroDigits` were taken by exclusive or.
    @inline(__always)
    static func others(thanDigits word: UInt64) -> UInt64 {
        (((word & ~highBits) &+ ones &* 0x76) | word) & highBits
    }

    /// The number that the first `count` bytes, 1 to 8, say, each of them a digit with `zeroDigits` taken from it.
    @inline(__always)
    static func number(_ word: UInt64, digits count: Int) -> UInt64 {
        // Moved up, so that zeros come before the first digit; then neighbours are joined: pairs, fours, all eight.
        var word = word &<< UInt64(truncatingIfNeeded: 64 &- count &* 8)
        word = (word &* 2561) &>> 8 & 0x00FF_00FF_00FF_00FF
        word = (word &* 6_553_601) &>> 16 & 0x0000_FFFF_0000_FFFF
        return (word &* 42_949_672_960_001) &>> 32
    }
}
