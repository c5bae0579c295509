import FencepostGeometry

/// Counts the edges between a coordinate and a side of its cell.
///
/// Without a branch for what an edge is like, which no processor could foresee: truth is the highest bit of a word, as
/// it is the sign of a number. What is not plain is noticed, and then somebody has to look again.
struct EdgeWalk {
    /// The coordinate: its number along the way to the side, and the other one.
    let x, y: Double
    /// Where in a vertex these are.
    let xOffset, yOffset: Int
    /// Set for the south or the west.
    private let low: UInt64
    /// Set after an odd number of edges.
    var flips: UInt64 = 0
    /// Set where rounding could decide.
    private var doubt: UInt64 = 0

    static let latitudeOffset = 0
    static let longitudeOffset = 8

    /// - Parameter side: with the bits of `CellIndex.Side`.
    @inline(__always)
    init(_ coordinate: Coordinate, side: UInt32) {
        // North and south are east and west of the map seen from behind.
        let isVertical = side & CellIndex.Side.isVertical != 0
        x = isVertical ? coordinate.latitude : coordinate.longitude
        y = isVertical ? coordinate.longitude : coordinate.latitude
        xOffset = isVertical ? Self.latitudeOffset : Self.longitudeOffset
        yOffset = isVertical ? Self.longitudeOffset : Self.latitudeOffset
        low = UInt64(side / CellIndex.Side.isLow) << 63
    }

    var isPlain: Bool { Int64(bitPattern: doubt) >= 0 }

    /// Goes along so many edges from a vertex on.
    ///
    /// - Parameter vertices: `Coordinate`s; holds the last edge's end.
    @inline(__always)
    mutating func follow(_ vertices: UnsafeRawPointer, _ first: Int, _ count: Int) {
        var vertex = vertices + first &* MemoryLayout<Coordinate>.stride
        let last = vertex + count &* MemoryLayout<Coordinate>.stride
        var ax = vertex.load(fromByteOffset: xOffset, as: Double.self) - x
        var ay = vertex.load(fromByteOffset: yOffset, as: Double.self) - y
        doubt |= Self.isZero(ay)
        while vertex < last {
            vertex += MemoryLayout<Coordinate>.stride
            let bx = vertex.load(fromByteOffset: xOffset, as: Double.self) - x
            let by = vertex.load(fromByteOffset: yOffset, as: Double.self) - y
            // The sign of the doubled area of the triangle, certain beyond Shewchuk's bound (1997).
            let (left, right) = (ax * by, ay * bx)
            let area = left - right
            let bound = 3.330_669_073_875_471_6e-16 * (abs(left) + abs(right))
            // The least number makes a zero negative.
            let certainty = abs(area) - bound - .leastNormalMagnitude
            let crosses = ay.bitPattern ^ by.bitPattern
            // A vertex level with the coordinate is the one way to touch an edge that does not cross the way.
            doubt |= (crosses & certainty.bitPattern) | Self.isZero(by)
            // It passes on the high side of the coordinate where the area has the sign of the edge's direction.
            flips ^= crosses & ~(area.bitPattern ^ by.bitPattern ^ low)
            (ax, ay) = (bx, by)
        }
    }

    /// Of a difference, which is never −0.
    @inline(__always)
    private static func isZero(_ difference: Double) -> UInt64 {
        (difference.bitPattern &- 1) & ~difference.bitPattern
    }
}
