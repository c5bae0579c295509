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
        for case let partition? in partitions.withLock({ $0 }) {
            while storage.count % CellIndex.wordsPerCacheLine != 0 { storage.append(0) }
            let start = storage.count
            storage += partition.storage
            for offset in partition.references {
                storage[start + Int(offset)] += UInt32(start) << 2
                references.append(UInt32(start) + offset)
            }
            for (index, classification) in partition.cells {
                set(
                    CellIndex.nodeHeader + index,
                    Self.isReference(classification) ? classification + UInt32(start) << 2 : classification)
            }
            maximumLeafCount = max(maximumLeafCount, partition.maximumLeafCount)
        }
    }

    /// The classified cells of one partition, with offsets relative to its own storage.
    private struct Partition: Sendable {
        var cells: [(index: Int, classification: UInt32)]
        var storage: [UInt32]
        var references: [UInt32]
        var maximumLeafCount: Int
    }
}
