import FencepostGeometry
import FencepostModel

/// Reads a `CellIndex`; valid as long as the parts of an index that it was made of.
///
/// Only numbers and pointers, so that a question allocates nothing and counts no reference.
struct CellReader {
    let grid: CellGrid
    let first: FirstNode
    let words: UnsafePointer<UInt32>
    let vertices: UnsafePointer<Coordinate>
    let vertexCount: Int
    let circles: UnsafePointer<FlatCircle>

    init(_ layer: RegionLayer) {
        grid = layer.cells.grid
        words = layer.cells.words.start
        first = FirstNode(words, layer.cells.root)
        vertices = layer.outlines.vertices.start
        vertexCount = layer.outlines.vertices.count
        circles = layer.cells.flatCircles.start
    }

    /// Writes the regions that cover a coordinate, in the order of their handles and each once.
    ///
    /// - Parameter result: has room for `CellIndex.mostInLeaf`.
    /// - Returns: how many; negative when that is not certain.
    @inline(__always)
    func covering(_ coordinate: Coordinate, into result: UnsafeMutablePointer<RegionHandle>) -> Int {
        guard let code = knownCode(of: coordinate) else { return 0 }
        return covering(coordinate, code: code, into: result)
    }

    /// The same where the code of the coordinate's cell is known, which is not that of a cut.
    @inline(__always)
    func covering(_ coordinate: Coordinate, code: UInt32, into result: UnsafeMutablePointer<RegionHandle>) -> Int {
        if code == 0 { return 0 }
        if code & 1 == 0 {
            result.pointee = RegionHandle(code >> 2)
            return 1
        }
        return covering(coordinate, leaf: CellIndex.place(code), into: result)
    }

    /// What is known where a coordinate lies; `nil` beyond all regions.
    @inline(__always)
    func knownCode(of coordinate: Coordinate) -> UInt32? {
        let (x, y) = grid.numbers(coordinate)
        return (x | y) >> 32 == 0 ? code(x, y) : nil
    }

    /// What is known of the cell in which a coordinate lies, or of its piece of it.
    ///
    /// With branches, unlike a batch: of one coordinate the processor guesses them, and does not wait for memory.
    @inline(__always)
    private func code(_ wholeX: UInt64, _ wholeY: UInt64) -> UInt32 {
        var (code, x, y) = first.code(wholeX, wholeY)
        while code & 3 == 1 {
            let node = words + Int(code >> 2)
            let (west, south) = (UInt64(node[0]), UInt64(node[1]))
            let column = (wholeX &- west) &* UInt64(node[2])
            let row = (wholeY &- south) &* UInt64(node[3])
            let size = node[4]
            let columns = UInt64(size & 0xFFFF)
            if wholeX >= west && wholeY >= south && column >> 32 < columns && row >> 32 < UInt64(size >> 16) {
                code = node[CellIndex.nodeHeader &+ Int((row >> 32) &* columns &+ (column >> 32))]
                (x, y) = (UInt32(truncatingIfNeeded: column), UInt32(truncatingIfNeeded: row))
            } else {
                code = node[5]
            }
        }
        guard CellCut.isCut(code) else { return code }
        let byEdges = words[CellIndex.place(code) &- 1]
        repeat {
            let cut = words + CellIndex.place(code)
            let height = CellCut.height(cut, x, y)
            guard CellCut.isCertain(height) else { return byEdges }
            code = cut[CellCut.side(height)]
        } while CellCut.isCut(code)
        return code == CellIndex.unknown ? byEdges : code
    }

    /// A cell's code, and what is left over of the column and the row in which it was found.
    typealias Found = (code: UInt32, x: UInt32, y: UInt32)

    /// The node of all numbers.
    struct FirstNode {
        private let cells: UnsafePointer<UInt32>
        private let columns, rows: UInt64

        init(_ words: UnsafePointer<UInt32>, _ code: UInt32) {
            let node = words + Int(code >> 2)
            cells = node + CellIndex.nodeHeader
            (columns, rows) = (UInt64(node[4] & 0xFFFF), UInt64(node[4] >> 16))
            precondition(node[0] == 0 && node[1] == 0 && UInt64(node[2]) == columns && UInt64(node[3]) == rows)
        }

        /// - Parameters: less than 2³²; of others what is found means nothing.
        @inline(__always)
        func code(_ x: UInt64, _ y: UInt64) -> Found {
            let (column, row) = ((x & 0xFFFF_FFFF) &* columns, (y & 0xFFFF_FFFF) &* rows)
            let code = cells[Int(truncatingIfNeeded: (row >> 32) &* columns &+ (column >> 32))]
            return (code, UInt32(truncatingIfNeeded: column), UInt32(truncatingIfNeeded: row))
        }
    }

    /// The code of one of a node's cells, or of what is outside all of them, without a branch.
    @inline(__always)
    func code(inNode code: UInt32, _ x: UInt32, _ y: UInt32) -> Found {
        let node = words + Int(code >> 2)
        let (fromWest, fromSouth) = (Int64(x) &- Int64(node[0]), Int64(y) &- Int64(node[1]))
        let column = UInt64(bitPattern: fromWest) &* UInt64(node[2])
        let row = UInt64(bitPattern: fromSouth) &* UInt64(node[3])
        let (columns, rows) = (Int64(node[4] & 0xFFFF), Int64(node[4] >> 16))
        let place = Int64(CellIndex.nodeHeader) &+ Int64(row >> 32) &* columns &+ Int64(column >> 32)
        // All ones where one of these is negative.
        let outside =
            (fromWest | fromSouth | (columns &- 1 &- Int64(column >> 32)) | (rows &- 1 &- Int64(row >> 32))) >> 63
        let chosen = Int(truncatingIfNeeded: (place & ~outside) | (5 & outside))
        return (node[chosen], UInt32(truncatingIfNeeded: column), UInt32(truncatingIfNeeded: row))
    }

    private func covering(
        _ coordinate: Coordinate, leaf: Int, into result: UnsafeMutablePointer<RegionHandle>
    ) -> Int {
        var at = leaf
        var count = 0
        var last = UInt32.max
        while true {
            let entry = words[at]
            let handle = entry >> 2
            // 1 when the region covers the coordinate.
            var covers = 1
            at &+= 1
            if entry & 1 == 1 {
                let crossing = words[at]
                switch crossing & 3 {
                case CellIndex.Crossing.edges:
                    let answer = settle(coordinate, entry: at)
                    guard answer >= 0 else { return -1 }
                    covers = answer
                    at &+= 2 &+ 2 &* Int(crossing >> 16)
                case CellIndex.Crossing.circle:
                    guard let answer = circles[Int(words[at &+ 1])].covers(coordinate) else { return -1 }
                    covers = answer ? 1 : 0
                    at &+= 2
                default: return -1
                }
            }
            // Of a region of several polygons more than one may cover or touch the coordinate.
            if handle == last {
                covers = 0
            }
            result[count] = RegionHandle(handle)
            count &+= covers
            last = covers == 1 ? handle : last
            if entry & 2 != 0 { return count }
        }
    }

    /// Counts the edges of an entry between a coordinate and the side that the entry names.
    ///
    /// - Parameter entry: the place of the word that tells the crossing.
    /// - Returns: 1 inside, 0 outside, negative where rounding could decide.
    private func settle(_ coordinate: Coordinate, entry: Int) -> Int {
        let crossing = words[entry]
        // North and south are east and west of the map seen from behind.
        let isVertical = crossing & CellIndex.Side.isVertical != 0
        let isLow = crossing & CellIndex.Side.isLow != 0
        var isInside = crossing & CellIndex.Side.isInside != 0
        func turned(_ coordinate: Coordinate) -> (x: Double, y: Double) {
            isVertical ? (coordinate.latitude, coordinate.longitude) : (coordinate.longitude, coordinate.latitude)
        }
        let (x, y) = turned(coordinate)
        var first = Int(words[entry &+ 1])
        var count = Int(crossing >> 8 & 0xFF)
        var further = crossing >> 16
        var next = entry &+ 2
        while true {
            var a = turned(vertices[first])
            for end in first &+ 1...first &+ count {
                let b = turned(vertices[end])
                defer { a = b }
                guard (a.y > y) != (b.y > y) else {
                    // Along the ray, or only touched from below.
                    if (a.y == y && a.x == x) || (b.y == y && b.x == x) { return 1 }
                    if a.y == y && b.y == y && (a.x < x) != (b.x < x) { return 1 }
                    continue
                }
                let left = (a.x - x) * (b.y - y)
                let right = (a.y - y) * (b.x - x)
                var area = left - right
                // The sign of the doubled area of the triangle, certain beyond Shewchuk's bound (1997).
                if abs(area) <= 3.330_669_073_875_471_6e-16 * (abs(left) + abs(right)) {
                    guard let exact = ExactOrientation.sign(a, b, (x, y)) else { return -1 }
                    if exact == 0 { return 1 }
                    area = Double(exact)
                }
                if ((area > 0) == (b.y > a.y)) != isLow { isInside.toggle() }
            }
            guard further > 0 else { return isInside ? 1 : 0 }
            further &-= 1
            first = Int(words[next])
            count = Int(words[next &+ 1])
            next &+= 2
        }
    }
}
