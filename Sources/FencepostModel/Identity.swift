/// Computes deterministic ids: a 128-bit FNV-1a hash over the parts of the content, in Crockford's base 32.
///
/// The same content has the same id in every run. The hash is not cryptographic: an adversary can construct collisions.
///
/// Source: Fowler, Noll and Vo; prime and offset basis of the 128-bit variant from draft-eastlake-fnv.
public struct Identity: Hashable, Sendable {
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
        let zeroBytes = bits.leadingZeroBitCount / 8
        var rest = bits
        for _ in 0..<8 &- zeroBytes {
            mix(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        mixZeros(zeroBytes)
    }

    /// Adds the bit pattern of a number, so that 0 differs from −0.
    public mutating func add(_ number: Double) {
        add(Int64(bitPattern: number.bitPattern))
    }

    /// The id: the prefix (such as `evt_`) and 26 characters.
    public func text(prefix: String) -> String {
        let prefix = prefix.utf8
        return unsafe String(unsafeUninitializedCapacity: prefix.count + Identity.length) { characters in
            guard let start = characters.baseAddress else { return 0 }
            var next = 0
            for byte in prefix {
                unsafe start[next] = byte
                next += 1
            }
            return unsafe next + write(to: start + next)
        }
    }

    /// The number of characters after the prefix.
    public static let length = 26

    /// Writes the characters of the id after its prefix.
    ///
    /// - Parameter characters: has room for `length` bytes.
    /// - Returns: `length`.
    package func write(to characters: UnsafeMutablePointer<UInt8>) -> Int {
        let alphabet = unsafe Self.alphabet.utf8Start
        /// The highest bits of a number, as many as given, then five at a time.
        func append(_ number: UInt64, at next: Int, digits: Int, first bits: UInt64) {
            unsafe characters[next] = alphabet[Int(truncatingIfNeeded: number &>> (64 &- bits))]
            var rest = number &<< bits
            for offset in 1..<digits {
                unsafe characters[next &+ offset] = alphabet[Int(truncatingIfNeeded: rest &>> 59)]
                rest &<<= 5
            }
        }
        // 26 characters of five bits; the first one has three. One character has bits of both halves.
        append(high, at: 0, digits: 13, first: 3)
        append(high &<< 63 | low &>> 1, at: 13, digits: 1, first: 5)
        append(low &<< 4, at: 14, digits: 12, first: 5)
        return Identity.length
    }

    private static let alphabet: StaticString = "0123456789abcdefghjkmnpqrstvwxyz"

    /// The characters of ids for the numbers 0 to 31, which are in the order of their bytes.
    public static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// Adds zero bytes: a multiplication by a power of the prime.
    private mutating func mixZeros(_ count: Int) {
        guard count > 0 else { return }
        let power = Self.powers[count]
        let product = low.multipliedFullWidth(by: power.low)
        high = high &* power.low &+ low &* power.high &+ product.high
        low = product.low
    }

    /// The powers of the prime from 0 to 8: constants, which need no initialization on first use.
    private static let powers: [(high: UInt64, low: UInt64)] = [
        (0, 1), (0x0100_0000, 0x013b), (0x0002_7600_0000, 0x0001_8399),
        (0x048a_cb00_0000, 0x01dc_ed43), (0x0007_73b5_0c00_0000, 0x0002_4ad7_f171),
        (0x0b76_37b7_3500_0000, 0x02d2_17b6_160b),
        (0xec8e_4484_4200_0000, 0x0003_7883_2d0d_1f89), (0x963b_5bdc_bf00_0000, 0x0445_4968_6f25_cd93),
        (0x4379_2e6c_9800_0005, 0x4141_5380_c383_f3e1),
    ]

    @inline(__always)
    private mutating func mix(_ byte: UInt8) {
        let mixed = low ^ UInt64(byte)
        let product = mixed.multipliedFullWidth(by: 0x13b)
        // The new parts are added first, so that each byte waits for one multiplication and one addition.
        high = high &* 0x13b &+ (product.high &+ mixed << 24)
        low = product.low
    }
}
