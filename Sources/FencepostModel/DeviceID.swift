/// The name that a device goes by, as its users know it.
///
/// 1 to 128 characters without control characters, in NFC; the readers check it, and compare byte for byte.
public struct DeviceID: Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String
    /// A number that is the same for equal ids: made once, so that tables of devices need not read the name again.
    ///
    /// Another one in each run of the program, so that nobody outside can make up ids that share it; never stored.
    public let fingerprint: UInt64

    public init(_ rawValue: String) {
        self.rawValue = rawValue
        fingerprint = DeviceID.fingerprint(of: rawValue)
    }

    public var description: String { rawValue }

    public static func == (a: DeviceID, b: DeviceID) -> Bool {
        a.fingerprint == b.fingerprint && a.rawValue == b.rawValue
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    private static let seed: UInt64 = {
        var hasher = Hasher()
        hasher.combine(0)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }()

    /// Eight bytes at a time, folded by a multiplication whose both halves count.
    private static func fingerprint(of text: String) -> UInt64 {
        var hash = seed
        var (word, count) = (UInt64(0), UInt64(0))
        func mix(_ word: UInt64, into hash: UInt64) -> UInt64 {
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            return product.high ^ product.low
        }
        for byte in text.utf8 {
            word |= UInt64(byte) << (8 * (count & 7))
            count += 1
            if count & 7 == 0 {
                hash = mix(word, into: hash)
                word = 0
            }
        }
        return mix(count, into: mix(word, into: hash) ^ seed)
    }
}
