import FencepostFormats
import FencepostModel

/// A block of lines with its fixes shared out.
struct SharedBlock: Sendable {
    /// A fix of one share.
    struct Entry: Sendable {
        /// Its place among the fixes of the block.
        var fix: Int32
        /// Its device's place among those of the share, in the order in which the reader met them; -1 is the device of
        /// records that name none.
        var device: Int32
    }

    let reader: Int
    let lines: LineBlock
    /// The share of each new device.
    let newShares: [UInt8]
    /// Share by share, and where each share begins.
    private let entries: [Entry]
    private let starts: [Int]

    /// - Parameters:
    ///   - reader: who read it: places of devices are this one's.
    ///   - plan: who of the devices that this reader has met is in which share.
    init(_ lines: LineBlock, reader: Int, _ plan: SharePlan) {
        self.reader = reader
        self.lines = lines
        newShares = plan.shares.suffix(lines.newDevices.count).map(\.number)
        var starts = [Int](repeating: 0, count: FileWatch.shareCount + 1)
        for fix in lines.fixes { starts[Int(plan[fix.device].number) + 1] += 1 }
        for number in 0..<FileWatch.shareCount { starts[number + 1] += starts[number] }
        var next = starts
        var entries = [Entry](repeating: Entry(fix: 0, device: 0), count: lines.fixes.count)
        for index in lines.fixes.indices {
            let share = plan[lines.fixes[index].device]
            entries[next[Int(share.number)]] = Entry(fix: Int32(index), device: share.place)
            next[Int(share.number)] += 1
        }
        self.entries = entries
        self.starts = starts
    }

    func entries(of share: Int) -> ArraySlice<Entry> { entries[starts[share]..<starts[share + 1]] }
}

/// Who of the devices that a reader has met is in which share.
struct SharePlan {
    struct Share {
        var number: UInt8
        /// The device's place among those of the share.
        var place: Int32
    }

    /// By the reader's numbers.
    private(set) var shares: [Share] = []
    private var counts = [Int32](repeating: 0, count: FileWatch.shareCount)
    private let defaultShare: Share

    /// - Parameter defaultDevice: the one of records that name none.
    init(defaultDevice: DeviceID?) {
        defaultShare = Share(number: defaultDevice.map(Self.number) ?? 0, place: -1)
    }

    subscript(device: Int32) -> Share { device < 0 ? defaultShare : shares[Int(device)] }

    mutating func add(_ device: DeviceID) {
        let number = Self.number(of: device)
        shares.append(Share(number: number, place: counts[Int(number)]))
        counts[Int(number)] += 1
    }

    /// The same on every run: which devices share what is remembered of repeated fixes must not be left to chance.
    private static func number(of device: DeviceID) -> UInt8 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in device.rawValue.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return UInt8(truncatingIfNeeded: (hash ^ hash >> 32) % UInt64(FileWatch.shareCount))
    }
}
