import FencepostGeometry
import FencepostModel

/// Working memory for batched lookups, for one thread.
struct CellBatch: ~Copyable {
    /// The number of coordinates in a batch: enough to overlap memory accesses, and small enough to stay in the L1
    /// cache.
    static let capacity = 256

    /// The classification of a coordinate whose regions are not certain, or do not fit in this batch.
    static let uncertain = CellIndex.unknown
    fileprivate static let listCapacity = 4 * capacity

    /// The grid position of each coordinate.
    fileprivate let x, y: UnsafeMutablePointer<UInt32>
    /// The remainders of the position in the cell that was found last.
    fileprivate let remainderX, remainderY: UnsafeMutablePointer<UInt32>
    let classifications: UnsafeMutablePointer<UInt32>
    /// The indices of coordinates that are at a node, at a split or at a leaf.
    fileprivate let nodes, splits, leaves: UnsafeMutablePointer<UInt32>
    /// For coordinates in several regions: their number, then their handles.
    let lists: UnsafeMutablePointer<RegionHandle>
    fileprivate(set) var listCount = 0
    /// Accumulates prefetched words, so that the compiler keeps the loads.
    fileprivate var touched: UInt64 = 0

    /// - Parameter maximumLeafCount: that of the index.
    init(maximumLeafCount: Int) {
        // One more of each: values that are not kept in a full list are written behind its end.
        let stride = Self.capacity + 1
        x = .allocate(capacity: 8 * stride)
        x.initialize(repeating: 0, count: 8 * stride)
        (y, remainderX, remainderY, classifications) = (x + stride, x + 2 * stride, x + 3 * stride, x + 4 * stride)
        (nodes, splits, leaves) = (x + 5 * stride, x + 6 * stride, x + 7 * stride)
        // The last coordinate that fits may have the largest leaf, and one that is not kept writes as much behind it.
        let listCapacity = Self.listCapacity + 2 * (maximumLeafCount + 1)
        lists = .allocate(capacity: listCapacity)
        lists.initialize(repeating: RegionHandle(0), count: listCapacity)
    }

    deinit {
        x.deallocate()
        lists.deallocate()
    }
}

extension CellReader {
    /// Sets `batch.classifications` for each coordinate: 0 for no region, `handle << 2 | 2` for one, `index << 2 | 3`
    /// for a list in `batch.lists`, or `uncertain`.
    ///
    /// The batch runs in lock-step, so the memory accesses of its coordinates overlap; with many regions almost every
    /// step waits for memory. Steps are branchless where the outcome differs per coordinate.
    ///
    /// - Precondition: at most `CellBatch.capacity` coordinates.
    func lookUp(_ coordinates: UnsafeBufferPointer<Coordinate>, _ batch: inout CellBatch) {
        let pending = lookUpInRoot(coordinates, batch)
        var (nodes, splits) = separateNodes(pending, batch)
        while nodes > 0 { (nodes, splits) = descend(nodes, splits, &batch) }
        let leaves = followSplits(splits, &batch)
        batch.listCount = 0
        resolveLeaves(batch.leaves, leaves, coordinates, &batch)
        guard grid.touchesAntimeridian else { return }
        // 180° east and 180° west are the same meridian and are looked up from both sides, one by one.
        for index in 0..<coordinates.count where abs(coordinates[index].longitude) == 180 {
            batch.classifications[index] = CellBatch.uncertain
        }
    }

    /// Looks all coordinates up in the root node.
    ///
    /// - Returns: the number of coordinates in `nodes` that are not resolved.
    @inline(__always)
    private func lookUpInRoot(_ coordinates: UnsafeBufferPointer<Coordinate>, _ batch: borrowing CellBatch) -> Int {
        let (x, y, classifications, remainderX, remainderY) = (
            batch.x, batch.y, batch.classifications, batch.remainderX, batch.remainderY
        )
        let pending = batch.nodes
        var count = 0
        for index in 0..<coordinates.count {
            let position = grid.position(coordinates[index])
            (x[index], y[index]) = (UInt32(truncatingIfNeeded: position.x), UInt32(truncatingIfNeeded: position.y))
            let found = first.classification(position.x, position.y)
            let classification = (position.x | position.y) >> 32 == 0 ? found.classification : 0
            (classifications[index], remainderX[index], remainderY[index]) = (classification, found.x, found.y)
            // Written unconditionally and kept only if unresolved, which is faster than a branch.
            pending[count] = UInt32(truncatingIfNeeded: index)
            count &+= Int(classification & 1)
        }
        return count
    }

    /// Keeps only nodes in `nodes` and moves leaves and splits to `splits`.
    @inline(__always)
    private func separateNodes(_ count: Int, _ batch: borrowing CellBatch) -> (nodes: Int, splits: Int) {
        let (classifications, nodes, others) = (batch.classifications, batch.nodes, batch.splits)
        var (nodeCount, otherCount) = (0, 0)
        for slot in 0..<count {
            let index = nodes[slot]
            let isOther = Int(classifications[Int(index)] >> 1 & 1)
            (nodes[nodeCount], others[otherCount]) = (index, index)
            nodeCount &+= 1 &- isOther
            otherCount &+= isOther
        }
        return (nodeCount, otherCount)
    }

    /// Descends one node.
    @inline(__always)
    private func descend(_ nodeCount: Int, _ cutCount: Int, _ batch: inout CellBatch) -> (nodes: Int, splits: Int) {
        let (classifications, nodes, others) = (batch.classifications, batch.nodes, batch.splits)
        var touched: UInt32 = 0
        for slot in 0..<nodeCount { touched ^= storage[Int(classifications[Int(nodes[slot])] >> 2)] }
        batch.touched ^= UInt64(touched)
        var (left, otherCount) = (0, cutCount)
        for slot in 0..<nodeCount {
            let index = Int(nodes[slot])
            let found = classification(inNode: classifications[index], batch.x[index], batch.y[index])
            (classifications[index], batch.remainderX[index], batch.remainderY[index]) = found
            let (isOpen, isOther) = (Int(found.classification & 1), Int(found.classification >> 1 & 1))
            (nodes[left], others[otherCount]) = (UInt32(truncatingIfNeeded: index), UInt32(truncatingIfNeeded: index))
            left &+= isOpen & ~isOther
            otherCount &+= isOpen & isOther
        }
        return (left, otherCount)
    }

    /// Tests each coordinate against the splits of its cell.
    ///
    /// - Returns: the number of leaves in `leaves`.
    @inline(__always)
    private func followSplits(_ count: Int, _ batch: inout CellBatch) -> Int {
        let (classifications, splits, leaves) = (batch.classifications, batch.splits, batch.leaves)
        var touched: UInt32 = 0
        for slot in 0..<count { touched ^= storage[CellIndex.offset(classifications[Int(splits[slot])])] }
        batch.touched ^= UInt64(touched)
        var (pending, leafCount) = (0, 0)
        for slot in 0..<count {
            let index = splits[slot]
            let isSplit = Int(classifications[Int(index)] / HalfPlaneSplit.flag)
            (splits[pending], leaves[leafCount]) = (index, index)
            pending &+= isSplit
            leafCount &+= 1 &- isSplit
        }
        while pending > 0 {
            var left = 0
            for slot in 0..<pending {
                let index = Int(splits[slot])
                let split = storage + CellIndex.offset(classifications[index])
                let value = HalfPlaneSplit.value(split, batch.remainderX[index], batch.remainderY[index])
                let next = split[HalfPlaneSplit.childOffset(value)]
                let classification = HalfPlaneSplit.isCertain(value) ? next : CellBatch.uncertain
                classifications[index] = classification
                (splits[left], leaves[leafCount]) = (
                    UInt32(truncatingIfNeeded: index), UInt32(truncatingIfNeeded: index)
                )
                let (isOpen, isSplit) = (
                    Int(classification & (classification >> 1) & 1), Int(classification / HalfPlaneSplit.flag)
                )
                left &+= isOpen & isSplit
                leafCount &+= isOpen & ~isSplit
            }
            pending = left
        }
        return leafCount
    }

    /// Resolves the classifications of leaves.
    @inline(__always)
    private func resolveLeaves(
        _ leaves: UnsafeMutablePointer<UInt32>, _ count: Int, _ coordinates: UnsafeBufferPointer<Coordinate>,
        _ batch: inout CellBatch
    ) {
        let classifications = batch.classifications
        var touched: UInt64 = 0
        for slot in 0..<count { touched ^= UInt64(storage[CellIndex.offset(classifications[Int(leaves[slot])])]) }
        for slot in 0..<count { touched ^= firstRead(of: classifications[Int(leaves[slot])]).load(as: UInt64.self) }
        batch.touched ^= touched
        for slot in 0..<count {
            let index = Int(leaves[slot])
            let list = batch.lists + batch.listCount
            let found = covering(coordinates[index], classification: classifications[index], into: list + 1)
            if UInt(bitPattern: found) <= 1 {
                classifications[index] = (list[1].rawValue << 2 | 2) & (0 &- UInt32(truncatingIfNeeded: found))
            } else if found > 0 && batch.listCount < CellBatch.listCapacity {
                list[0] = RegionHandle(UInt32(truncatingIfNeeded: found))
                classifications[index] = UInt32(truncatingIfNeeded: batch.listCount) << 2 | 3
                batch.listCount &+= found &+ 1
            } else {
                classifications[index] = CellBatch.uncertain
            }
        }
    }

    /// The address of the vertex or circle that a leaf reads first; any valid address for other leaves.
    @inline(__always)
    private func firstRead(of classification: UInt32) -> UnsafeRawPointer {
        let leaf = storage + CellIndex.offset(classification)
        // The third word; `storage` is padded for it.
        let index = Int(leaf[2])
        if leaf[0] & 1 == 1 && leaf[1] & 3 == CellIndex.BoundaryTest.circle {
            return UnsafeRawPointer(circles + index)
        }
        // Storage and vertices have at least one element.
        return index < vertexCount
            ? UnsafeRawPointer(vertices + index) : UnsafeRawPointer(storage)
    }
}
