import FencepostGeometry
import FencepostModel

/// For every place on the map what is known of it before any question: the regions that cover the whole cell around it,
/// and of those whose boundary crosses the cell, the few edges in it.
///
/// Cells of very different size, classified once, so that most questions need no geometry at all; the idea is that of
/// Kipf et al., adaptive main-memory indexing for high-performance point-polygon joins, EDBT 2020. Here a node is a grid
/// of as many columns and rows as its contents ask for, laid closely around them.
///
/// All is in one list of 32-bit words. A *code* says what there is to know of a cell:
///
/// - 0: no region.
/// - `place << 2 | 1`: a node, at that place. Its words: west, south, column scale, row scale, columns | rows << 16,
///   the code of what is in the parent's cell but outside the node, then the codes of its cells row by row.
/// - `handle << 2 | 2`: one region, which covers the cell.
/// - `place << 2 | 3`: a leaf, at that place: entries in the order of their handles.
/// - `place << 2 | 3 | Shared.flag`: a leaf of several polygons, as `Shared` says.
///
/// An *entry* begins with `handle << 2 | isLast << 1 | isCrossed`. A region that covers the cell has no more words. Of
/// one whose boundary crosses it the next word tells the `Crossing`.
struct CellIndex: Sendable {
    let grid: CellGrid
    /// The code of a node.
    let root: UInt32
    let words: FixedList<UInt32>
    let flatCircles: FixedList<FlatCircle>
    /// The most regions that a leaf tells of, at least 1.
    let mostInLeaf: Int

    static let nodeHeader = 6
    /// A handle must be less.
    static let limit = 1 << 30
    /// A place must be less.
    static let placeLimit = 1 << 29

    /// The place of a leaf, of either kind.
    @inline(__always)
    static func leaf(_ code: UInt32) -> Int { Int((code & ~Shared.flag) >> 2) }

    /// How a coordinate is settled in a cell that a region's boundary crosses: in the two lowest bits of a word.
    enum Crossing {
        /// Count edges on the way to a side of the cell that no edge touches. Bits 2 to 4 are those of `Side`; bits 8
        /// to 15 count the edges of the first run, bits 16 to 31 the further runs. Then come the first vertex of the
        /// first run, and vertex and edges of each further one.
        static let edges: UInt32 = 0
        /// A circle: the next word is its place in `flatCircles`, and among all circles.
        static let circle: UInt32 = 1
        /// Whatever the region is, ask it.
        static let exact: UInt32 = 2
    }

    /// The side of a cell to which edges are counted.
    struct Side {
        /// To the north or the south, else to the east or the west.
        static let isVertical: UInt32 = 1 << 2
        /// To the south or the west.
        static let isLow: UInt32 = 1 << 3
        /// The side itself is inside.
        static let isInside: UInt32 = 1 << 4
    }

    /// A leaf in which the boundaries of several polygons are followed at once.
    ///
    /// Its words: how many regions << 8 | how many runs << 16 | the bits of `Side`; a bit for each region that is inside
    /// at that side, as are all that cover the cell; for each run of edges its first vertex, and the bits of the regions
    /// that end at it << 8 | its edges; then the handles, in their order, of which the first is that of the lowest bit.
    enum Shared {
        static let flag: UInt32 = 1 << 31
        static let mostRegions = 24
        static let mostRuns = 65_535
    }
}
