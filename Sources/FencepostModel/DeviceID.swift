/// The name of a device, as its users chose it.
///
/// 1 to 128 characters without control characters, in Unicode normalisation form C. The decoders check this; ids are
/// compared byte by byte.
public struct DeviceID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The text of the id.
    public let rawValue: String
    /// A hash of the id, computed once so that device tables do not read the text again.
    ///
    /// It is seeded per process, so that a sender cannot construct colliding ids, and must never be stored.
    public let fingerprint: UInt64

    /// An id with a text that a decoder has checked; this initializer checks and normalizes nothing.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
        fingerprint = DeviceID.fingerprint(of: rawValue)
    }

    /// The text of the id.
    public var description: String { rawValue }

    /// Compares the fingerprints first, and the texts only if these are equal.
    public static func == (a: DeviceID, b: DeviceID) -> Bool {
        a.fingerprint == b.fingerprint && a.rawValue == b.rawValue
    }

    /// Adds the fingerprint alone, so that a lookup does not hash the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    /// Reads an id as one string, without checking it.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the id as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    private static let seed: UInt64 = {
        var hasher = Hasher()
        hasher.combine(0)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }()

    /// Multiplies eight bytes at a time and folds both halves of the 128-bit product.
    private static func fingerprint(of text: String) -> UInt64 {
        var hash = seed
        var (word, count) = (UInt64(0), UInt64(0))
        for byte in text.utf8 {
            word |= UInt64(byte) << (8 * (count & 7))
            count += 1
            if count & 7 == 0 {
                hash = WordHash.combine(hash, word)
                word = 0
            }
        }
        return WordHash.combine(WordHash.combine(hash, word) ^ seed, count)
    }
}
