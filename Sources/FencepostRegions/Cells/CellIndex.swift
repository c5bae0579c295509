import FencepostGeometry
import FencepostModel

/// For every place on the map what is known of it before any question: the regions that cover the whole cell around it,
/// or where boundaries cross that, the whole piece of it that some cuts along their edges leave.
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
/// - `place << 2 | 3 | CellCut.flag`: a cut, at that place, of a cell that boundaries cross. Its words: the slopes `a`
///   and `b` of a `CellCut`, its `c`, and the codes of what is below and above it, none of them a node, or `unknown`.
///   Before the first cut of a cell is the code of a leaf that says the same by edges: where a place is in doubt, ask
///   that.
///
/// An *entry* begins with `handle << 2 | isLast << 1 | isCrossed`. A region that covers the cell has no more words. Of
/// one whose boundary crosses it the next word tells the `Crossing`.
struct CellIndex: Sendable {
    let grid: CellGrid
    /// The code of a node without an outside: it has all numbers.
    let root: UInt32
    let words: FixedList<UInt32>
    let flatCircles: FixedList<FlatCircle>
    /// The most regions that a leaf tells of, at least 1.
    let mostInLeaf: Int

    static let nodeHeader = 6
    /// So many words are in a line of the cache.
    static let line = 16
    /// A handle must be less.
    static let limit = 1 << 30
    /// A place must be less.
    static let placeLimit = 1 << 29

    /// What a cut says of a side that is too narrow to be certain of anything. No leaf's code and no other cell's.
    static let unknown: UInt32 = 1

    /// The place of a leaf or a cut.
    @inline(__always)
    static func place(_ code: UInt32) -> Int { Int((code & ~CellCut.flag) >> 2) }

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
}
