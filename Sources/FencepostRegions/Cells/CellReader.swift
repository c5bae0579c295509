import FencepostGeometry
import FencepostModel

/// Reads a `CellIndex`. It is valid as long as the layer that it was made from.
///
/// It holds only integers and pointers, so a lookup allocates nothing and counts no references.
struct CellReader {
    let grid: CellGrid
    let first: FirstNode
    let storage: UnsafePointer<UInt32>
    let vertices: UnsafePointer<Coordinate>
    let vertexCount: Int
    let circles: UnsafePointer<FlatCircle>

    init(_ layer: RegionLayer) {
        grid = layer.cells.grid
        storage = layer.cells.storage.start
        first = FirstNode(storage, layer.cells.root)
        vertices = layer.outlines.vertices.start
        vertexCount = layer.outlines.vertices.count
        circles = layer.cells.flatCircles.start
    }

    /// Writes the regions that cover a coordinate, in the order of their handles, each once.
    ///
    /// `result` has space for `CellIndex.maximumLeafCount` handles.
    ///
    /// - Returns: the number of regions; negative when it is not certain.
    @inline(__always)
    func covering(_ coordinate: Coordinate, into result: UnsafeMutablePointer<RegionHandle>) -> Int {
        guard let classification = classification(of: coordinate) else { return 0 }
        return covering(coordinate, classification: classification, into: result)
    }

    /// The same for a coordinate whose classification is known and is not a split.
    @inline(__always)
    func covering(_ coordinate: Coordinate, classification: UInt32, into result: UnsafeMutablePointer<RegionHandle>)
        -> Int
    {
        if classification == 0 { return 0 }
        if classification & 1 == 0 {
            result.pointee = RegionHandle(classification >> 2)
            return 1
        }
        return covering(coordinate, leaf: CellIndex.offset(classification), into: result)
    }

    /// The classification of the cell that contains a coordinate; `nil` outside all regions.
    @inline(__always)
    func classification(of coordinate: Coordinate) -> UInt32? {
        let (x, y) = grid.position(coordinate)
        return (x | y) >> 32 == 0 ? classification(x, y) : nil
    }

    /// The classification of the cell, or of the subcell, that contains a grid position.
    ///
    /// It branches, unlike a batch: for a single coordinate branch prediction avoids waiting for memory.
    @inline(__always)
    private func classification(_ wholeX: UInt64, _ wholeY: UInt64) -> UInt32 {
        var (classification, x, y) = first.classification(wholeX, wholeY)
        while classification & 3 == 1 {
            let node = storage + Int(classification >> 2)
            let (west, south) = (UInt64(node[0]), UInt64(node[1]))
            let column = (wholeX &- west) &* UInt64(node[2])
            let row = (wholeY &- south) &* UInt64(node[3])
            let size = node[4]
            let columns = UInt64(size & 0xFFFF)
            if wholeX >= west && wholeY >= south && column >> 32 < columns && row >> 32 < UInt64(size >> 16) {
                classification = node[CellIndex.nodeHeader &+ Int((row >> 32) &* columns &+ (column >> 32))]
                (x, y) = (UInt32(truncatingIfNeeded: column), UInt32(truncatingIfNeeded: row))
            } else {
                classification = node[5]
            }
        }
        guard HalfPlaneSplit.isSplit(classification) else { return classification }
        let fallback = storage[CellIndex.offset(classification) &- 1]
        repeat {
            let split = storage + CellIndex.offset(classification)
            let value = HalfPlaneSplit.value(split, x, y)
            guard HalfPlaneSplit.isCertain(value) else { return fallback }
            classification = split[HalfPlaneSplit.childOffset(value)]
        } while HalfPlaneSplit.isSplit(classification)
        return classification == CellIndex.unknown ? fallback : classification
    }

    /// A classification, and the remainders of the column and row computation.
    typealias Found = (classification: UInt32, x: UInt32, y: UInt32)

    /// The root node, which spans the whole grid.
    struct FirstNode {
        private let cells: UnsafePointer<UInt32>
        private let columns, rows: UInt64

        init(_ storage: UnsafePointer<UInt32>, _ classification: UInt32) {
            let node = storage + Int(classification >> 2)
            cells = node + CellIndex.nodeHeader
            (columns, rows) = (UInt64(node[4] & 0xFFFF), UInt64(node[4] >> 16))
            precondition(node[0] == 0 && node[1] == 0 && UInt64(node[2]) == columns && UInt64(node[3]) == rows)
        }

        /// - Parameters: below 2³²; the result for other values is meaningless.
        @inline(__always)
        func classification(_ x: UInt64, _ y: UInt64) -> Found {
            let (column, row) = ((x & 0xFFFF_FFFF) &* columns, (y & 0xFFFF_FFFF) &* rows)
            let classification = cells[Int(truncatingIfNeeded: (row >> 32) &* columns &+ (column >> 32))]
            return (classification, UInt32(truncatingIfNeeded: column), UInt32(truncatingIfNeeded: row))
        }
    }

    /// The classification of one of a node's cells, or of the area outside all of them, without a branch.
    @inline(__always)
    func classification(inNode classification: UInt32, _ x: UInt32, _ y: UInt32) -> Found {
        let node = storage + Int(classification >> 2)
        let (fromWest, fromSouth) = (Int64(x) &- Int64(node[0]), Int64(y) &- Int64(node[1]))
        let column = UInt64(bitPattern: fromWest) &* UInt64(node[2])
        let row = UInt64(bitPattern: fromSouth) &* UInt64(node[3])
        let (columns, rows) = (Int64(node[4] & 0xFFFF), Int64(node[4] >> 16))
        let target = Int64(CellIndex.nodeHeader) &+ Int64(row >> 32) &* columns &+ Int64(column >> 32)
        // All ones where one of these is negative.
        let outside =
            (fromWest | fromSouth | (columns &- 1 &- Int64(column >> 32)) | (rows &- 1 &- Int64(row >> 32))) >> 63
        let chosen = Int(truncatingIfNeeded: (target & ~outside) | (5 & outside))
        return (node[chosen], UInt32(truncatingIfNeeded: column), UInt32(truncatingIfNeeded: row))
    }

    private func covering(
        _ coordinate: Coordinate, leaf: Int, into result: UnsafeMutablePointer<RegionHandle>
    ) -> Int {
        var offset = leaf
        var count = 0
        var last = UInt32.max
        while true {
            let entry = storage[offset]
            let handle = entry >> 2
            // 1 when the region covers the coordinate.
            var covers = 1
            offset &+= 1
            if entry & 1 == 1 {
                let crossing = storage[offset]
                switch crossing & 3 {
                case CellIndex.BoundaryTest.edges:
                    let answer = countCrossings(coordinate, entry: offset)
                    guard answer >= 0 else { return -1 }
                    covers = answer
                    offset &+= 2 &+ 2 &* Int(crossing >> 16)
                case CellIndex.BoundaryTest.circle:
                    guard let answer = circles[Int(storage[offset &+ 1])].covers(coordinate) else { return -1 }
                    covers = answer ? 1 : 0
                    offset &+= 2
                default: return -1
                }
            }
            // More than one polygon of a region may cover or touch the coordinate.
            if handle == last {
                covers = 0
            }
            result[count] = RegionHandle(handle)
            count &+= covers
            last = covers == 1 ? handle : last
            if entry & 2 != 0 { return count }
        }
    }

    /// Counts the edges of an entry between a coordinate and the side of the cell that the entry names.
    ///
    /// `entry` is the offset of the word with the boundary test.
    ///
    /// - Returns: 1 inside, 0 outside, negative where rounding could decide.
    private func countCrossings(_ coordinate: Coordinate, entry: Int) -> Int {
        let crossing = storage[entry]
        // For a vertical ray, longitude and latitude swap.
        let isVertical = crossing & CellIndex.Side.isVertical != 0
        let isLow = crossing & CellIndex.Side.isLow != 0
        var isInside = crossing & CellIndex.Side.isInside != 0
        func swapped(_ coordinate: Coordinate) -> (x: Double, y: Double) {
            isVertical ? (coordinate.latitude, coordinate.longitude) : (coordinate.longitude, coordinate.latitude)
        }
        let (x, y) = swapped(coordinate)
        var first = Int(storage[entry &+ 1])
        var count = Int(crossing >> 8 & 0xFF)
        var further = crossing >> 16
        var next = entry &+ 2
        while true {
            var a = swapped(vertices[first])
            for end in first &+ 1...first &+ count {
                let b = swapped(vertices[end])
                defer { a = b }
                guard (a.y > y) != (b.y > y) else {
                    // Horizontal along the ray, or touched only from below.
                    if (a.y == y && a.x == x) || (b.y == y && b.x == x) { return 1 }
                    if a.y == y && b.y == y && (a.x < x) != (b.x < x) { return 1 }
                    continue
                }
                let left = (a.x - x) * (b.y - y)
                let right = (a.y - y) * (b.x - x)
                var area = left - right
                // The sign of the doubled area of the triangle is certain beyond Shewchuk's bound (1997).
                if abs(area) <= 3.330_669_073_875_471_6e-16 * (abs(left) + abs(right)) {
                    guard let exact = ExactOrientation.sign(a, b, (x, y)) else { return -1 }
                    if exact == 0 { return 1 }
                    area = Double(exact)
                }
                if ((area > 0) == (b.y > a.y)) != isLow { isInside.toggle() }
            }
            guard further > 0 else { return isInside ? 1 : 0 }
            further &-= 1
            first = Int(storage[next])
            count = Int(storage[next &+ 1])
            next &+= 2
        }
    }
}
