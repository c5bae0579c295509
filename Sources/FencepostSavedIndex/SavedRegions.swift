import FencepostFiles
import FencepostGeometry
import FencepostModel
import FencepostRegions

/// The regions of a saved index, which are decoded when they are asked for.
final class SavedRegions: RegionSource {
    let count: Int
    private let layer: SavedLayer
    private let records, offsets, order: MappedFile.Part

    /// Takes the sections of a file; `nil` if an offset or an index is not in its range.
    ///
    /// - Parameters:
    ///   - records: the records of all regions, one after the other.
    ///   - offsets: for each region the offset of its record, and the end of the last one, in 64 bits.
    ///   - order: the indices of the regions in the order of their ids, in 32 bits.
    ///   - layer: the index, which has the shapes.
    init?(records: MappedFile.Part, offsets: MappedFile.Part, order: MappedFile.Part, layer: SavedLayer) {
        guard let count = Self.count(offsets), order.byteCount == 4 * count else { return nil }
        let ends = offsets.bytes.bindMemory(to: UInt64.self)
        var last: UInt64 = 0
        for end in ends {
            guard end >= last, end <= UInt64(records.byteCount) else { return nil }
            last = end
        }
        for index in order.bytes.bindMemory(to: UInt32.self) {
            guard Int(index) < count else { return nil }
        }
        self.count = count
        (self.records, self.offsets, self.order, self.layer) = (records, offsets, order, layer)
    }

    /// The number of regions with these offsets; `nil` for bytes that are no offsets.
    static func count(_ offsets: MappedFile.Part) -> Int? {
        guard offsets.byteCount >= 8, offsets.byteCount % 8 == 0 else { return nil }
        let count = offsets.byteCount / 8 - 1
        return count < Int(UInt32.max) ? count : nil
    }

    func region(at index: Int) -> Region {
        var region = regionWithoutShape(at: index)
        region.shape = layer.shape(of: index)
        return region
    }

    func regionWithoutShape(at index: Int) -> Region {
        // The checksum of the file excludes other records, unless somebody wrote them with intent.
        RegionRecord.decode(record(index)) ?? Region(id: RegionID(""), shape: .polygons(.init([])))
    }

    func index(of id: RegionID) -> Int? {
        let order = order.bytes.bindMemory(to: UInt32.self)
        let slot = order.indices.partitioningIndex { !isBefore(Int(order[$0]), id) }
        guard slot < order.count else { return nil }
        let index = Int(order[slot])
        guard let found = RegionRecord.id(of: record(index)), found.elementsEqual(id.rawValue.utf8) else { return nil }
        return index
    }

    private func isBefore(_ index: Int, _ id: RegionID) -> Bool {
        RegionRecord.id(of: record(index))?.lexicographicallyPrecedes(id.rawValue.utf8) ?? true
    }

    private func record(_ index: Int) -> UnsafeRawBufferPointer {
        let ends = offsets.bytes.bindMemory(to: UInt64.self)
        return UnsafeRawBufferPointer(rebasing: records.bytes[Int(ends[index])..<Int(ends[index + 1])])
    }
}
