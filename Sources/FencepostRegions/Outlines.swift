import FencepostGeometry

/// The edges of all polygons and lines of an index, one after the other, with boxes over runs of edges.
///
/// Neighbouring edges lie together in memory and on the ground: a box over a run of them, and boxes over those, leave
/// out most of a coastline of thousands of edges.
struct Outlines: Sendable {
    /// At most `edgesPerBlock` edges of one ring or line; edge n joins vertex `first + n` to the next.
    struct Block: Sendable {
        var first: UInt32
        var edges: UInt32
    }

    /// One polygon with its holes, or one corridor with all its lines.
    struct Outline: Sendable {
        var blocks: Range<Int>
        /// Boxes over eight blocks each, then over eight of those, until at most eight are left.
        var nodes: Int
    }

    static let edgesPerBlock = 16
    static let fanOut = 8

    private(set) var vertices: [Coordinate] = []
    private(set) var blocks: [Block] = []
    private(set) var boxes: [Envelope] = []
    private(set) var nodes: [Envelope] = []
    private(set) var outlines: [Outline] = []

    /// Adds an outline and says where it is.
    mutating func append(_ chains: [[Coordinate]]) -> Int {
        let firstBlock = blocks.count
        for chain in chains where chain.count > 1 {
            let base = vertices.count
            vertices.append(contentsOf: chain)
            for first in stride(from: 0, to: chain.count - 1, by: Self.edgesPerBlock) {
                let edges = min(Self.edgesPerBlock, chain.count - 1 - first)
                guard let box = Envelope(of: chain[first...first + edges]) else { continue }
                blocks.append(Block(first: UInt32(base + first), edges: UInt32(edges)))
                boxes.append(box)
            }
        }
        let outline = Outline(blocks: firstBlock..<blocks.count, nodes: nodes.count)
        var level = Array(boxes[outline.blocks])
        while level.count > Self.fanOut {
            level = stride(from: 0, to: level.count, by: Self.fanOut).map { first in
                var box = level[first]
                for child in level[first..<min(first + Self.fanOut, level.count)] { box.formUnion(child) }
                return box
            }
            nodes.append(contentsOf: level)
        }
        outlines.append(outline)
        return outlines.count - 1
    }

    mutating func shrinkToFit() {
        vertices = Array(vertices)
        blocks = Array(blocks)
        boxes = Array(boxes)
        nodes = Array(nodes)
    }

    func envelope(of outline: Int) -> Envelope? {
        let range = outlines[outline].blocks
        guard var box = range.isEmpty ? nil : boxes[range.lowerBound] else { return nil }
        for other in boxes[range] { box.formUnion(other) }
        return box
    }

    /// Calls `body` with each block whose box, and all boxes above it, pass the test.
    func forEachBlock(of outline: Int, where passes: (Envelope) -> Bool, _ body: (Int) -> Void) {
        let outline = outlines[outline]
        if outline.blocks.count <= Self.fanOut {
            for block in outline.blocks where passes(boxes[block]) { body(block) }
            return
        }
        // The levels lie one after the other from `nodes` on; the last is the top.
        var counts = [outline.blocks.count]
        var starts = [outline.blocks.lowerBound]
        var start = outline.nodes
        while counts[counts.count - 1] > Self.fanOut {
            counts.append((counts[counts.count - 1] + Self.fanOut - 1) / Self.fanOut)
            starts.append(start)
            start += counts[counts.count - 1]
        }
        func visit(_ level: Int, _ range: Range<Int>) {
            for place in range {
                if level == 0 {
                    let block = starts[0] + place
                    if passes(boxes[block]) { body(block) }
                } else if passes(nodes[starts[level] + place]) {
                    visit(level - 1, place * Self.fanOut..<min((place + 1) * Self.fanOut, counts[level - 1]))
                }
            }
        }
        visit(counts.count - 1, 0..<counts[counts.count - 1])
    }

    // MARK: Point in polygon

    enum Position {
        case inside, outside, boundary
        /// So near an edge that rounding could decide: GEOS is asked, whose arithmetic is finer.
        case unsure
    }

    /// Where a coordinate lies to a polygon: counts the edges that a ray to the east crosses, holes included.
    ///
    /// Every answer but `unsure` is certain.
    func locate(_ point: Coordinate, in outline: Int) -> Position {
        let (x, y) = (point.longitude, point.latitude)
        var isInside = false
        var special: Position?
        forEachBlock(of: outline, where: { special == nil && y >= $0.south && y <= $0.north && x <= $0.east }) {
            block in
            let first = Int(blocks[block].first)
            let last = first + Int(blocks[block].edges)
            if x < boxes[block].west {
                // The whole run lies to the east: only whether it ends on the other side of the ray counts.
                if (vertices[first].latitude > y) != (vertices[last].latitude > y) { isInside.toggle() }
                return
            }
            for edge in first..<last {
                let (a, b) = (vertices[edge], vertices[edge + 1])
                if a.latitude == y {
                    if a.longitude == x || (b.latitude == y && (a.longitude < x) != (b.longitude < x)) {
                        special = .boundary
                        return
                    }
                }
                guard (a.latitude > y) != (b.latitude > y) else { continue }
                if a.longitude > x && b.longitude > x {
                    isInside.toggle()
                } else if a.longitude >= x || b.longitude >= x {
                    // The sign of the doubled area of the triangle, certain beyond Shewchuk's bound (1997).
                    let left = (a.longitude - x) * (b.latitude - y)
                    let right = (a.latitude - y) * (b.longitude - x)
                    let area = left - right
                    guard abs(area) > 3.330_669_073_875_471_6e-16 * (abs(left) + abs(right)) else {
                        special = .unsure
                        return
                    }
                    if (area > 0) == (b.latitude > a.latitude) { isInside.toggle() }
                }
            }
        }
        return special ?? (isInside ? .inside : .outside)
    }
}
