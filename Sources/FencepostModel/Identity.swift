/// Computes deterministic ids: a 128-bit FNV-1a hash over the parts of the content, in Crockford's base 32.
///
/// The same content has the same id in every run. The hash is not cryptographic: an adversary can construct collisions.
///
/// Source: Fowler, Noll and Vo; prime and offset basis of the 128-bit variant from draft-eastlake-fnv.
public struct Identity: Sendable {
    // In two halves: a multiplication by the prime, 2^88 + 0x13b, is two multiplications by a small number then.
    private var high: UInt64 = 0x6c62_272e_07bb_0142
    private var low: UInt64 = 0x62b8_2175_6295_c58d

    /// The hash of no content: the offset basis.
    public init() {}

    /// Adds a text and its length, so that `ab`, `c` differs from `a`, `bc`.
    public mutating func add(_ text: String) {
        let isContiguous: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            for index in bytes.indices { unsafe mix(bytes[index]) }
        }
        if isContiguous == nil {
            for byte in text.utf8 { mix(byte) }
        }
        add(Int64(text.utf8.count))
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
        let prefix = prefix.utf8
        return unsafe String(unsafeUninitializedCapacity: prefix.count + 26) { characters in
            let alphabet = unsafe Self.alphabet.utf8Start
            var next = 0
            func append(_ digit: UInt64) {
                unsafe characters[next] = alphabet[Int(truncatingIfNeeded: digit & 31)]
                next += 1
            }
            for byte in prefix {
                unsafe characters[next] = byte
                next += 1
            }
            // The first character has the three highest bits.
            for shift: UInt64 in stride(from: 125, through: 65, by: -5) {
                append(high &>> (shift &- 64))
            }
            append(high << 4 | low >> 60)
            for shift: UInt64 in stride(from: 55, through: 0, by: -5) { append(low &>> shift) }
            return next
        }
    }

    private static let alphabet: StaticString = "0123456789abcdefghjkmnpqrstvwxyz"

    @inline(__always)
    private mutating func mix(_ byte: UInt8) {
        let mixed = low ^ UInt64(byte)
        let product = mixed.multipliedFullWidth(by: 0x13b)
        high = high &* 0x13b &+ product.high &+ mixed << 24
        low = product.low
    }
}
