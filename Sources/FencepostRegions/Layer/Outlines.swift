import FencepostGeometry

/// The edges of all polygons and lines of an index, with a hierarchy of bounding boxes over runs of edges. Consecutive
/// edges are close in memory and on the ground, so boxes over runs of edges exclude most of a coastline of thousands of
/// edges.
///
/// It is a class, because each lookup would retain every array of a structure.
final class Outlines: Sendable {
    /// At most `edgesPerBlock` edges of one ring or line; edge `n` joins vertex `first + n` to the next one.
    struct Block: Sendable {
        var first: UInt32
        var edges: UInt32
    }

    /// One polygon with its holes, or all lines of one corridor.
    struct Outline: Sendable {
        var blocks: Interval
        /// The levels of boxes: over eight blocks each, then over eight of those, until at most eight are left. Indices
        /// in `levels`.
        var levels: Interval
    }

    /// The boxes of one level, as indices in `nodes`.
    typealias Level = Interval

    /// A range of indices in half the space.
    struct Interval: Sendable {
        private let start, end: UInt32

        init(_ range: Range<Int>) { (start, end) = (UInt32(range.lowerBound), UInt32(range.upperBound)) }

        /// - Precondition: `isInOrder`.
        var range: Range<Int> { Int(start)..<Int(end) }
        var lowerBound: Int { Int(start) }
        var isEmpty: Bool { start == end }
        /// Whether it does not end before it starts. In a file it may.
        var isInOrder: Bool { start <= end }
        var last: Int? { start < end ? Int(end) - 1 : nil }
    }

    static let edgesPerBlock = 16
    static let fanOut = 8

    let vertices: PinnedArray<Coordinate>
    let blocks: PinnedArray<Block>
    let boxes: PinnedArray<Envelope>
    let nodes: PinnedArray<Envelope>
    let levels: PinnedArray<Level>
    let outlines: PinnedArray<Outline>
    /// For each outline its edges, if they are one short run.
    let runs: PinnedArray<EdgeRun>

    init(_ builder: OutlineBuilder) {
        vertices = PinnedArray(builder.vertices)
        blocks = PinnedArray(builder.blocks)
        boxes = PinnedArray(builder.boxes)
        nodes = PinnedArray(builder.nodes)
        levels = PinnedArray(builder.levels)
        outlines = PinnedArray(builder.outlines)
        runs = PinnedArray(builder.runs)
    }

    /// Outlines in a file.
    init(
        vertices: PinnedArray<Coordinate>, blocks: PinnedArray<Block>, boxes: PinnedArray<Envelope>,
        nodes: PinnedArray<Envelope>, levels: PinnedArray<Level>, outlines: PinnedArray<Outline>,
        runs: PinnedArray<EdgeRun>
    ) {
        (self.vertices, self.blocks, self.boxes, self.nodes) = (vertices, blocks, boxes, nodes)
        (self.levels, self.outlines, self.runs) = (levels, outlines, runs)
    }

    func envelope(of outline: Int) -> Envelope? {
        let blocks = outlines[outline].blocks.range
        guard var box = blocks.first.map({ boxes[$0] }) else { return nil }
        for block in blocks.dropFirst() { box.formUnion(boxes[block]) }
        return box
    }

    var byteCount: Int {
        vertices.byteCount + blocks.byteCount + boxes.byteCount + nodes.byteCount + levels.byteCount
            + outlines.byteCount + runs.byteCount
    }

    /// Calls `body` with each block whose box, and all boxes above it, pass the test.
    func forEachBlock(of outline: Int, where passes: (Envelope) -> Bool, _ body: (Int) -> Void) {
        let outline = outlines[unchecked: outline]
        guard let top = outline.levels.last else {
            for block in outline.blocks.range where passes(boxes[unchecked: block]) { body(block) }
            return
        }
        for node in levels[top].range where passes(nodes[node]) { visit(node, level: top, of: outline, passes, body) }
    }

    private func visit(
        _ node: Int, level: Int, of outline: Outline, _ passes: (Envelope) -> Bool, _ body: (Int) -> Void
    ) {
        let first = (node - levels[level].lowerBound) * Self.fanOut
        if level == outline.levels.lowerBound {
            let blocks = outline.blocks.range
            for block in blocks.lowerBound + first..<min(blocks.lowerBound + first + Self.fanOut, blocks.upperBound)
            where passes(boxes[block]) {
                body(block)
            }
        } else {
            let below = levels[level - 1].range
            for child in below.lowerBound + first..<min(below.lowerBound + first + Self.fanOut, below.upperBound)
            where passes(nodes[child]) {
                visit(child, level: level - 1, of: outline, passes, body)
            }
        }
    }

    // MARK: Point in polygon

    enum Position {
        case inside, outside, boundary
        /// So close to an edge that rounding could decide, with too many digits for `ExactOrientation`; GEOS decides.
        case uncertain
    }

    /// The position of a coordinate relative to a polygon, by counting the edges that an eastward ray crosses, holes
    /// included.
    ///
    /// Every answer except `uncertain` is exact.
    func locate(_ point: Coordinate, in outline: Int) -> Position {
        var ray = Ray(x: point.longitude, y: point.latitude)
        let outline = outlines[unchecked: outline]
        if let top = outline.levels.last {
            for node in levels[top].range where ray.meets(nodes[node]) { cast(&ray, at: node, level: top, of: outline) }
        } else {
            for block in outline.blocks.range where ray.meets(boxes[unchecked: block]) { cast(&ray, at: block) }
        }
        return ray.special ?? (ray.isInside ? .inside : .outside)
    }

    /// An eastward ray and the parity of its crossings.
    private struct Ray {
        let x, y: Double
        var isInside = false
        var special: Position?

        func meets(_ box: Envelope) -> Bool { y >= box.south && y <= box.north && x <= box.east }
    }

    private func cast(_ ray: inout Ray, at node: Int, level: Int, of outline: Outline) {
        let first = (node - levels[level].lowerBound) * Self.fanOut
        if level == outline.levels.lowerBound {
            let blocks = outline.blocks.range
            for block in blocks.lowerBound + first..<min(blocks.lowerBound + first + Self.fanOut, blocks.upperBound)
            where ray.meets(boxes[block]) {
                cast(&ray, at: block)
            }
        } else {
            let below = levels[level - 1].range
            for child in below.lowerBound + first..<min(below.lowerBound + first + Self.fanOut, below.upperBound)
            where ray.meets(nodes[child]) {
                cast(&ray, at: child, level: level - 1, of: outline)
            }
        }
    }

    private func cast(_ ray: inout Ray, at block: Int) {
        let (x, y) = (ray.x, ray.y)
        let first = Int(blocks[block].first)
        let last = first + Int(blocks[block].edges)
        if x < boxes[block].west {
            // The whole run lies to the east: only whether it ends on the other side of the ray counts.
            if (vertices[first].latitude > y) != (vertices[last].latitude > y) { ray.isInside.toggle() }
            return
        }
        var a = vertices[first]
        for edge in first..<last {
            let b = vertices[edge + 1]
            defer { a = b }
            if a.latitude == y {
                if a.longitude == x || (b.latitude == y && (a.longitude < x) != (b.longitude < x)) {
                    ray.special = .boundary
                    return
                }
            }
            guard (a.latitude > y) != (b.latitude > y) else { continue }
            if a.longitude > x && b.longitude > x {
                ray.isInside.toggle()
            } else if a.longitude >= x || b.longitude >= x {
                // The sign of the doubled area of the triangle is certain beyond Shewchuk's bound (1997).
                let left = (a.longitude - x) * (b.latitude - y)
                let right = (a.latitude - y) * (b.longitude - x)
                var area = left - right
                if abs(area) <= 3.330_669_073_875_471_6e-16 * (abs(left) + abs(right)) {
                    let exact = ExactOrientation.sign(
                        (a.longitude, a.latitude), (b.longitude, b.latitude), (x, y))
                    guard let exact, exact != 0 else {
                        // A boundary found in another block is certain.
                        ray.special = exact == nil ? ray.special ?? .uncertain : .boundary
                        return
                    }
                    area = Double(exact)
                }
                if (area > 0) == (b.latitude > a.latitude) { ray.isInside.toggle() }
            }
        }
    }
}
