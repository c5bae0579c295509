/// A fast hash of 64-bit words for tables in memory; not for stored values.
public enum WordHash {
    /// Combines a hash with a word: a full multiplication whose halves are folded by exclusive or.
    @inlinable
    public static func combine(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
