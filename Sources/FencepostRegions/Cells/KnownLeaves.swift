import FencepostModel

/// The leaves of one builder whose entries all cover their cell, by these entries: neighbouring cells often have the same
/// list.
///
/// A hash table with open addressing. The entries themselves are in the storage of the cells.
struct KnownLeaves {
    /// Offsets in the storage and one more; 0 for a free slot. The number of slots is a power of two.
    private var slots: [UInt32] = []
    private var count = 0

    /// The offset of the leaf with these entries, which is appended to the storage if it is not there yet.
    mutating func offset(of entries: [UInt32], in storage: inout [UInt32]) -> UInt32 {
        if 2 * (count + 1) > slots.count { grow(storage) }
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash(entries, 0)) & mask
        while slots[slot] != 0 {
            let start = Int(slots[slot]) - 1
            if isEqual(entries, storage, from: start) { return UInt32(start) }
            slot = (slot + 1) & mask
        }
        let start = storage.count
        storage.append(contentsOf: entries)
        slots[slot] = UInt32(start) + 1
        count += 1
        return UInt32(start)
    }

    private func isEqual(_ entries: [UInt32], _ storage: [UInt32], from start: Int) -> Bool {
        guard start + entries.count <= storage.count else { return false }
        for index in entries.indices where storage[start + index] != entries[index] { return false }
        return true
    }

    /// The hash of the entries of a leaf, which ends with an entry that says so.
    private func hash(_ list: [UInt32], _ start: Int) -> UInt64 {
        var hash: UInt64 = 0
        var index = start
        repeat {
            hash = WordHash.combine(hash, UInt64(list[index]))
            index += 1
        } while list[index - 1] & 2 == 0
        return hash
    }

    private mutating func grow(_ storage: [UInt32]) {
        let old = slots
        slots = Array(repeating: 0, count: max(64, 2 * old.count))
        for leaf in old where leaf != 0 {
            var slot = Int(truncatingIfNeeded: hash(storage, Int(leaf) - 1)) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = leaf
        }
    }
}
