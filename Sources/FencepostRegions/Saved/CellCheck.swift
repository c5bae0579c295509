import Dispatch
import FencepostModel
import Synchronization

/// Checks that no lookup in the cells of a file can read beyond them, or go on for ever.
///
/// It follows every classification from the root. A node refers only to nodes behind it, and a split only to splits behind
/// it, so a lookup ends.
struct CellCheck: Sendable {
    /// Each level of nodes at least halves a cell of 2⁶⁴ grid positions.
    private static let maximumDepth = 80
    /// Cells that have the same list share it. A file in which they share very long ones would take too long.
    private static let maximumRepetition = 64

    private let cells: CellIndex
    private let regions, vertices, circles: Int

    init(_ cells: CellIndex, regions: Int, vertices: Int, circles: Int) {
        self.cells = cells
        (self.regions, self.vertices, self.circles) = (regions, vertices, circles)
    }

    /// Uses all processors.
    func isValid() -> Bool {
        // Lookups may read four words behind the last one that they use.
        let count = cells.storage.count - 4
        guard count > CellIndex.nodeHeader, cells.root & 3 == 1 else { return false }
        let storage = cells.storage.start
        let root = Int(cells.root >> 2)
        guard root < count - CellIndex.nodeHeader, storage[root] == 0, storage[root + 1] == 0 else { return false }
        let (columns, rows) = (storage[root + 4] & 0xFFFF, storage[root + 4] >> 16)
        guard storage[root + 2] == columns, storage[root + 3] == rows, columns > 0, rows > 0,
            Int(columns) * Int(rows) <= count - root - CellIndex.nodeHeader
        else { return false }
        let first = root + CellIndex.nodeHeader
        let total = Int(columns) * Int(rows)
        let slices = min(32, total)
        let isValid = Atomic(true)
        DispatchQueue.concurrentPerform(iterations: slices) { slice in
            var walk = Walk(self, count)
            let range = first + total * slice / slices..<first + total * (slice + 1) / slices
            for offset in range where isValid.load(ordering: .relaxed) {
                if !walk.checkCell(at: offset, of: root) { isValid.store(false, ordering: .relaxed) }
            }
        }
        var walk = Walk(self, count)
        return isValid.load(ordering: .relaxed) && walk.checkCell(at: root + 5, of: root)
    }

    /// Follows classifications on one thread.
    private struct Walk {
        private let storage: UnsafePointer<UInt32>
        private let count: Int
        private let check: CellCheck
        /// The number of words that may still be read.
        private var budget: Int
        /// Leaves that were checked, by some bits of their offsets.
        private var known = [UInt32](repeating: .max, count: 1024)

        init(_ check: CellCheck, _ count: Int) {
            self.check = check
            self.count = count
            storage = check.cells.storage.start
            budget = CellCheck.maximumRepetition * count + 65_536
        }

        /// Checks a cell of the root node.
        mutating func checkCell(at offset: Int, of root: Int) -> Bool {
            check(storage[offset], after: root, depth: 0)
        }

        /// Checks a classification in a cell of the node at an offset.
        private mutating func check(_ classification: UInt32, after node: Int, depth: Int) -> Bool {
            if classification == 0 { return true }
            switch classification & 3 {
            case 1: return checkNode(Int(classification >> 2), after: node, depth: depth + 1)
            case 2: return Int(classification >> 2) < check.regions
            case 3 where HalfPlaneSplit.isSplit(classification):
                return checkSplits(CellIndex.offset(classification))
            case 3: return checkLeaf(classification >> 2)
            default: return false
            }
        }

        private mutating func checkNode(_ offset: Int, after parent: Int, depth: Int) -> Bool {
            guard depth <= CellCheck.maximumDepth, offset > parent, offset <= count - CellIndex.nodeHeader else {
                return false
            }
            let size = Int(storage[offset + 4] & 0xFFFF) * Int(storage[offset + 4] >> 16)
            guard size > 0, size <= count - offset - CellIndex.nodeHeader, budget > size else { return false }
            budget -= size
            for cell in offset + 5..<offset + CellIndex.nodeHeader + size {
                guard check(storage[cell], after: offset, depth: depth) else { return false }
            }
            return true
        }

        /// Checks all splits of a cell: they are adjacent, and the last one is the last that another one refers to.
        private mutating func checkSplits(_ start: Int) -> Bool {
            guard start >= 1, start < count, checkSide(storage[start - 1]) else { return false }
            var (split, last) = (start, start)
            while split <= last {
                guard split <= count - HalfPlaneSplit.wordCount, budget > 0 else { return false }
                budget -= 1
                for side in split + 2..<split + HalfPlaneSplit.wordCount {
                    let classification = storage[side]
                    guard HalfPlaneSplit.isSplit(classification) else {
                        guard classification == CellIndex.unknown || checkSide(classification) else { return false }
                        continue
                    }
                    let next = CellIndex.offset(classification)
                    guard next > split, (next - start) % HalfPlaneSplit.wordCount == 0 else { return false }
                    last = max(last, next)
                }
                split += HalfPlaneSplit.wordCount
            }
            return true
        }

        /// Checks a classification that is no region, one region, or a leaf.
        private mutating func checkSide(_ classification: UInt32) -> Bool {
            if classification == 0 { return true }
            switch classification & 3 {
            case 2: return Int(classification >> 2) < check.regions
            case 3 where !HalfPlaneSplit.isSplit(classification): return checkLeaf(classification >> 2)
            default: return false
            }
        }

        private mutating func checkLeaf(_ leaf: UInt32) -> Bool {
            let slot = Int(leaf & 1023)
            if known[slot] == leaf { return true }
            var offset = Int(leaf)
            var entries = 0
            while true {
                guard offset < count, budget > 0, entries < check.cells.maximumLeafCount else { return false }
                budget -= 1
                entries += 1
                let entry = storage[offset]
                guard Int(entry >> 2) < check.regions else { return false }
                offset += 1
                if entry & 1 == 1 {
                    guard let length = boundaryTest(at: offset) else { return false }
                    offset += length
                }
                if entry & 2 != 0 { break }
            }
            known[slot] = leaf
            return true
        }

        /// The number of words of a boundary test; `nil` where one of them cannot be followed.
        private mutating func boundaryTest(at offset: Int) -> Int? {
            guard offset < count else { return nil }
            let test = storage[offset]
            switch test & 3 {
            case CellIndex.BoundaryTest.exact: return 1
            case CellIndex.BoundaryTest.circle:
                return offset + 1 < count && Int(storage[offset + 1]) < check.circles ? 2 : nil
            case CellIndex.BoundaryTest.edges:
                let further = Int(test >> 16)
                guard offset + 2 + 2 * further <= count, budget > further,
                    isRun(storage[offset + 1], test >> 8 & 0xFF)
                else { return nil }
                budget -= further
                for run in 0..<further {
                    guard isRun(storage[offset + 2 + 2 * run], storage[offset + 3 + 2 * run]) else { return nil }
                }
                return 2 + 2 * further
            default: return nil
            }
        }

        /// Whether a run has an edge, and all of its vertices exist.
        private func isRun(_ first: UInt32, _ edges: UInt32) -> Bool {
            edges >= 1 && Int(first) + Int(edges) < check.vertices
        }
    }
}
