import FencepostGeometry
import FencepostModel

/// Reads a `CellIndex`; valid as long as the parts of an index that it was made of.
///
/// Only numbers and pointers, so that a question allocates nothing and counts no reference.
struct CellReader {
    private let grid: CellGrid
    private let root: UInt32
    private let words: UnsafePointer<UInt32>
    /// Of `Coordinate`s: two doubles, the latitude first.
    private let vertices: UnsafeRawPointer
    private let circles: UnsafePointer<FlatCircle>

    init(_ parts: RegionLayer) {
        grid = parts.cells.grid
        root = parts.cells.root
        words = parts.cells.words.start
        precondition(MemoryLayout<Coordinate>.offset(of: \.latitude) == Self.latitudeOffset)
        precondition(MemoryLayout<Coordinate>.offset(of: \.longitude) == Self.longitudeOffset)
        vertices = UnsafeRawPointer(parts.outlines.vertices.start)
        circles = parts.cells.flatCircles.start
    }

    /// Appends the regions that cover a coordinate, in the order of their handles and each once.
    ///
    /// - Returns: whether the answer is certain; otherwise what was appended may not be all.
    @inline(__always)
    func addCovering(_ coordinate: Coordinate, into result: inout [RegionHandle]) -> Bool {
        guard let place = grid.cell(coordinate) else { return true }
        let code = code(place)
        switch code & 3 {
        case 0: return true
        case 2:
            result.append(RegionHandle(code >> 2))
            return true
        default: return addCovering(coordinate, leaf: Int(code >> 2), into: &result)
        }
    }

    /// The code of the cell in which a coordinate lies.
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

    private func addCovering(_ coordinate: Coordinate, leaf: Int, into result: inout [RegionHandle]) -> Bool {
        var at = leaf
        var last = UInt32.max
        while true {
            let entry = words[at]
            let handle = entry >> 2
            var isInside = true
            at &+= 1
            if entry & 1 == 1 {
                let crossing = words[at]
                switch crossing & 3 {
                case CellIndex.Crossing.edges:
                    let answer = settle(coordinate, entry: at)
                    switch answer {
                    case .inside: break
                    case .outside: isInside = false
                    case .unsure: return false
                    }
                    at &+= 2 &+ 2 &* Int(crossing >> 16)
                case CellIndex.Crossing.circle:
                    guard let answer = circles[Int(words[at &+ 1])].covers(coordinate) else { return false }
                    isInside = answer
                    at &+= 2
                default: return false
                }
            }
            // Of a region of several polygons more than one may cover or touch the coordinate.
            if isInside && handle != last {
                result.append(RegionHandle(handle))
                last = handle
            }
            if entry & 2 != 0 { return true }
        }
    }

    private enum Answer {
        case inside, outside
        /// Rounding could decide.
        case unsure
    }

    /// Counts the edges of an entry between a coordinate and the side that the entry names.
    ///
    /// Without a branch for what an edge is like, which no processor could foresee: what is not plain is noticed, and
    /// then looked at again.
    ///
    /// - Parameter entry: the place of the word that tells the crossing.
    @inline(__always)
    private func settle(_ coordinate: Coordinate, entry: Int) -> Answer {
        let crossing = words[entry]
        // North and south are east and west of the map seen from behind.
        let isVertical = crossing & CellIndex.Side.isVertical != 0
        let x = isVertical ? coordinate.latitude : coordinate.longitude
        let y = isVertical ? coordinate.longitude : coordinate.latitude
        let xOffset = isVertical ? Self.latitudeOffset : Self.longitudeOffset
        let yOffset = isVertical ? Self.longitudeOffset : Self.latitudeOffset
        let isLow = crossing & CellIndex.Side.isLow != 0
        var first = Int(words[entry &+ 1])
        var count = Int(crossing >> 8 & 0xFF)
        var further = crossing >> 16
        var next = entry &+ 2
        var isInside = crossing & CellIndex.Side.isInside != 0
        var isPlain = true
        while true {
            var vertex = vertices + first &* MemoryLayout<Coordinate>.stride
            let last = vertex + count &* MemoryLayout<Coordinate>.stride
            var ax = vertex.load(fromByteOffset: xOffset, as: Double.self) - x
            var ay = vertex.load(fromByteOffset: yOffset, as: Double.self) - y
            while vertex < last {
                vertex += MemoryLayout<Coordinate>.stride
                let bx = vertex.load(fromByteOffset: xOffset, as: Double.self) - x
                let by = vertex.load(fromByteOffset: yOffset, as: Double.self) - y
                // The sign of the doubled area of the triangle, certain beyond Shewchuk's bound (1997).
                let (left, right) = (ax * by, ay * bx)
                let area = left - right
                let isCertain = abs(area) > 3.330_669_073_875_471_6e-16 * (abs(left) + abs(right))
                let crosses = (ay > 0) != (by > 0)
                // A vertex level with the coordinate is the one way to touch an edge that does not cross the ray.
                isPlain = isPlain && (!crosses || isCertain) && by != 0 && ay != 0
                // Whether the edge passes on the high side of the coordinate.
                let isHigh = (area > 0) == (by > ay)
                isInside = isInside != (crosses && isHigh != isLow)
                (ax, ay) = (bx, by)
            }
            guard further > 0 else { break }
            further &-= 1
            first = Int(words[next])
            count = Int(words[next &+ 1])
            next &+= 2
        }
        if isPlain { return isInside ? .inside : .outside }
        return settleCarefully(x, y, entry: entry, xOffset, yOffset)
    }

    /// The same, edge by edge.
    @inline(never)
    private func settleCarefully(_ x: Double, _ y: Double, entry: Int, _ xOffset: Int, _ yOffset: Int) -> Answer {
        let crossing = words[entry]
        var first = Int(words[entry &+ 1])
        var count = Int(crossing >> 8 & 0xFF)
        var further = crossing >> 16
        var next = entry &+ 2
        var isInside = crossing & CellIndex.Side.isInside != 0
        let isLow = crossing & CellIndex.Side.isLow != 0
        func vertex(_ place: Int) -> (x: Double, y: Double) {
            let vertex = vertices + place &* MemoryLayout<Coordinate>.stride
            return (
                vertex.load(fromByteOffset: xOffset, as: Double.self),
                vertex.load(fromByteOffset: yOffset, as: Double.self)
            )
        }
        while true {
            for edge in first..<first + count {
                let (a, b) = (vertex(edge), vertex(edge + 1))
                guard (a.y > y) != (b.y > y) else {
                    // Along the ray, or only touched from below.
                    if (a.y == y && a.x == x) || (b.y == y && b.x == x) { return .inside }
                    if a.y == y && b.y == y && (a.x < x) != (b.x < x) { return .inside }
                    continue
                }
                let left = (a.x - x) * (b.y - y)
                let right = (a.y - y) * (b.x - x)
                let area = left - right
                guard abs(area) > 3.330_669_073_875_471_6e-16 * (abs(left) + abs(right)) else {
                    return (a.x == x && a.y == y) || (b.x == x && b.y == y) ? .inside : .unsure
                }
                if ((area > 0) == (b.y > a.y)) != isLow { isInside.toggle() }
            }
            guard further > 0 else { return isInside ? .inside : .outside }
            further &-= 1
            first = Int(words[next])
            count = Int(words[next &+ 1])
            next &+= 2
        }
    }

    private static let latitudeOffset = 0
    private static let longitudeOffset = MemoryLayout<Double>.stride
}
