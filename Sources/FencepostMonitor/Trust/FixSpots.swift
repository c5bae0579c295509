/// The last six spots that a device was seen at, the newest last, as prints of four bytes.
///
/// Two spots share a print once in four thousand million times; a fix would then count as one that was there before.
struct FixSpots: Hashable, Sendable {
    // 0 where there is none.
    private var a: UInt32 = 0
    private var b: UInt32 = 0
    private var c: UInt32 = 0
    private var d: UInt32 = 0
    private var e: UInt32 = 0
    private var f: UInt32 = 0

    init() {}

    /// Never 0. What is a print already is its own.
    static func print(of spot: UInt64) -> UInt32 {
        let mixed = spot <= UInt64(UInt32.max) ? spot : (spot &* 0xD6E8_FEB8_6659_FD93) >> 32
        return max(UInt32(truncatingIfNeeded: mixed), 1)
    }

    func contains(_ print: UInt32) -> Bool {
        f == print || e == print || d == print || c == print || b == print || a == print
    }

    /// A spot that is there already stays where it is.
    mutating func remember(_ print: UInt32) {
        guard !contains(print) else { return }
        (a, b, c, d, e, f) = (b, c, d, e, f, print)
    }

    /// Oldest first.
    var list: [UInt32] { [a, b, c, d, e, f].filter { $0 != 0 } }
}

extension FixSpots: Codable {
    init(from decoder: any Decoder) throws {
        // States of earlier versions hold the eight bytes that a print is made of.
        for spot in try decoder.singleValueContainer().decode([UInt64].self) { remember(Self.print(of: spot)) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(list)
    }
}
