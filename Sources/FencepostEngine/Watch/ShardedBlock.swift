import CPrefetch
import FencepostFormats
import FencepostModel

/// A block of lines with its fixes grouped by shard.
struct ShardedBlock: Sendable {
    /// A fix of one shard.
    struct Entry: Sendable {
        /// Index of the fix in the block.
        var fix: Int32
        /// Index of the device among the shard's devices in the order in which this reader met them; -1 for the default
        /// device, of records that name none.
        var device: Int32
    }

    let reader: Int
    let lines: LineBlock
    /// The shard of each new device.
    let newShards: [UInt8]
    /// Entries by shard, and the start of each shard's entries.
    private let entries: [Entry]
    private let starts: [Int]

    /// Sorts the lines of a block by shard.
    ///
    /// `reader` is the number of the reader, which numbers devices for itself, and `assignment` has the shards of the
    /// devices that this reader has met.
    init(_ lines: LineBlock, reader: Int, _ assignment: ShardAssignment) {
        self.reader = reader
        self.lines = lines
        newShards = assignment.slots.suffix(lines.newDevices.count).map(\.shard)
        var starts = [Int](repeating: 0, count: FileWatch.shardCount + 1)
        for fix in lines.fixes { starts[Int(assignment[fix.device].shard) + 1] += 1 }
        for number in 0..<FileWatch.shardCount { starts[number + 1] += starts[number] }
        var next = starts
        var entries = [Entry](repeating: Entry(fix: 0, device: 0), count: lines.fixes.count)
        for index in lines.fixes.indices {
            let slot = assignment[lines.fixes[index].device]
            entries[next[Int(slot.shard)]] = Entry(fix: Int32(index), device: slot.device)
            next[Int(slot.shard)] += 1
        }
        self.entries = entries
        self.starts = starts
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
