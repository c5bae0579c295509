import Dispatch
import Synchronization

extension CellBuilder {
    /// From `parallelThreshold` records on, the cells of the root node are built on all processors, in `partitionCount`
    /// partitions.
    static let (parallelThreshold, partitionCount) = (100_000, 16)

    /// Builds the cells of the root node in parallel.
    ///
    /// The number of partitions is fixed, so the result does not depend on the number of processors.
    mutating func buildInParallel(
        _ sorted: [Record], _ starts: [UInt32], _ strips: CellStrips, _ window: CellWindow
    ) {
        let count = starts.count - 1
        // Partition bounds with about the same number of records in each.
        var bounds = [0]
        for index in 0..<count where Int(starts[index]) >= sorted.count / Self.partitionCount * bounds.count {
            bounds.append(index)
        }
        bounds.append(count)
        var blank = self
        blank.storage = []
        blank.references = []
        blank.knownLeaves = KnownLeaves()
        blank.storageLimit = storageLimit / (Self.partitionCount / 2)
        let (empty, ends) = (blank, bounds)
        let partitions = Mutex([Partition?](repeating: nil, count: ends.count - 1))
        DispatchQueue.concurrentPerform(iterations: ends.count - 1) { partition in
            var builder = empty
            // Offset 0 is the offset of the root node, so each partition starts after one cache line.
            builder.storage = Array(hugePagesCapacity: 10 * sorted.count / Self.partitionCount)
            builder.storage += repeatElement(0, count: CellIndex.wordsPerCacheLine)
            var cells: [(index: Int, classification: UInt32)] = []
            for index in ends[partition]..<ends[partition + 1] where starts[index] < starts[index + 1] {
                let records = sorted.span.extracting(Int(starts[index])..<Int(starts[index + 1]))
                cells.append((index, builder.build(records, index, of: strips, window)))
            }
            let done = Partition(
                cells: cells, storage: builder.storage, references: builder.references,
                maximumLeafCount: builder.maximumLeafCount)
            partitions.withLock { $0[partition] = done }
        }
        var end = storage.count
        for case var partition? in partitions.withLock({ $0 }) {
            end = Self.aligned(end)
            partition.start = end
            for (index, classification) in partition.cells {
                set(
                    CellIndex.nodeHeader + index,
                    Self.isReference(classification) ? classification + UInt32(end) << 2 : classification)
            }
            partition.cells = []
            end += partition.storage.count
            maximumLeafCount = max(maximumLeafCount, partition.maximumLeafCount)
            precondition(end < CellIndex.offsetLimit, "too many regions")
            self.partitions.append(partition)
        }
    }

    /// The offset of the next cache line.
    private static func aligned(_ offset: Int) -> Int {
        (offset + CellIndex.wordsPerCacheLine - 1) / CellIndex.wordsPerCacheLine * CellIndex.wordsPerCacheLine
    }

    /// The storage with that of all partitions, and with padding for reads beyond the end: the third word of a leaf of two,
    /// and loads of two words.
    func joinedStorage() -> PinnedArray<UInt32> {
        let end = partitions.last.map { $0.start + $0.storage.count } ?? storage.count
        precondition(end < CellIndex.offsetLimit, "too many regions")
        return PinnedArray(count: end + 4) { words in
            words.initialize(from: storage, count: storage.count)
            var last = storage.count
            for partition in partitions {
                (words + last).initialize(repeating: 0, count: partition.start - last)
                let start = words + partition.start
                start.initialize(from: partition.storage, count: partition.storage.count)
                for offset in partition.references { start[Int(offset)] += UInt32(partition.start) << 2 }
                last = partition.start + partition.storage.count
            }
            (words + last).initialize(repeating: 0, count: 4)
        }
    }

    /// The classified cells of one partition, with offsets relative to its own storage.
    struct Partition: Sendable {
        /// Where its storage is in that of the index.
        var start = 0
        var cells: [(index: Int, classification: UInt32)]
        var storage: [UInt32]
        var references: [UInt32]
        var maximumLeafCount: Int
    }
}
