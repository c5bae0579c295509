import FencepostModel
import FencepostRegions

/// The sections of a saved index besides those of `LayerSection`. The numbers are those in files.
enum SavedSection: UInt32, CaseIterable {
    case meta = 1
    case records, offsets, order
}

/// The sections with the regions, in memory before they are written.
struct OwnSections {
    private let meta, records: [UInt8]
    private let offsets: [UInt64]
    private let order: [UInt32]

    init(_ regions: [Region], _ meta: SavedMeta) {
        self.meta = meta.bytes
        var encoder = ByteEncoder()
        var offsets: [UInt64] = [0]
        offsets.reserveCapacity(regions.count + 1)
        for region in regions {
            RegionRecord.encode(region, to: &encoder)
            offsets.append(UInt64(encoder.count))
        }
        records = encoder.bytes
        self.offsets = offsets
        order = (0..<UInt32(regions.count)).sorted { regions[Int($0)].id < regions[Int($1)].id }
    }

    /// Calls a closure with the number and the bytes of each section, then with those of an index.
    func forEach<Problem: Error>(
        and index: RegionIndex, _ body: (UInt32, UnsafeRawBufferPointer) throws(Problem) -> Void
    ) throws(Problem) {
        for section in SavedSection.allCases {
            switch section {
            case .meta: try Self.put(section, meta, body)
            case .records: try Self.put(section, records, body)
            case .offsets: try Self.put(section, offsets, body)
            case .order: try Self.put(section, order, body)
            }
        }
        try index.forEachSection { (section: LayerSection, bytes: UnsafeRawBufferPointer) throws(Problem) in
            try body(section.rawValue, bytes)
        }
    }

    private static func put<Element, Problem: Error>(
        _ section: SavedSection, _ array: [Element],
        _ body: (UInt32, UnsafeRawBufferPointer) throws(Problem) -> Void
    ) throws(Problem) {
        var failure: Problem?
        array.withUnsafeBytes { bytes in
            do throws(Problem) { try body(section.rawValue, bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
