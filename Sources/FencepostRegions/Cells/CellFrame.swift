import FencepostGeometry

/// Where a cell's column and row begin and end, in fractions of them.
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

    /// How many numbers it is wide or high, whichever is less.
    var size: Double { (1 / max(columns, rows)).rounded(.down) }

    func x(_ number: Double) -> Double { (number - Double(window.west)) * columns - column }
    func y(_ number: Double) -> Double { (number - Double(window.south)) * rows - row }

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

/// The columns and rows of a node on the map.
struct CellStrips {
    private let columns, rows: [Strip?]

    /// Numbers, and degrees but for rounding.
    private struct Strip {
        let numbers: ClosedRange<UInt32>
        let low, high: Double
    }

    init(_ window: CellWindow, within limit: CellRectangle, _ grid: CellGrid) {
        let strips = window.strips(within: limit)
        columns = strips.columns.map { numbers in
            numbers.map {
                let box = grid.envelope(
                    CellRectangle(west: $0.lowerBound, south: 0, east: $0.upperBound, north: 0))
                return Strip(numbers: $0, low: box.west, high: box.east)
            }
        }
        rows = strips.rows.map { numbers in
            numbers.map {
                let box = grid.envelope(
                    CellRectangle(west: 0, south: $0.lowerBound, east: 0, north: $0.upperBound))
                return Strip(numbers: $0, low: box.south, high: box.north)
            }
        }
    }

    /// What is in one of the cells, row by row; `nil` when no number is.
    @inline(__always)
    func cell(_ place: Int) -> CellRectangle? {
        guard let column = columns[place % columns.count], let row = rows[place / columns.count] else { return nil }
        return CellRectangle(
            west: column.numbers.lowerBound, south: row.numbers.lowerBound, east: column.numbers.upperBound,
            north: row.numbers.upperBound)
    }

    /// The envelope of the coordinates in it.
    @inline(__always)
    func box(_ place: Int) -> Envelope? {
        guard let column = columns[place % columns.count], let row = rows[place / columns.count] else { return nil }
        return Envelope(west: column.low, south: row.low, east: column.high, north: row.high)
    }
}
