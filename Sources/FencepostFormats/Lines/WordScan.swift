/// Operations on eight bytes of text at a time (SWAR), without a branch per byte. The first byte is the lowest.
///
/// Reading words reads up to seven bytes beyond the text; these must be readable.
enum WordScan {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080
    static let zeroDigits: UInt64 = 0x3030_3030_3030_3030

    @inline(__always)
    static func word(at bytes: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
    }

    /// The first `count` bytes of a word, 0 to 7, padded with zeros.
    @inline(__always)
    static func head(_ word: UInt64, count: Int) -> UInt64 {
        word & ((1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1)
    }

    /// The number of bytes before the first one with the high bit set; 8 if there is none.
    @inline(__always)
    static func count(before marks: UInt64) -> Int { marks.trailingZeroBitCount >> 3 }

    /// Sets the high bit of the first byte that ends plain text in a JSON string: a quote, a backslash, a control
    /// character.
    ///
    /// Bytes after it may be marked wrongly, because the subtractions borrow.
    @inline(__always)
    static func plainTextEnds(of word: UInt64) -> UInt64 {
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let marks =
            ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)
        return marks & highBits
    }

    /// Sets the high bit of each byte that is not a digit, in a word that was combined with `zeroDigits` by exclusive
    /// or.
    @inline(__always)
    static func nonDigits(in word: UInt64) -> UInt64 {
        (((word & ~highBits) &+ ones &* 0x76) | word) & highBits
    }

    /// The value of the first `count` bytes, 1 to 8, each a digit combined with `zeroDigits` by exclusive or.
    @inline(__always)
    static func number(_ word: UInt64, digits count: Int) -> UInt64 {
        // Shifted so that zeros precede the first digit; then pairs, fours and all eight digits are combined.
        var word = word &<< UInt64(truncatingIfNeeded: 64 &- count &* 8)
        word = (word &* 2561) &>> 8 & 0x00FF_00FF_00FF_00FF
        word = (word &* 6_553_601) &>> 16 & 0x0000_FFFF_0000_FFFF
        return (word &* 42_949_672_960_001) &>> 32
    }
}
