import FencepostGeometry

/// The local coordinate system of a cell: fractions of its column and row.
struct CellFrame {
    private let grid: CellGrid
    private let window: CellWindow
    private let column, row: Double
    private let columns, rows: Double

    init(_ grid: CellGrid, _ window: CellWindow, column: Int, row: Int) {
        self.grid = grid
        self.window = window
        (self.column, self.row) = (Double(column), Double(row))
        (columns, rows) = (Double(window.columnScale) * 0x1p-32, Double(window.rowScale) * 0x1p-32)
    }

    /// The width or height in grid units, whichever is less.
    var size: Double { (1 / max(columns, rows)).rounded(.down) }

    func x(_ gridPosition: Double) -> Double { (gridPosition - Double(window.west)) * columns - column }
    func y(_ gridPosition: Double) -> Double { (gridPosition - Double(window.south)) * rows - row }

    func point(_ coordinate: Coordinate) -> SIMD2<Double> {
        SIMD2(
            x((coordinate.longitude - grid.west) * grid.perLongitude),
            y((coordinate.latitude - grid.south) * grid.perLatitude))
    }

    func coordinate(_ point: SIMD2<Double>) -> Coordinate {
        Coordinate(
            latitude: grid.south + ((point.y + row) / rows + Double(window.south)) / grid.perLatitude,
            longitude: grid.west + ((point.x + column) / columns + Double(window.west)) / grid.perLongitude)
    }
}

/// The columns and rows of a node in grid units and in degrees.
struct CellStrips {
    private let columns, rows: [Strip?]

    /// Grid units, and degrees up to rounding.
    private struct Strip {
        let range: ClosedRange<UInt32>
        let low, high: Double
    }

    init(_ window: CellWindow, within limit: CellRectangle, _ grid: CellGrid) {
        let strips = window.strips(within: limit)
        columns = strips.columns.map { range in
            range.map {
                let box = grid.envelope(
                    CellRectangle(west: $0.lowerBound, south: 0, east: $0.upperBound, north: 0))
                return Strip(range: $0, low: box.west, high: box.east)
            }
        }
        rows = strips.rows.map { range in
            range.map {
                let box = grid.envelope(
                    CellRectangle(west: 0, south: $0.lowerBound, east: 0, north: $0.upperBound))
                return Strip(range: $0, low: box.south, high: box.north)
            }
        }
    }

    /// The grid cells in one cell of the node; `nil` when it contains none.
    @inline(__always)
    func cell(column: Int, row: Int) -> CellRectangle? {
        guard let column = columns[column], let row = rows[row] else { return nil }
        return CellRectangle(
            west: column.range.lowerBound, south: row.range.lowerBound, east: column.range.upperBound,
            north: row.range.upperBound)
    }

    /// The envelope of the coordinates in it.
    @inline(__always)
    func box(column: Int, row: Int) -> Envelope? {
        guard let column = columns[column], let row = rows[row] else { return nil }
        return Envelope(west: column.low, south: row.low, east: column.high, north: row.high)
    }
}
