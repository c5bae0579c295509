/// Fingerprints of the last six distinct positions of a device, to recognise a position that repeats to the last digit.
///
/// A fingerprint has four bytes, so two different positions are equal with a probability of 2^-32. Such a fix would be
/// flagged as repeated.
struct PositionFingerprints: Hashable, Sendable {
    // The newest last; 0 if absent.
    private var a: UInt32 = 0
    private var b: UInt32 = 0
    private var c: UInt32 = 0
    private var d: UInt32 = 0
    private var e: UInt32 = 0
    private var f: UInt32 = 0

    init() {}

    /// The fingerprint of a 64-bit hash of a position; never 0. The fingerprint of a fingerprint is itself.
    static func fingerprint(of position: UInt64) -> UInt32 {
        let mixed = position <= UInt64(UInt32.max) ? position : (position &* 0xD6E8_FEB8_6659_FD93) >> 32
        return max(UInt32(truncatingIfNeeded: mixed), 1)
    }

    func contains(_ fingerprint: UInt32) -> Bool {
        f == fingerprint || e == fingerprint || d == fingerprint || c == fingerprint || b == fingerprint
            || a == fingerprint
    }

    /// Adds a fingerprint and drops the oldest one. One that is contained keeps its age.
    mutating func insert(_ fingerprint: UInt32) {
        guard !contains(fingerprint) else { return }
        (a, b, c, d, e, f) = (b, c, d, e, f, fingerprint)
    }

    /// Oldest first.
    var list: [UInt32] { [a, b, c, d, e, f].filter { $0 != 0 } }
}

extension PositionFingerprints: Codable {
    init(from decoder: any Decoder) throws {
        // States of earlier versions hold the 64-bit hashes.
        for position in try decoder.singleValueContainer().decode([UInt64].self) {
            insert(Self.fingerprint(of: position))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(list)
    }
}
