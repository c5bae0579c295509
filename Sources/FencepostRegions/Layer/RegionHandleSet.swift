import FencepostModel

/// A set of handles, one bit each.
struct RegionHandleSet: Sendable {
    private var storage: [UInt64] = []
    private(set) var count = 0

    init() {}

    func contains(_ handle: RegionHandle) -> Bool {
        let word = Int(handle.rawValue >> 6)
        return word < storage.count && storage[word] >> UInt64(handle.rawValue & 63) & 1 == 1
    }

    mutating func insert(_ handle: RegionHandle) {
        guard !contains(handle) else { return }
        let word = Int(handle.rawValue >> 6)
        while storage.count <= word { storage.append(0) }
        storage[word] |= 1 << UInt64(handle.rawValue & 63)
        count += 1
    }

    /// In ascending order.
    var handles: [RegionHandle] {
        var found: [RegionHandle] = []
        found.reserveCapacity(count)
        for (index, word) in storage.enumerated() {
            var rest = word
            while rest != 0 {
                found.append(RegionHandle(UInt32(index * 64 + rest.trailingZeroBitCount)))
                rest &= rest - 1
            }
        }
        return found
    }

    var byteCount: Int { storage.count * MemoryLayout<UInt64>.stride }
}
