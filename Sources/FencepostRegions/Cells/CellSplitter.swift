/// Partitions a cell by half-plane splits along its edges until no edge is left on either side of each split.
///
/// Each remaining subcell is convex and every answer in it is the same. Correctness does not depend on how well splits
/// follow the edges: a subcell excludes the uncertain bands along its splits, and it is split until no edge enters it.
struct CellSplitter {
    typealias Point = SIMD2<Double>

    /// An edge, or the part of it within a subcell.
    struct Segment {
        var start, end: Point
        /// The normal of the whole edge; its larger component is 1.
        let normal: Point
        /// The index of the primitive that it bounds.
        let owner: Int

        var middle: Point { (start + end) / 2 }
    }

    /// The content of one side of a split.
    enum Side {
        case split(Int)
        /// A subcell, by a point in it.
        case subcell(Point)
        /// Too narrow to contain a position that is certain.
        case empty
    }

    /// The minimum width and height of a cell in grid units.
    private static let minimumSize = 64.0
    /// The maximum number of splits in one cell.
    private static let maximumSplits = 63

    /// A split with the contents of its sides.
    typealias Split = (split: HalfPlaneSplit, below: Side, above: Side)

    // The three arrays keep their memory; the counts say how much of it is in use. The last two are stacks: the edges and
    // corners of the cell come first, then those of the subcells on the recursion path.
    private var splits = [Split](
        repeating: (HalfPlaneSplit(a: 0, b: 0, c: 0), .empty, .empty), count: Self.maximumSplits)
    private var segments: [Segment]
    private var corners: [Point]
    private(set) var splitCount = 0
    private var segmentCount = 0
    private var scale = 0.0

    /// - Parameter maximumEdges: the largest number of edges in a cell.
    init(maximumEdges: Int) {
        // A subcell has no more edges than the cell, and a corner more for each split around it.
        let depth = Self.maximumSplits + 1
        segments = Array(
            repeating: Segment(start: .zero, end: .zero, normal: .zero, owner: 0), count: depth * maximumEdges)
        corners = Array(repeating: .zero, count: depth * (depth + 9) / 2)
    }

    /// A split by its index.
    subscript(index: Int) -> Split { splits[index] }

    /// Starts with a cell; `false` when it is too small to be split.
    mutating func begin(_ frame: CellFrame, _ cell: CellRectangle) -> Bool {
        (splitCount, segmentCount) = (0, 0)
        guard frame.size >= Self.minimumSize else { return false }
        scale = min(frame.size, HalfPlaneSplit.maximumSlope)
        let (west, east) = (frame.x(Double(cell.west)), frame.x(Double(cell.east) + 1))
        let (south, north) = (frame.y(Double(cell.south)), frame.y(Double(cell.north) + 1))
        corners[0] = Point(west, south)
        corners[1] = Point(east, south)
        corners[2] = Point(east, north)
        corners[3] = Point(west, north)
        return true
    }

    /// Adds the part of an edge that lies in the cell.
    mutating func add(_ a: Point, _ b: Point, of owner: Int) {
        // Widened by more than any rounding error and by less than the uncertain band along a split.
        let (low, high) = (corners[0] - 1e-6, corners[2] + 1e-6)
        let direction = b - a
        var (first, last) = (0.0, 1.0)
        for axis in 0..<2 {
            guard direction[axis] != 0 else {
                guard a[axis] >= low[axis] && a[axis] <= high[axis] else { return }
                continue
            }
            let (enters, leaves) = ((low[axis] - a[axis]) / direction[axis], (high[axis] - a[axis]) / direction[axis])
            first = max(first, min(enters, leaves))
            last = min(last, max(enters, leaves))
        }
        guard first <= last else { return }
        let size = max(abs(direction.x), abs(direction.y))
        segments[segmentCount] = Segment(
            start: a + direction * first, end: a + direction * last,
            normal: size > 0 ? Point(-direction.y, direction.x) / size : Point(1, 0), owner: owner)
        segmentCount += 1
    }

    /// Splits the cell along the edges that were added.
    ///
    /// - Returns: the content of the cell; `nil` where it would take too many splits.
    mutating func split() -> Side? {
        let count = segmentCount
        let scale = scale
        return splits.withUnsafeMutableBufferPointer { splits in
            segments.withUnsafeMutableBufferPointer { segments in
                corners.withUnsafeMutableBufferPointer { corners in
                    var recursion = SplitRecursion(
                        splits: splits, segments: segments, corners: corners, segmentCount: count, scale: scale)
                    let side = recursion.split(corners: 0..<4, segments: 0..<count)
                    splitCount = recursion.splitCount
                    return side
                }
            }
        }
    }

    // MARK: Regions of subcells

    /// The regions that cover a point, as a bit mask, derived from a point with known regions and the edges between the
    /// two.
    ///
    /// - Returns: `nil` where an edge only touches the segment between the points.
    func covering(_ point: Point, from known: (point: Point, covering: UInt64)) -> UInt64? {
        var covering = known.covering
        func area(_ a: Point, _ b: Point, _ c: Point) -> Double {
            let (left, right) = (b - a, c - a)
            return left.x * right.y - left.y * right.x
        }
        for index in 0..<segmentCount {
            let segment = segments[index]
            let (from, to) = (area(known.point, point, segment.start), area(known.point, point, segment.end))
            guard min(abs(from), abs(to)) > 1e-9 else { return nil }
            guard (from < 0) != (to < 0) else { continue }
            let start = area(segment.start, segment.end, known.point)
            let end = area(segment.start, segment.end, point)
            guard min(abs(start), abs(end)) > 1e-9 else { return nil }
            if (start < 0) != (end < 0) { covering ^= 1 << UInt64(segment.owner) }
        }
        return covering
    }
}
