import FencepostGeometry
import FencepostModel

/// Reads a `CellIndex`; valid as long as the parts of an index that it was made of.
///
/// Only numbers and pointers, so that a question allocates nothing and counts no reference.
struct CellReader {
    let grid: CellGrid
    let root: UInt32
    let words: UnsafePointer<UInt32>
    /// Of `Coordinate`s: two doubles, the latitude first.
    let vertices: UnsafeRawPointer
    let vertexCount: Int
    let circles: UnsafePointer<FlatCircle>

    init(_ layer: RegionLayer) {
        grid = layer.cells.grid
        root = layer.cells.root
        words = layer.cells.words.start
        precondition(MemoryLayout<Coordinate>.offset(of: \.latitude) == EdgeWalk.latitudeOffset)
        precondition(MemoryLayout<Coordinate>.offset(of: \.longitude) == EdgeWalk.longitudeOffset)
        vertices = UnsafeRawPointer(layer.outlines.vertices.start)
        vertexCount = layer.outlines.vertices.count
        circles = layer.cells.flatCircles.start
    }

    /// Writes the regions that cover a coordinate, in the order of their handles and each once.
    ///
    /// - Parameter result: has room for `CellIndex.mostInLeaf`.
    /// - Returns: how many; negative when that is not certain.
    @inline(__always)
    func covering(_ coordinate: Coordinate, into result: UnsafeMutablePointer<RegionHandle>) -> Int {
        guard let place = grid.cell(coordinate) else { return 0 }
        return covering(coordinate, code: code(place), into: result)
    }

    /// The same where the code of the coordinate's cell is known.
    @inline(__always)
    func covering(_ coordinate: Coordinate, code: UInt32, into result: UnsafeMutablePointer<RegionHandle>) -> Int {
        if code == 0 { return 0 }
        if code & 1 == 0 {
            result.pointee = RegionHandle(code >> 2)
            return 1
        }
        let leaf = CellIndex.leaf(code)
        return code & CellIndex.Shared.flag == 0
            ? covering(coordinate, leaf: leaf, into: result) : covering(coordinate, sharedLeaf: leaf, into: result)
    }

    /// The code of the cell in which a coordinate lies.
    ///
    /// With branches, unlike a batch: of one coordinate the processor guesses them, and does not wait for memory.
    @inline(__always)
    private func code(_ place: (x: UInt32, y: UInt32)) -> UInt32 {
        var code = root
        while code & 3 == 1 {
            let node = Int(code >> 2)
            let (west, south) = (words[node], words[node &+ 1])
            let column = (UInt64(place.x &- west) &* UInt64(words[node &+ 2])) >> 32
            let row = (UInt64(place.y &- south) &* UInt64(words[node &+ 3])) >> 32
            let size = words[node &+ 4]
            let columns = UInt64(size & 0xFFFF)
            if place.x >= west && place.y >= south && column < columns && row < UInt64(size >> 16) {
                code = words[node &+ CellIndex.nodeHeader &+ Int(row &* columns &+ column)]
            } else {
                code = words[node &+ 5]
            }
        }
        return code
    }

    /// What `CellIndex` says of a node, at hand.
    struct Node {
        private let start: UnsafePointer<UInt32>
        private let west, south, columnScale, rowScale, columns, rows: UInt32

        @inline(__always)
        init(_ words: UnsafePointer<UInt32>, _ code: UInt32) {
            start = words + Int(code >> 2)
            (west, south, columnScale, rowScale) = (start[0], start[1], start[2], start[3])
            (columns, rows) = (start[4] & 0xFFFF, start[4] >> 16)
        }

        /// The code of one of its cells, or of what is outside all of them.
        @inline(__always)
        func code(_ x: UInt32, _ y: UInt32) -> UInt32 {
            let column = UInt32(truncatingIfNeeded: (UInt64(x &- west) &* UInt64(columnScale)) >> 32)
            let row = UInt32(truncatingIfNeeded: (UInt64(y &- south) &* UInt64(rowScale)) >> 32)
            // Worked out in any case: a product of two places never overflows, and no branch has to be foreseen.
            let place = CellIndex.nodeHeader &+ Int(row) &* Int(columns) &+ Int(column)
            let isWithin = x >= west && y >= south && column < columns && row < rows
            return start[isWithin ? place : 5]
        }
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

    /// Goes along all edges of the cell once, and flips the regions that end at those between the coordinate and the side.
    private func covering(
        _ coordinate: Coordinate, sharedLeaf leaf: Int, into result: UnsafeMutablePointer<RegionHandle>
    ) -> Int {
        let header = words[leaf]
        var walk = EdgeWalk(coordinate, side: header)
        var inside = words[leaf &+ 1]
        var run = words + (leaf &+ 2)
        let end = run + 2 &* Int(header >> 16)
        while run < end {
            let word = run[1]
            walk.flips = 0
            walk.follow(vertices, Int(run[0]), Int(word & 0xFF))
            // All ones where it flips.
            inside ^= (word >> 8) & UInt32(truncatingIfNeeded: Int64(bitPattern: walk.flips) >> 63)
            run += 2
        }
        guard walk.isPlain else { return -1 }
        var count = 0
        var last = UInt32.max
        while inside != 0 {
            let handle = end[inside.trailingZeroBitCount]
            inside &= inside &- 1
            // Of a region of several polygons more than one may cover the coordinate.
            guard handle != last else { continue }
            result[count] = RegionHandle(handle)
            count &+= 1
            last = handle
        }
        return count
    }

    /// Counts the edges of an entry between a coordinate and the side that the entry names.
    ///
    /// - Parameter entry: the place of the word that tells the crossing.
    /// - Returns: 1 inside, 0 outside, negative where rounding could decide.
    @inline(__always)
    private func settle(_ coordinate: Coordinate, entry: Int) -> Int {
        let crossing = words[entry]
        var walk = EdgeWalk(coordinate, side: crossing)
        walk.follow(vertices, Int(words[entry &+ 1]), Int(crossing >> 8 & 0xFF))
        var further = crossing >> 16
        var next = entry &+ 2
        while further > 0 {
            walk.follow(vertices, Int(words[next]), Int(words[next &+ 1]))
            further &-= 1
            next &+= 2
        }
        guard walk.isPlain else { return settleCarefully(coordinate, entry: entry) }
        return Int(truncatingIfNeeded: walk.flips >> 63 ^ UInt64(crossing / CellIndex.Side.isInside & 1))
    }

    /// The same, edge by edge.
    @inline(never)
    private func settleCarefully(_ coordinate: Coordinate, entry: Int) -> Int {
        let crossing = words[entry]
        let walk = EdgeWalk(coordinate, side: crossing)
        let (x, y) = (walk.x, walk.y)
        var first = Int(words[entry &+ 1])
        var count = Int(crossing >> 8 & 0xFF)
        var further = crossing >> 16
        var next = entry &+ 2
        var isInside = crossing & CellIndex.Side.isInside != 0
        let isLow = crossing & CellIndex.Side.isLow != 0
        func vertex(_ place: Int) -> (x: Double, y: Double) {
            let vertex = vertices + place &* MemoryLayout<Coordinate>.stride
            return (
                vertex.load(fromByteOffset: walk.xOffset, as: Double.self),
                vertex.load(fromByteOffset: walk.yOffset, as: Double.self)
            )
        }
        while true {
            for edge in first..<first + count {
                let (a, b) = (vertex(edge), vertex(edge + 1))
                guard (a.y > y) != (b.y > y) else {
                    // Along the ray, or only touched from below.
                    if (a.y == y && a.x == x) || (b.y == y && b.x == x) { return 1 }
                    if a.y == y && b.y == y && (a.x < x) != (b.x < x) { return 1 }
                    continue
                }
                let left = (a.x - x) * (b.y - y)
                let right = (a.y - y) * (b.x - x)
                let area = left - right
                guard abs(area) > 3.330_669_073_875_471_6e-16 * (abs(left) + abs(right)) else {
                    return (a.x == x && a.y == y) || (b.x == x && b.y == y) ? 1 : -1
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
