import FencepostGeometry

/// How coordinates become cells: whole numbers over the envelope of all regions, 2³² of them in each direction.
///
/// A cell is a box of whole numbers, and a coordinate is in the cell that its two numbers are in: there is no edge
/// between cells on which it could be in none or in two.
struct CellGrid: Sendable {
    /// Degrees by which everything about a cell is widened: far more than rounding can move a coordinate on its way to
    /// its number (a few units of 360 · 2⁻⁵³), and far less than any fix can tell.
    static let margin = 1e-12

    let west, south: Double
    /// Numbers to a degree.
    let perLongitude, perLatitude: Double
    /// Whether it reaches 180° of longitude.
    let reachesSeam: Bool

    /// - Parameter envelope: holds everything that is in the index.
    init(_ envelope: Envelope) {
        // A width, also for regions on one line; and room for the margin on both sides.
        func scale(_ low: Double, _ high: Double) -> (start: Double, perDegree: Double) {
            let room = 1e-9 + (high - low) * 1e-9
            return (low - room, 4_294_967_295 / (high - low + 2.01 * room))
        }
        (west, perLongitude) = scale(envelope.west, envelope.east)
        (south, perLatitude) = scale(envelope.south, envelope.north)
        reachesSeam = max(-envelope.west, envelope.east) >= 180 - 1e-9
    }

    /// The numbers of a coordinate; one of them at least is 2³² or more beyond the envelope.
    ///
    /// Beside a large number there is no room for a fraction: adding one rounds, in two instructions. What is too
    /// large, too small or not a number leaves bits that are none of a number. On an edge between two numbers either
    /// is given.
    @inline(__always)
    func numbers(_ coordinate: Coordinate) -> (x: UInt64, y: UInt64) {
        let x = ((coordinate.longitude - west) * perLongitude - 0.5) + Self.wholes
        let y = ((coordinate.latitude - south) * perLatitude - 0.5) + Self.wholes
        return (x.bitPattern &- Self.wholes.bitPattern, y.bitPattern &- Self.wholes.bitPattern)
    }

    /// What is added to it is rounded to a whole number.
    private static let wholes = 0x1.8p52

    func x(_ longitude: Double) -> UInt32 { Self.number((longitude - west) * perLongitude) }
    func y(_ latitude: Double) -> UInt32 { Self.number((latitude - south) * perLatitude) }

    private static func number(_ value: Double) -> UInt32 { UInt32(min(max(value, 0), 4_294_967_295)) }

    /// All cells that something in an envelope can touch.
    func rectangle(_ envelope: Envelope) -> CellRectangle {
        CellRectangle(
            west: x(envelope.west - Self.margin), south: y(envelope.south - Self.margin),
            east: x(envelope.east + Self.margin), north: y(envelope.north + Self.margin))
    }

    /// The envelope of the coordinates in a box of cells, but for rounding, which the margin makes good.
    func envelope(_ rectangle: CellRectangle) -> Envelope {
        Envelope(
            west: west + Double(rectangle.west) / perLongitude, south: south + Double(rectangle.south) / perLatitude,
            east: west + (Double(rectangle.east) + 1) / perLongitude,
            north: south + (Double(rectangle.north) + 1) / perLatitude)
    }
}

/// A box of cells, first and last included.
struct CellRectangle: Equatable {
    var west, south, east, north: UInt32

    func intersection(_ other: CellRectangle) -> CellRectangle? {
        let result = CellRectangle(
            west: max(west, other.west), south: max(south, other.south), east: min(east, other.east),
            north: min(north, other.north))
        return result.west <= result.east && result.south <= result.north ? result : nil
    }

    mutating func formUnion(_ other: CellRectangle) {
        west = min(west, other.west)
        south = min(south, other.south)
        east = max(east, other.east)
        north = max(north, other.north)
    }
}

/// A node's box, cut into columns and rows of equal size.
struct CellWindow {
    let west, south: UInt32
    let columns, rows: Int
    /// 2³² times columns, or rows, to a number.
    let columnScale, rowScale: UInt32

    /// - Precondition: at least two numbers to each column and row, or one column or row.
    init(_ rectangle: CellRectangle, columns: Int, rows: Int) {
        (west, south) = (rectangle.west, rectangle.south)
        (self.columns, self.rows) = (columns, rows)
        columnScale = Self.scale(columns, rectangle.east - rectangle.west)
        rowScale = Self.scale(rows, rectangle.north - rectangle.south)
    }

    /// Rounded down, so that the last column reaches at least to the end.
    private static func scale(_ count: Int, _ span: UInt32) -> UInt32 {
        UInt32(min((UInt64(count) << 32) / (UInt64(span) + 1), UInt64(UInt32.max)))
    }

    func column(_ x: UInt32) -> Int { Int((UInt64(x - west) * UInt64(columnScale)) >> 32) }
    func row(_ y: UInt32) -> Int { Int((UInt64(y - south) * UInt64(rowScale)) >> 32) }

    /// The numbers of each column and of each row, as far as they are in a box; `nil` when there are none.
    func strips(within limit: CellRectangle) -> (columns: [ClosedRange<UInt32>?], rows: [ClosedRange<UInt32>?]) {
        func strip(_ place: Int, _ scale: UInt32, _ start: UInt32, _ limit: ClosedRange<UInt32>) -> ClosedRange<UInt32>?
        {
            let first = ((UInt64(place) << 32) + UInt64(scale) - 1) / UInt64(scale) + UInt64(start)
            let next = ((UInt64(place + 1) << 32) + UInt64(scale) - 1) / UInt64(scale) + UInt64(start)
            let (low, high) = (max(first, UInt64(limit.lowerBound)), min(next - 1, UInt64(limit.upperBound)))
            return low <= high ? UInt32(low)...UInt32(high) : nil
        }
        return (
            (0..<columns).map { strip($0, columnScale, west, limit.west...limit.east) },
            (0..<rows).map { strip($0, rowScale, south, limit.south...limit.north) }
        )
    }
}
