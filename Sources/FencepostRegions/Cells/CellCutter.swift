/// Cuts a cell along the edges in it, until on each side of each cut no edge is left.
///
/// What is left then is a convex piece of the cell in which every answer is the same. Nothing of it rests on how well
/// the cuts follow the edges: each piece is looked at without the strips along its cuts in which places are in doubt,
/// and is cut on until no edge comes into it.
struct CellCutter {
    typealias Point = SIMD2<Double>

    /// An edge, or what of it lies in a piece of the cell.
    struct Segment {
        var start, end: Point
        /// Across the whole edge; the larger of the two numbers is 1.
        let normal: Point
        /// Which of several regions it bounds.
        let owner: Int

        var middle: Point { (start + end) / 2 }
    }

    /// What is on one side of a cut.
    enum Side {
        case cut(Int)
        /// A piece of the cell, by a place in it.
        case piece(Point)
        /// Too narrow for any place that is certain to be in it.
        case nothing
    }

    /// So many numbers wide and high has a cell to be.
    private static let smallest = 64.0
    /// So many cuts has a cell at most.
    private static let mostCuts = 63

    private(set) var cuts: [(cut: CellCut, below: Side, above: Side)] = []
    // Both as stacks: first what is in the cell, then what is in the pieces that are being cut.
    private var segments: [Segment] = []
    private var corners: [Point] = []
    private var scale = 0.0

    /// Begins with a cell; `false` when it is too small to be cut.
    mutating func begin(_ frame: CellFrame, _ cell: CellRectangle) -> Bool {
        cuts.removeAll(keepingCapacity: true)
        segments.removeAll(keepingCapacity: true)
        corners.removeAll(keepingCapacity: true)
        guard frame.size >= Self.smallest else { return false }
        scale = min(frame.size, CellCut.mostSlope)
        let (west, east) = (frame.x(Double(cell.west)), frame.x(Double(cell.east) + 1))
        let (south, north) = (frame.y(Double(cell.south)), frame.y(Double(cell.north) + 1))
        corners.append(Point(west, south))
        corners.append(Point(east, south))
        corners.append(Point(east, north))
        corners.append(Point(west, north))
        return true
    }

    /// Adds what of an edge is in the cell.
    mutating func add(_ a: Point, _ b: Point, of owner: Int) {
        // Wider by more than rounding moves anything, and less than what is in doubt beside a cut.
        let (low, high) = (corners[0] - 1e-6, corners[2] + 1e-6)
        let way = b - a
        var (first, last) = (0.0, 1.0)
        for axis in 0..<2 {
            guard way[axis] != 0 else {
                guard a[axis] >= low[axis] && a[axis] <= high[axis] else { return }
                continue
            }
            let (enters, leaves) = ((low[axis] - a[axis]) / way[axis], (high[axis] - a[axis]) / way[axis])
            first = max(first, min(enters, leaves))
            last = min(last, max(enters, leaves))
        }
        guard first <= last else { return }
        let size = max(abs(way.x), abs(way.y))
        segments.append(
            Segment(
                start: a + way * first, end: a + way * last,
                normal: size > 0 ? Point(-way.y, way.x) / size : Point(1, 0), owner: owner))
    }

    /// Cuts the cell along the edges that were added.
    ///
    /// - Returns: what is in it; `nil` where it would take too many cuts.
    mutating func cut() -> Side? {
        let count = segments.count
        defer { segments.removeLast(segments.count - count) }
        return cut(corners: 0..<corners.count, segments: 0..<count)
    }

    private mutating func cut(corners piece: Range<Int>, segments inside: Range<Int>) -> Side? {
        guard piece.count > 2 else { return .nothing }
        guard !inside.isEmpty else {
            return .piece(piece.reduce(Point(repeating: 0)) { $0 + corners[$1] } / Double(piece.count))
        }
        guard cuts.count < Self.mostCuts, let cut = best(piece, inside) else { return nil }
        let number = cuts.count
        cuts.append((cut, .nothing, .nothing))
        let segment = segments[inside.lowerBound]
        if inside.count == 1 && max(abs(cut.height(segment.start)), abs(cut.height(segment.end))) < CellCut.clear {
            (cuts[number].below, cuts[number].above) = (corner(of: piece, cut, false), corner(of: piece, cut, true))
            return .cut(number)
        }
        guard let below = self.cut(piece, inside, by: cut, above: false),
            let above = self.cut(piece, inside, by: cut, above: true)
        else { return nil }
        (cuts[number].below, cuts[number].above) = (below, above)
        return .cut(number)
    }

    /// A place in what is certain to be on one side, where that is not cut further.
    private func corner(of piece: Range<Int>, _ cut: CellCut, _ above: Bool) -> Side {
        var (sum, count) = (Point(repeating: 0), 0.0)
        for place in piece where cut.clearance(corners[place], above) >= 0 {
            sum += corners[place]
            count += 1
        }
        return count > 0 ? .piece(sum / count) : .nothing
    }

    private mutating func cut(_ piece: Range<Int>, _ inside: Range<Int>, by cut: CellCut, above: Bool) -> Side? {
        let (firstCorner, firstSegment) = (corners.count, segments.count)
        var last = corners[piece.upperBound - 1]
        var before = cut.clearance(last, above)
        for place in piece {
            let corner = corners[place]
            let now = cut.clearance(corner, above)
            if (before < 0) != (now < 0) { corners.append(last + (corner - last) * (before / (before - now))) }
            if now >= 0 { corners.append(corner) }
            (last, before) = (corner, now)
        }
        for place in inside {
            var segment = segments[place]
            let (start, end) = (cut.clearance(segment.start, above), cut.clearance(segment.end, above))
            guard max(start, end) >= 0 else { continue }
            let way = segment.end - segment.start
            if start < 0 { segment.start += way * (start / (start - end)) }
            if end < 0 { segment.end -= way * (end / (end - start)) }
            segments.append(segment)
        }
        let side = self.cut(corners: firstCorner..<corners.count, segments: firstSegment..<segments.count)
        corners.removeLast(corners.count - firstCorner)
        segments.removeLast(segments.count - firstSegment)
        return side
    }

    /// The cut after which the fewest are to be expected.
    private func best(_ piece: Range<Int>, _ inside: Range<Int>) -> CellCut? {
        if inside.count == 1 {
            let segment = segments[inside.lowerBound]
            return CellCut(segment.normal, through: segment.middle, scale: scale)
        }
        var best: CellCut?
        var least = Double.infinity
        // Some of many are enough.
        for place in stride(from: inside.lowerBound, to: inside.upperBound, by: (inside.count + 3) / 4) {
            consider(segments[place].normal, segments[place].middle, piece, inside, &best, &least)
        }
        guard inside.count > 2 else { return best }
        // Of what is convex all is on one side of each edge: halves help more.
        let middle = segments[(inside.lowerBound + inside.upperBound) / 2].start
        consider(Point(1, 0), middle, piece, inside, &best, &least)
        consider(Point(0, 1), middle, piece, inside, &best, &least)
        return best
    }

    private func consider(
        _ normal: Point, _ point: Point, _ piece: Range<Int>, _ inside: Range<Int>, _ best: inout CellCut?,
        _ least: inout Double
    ) {
        guard let cut = CellCut(normal, through: point, scale: scale) else { return }
        var (below, above) = (0, 0)
        for place in inside {
            let (start, end) = (cut.height(segments[place].start), cut.height(segments[place].end))
            if min(start, end) <= -CellCut.clear { below += 1 }
            if max(start, end) >= CellCut.clear { above += 1 }
        }
        guard max(below, above) < inside.count else { return }
        // Areas of both sides, twice as large and without regard to the strip between them.
        var (low, high) = (0.0, 0.0)
        var last = corners[piece.upperBound - 1]
        var before = cut.height(last)
        let origin = last
        func add(_ a: Point, _ b: Point, _ isAbove: Bool) {
            let (a, b) = (a - origin, b - origin)
            let area = a.x * b.y - a.y * b.x
            if isAbove { high += area } else { low += area }
        }
        var ends: (Point, Point)?
        for place in piece {
            let corner = corners[place]
            let now = cut.height(corner)
            if (before < 0) == (now < 0) {
                add(last, corner, now >= 0)
            } else {
                let crossing = last + (corner - last) * (before / (before - now))
                add(last, crossing, before >= 0)
                add(crossing, corner, now >= 0)
                // From where it goes down to where it comes up again.
                if now < 0 { ends = (crossing, ends?.1 ?? crossing) } else { ends = (ends?.0 ?? crossing, crossing) }
            }
            (last, before) = (corner, now)
        }
        if let (down, up) = ends {
            add(up, down, false)
            add(down, up, true)
        }
        let cost = abs(low) * Self.cuts(below) + abs(high) * Self.cuts(above)
        guard cost < least else { return }
        (least, best) = (cost, cut)
    }

    /// How many cuts a place has to be held against, about, where so many edges are in a piece.
    private static func cuts(_ segments: Int) -> Double {
        switch segments {
        case 0: 0
        case 1: 1
        case 2: 1.7
        case 3: 2.2
        default: 2.6 + 0.25 * Double(segments - 4)
        }
    }

    // MARK: Pieces

    /// Which regions cover a place, as bits, where it is known which cover another one, by the edges between the two.
    ///
    /// - Returns: `nil` where an edge only touches the way.
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
