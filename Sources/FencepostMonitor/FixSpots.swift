/// The last six spots that a device was seen at, the newest last.
struct FixSpots: Hashable, Sendable {
    private var a: UInt64 = 0
    private var b: UInt64 = 0
    private var c: UInt64 = 0
    private var d: UInt64 = 0
    private var e: UInt64 = 0
    private var f: UInt64 = 0
    /// How many of them, from the end, are in use.
    private var count: UInt8 = 0

    init() {}

    func contains(_ spot: UInt64) -> Bool {
        (f == spot && count > 0) || (e == spot && count > 1) || (d == spot && count > 2) || (c == spot && count > 3)
            || (b == spot && count > 4) || (a == spot && count > 5)
    }

    /// A spot that is there already stays where it is.
    mutating func remember(_ spot: UInt64) {
        guard !contains(spot) else { return }
        (a, b, c, d, e, f) = (b, c, d, e, f, spot)
        count = min(count + 1, 6)
    }

    /// Oldest first.
    var list: [UInt64] { Array([a, b, c, d, e, f].suffix(Int(count))) }
}

extension FixSpots: Codable {
    init(from decoder: any Decoder) throws {
        for spot in try decoder.singleValueContainer().decode([UInt64].self) { remember(spot) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(list)
    }
}
