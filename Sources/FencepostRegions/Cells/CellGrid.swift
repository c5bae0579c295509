import FencepostGeometry

/// Converts coordinates to grid positions: integers of 32 bits over the envelope of all regions.
///
/// A cell is a rectangle of grid positions, and each coordinate has exactly one grid position. So no coordinate is on
/// an edge between cells.
struct CellGrid: Sendable {
    /// Degrees by which every cell is widened: far above the rounding error of the conversion (a few units of 360 ·
    /// 2⁻⁵³), and far below the resolution of any location.
    static let margin = 1e-12

    let west, south: Double
    /// Grid units per degree.
    let perLongitude, perLatitude: Double
    /// Whether the envelope touches 180° of longitude.
    let touchesAntimeridian: Bool

    /// - Parameter envelope: contains everything in the index.
    init(_ envelope: Envelope) {
        // The padding gives regions on one line a width and leaves space for the margin on both sides.
        func scale(_ low: Double, _ high: Double) -> (start: Double, perDegree: Double) {
            let padding = 1e-9 + (high - low) * 1e-9
            return (low - padding, 4_294_967_295 / (high - low + 2.01 * padding))
        }
        (west, perLongitude) = scale(envelope.west, envelope.east)
        (south, perLatitude) = scale(envelope.south, envelope.north)
        touchesAntimeridian = max(-envelope.west, envelope.east) >= 180 - 1e-9
    }

    /// A grid by its numbers, from a file.
    init(west: Double, south: Double, perLongitude: Double, perLatitude: Double, touchesAntimeridian: Bool) {
        (self.west, self.south) = (west, south)
        (self.perLongitude, self.perLatitude) = (perLongitude, perLatitude)
        self.touchesAntimeridian = touchesAntimeridian
    }

    /// The grid position of a coordinate; outside the envelope at least one component is 2³² or more.
    ///
    /// Adding a constant so large that no fraction fits rounds to an integer, in two instructions. Values that are too
    /// large, too small or NaN produce bits that are out of range. On the edge between two positions either result is
    /// valid.
    @inline(__always)
    func position(_ coordinate: Coordinate) -> (x: UInt64, y: UInt64) {
        let x = ((coordinate.longitude - west) * perLongitude - 0.5) + Self.roundingConstant
        let y = ((coordinate.latitude - south) * perLatitude - 0.5) + Self.roundingConstant
        return (x.bitPattern &- Self.roundingConstant.bitPattern, y.bitPattern &- Self.roundingConstant.bitPattern)
    }

    /// Adding it rounds a value to an integer in the low bits.
    private static let roundingConstant = 0x1.8p52

    func x(_ longitude: Double) -> UInt32 { Self.clamped((longitude - west) * perLongitude) }
    func y(_ latitude: Double) -> UInt32 { Self.clamped((latitude - south) * perLatitude) }

    private static func clamped(_ value: Double) -> UInt32 { UInt32(min(max(value, 0), 4_294_967_295)) }

    /// All cells that a shape within an envelope can touch.
    func rectangle(_ envelope: Envelope) -> CellRectangle {
        CellRectangle(
            west: x(envelope.west - Self.margin), south: y(envelope.south - Self.margin),
            east: x(envelope.east + Self.margin), north: y(envelope.north + Self.margin))
    }

    /// The envelope of the coordinates in a rectangle of cells, up to rounding, which the margin covers.
    func envelope(_ rectangle: CellRectangle) -> Envelope {
        Envelope(
            west: west + Double(rectangle.west) / perLongitude, south: south + Double(rectangle.south) / perLatitude,
            east: west + (Double(rectangle.east) + 1) / perLongitude,
            north: south + (Double(rectangle.north) + 1) / perLatitude)
    }
}

/// A rectangle of cells, first and last included.
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

/// The layout of a node: a rectangle divided into columns and rows of equal size.
struct CellWindow {
    let west, south: UInt32
    let columns, rows: Int
    /// Columns, or rows, per grid unit, times 2³².
    let columnScale, rowScale: UInt32

    /// - Precondition: each column and row spans at least two grid units, or there is only one.
    init(_ rectangle: CellRectangle, columns: Int, rows: Int) {
        (west, south) = (rectangle.west, rectangle.south)
        (self.columns, self.rows) = (columns, rows)
        columnScale = Self.scale(columns, rectangle.east - rectangle.west)
        rowScale = Self.scale(rows, rectangle.north - rectangle.south)
    }

    /// Rounded down, so the last column extends at least to the end.
    private static func scale(_ count: Int, _ span: UInt32) -> UInt32 {
        UInt32(min((UInt64(count) << 32) / (UInt64(span) + 1), UInt64(UInt32.max)))
    }

    func column(_ x: UInt32) -> Int { Int((UInt64(x - west) * UInt64(columnScale)) >> 32) }
    func row(_ y: UInt32) -> Int { Int((UInt64(y - south) * UInt64(rowScale)) >> 32) }

    /// The grid units of each column and row within a rectangle; `nil` for one that is outside it.
    func strips(within limit: CellRectangle) -> (columns: [ClosedRange<UInt32>?], rows: [ClosedRange<UInt32>?]) {
        func strip(_ index: Int, _ scale: UInt32, _ start: UInt32, _ limit: ClosedRange<UInt32>) -> ClosedRange<UInt32>?
        {
            let first = ((UInt64(index) << 32) + UInt64(scale) - 1) / UInt64(scale) + UInt64(start)
            let next = ((UInt64(index + 1) << 32) + UInt64(scale) - 1) / UInt64(scale) + UInt64(start)
            let (low, high) = (max(first, UInt64(limit.lowerBound)), min(next - 1, UInt64(limit.upperBound)))
            return low <= high ? UInt32(low)...UInt32(high) : nil
        }
        return (
            (0..<columns).map { strip($0, columnScale, west, limit.west...limit.east) },
            (0..<rows).map { strip($0, rowScale, south, limit.south...limit.north) }
        )
    }
}
