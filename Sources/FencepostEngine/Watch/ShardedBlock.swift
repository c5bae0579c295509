import CPrefetch
import FencepostFormats
import FencepostModel

/// A block of lines with its fixes grouped by shard, and in a shard by device.
///
/// Devices are independent of each other, so the fixes of one can be evaluated at once, while its state and the regions
/// around it are in the processor's cache. `BlockReport` brings the events back into the order of the records.
struct ShardedBlock: Sendable {
    /// A fix of one shard.
    struct Entry: Sendable {
        /// Index of the fix in the block.
        var fix: Int32
        /// Index of the device among the shard's devices in the order in which this reader met them; -1 for the default
        /// device, of records that name none.
        var device: Int32
        /// Number of the shard.
        var shard: UInt8
    }

    let reader: Int
    let lines: LineBlock
    /// The shard of each new device.
    let newShards: [UInt8]
    /// Entries by shard, in a shard by device, and of a device in the order of the records.
    private let entries: [Entry]
    /// The start of each shard's entries.
    private let starts: [Int]

    /// Sorts the fixes of a block.
    ///
    /// `reader` is the number of the reader, which numbers devices for itself, and `assignment` has the shards of the
    /// devices that this reader has met.
    init(_ lines: LineBlock, reader: Int, _ assignment: ShardAssignment) {
        self.reader = reader
        self.lines = lines
        newShards = assignment.slots.suffix(lines.newDevices.count).map(\.shard)
        var entries: [Entry] = []
        entries.reserveCapacity(lines.fixes.count)
        var last: Int32 = -1
        for (index, fix) in lines.fixes.enumerated() {
            let slot = assignment[fix.device]
            entries.append(Entry(fix: Int32(index), device: slot.device, shard: slot.shard))
            last = max(last, slot.device)
        }
        // A radix sort: stable, and its time does not depend on how many devices there are.
        for shift in stride(from: 0, to: Int32.bitWidth - (last + 1).leadingZeroBitCount, by: Self.digitBits) {
            (entries, _) = Self.sort(entries, into: 1 << Self.digitBits) {
                Int($0.device + 1) >> shift & (1 << Self.digitBits - 1)
            }
        }
        (self.entries, starts) = Self.sort(entries, into: FileWatch.shardCount) { Int($0.shard) }
    }

    /// Bits of a device's index that are sorted by at a time.
    private static let digitBits = 11

    /// Sorts by a small number, and keeps the order of entries with the same one.
    ///
    /// - Returns: the entries, and where those of each number start, with the end of the last.
    @inline(__always)
    private static func sort(
        _ entries: [Entry], into count: Int, by number: (Entry) -> Int
    ) -> (entries: [Entry], starts: [Int]) {
        var starts = [Int](repeating: 0, count: count + 1)
        var next = starts
        var sorted = entries
        // Spans, since each access to an array in a loop checks whether it is shared.
        var counts = starts.mutableSpan
        for entry in entries { counts[number(entry) + 1] += 1 }
        for number in 0..<count { counts[number + 1] += counts[number] }
        next = starts
        var ends = next.mutableSpan
        var target = sorted.mutableSpan
        for entry in entries {
            let slot = number(entry)
            target[ends[slot]] = entry
            ends[slot] += 1
        }
        return (sorted, starts)
    }

    /// Asks the processor to load a fix that is needed soon: those of a shard are far apart in the block.
    @inline(__always)
    func prefetchFix(_ entry: Entry) {
        lines.fixes.withUnsafeBufferPointer { fixes in
            guard let start = fixes.baseAddress else { return }
            fencepost_prefetch(start + Int(entry.fix))
            // Its last byte may be in the next cache line.
            fencepost_prefetch(UnsafeRawPointer(start + Int(entry.fix) + 1) - 1)
        }
    }

    func entries(of shard: Int) -> ArraySlice<Entry> { entries[starts[shard]..<starts[shard + 1]] }
}

/// The shards of the devices that a reader has met.
struct ShardAssignment {
    struct Slot {
        /// Number of the shard.
        var shard: UInt8
        /// Index of the device among the shard's devices.
        var device: Int32
    }

    /// By the reader's number of the device.
    private(set) var slots: [Slot] = []
    private var counts = [Int32](repeating: 0, count: FileWatch.shardCount)
    private let defaultSlot: Slot

    /// - Parameter defaultDevice: the device of records that name none.
    init(defaultDevice: DeviceID?) {
        defaultSlot = Slot(shard: defaultDevice.map(Self.shard) ?? 0, device: -1)
    }

    subscript(device: Int32) -> Slot { device < 0 ? defaultSlot : slots[Int(device)] }

    mutating func add(_ device: DeviceID) {
        let shard = Self.shard(of: device)
        slots.append(Slot(shard: shard, device: counts[Int(shard)]))
        counts[Int(shard)] += 1
    }

    /// The hash has no random seed: devices of a shard share a memory of recent fixes, so the result must be repeatable.
    private static func shard(of device: DeviceID) -> UInt8 {
        let hash = FNV1a64(device.rawValue.utf8).hash
        return UInt8(truncatingIfNeeded: (hash ^ hash >> 32) % UInt64(FileWatch.shardCount))
    }
}
