import FencepostGeometry
import FencepostModel

/// A precomputed classification of every position on the map: the regions that cover its cell or, where boundaries
/// cross the cell, the convex subcell that half-plane splits leave. Most lookups need no geometry. The hierarchy
/// follows Kipf et al., "Adaptive Main-Memory Indexing for High-Performance Point-Polygon Joins", EDBT 2020; here a
/// node is a grid with as many columns and rows as its contents need, laid closely around them.
/// `docs/design/cell-index.md` describes the design.
///
/// All data is in one array of 32-bit words. A *classification* is one word:
///
/// - 0: no region.
/// - `offset << 2 | 1`: a node at that offset. Its words: west, south, column scale, row scale, columns | rows << 16,
///   the classification of the part of the parent's cell outside the node, then those of its cells row by row.
/// - `handle << 2 | 2`: one region, which covers the cell.
/// - `offset << 2 | 3`: a leaf at that offset: entries in the order of their handles.
/// - `offset << 2 | 3 | HalfPlaneSplit.flag`: a split at that offset, in a cell that boundaries cross. Its words: the
///   coefficients `a` and `b` of a `HalfPlaneSplit`, its `c`, and the classifications below and above it; none of them
///   is a node, either may be `unknown`. The word before the first split of a cell classifies it by a leaf of edges,
///   the fallback for positions that are uncertain.
///
/// An *entry* begins with `handle << 2 | isLast << 1 | isCrossed`. A region that covers the cell has no more words. For
/// a region whose boundary crosses the cell, the next word is its `BoundaryTest`.
struct CellIndex: Sendable {
    let grid: CellGrid
    /// The classification of the root node, which spans the whole grid.
    let root: UInt32
    let storage: PinnedArray<UInt32>
    let flatCircles: PinnedArray<FlatCircle>
    /// The largest number of regions in one leaf, at least 1.
    let maximumLeafCount: Int

    static let nodeHeader = 6
    /// The number of words in a cache line.
    static let wordsPerCacheLine = 16
    /// Handles are below it.
    static let handleLimit = 1 << 30
    /// Offsets are below it.
    static let offsetLimit = 1 << 29

    /// The classification of a split's side that is too narrow for a certain answer. No leaf and no other cell has it.
    static let unknown: UInt32 = 1

    /// The offset of a leaf or a split.
    @inline(__always)
    static func offset(_ classification: UInt32) -> Int { Int((classification & ~HalfPlaneSplit.flag) >> 2) }

    /// How a coordinate is tested against the boundary of a region that crosses its cell: the two lowest bits of a
    /// word.
    enum BoundaryTest {
        /// Count edges between the coordinate and a side of the cell that no edge touches. Bits 2 to 4 are those of
        /// `Side`; bits 8 to 15 are the number of edges in the first run, bits 16 to 31 the number of further runs. The
        /// next words are the first vertex of the first run, then vertex and edge count of each further run.
        static let edges: UInt32 = 0
        /// A circle: the next word is its index in `flatCircles` and in the layer's circles.
        static let circle: UInt32 = 1
        /// Test the whole region.
        static let exact: UInt32 = 2
    }

    /// The side of a cell to which edges are counted.
    struct Side {
        /// The north or south side; otherwise the east or west side.
        static let isVertical: UInt32 = 1 << 2
        /// The south or west side.
        static let isLow: UInt32 = 1 << 3
        /// The side itself is inside.
        static let isInside: UInt32 = 1 << 4
    }
}
