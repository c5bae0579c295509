import FencepostModel
import FencepostTesting
import Testing

@Suite("Hash of deterministic ids") struct IdentityHashTests {
    /// The definition of the hash, one multiplication of 128 bits for each byte.
    private func reference(_ texts: [String], _ number: Int64) -> String {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        func mix(_ byte: UInt8) {
            hash ^= UInt128(byte)
            hash &*= 0x0000_0000_0100_0000_0000_0000_0000_013b
        }
        func mix(_ number: Int64) {
            for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
        }
        for text in texts {
            for byte in text.utf8 { mix(byte) }
            mix(Int64(text.utf8.count))
        }
        mix(number)
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
        return "evt_"
            + String(
                stride(from: 125, through: 0, by: -5).map { alphabet[Int(truncatingIfNeeded: hash >> UInt128($0)) & 31] }
            )
    }

    @Test("are the 128-bit FNV-1a hash in base 32", arguments: 0..<200 as Range<UInt64>)
    func values(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let texts = (0..<3).map { _ in
            let count = Int.random(in: 0...40, using: &random)
            return String((0..<count).map { _ in "abcdé-字🚗".randomElement(using: &random) ?? "a" })
        }
        let number = Int64.random(in: .min ... .max, using: &random)
        var identity = Identity()
        for text in texts { identity.add(text) }
        identity.add(number)
        #expect(identity.text(prefix: "evt_") == reference(texts, number), "\(texts) \(number)")
    }
}
