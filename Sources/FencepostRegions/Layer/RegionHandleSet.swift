import FencepostModel

/// A set of handles, as one bit each.
struct RegionHandleSet: Sendable {
    private var words: [UInt64] = []
    private(set) var count = 0

    init() {}

    func contains(_ handle: RegionHandle) -> Bool {
        let word = Int(handle.rawValue >> 6)
        return word < words.count && words[word] >> UInt64(handle.rawValue & 63) & 1 == 1
    }

    mutating func insert(_ handle: RegionHandle) {
        guard !contains(handle) else { return }
        let word = Int(handle.rawValue >> 6)
        while words.count <= word { words.append(0) }
        words[word] |= 1 << UInt64(handle.rawValue & 63)
        count += 1
    }

    /// In their order.
    var handles: [RegionHandle] {
        var found: [RegionHandle] = []
        found.reserveCapacity(count)
        for (place, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                found.append(RegionHandle(UInt32(place * 64 + rest.trailingZeroBitCount)))
                rest &= rest - 1
            }
        }
        return found
    }

    var byteCount: Int { words.count * MemoryLayout<UInt64>.stride }
}
