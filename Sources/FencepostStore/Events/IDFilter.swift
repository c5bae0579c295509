/// Says of nearly every id that is not stored that it is not, without a look at the database.
///
/// A Bloom filter in blocks of a cache line each, in layers that hold twice as many ids as the one before. It takes two to four
/// bytes an id, and is wrong about one new id in a thousand at most.
///
/// Source: Putze, Sanders and Singler, Cache-, Hash- and Space-Efficient Bloom Filters (2007).
struct IDFilter: Sendable {
    private struct Layer: Sendable {
        /// Blocks of eight words.
        var words: [UInt64]
        var rest: Int

        init(capacity: Int) {
            words = Array(repeating: 0, count: capacity / 32 * 8)
            rest = capacity
        }

        /// The first word of the block of a mark, and the bits of it.
        private func block(_ mark: Int64) -> (start: Int, bits: UInt64) {
            let bits = UInt64(bitPattern: mark) &* 0x9e37_79b9_7f4a_7c15
            let blocks = UInt64(words.count / 8)
            return (Int(bits.multipliedFullWidth(by: blocks).high) * 8, bits &* 0xd6e8_feb8_6659_fd93)
        }

        mutating func insert(_ mark: Int64) {
            let (start, bits) = block(mark)
            for word in 0..<8 { words[start + word] |= 1 << (bits >> UInt64(word * 6 + 16) & 63) }
            rest -= 1
        }

        func mayContain(_ mark: Int64) -> Bool {
            let (start, bits) = block(mark)
            for word in 0..<8 where words[start + word] >> (bits >> UInt64(word * 6 + 16) & 63) & 1 == 0 {
                return false
            }
            return true
        }
    }

    private var layers: [Layer] = []
    private static let least = 1 << 16

    /// Adds the mark of an id.
    mutating func insert(_ mark: Int64) {
        if layers.last?.rest ?? 0 == 0 { layers.append(Layer(capacity: Self.least << layers.count)) }
        layers[layers.count - 1].insert(mark)
    }

    /// Whether an id with this mark may be stored.
    func mayContain(_ mark: Int64) -> Bool { layers.contains { $0.mayContain(mark) } }
}
