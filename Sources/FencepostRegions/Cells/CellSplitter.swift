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

    private(set) var splits: [(split: HalfPlaneSplit, below: Side, above: Side)] = []
    // Both are stacks: the edges and corners of the cell come first, then those of the subcells on the recursion path.
    private var segments: [Segment] = []
    private var corners: [Point] = []
    private var scale = 0.0

    /// Starts with a cell; `false` when it is too small to be split.
    mutating func begin(_ frame: CellFrame, _ cell: CellRectangle) -> Bool {
        splits.removeAll(keepingCapacity: true)
        segments.removeAll(keepingCapacity: true)
        corners.removeAll(keepingCapacity: true)
        guard frame.size >= Self.minimumSize else { return false }
        scale = min(frame.size, HalfPlaneSplit.maximumSlope)
        let (west, east) = (frame.x(Double(cell.west)), frame.x(Double(cell.east) + 1))
        let (south, north) = (frame.y(Double(cell.south)), frame.y(Double(cell.north) + 1))
        corners.append(Point(west, south))
        corners.append(Point(east, south))
        corners.append(Point(east, north))
        corners.append(Point(west, north))
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
        segments.append(
            Segment(
                start: a + direction * first, end: a + direction * last,
                normal: size > 0 ? Point(-direction.y, direction.x) / size : Point(1, 0), owner: owner))
    }

    /// Splits the cell along the edges that were added.
    ///
    /// - Returns: the content of the cell; `nil` where it would take too many splits.
    mutating func split() -> Side? {
        let count = segments.count
        defer { segments.removeLast(segments.count - count) }
        return split(corners: 0..<corners.count, segments: 0..<count)
    }

    private mutating func split(corners polygon: Range<Int>, segments edges: Range<Int>) -> Side? {
        guard polygon.count > 2 else { return .empty }
        guard !edges.isEmpty else {
            return .subcell(polygon.reduce(Point(repeating: 0)) { $0 + corners[$1] } / Double(polygon.count))
        }
        guard splits.count < Self.maximumSplits, let split = bestSplit(of: polygon, edges) else { return nil }
        let splitIndex = splits.count
        splits.append((split, .empty, .empty))
        let segment = segments[edges.lowerBound]
        if edges.count == 1
            && max(abs(split.value(segment.start)), abs(split.value(segment.end))) < HalfPlaneSplit.certaintyMargin
        {
            (splits[splitIndex].below, splits[splitIndex].above) = (
                corner(of: polygon, split, false), corner(of: polygon, split, true)
            )
            return .split(splitIndex)
        }
        guard let below = self.split(polygon, edges, by: split, above: false),
            let above = self.split(polygon, edges, by: split, above: true)
        else { return nil }
        (splits[splitIndex].below, splits[splitIndex].above) = (below, above)
        return .split(splitIndex)
    }

    /// A point in the certain part of one side, where that side is not split further.
    private func corner(of polygon: Range<Int>, _ split: HalfPlaneSplit, _ above: Bool) -> Side {
        var (sum, count) = (Point(repeating: 0), 0.0)
        for index in polygon where split.clearance(corners[index], above) >= 0 {
            sum += corners[index]
            count += 1
        }
        return count > 0 ? .subcell(sum / count) : .empty
    }

    private mutating func split(_ polygon: Range<Int>, _ edges: Range<Int>, by split: HalfPlaneSplit, above: Bool)
        -> Side?
    {
        let (firstCorner, firstSegment) = (corners.count, segments.count)
        var last = corners[polygon.upperBound - 1]
        var before = split.clearance(last, above)
        for index in polygon {
            let corner = corners[index]
            let now = split.clearance(corner, above)
            if (before < 0) != (now < 0) { corners.append(last + (corner - last) * (before / (before - now))) }
            if now >= 0 { corners.append(corner) }
            (last, before) = (corner, now)
        }
        for index in edges {
            var segment = segments[index]
            let (start, end) = (split.clearance(segment.start, above), split.clearance(segment.end, above))
            guard max(start, end) >= 0 else { continue }
            let direction = segment.end - segment.start
            if start < 0 { segment.start += direction * (start / (start - end)) }
            if end < 0 { segment.end -= direction * (end / (end - start)) }
            segments.append(segment)
        }
        let side = self.split(corners: firstCorner..<corners.count, segments: firstSegment..<segments.count)
        corners.removeLast(corners.count - firstCorner)
        segments.removeLast(segments.count - firstSegment)
        return side
    }

    /// The split after which the smallest number of further splits is expected.
    private func bestSplit(of polygon: Range<Int>, _ edges: Range<Int>) -> HalfPlaneSplit? {
        if edges.count == 1 {
            let segment = segments[edges.lowerBound]
            return HalfPlaneSplit(segment.normal, through: segment.middle, scale: scale)
        }
        var best: HalfPlaneSplit?
        var least = Double.infinity
        func consider(_ normal: Point, _ point: Point) {
            guard let split = HalfPlaneSplit(normal, through: point, scale: scale),
                let cost = cost(of: split, polygon, edges), cost < least
            else { return }
            (least, best) = (cost, split)
        }
        // A sample of up to four edges is enough.
        for index in stride(from: edges.lowerBound, to: edges.upperBound, by: (edges.count + 3) / 4) {
            consider(segments[index].normal, segments[index].middle)
        }
        guard edges.count > 2 else { return best }
        // All of a convex shape lies on one side of each of its edges; axis-parallel splits through a vertex divide it
        // better.
        let middle = segments[(edges.lowerBound + edges.upperBound) / 2].start
        consider(Point(1, 0), middle)
        consider(Point(0, 1), middle)
        return best
    }

    /// The expected number of further splits that a lookup tests, weighted by area; `nil` if the split separates nothing.
    private func cost(of split: HalfPlaneSplit, _ polygon: Range<Int>, _ edges: Range<Int>) -> Double? {
        var (below, above) = (0, 0)
        for index in edges {
            let (start, end) = (split.value(segments[index].start), split.value(segments[index].end))
            if min(start, end) <= -HalfPlaneSplit.certaintyMargin { below += 1 }
            if max(start, end) >= HalfPlaneSplit.certaintyMargin { above += 1 }
        }
        guard max(below, above) < edges.count else { return nil }
        // The areas of both sides, doubled, ignoring the uncertain band between them.
        var (low, high) = (0.0, 0.0)
        var last = corners[polygon.upperBound - 1]
        var before = split.value(last)
        let origin = last
        func add(_ a: Point, _ b: Point, _ isAbove: Bool) {
            let (a, b) = (a - origin, b - origin)
            let area = a.x * b.y - a.y * b.x
            if isAbove { high += area } else { low += area }
        }
        var ends: (Point, Point)?
        for index in polygon {
            let corner = corners[index]
            let now = split.value(corner)
            if (before < 0) == (now < 0) {
                add(last, corner, now >= 0)
            } else {
                let crossing = last + (corner - last) * (before / (before - now))
                add(last, crossing, before >= 0)
                add(crossing, corner, now >= 0)
                // From the point where the outline goes below the line to the point where it comes back above.
                if now < 0 { ends = (crossing, ends?.1 ?? crossing) } else { ends = (ends?.0 ?? crossing, crossing) }
            }
            (last, before) = (corner, now)
        }
        if let (down, up) = ends {
            add(up, down, false)
            add(down, up, true)
        }
        return abs(low) * Self.expectedSplits(below) + abs(high) * Self.expectedSplits(above)
    }

    /// The expected number of splits that a lookup tests in a subcell with this many edges.
    private static func expectedSplits(_ segments: Int) -> Double {
        switch segments {
        case 0: 0
        case 1: 1
        case 2: 1.7
        case 3: 2.2
        default: 2.6 + 0.25 * Double(segments - 4)
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
        for segment in segments {
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
