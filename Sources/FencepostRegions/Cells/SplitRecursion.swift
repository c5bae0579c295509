/// The recursion of a `CellSplitter`, on its memory.
struct SplitRecursion {
    typealias Point = CellSplitter.Point
    typealias Side = CellSplitter.Side

    private let splits: UnsafeMutableBufferPointer<CellSplitter.Split>
    private let segments: UnsafeMutableBufferPointer<CellSplitter.Segment>
    private let corners: UnsafeMutableBufferPointer<Point>
    private let scale: Double
    private(set) var splitCount = 0
    private var segmentCount: Int
    private var cornerCount = 4

    /// - Parameters:
    ///   - splits: room for all splits.
    ///   - segments: the edges of the cell, with room for those of its subcells.
    ///   - corners: the four corners of the cell, with room for those of its subcells.
    ///   - segmentCount: the number of edges of the cell.
    ///   - scale: the largest coefficient of a split, as `HalfPlaneSplit` takes it.
    init(
        splits: UnsafeMutableBufferPointer<CellSplitter.Split>,
        segments: UnsafeMutableBufferPointer<CellSplitter.Segment>, corners: UnsafeMutableBufferPointer<Point>,
        segmentCount: Int, scale: Double
    ) {
        (self.splits, self.segments, self.corners) = (splits, segments, corners)
        (self.segmentCount, self.scale) = (segmentCount, scale)
    }

    /// Splits the subcell with these corners along the edges in it.
    ///
    /// - Returns: the content of the subcell; `nil` where it would take too many splits.
    mutating func split(corners polygon: Range<Int>, segments edges: Range<Int>) -> Side? {
        guard polygon.count > 2 else { return .empty }
        guard !edges.isEmpty else {
            return .subcell(polygon.reduce(Point(repeating: 0)) { $0 + corners[$1] } / Double(polygon.count))
        }
        guard splitCount < splits.count, let split = bestSplit(of: polygon, edges) else { return nil }
        let splitIndex = splitCount
        splits[splitIndex] = (split, .empty, .empty)
        splitCount += 1
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
        let (firstCorner, firstSegment) = (cornerCount, segmentCount)
        guard cornerCount + 2 * polygon.count <= corners.count, segmentCount + edges.count <= segments.count else {
            return nil
        }
        var last = corners[polygon.upperBound - 1]
        var before = split.clearance(last, above)
        for index in polygon {
            let corner = corners[index]
            let now = split.clearance(corner, above)
            if (before < 0) != (now < 0) { push(corner: last + (corner - last) * (before / (before - now))) }
            if now >= 0 { push(corner: corner) }
            (last, before) = (corner, now)
        }
        for index in edges {
            var segment = segments[index]
            let (start, end) = (split.clearance(segment.start, above), split.clearance(segment.end, above))
            guard max(start, end) >= 0 else { continue }
            let direction = segment.end - segment.start
            if start < 0 { segment.start += direction * (start / (start - end)) }
            if end < 0 { segment.end -= direction * (end / (end - start)) }
            segments[segmentCount] = segment
            segmentCount += 1
        }
        let side = self.split(corners: firstCorner..<cornerCount, segments: firstSegment..<segmentCount)
        (cornerCount, segmentCount) = (firstCorner, firstSegment)
        return side
    }

    @inline(__always)
    private mutating func push(corner: Point) {
        corners[cornerCount] = corner
        cornerCount += 1
    }

    /// The split after which the smallest number of further splits is expected.
    private func bestSplit(of polygon: Range<Int>, _ edges: Range<Int>) -> HalfPlaneSplit? {
        if edges.count == 1 {
            let segment = segments[edges.lowerBound]
            return HalfPlaneSplit(segment.normal, through: segment.middle, scale: scale)
        }
        var best: HalfPlaneSplit?
        var least = Double.infinity
        let area = doubledArea(of: polygon)
        // A sample of up to four edges is enough.
        for index in stride(from: edges.lowerBound, to: edges.upperBound, by: (edges.count + 3) / 4) {
            consider(segments[index].normal, segments[index].middle, polygon, edges, area, &best, &least)
        }
        guard edges.count > 2, least > 0 else { return best }
        // All of a convex shape lies on one side of each of its edges; axis-parallel splits through a vertex divide it
        // better.
        let middle = segments[(edges.lowerBound + edges.upperBound) / 2].start
        consider(Point(1, 0), middle, polygon, edges, area, &best, &least)
        consider(Point(0, 1), middle, polygon, edges, area, &best, &least)
        return best
    }

    /// Takes a split if fewer further splits are expected after it: those that a lookup tests, weighted by area.
    ///
    /// It has seven parameters because it is the body of three loops, and a closure would keep its variables on the heap.
    @inline(__always)
    private func consider(
        _ normal: Point, _ point: Point, _ polygon: Range<Int>, _ edges: Range<Int>, _ area: Double,
        _ best: inout HalfPlaneSplit?, _ least: inout Double
    ) {
        guard let split = HalfPlaneSplit(normal, through: point, scale: scale) else { return }
        var (below, above) = (0, 0)
        for index in edges {
            let (start, end) = (split.value(segments[index].start), split.value(segments[index].end))
            if min(start, end) <= -HalfPlaneSplit.certaintyMargin { below += 1 }
            if max(start, end) >= HalfPlaneSplit.certaintyMargin { above += 1 }
        }
        // It has to separate something.
        guard max(below, above) < edges.count else { return }
        let (costBelow, costAbove) = (Self.expectedSplits(below), Self.expectedSplits(above))
        // The areas need not be known where even the less expensive side is too much.
        guard area * min(costBelow, costAbove) < least else { return }
        let low = doubledArea(of: polygon, below: split)
        let cost = low * costBelow + (area - low) * costAbove
        guard cost < least else { return }
        (least, best) = (cost, split)
    }

    private func doubledArea(of polygon: Range<Int>) -> Double {
        let origin = corners[polygon.lowerBound]
        var area = 0.0
        var last = Point.zero
        for index in polygon {
            let corner = corners[index] - origin
            area += last.x * corner.y - last.y * corner.x
            last = corner
        }
        return abs(area)
    }

    /// The area of the part of a subcell that is below a split, ignoring the uncertain band along it.
    private func doubledArea(of polygon: Range<Int>, below split: HalfPlaneSplit) -> Double {
        let origin = corners[polygon.upperBound - 1]
        var (first, last) = (Point.zero, Point.zero)
        var isFirst = true
        var area = 0.0
        var before = split.value(origin)
        var previous = Point.zero
        for index in polygon {
            let corner = corners[index] - origin
            let now = split.value(corners[index])
            if (before < 0) != (now < 0) {
                let crossing = previous + (corner - previous) * (before / (before - now))
                if isFirst {
                    (first, isFirst) = (crossing, false)
                } else {
                    area += last.x * crossing.y - last.y * crossing.x
                }
                last = crossing
            }
            if now < 0 {
                if isFirst { (first, isFirst) = (corner, false) } else { area += last.x * corner.y - last.y * corner.x }
                last = corner
            }
            (previous, before) = (corner, now)
        }
        return abs(area + last.x * first.y - last.y * first.x)
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
}
