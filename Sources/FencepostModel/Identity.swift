/// Computes deterministic ids: a 128-bit FNV-1a hash over the parts of the content, in Crockford's base 32.
///
/// The same content has the same id in every run. The hash is not cryptographic: an adversary can construct collisions.
///
/// Source: Fowler, Noll and Vo; prime and offset basis of the 128-bit variant from draft-eastlake-fnv.
public struct Identity: Sendable {
    private var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

    /// The hash of no content: the offset basis.
    public init() {}

    /// Adds a text and its length, so that `ab`, `c` differs from `a`, `bc`.
    public mutating func add(_ text: String) {
        var count: UInt64 = 0
        for byte in text.utf8 {
            mix(byte)
            count += 1
        }
        add(Int64(count))
    }

    /// Adds eight bytes, the lowest first.
    public mutating func add(_ number: Int64) {
        let bits = UInt64(bitPattern: number)
        for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    }

    /// Adds the bit pattern of a number, so that 0 differs from −0.
    public mutating func add(_ number: Double) {
        add(Int64(bitPattern: number.bitPattern))
    }

    /// The id: the prefix (such as `evt_`) and 26 characters.
    public func text(prefix: String) -> String {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        var characters: [UInt8] = []
        for shift in stride(from: 125, through: 0, by: -5) {
            characters.append(alphabet[Int(truncatingIfNeeded: hash >> UInt128(shift)) & 31])
        }
        return prefix + String(decoding: characters, as: UTF8.self)
    }

    private mutating func mix(_ byte: UInt8) {
        hash ^= UInt128(byte)
        hash &*= 0x0000_0000_0100_0000_0000_0000_0000_013b
    }
}
