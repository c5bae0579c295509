import FencepostGeometry
import FencepostModel

/// Classifies the cells of an index.
///
/// Takes all that touches a box, lays a grid closely around it, hands each cell what touches it, and goes on there
/// until little is left in a cell or a smaller one would not be worth its memory.
struct CellBuilder {
    /// One polygon, circle or corridor, in one envelope.
    struct Piece {
        let handle: UInt32
        let part: Int
        let kind: RegionLayer.Part.Kind
        let envelope: Envelope
        /// What was added to longitudes to see it there.
        let turn: Double
        /// The cells that its envelope touches.
        let cells: CellRectangle
        /// Degrees; cells that are no larger are not divided for its sake.
        let smallest: Double
    }

    /// What touches a cell; those of one piece follow each other, and pieces are in the order of their handles.
    struct Record {
        var piece: UInt32
        /// The vertex with which an edge begins, or one of the two below.
        var edge: UInt32

        /// The piece covers the cell.
        static let whole = UInt32.max
        /// A boundary that is not made of edges.
        static let boundary = UInt32.max - 1
    }

    /// A cell that needs no more work than this many edges is left alone.
    static let goodEnough = 7

    /// A cell with no more edges is not divided but cut, and one with no more is cut where it is not divided.
    static let (fewEdges, mostEdges) = (8, 24)

    /// From so many edges on all processors are used.
    private let concurrentFrom: Int
    let parts: [RegionLayer.Part]
    let outlines: Outlines
    let circles: [PreparedCircle]
    let flatCircles: [FlatCircle]
    let grid: CellGrid
    let pieces: [Piece]
    var words: [UInt32] = []
    /// Beyond it nothing is divided further, so that no input can fill the memory.
    var mostWords: Int
    /// The places of words that hold the code of a node, a leaf or a cut.
    var references: [UInt32] = []
    /// Leaves that were written, where all in them covers the cell: neighbours often have the same.
    var known: [[UInt32]: UInt32] = [:]
    var cutter = CellCutter()
    /// What is below and above the cuts of a cell; kept for its memory.
    var codes: [UInt32] = []
    /// The regions of a cell, by their polygons; `nil` where one covers the cell. Kept for its memory, as are these.
    var owners: [(handle: UInt32, outline: Int?)] = []
    /// What a leaf will hold.
    var entries: [UInt32] = []
    /// The most regions that a leaf tells of.
    var mostInLeaf = 1

    init(
        parts: [RegionLayer.Part], envelopes: [(part: Int, envelope: Envelope, turn: Double)], outlines: Outlines,
        circles: [PreparedCircle], concurrentFrom: Int
    ) {
        self.concurrentFrom = concurrentFrom
        self.parts = parts
        self.outlines = outlines
        self.circles = circles
        flatCircles = circles.map { FlatCircle($0.circle) }
        var world = envelopes.first?.envelope ?? Envelope(west: 0, south: 0, east: 0, north: 0)
        for (_, envelope, _) in envelopes { world.formUnion(envelope) }
        let grid = CellGrid(world)
        self.grid = grid
        var edges = 0
        pieces = envelopes.compactMap { part, envelope, turn in
            let extent = max(envelope.east - envelope.west, envelope.north - envelope.south)
            let smallest: Double
            switch parts[part].kind {
            case .seamBoundary: return nil
            case .polygon(let outline):
                let count = outlines.edgeCount(of: outline)
                edges += count
                smallest = extent * 2 / Double(max(count, 8))
            case .circle: smallest = extent / 8
            case .corridor(_, let reach): smallest = max(reach / 111_000, extent / 256)
            }
            return Piece(
                handle: parts[part].region.rawValue, part: part, kind: parts[part].kind, envelope: envelope, turn: turn,
                cells: grid.rectangle(envelope), smallest: smallest)
        }
        // About as many as there will be.
        words = Array(largeCapacity: 4096 + 10 * edges)
        mostWords = min(CellIndex.placeLimit - (1 << 24), 4096 + 256 * pieces.count + 32 * edges)
    }

    /// - Precondition: at most a thousand million handles.
    mutating func build() -> CellIndex {
        precondition(pieces.allSatisfy { $0.handle < CellIndex.limit }, "too many regions")
        var records: [Record] = Array(largeCapacity: pieces.count + outlines.vertices.count)
        for (number, piece) in pieces.enumerated() {
            let number = UInt32(number)
            if case .polygon(let outline) = piece.kind {
                outlines.forEachEdge(of: outline) { records.append(Record(piece: number, edge: UInt32($0))) }
            } else {
                records.append(Record(piece: number, edge: Record.boundary))
            }
        }
        let all = CellRectangle(west: 0, south: 0, east: .max, north: .max)
        let whole = CellWindow(all, columns: 1, rows: 1)
        var root = build(records.span, in: all, CellFrame(grid, whole, column: 0, row: 0))
        if root & 3 != 1 {
            // A node of one cell.
            words += [whole.west, whole.south, whole.columnScale, whole.rowScale, 1 | 1 << 16, 0, root]
            root = UInt32(words.count - CellIndex.nodeHeader - 1) << 2 | 1
        }
        precondition(words.count < CellIndex.placeLimit, "too many regions")
        // For those who read a little too far: the third word of a leaf of two, and two words at once.
        words += [0, 0, 0, 0]
        return CellIndex(
            grid: grid, root: root, words: FixedList(words), flatCircles: FixedList(flatCircles),
            mostInLeaf: mostInLeaf)
    }

    // MARK: Cells

    /// The code of a cell that these touch.
    private mutating func build(
        _ records: borrowing Span<Record>, in cell: CellRectangle, _ frame: CellFrame
    ) -> UInt32 {
        guard records.count > 0 else { return 0 }
        let box = grid.envelope(cell)
        let extent = max(box.east - box.west, box.north - box.south)
        var (cost, gain, wholes, open) = (0, 0, 0, 0)
        var first = 0
        while first < records.count {
            let end = endOfPiece(from: first, records)
            defer { first = end }
            if records[first].edge == Record.whole {
                wholes += 1
                continue
            }
            open += end - first
            let piece = pieces[Int(records[first].piece)]
            var own = end - first + 1
            if case .circle = piece.kind { own = 4 }
            if case .corridor = piece.kind { own = 60 }
            cost += own
            let mayDivide =
                extent > piece.smallest || (end - first > 16 && extent > piece.smallest / 64)
            if mayDivide { gain += own }
        }
        if open > 0 && open <= Self.fewEdges, let code = cuts(records, in: cell, frame) { return code }
        if open > 0 && cost > Self.goodEnough && 2 * gain > Self.goodEnough && words.count < mostWords,
            let window = window(around: records, in: cell, open: open, wholes: wholes)
        {
            return divide(records, in: cell, by: window)
        }
        if open > Self.fewEdges && open <= Self.mostEdges, let code = cuts(records, in: cell, frame) { return code }
        return leaf(records, in: cell)
    }

    func endOfPiece(from first: Int, _ records: borrowing Span<Record>) -> Int {
        let piece = records[first].piece
        var end = first + 1
        while end < records.count && records[end].piece == piece { end += 1 }
        return end
    }

    /// The cells that an edge can touch.
    private func rectangle(ofEdge edge: UInt32) -> CellRectangle {
        let (a, b) = (outlines.vertices[Int(edge)], outlines.vertices[Int(edge) + 1])
        return grid.rectangle(
            Envelope(
                west: min(a.longitude, b.longitude), south: min(a.latitude, b.latitude),
                east: max(a.longitude, b.longitude), north: max(a.latitude, b.latitude)))
    }

    /// A grid around all pieces that end in a cell, with somewhat fewer cells than there are edges.
    private func window(
        around records: borrowing Span<Record>, in cell: CellRectangle, open: Int, wholes: Int
    ) -> CellWindow? {
        // Beyond its envelope a piece covers nothing; between its edges and there it may well.
        var around: CellRectangle?
        for place in 0..<records.count where records[place].edge != Record.whole {
            if place > 0 && records[place].piece == records[place - 1].piece { continue }
            guard let touched = pieces[Int(records[place].piece)].cells.intersection(cell) else { continue }
            if around == nil { around = touched } else { around?.formUnion(touched) }
        }
        // The first node has all there is: whoever looks something up need not ask whether it is in it.
        let isFirst = words.isEmpty
        guard let around = isFirst ? cell : around else { return nil }
        let box = grid.envelope(around)
        let (width, height) = (Double(around.east - around.west) + 1, Double(around.north - around.south) + 1)
        let middle = max(0.05, (1 - (box.south + box.north) * (box.south + box.north) / 32_400).squareRoot())
        let shape = (box.east - box.west) * middle / (box.north - box.south)
        // More in the first node of all: a step less for most.
        var target = Double(min(max(open * (isFirst ? 5 : 4) / (5 * (1 + wholes / 2)), 6), 1 << 24))
        // Two numbers to each, so that every cell of the grid is smaller than this one.
        let (mostColumns, mostRows) = (max((width / 2).rounded(.down), 1), max((height / 2).rounded(.down), 1))
        while true {
            var columns = min(max((target * shape).squareRoot().rounded(), 1), 4096)
            let rows = min(max((target / columns).rounded(), 1), 4096, mostRows)
            columns = min(max((target / rows).rounded(), 1), 4096, mostColumns)
            guard columns * rows >= 2 else { return nil }
            // How many lists of cells the pieces would be in: few large cells are better than many lists of the same.
            var touched = 0.0
            var last = UInt32.max
            for place in 0..<records.count where records[place].piece != last {
                last = records[place].piece
                guard let own = pieces[Int(last)].cells.intersection(around) else { continue }
                touched +=
                    (Double(own.east - own.west) / width * columns + 1)
                    * (Double(own.north - own.south) / height * rows + 1)
            }
            if target <= 6 || touched <= 6 * Double(open) + 64 {
                return CellWindow(around, columns: Int(columns), rows: Int(rows))
            }
            target /= 2
        }
    }

    private mutating func divide(
        _ records: borrowing Span<Record>, in cell: CellRectangle, by window: CellWindow
    ) -> UInt32 {
        let count = window.columns * window.rows
        let strips = CellStrips(window, within: cell, grid)
        var found: [(cell: UInt32, record: Record)] = Array(largeCapacity: records.count * 2)
        var wholes: [Record] = []
        /// For each cell the piece that has an edge in it.
        var marks = Array(large: UInt32.max, count: count)
        var first = 0
        while first < records.count {
            let end = endOfPiece(from: first, records)
            defer { first = end }
            let record = records[first]
            if record.edge == Record.whole {
                wholes.append(record)
                for place in 0..<count where strips.cell(place) != nil { found.append((UInt32(place), record)) }
                continue
            }
            let piece = pieces[Int(record.piece)]
            guard let touched = piece.cells.intersection(cell) else { continue }
            guard case .polygon(let outline) = piece.kind, record.edge != Record.boundary else {
                forEachCell(of: touched, window) { place in
                    guard let box = strips.box(place) else { return }
                    switch covers(piece, all: box) {
                    case true?: found.append((UInt32(place), Record(piece: record.piece, edge: Record.whole)))
                    case false?: break
                    case nil: found.append((UInt32(place), record))
                    }
                }
                continue
            }
            for number in first..<end {
                let edge = records[number]
                guard let reach = rectangle(ofEdge: edge.edge).intersection(cell) else { continue }
                forEachCell(of: reach, window) { place in
                    // No edge too many: those in a cell are counted without another look at where they are.
                    guard let box = strips.box(place), outlines.touches(Int(edge.edge), box, margin: CellGrid.margin)
                    else { return }
                    found.append((UInt32(place), edge))
                    marks[place] = edge.piece
                }
            }
            // Cells without an edge are inside or outside as a whole, and alike where they are neighbours.
            var row = -1
            var left: Bool?
            forEachCell(of: touched, window) { place in
                if place / window.columns != row {
                    row = place / window.columns
                    left = nil
                }
                guard let box = strips.box(place), marks[place] != record.piece else {
                    left = nil
                    return
                }
                if left == nil {
                    switch outlines.locate(box.middle, in: outline) {
                    case .inside: left = true
                    case .outside: left = false
                    case .boundary, .unsure:
                        // Not to be expected so far from an edge: such a cell asks anew each time.
                        found.append((UInt32(place), Record(piece: record.piece, edge: Record.boundary)))
                        return
                    }
                }
                if left == true {
                    found.append((UInt32(place), Record(piece: record.piece, edge: Record.whole)))
                }
            }
        }
        return write(found, wholes, strips, window)
    }

    /// Sorts what was found by cell, and goes on in each.
    private mutating func write(
        _ found: [(cell: UInt32, record: Record)], _ wholes: [Record], _ strips: CellStrips, _ window: CellWindow
    ) -> UInt32 {
        let count = window.columns * window.rows
        var starts = Array(large: UInt32(0), count: count + 1)
        for (cell, _) in found { starts[Int(cell) + 1] += 1 }
        for place in 0..<count { starts[place + 1] += starts[place] }
        var next = starts
        var sorted = Array(large: Record(piece: 0, edge: 0), count: found.count)
        for (cell, record) in found {
            sorted[Int(next[Int(cell)])] = record
            next[Int(cell)] += 1
        }
        // Its header in one line of the cache.
        while words.count % CellIndex.line > CellIndex.line - CellIndex.nodeHeader { words.append(0) }
        let node = words.count
        words += [
            window.west, window.south, window.columnScale, window.rowScale,
            UInt32(window.columns) | UInt32(window.rows) << 16, 0,
        ]
        words.append(contentsOf: repeatElement(0, count: count))
        set(node + 5, leaf(wholes.span, in: CellRectangle(west: 0, south: 0, east: 0, north: 0)))
        let isFirst = node == 0
        if isFirst && sorted.count >= concurrentFrom {
            buildTogether(sorted, starts, strips, window)
        } else {
            for place in 0..<count where starts[place] < starts[place + 1] {
                let records = sorted.span.extracting(Int(starts[place])..<Int(starts[place + 1]))
                set(node + CellIndex.nodeHeader + place, build(records, place, of: strips, window))
            }
        }
        return UInt32(node) << 2 | 1
    }

    mutating func build(
        _ records: borrowing Span<Record>, _ place: Int, of strips: CellStrips, _ window: CellWindow
    ) -> UInt32 {
        guard let cell = strips.cell(place) else { return 0 }
        let frame = CellFrame(grid, window, column: place % window.columns, row: place / window.columns)
        return build(records, in: cell, frame)
    }

    /// Puts a code where it belongs.
    mutating func set(_ place: Int, _ code: UInt32) {
        words[place] = code
        if Self.isReference(code) { references.append(UInt32(place)) }
    }

    mutating func append(code: UInt32) {
        if Self.isReference(code) { references.append(UInt32(words.count)) }
        words.append(code)
    }

    static func isReference(_ code: UInt32) -> Bool { code & 1 == 1 && code != CellIndex.unknown }

    private func forEachCell(of rectangle: CellRectangle, _ window: CellWindow, _ body: (Int) -> Void) {
        // A coordinate beyond the last column is none of the node's: what surrounds all boundaries has no such.
        guard rectangle.east >= window.west && rectangle.north >= window.south else { return }
        let columns = window.column(max(rectangle.west, window.west))...window.column(rectangle.east)
        let rows = window.row(max(rectangle.south, window.south))...window.row(rectangle.north)
        for row in rows where row < window.rows {
            for column in columns where column < window.columns { body(row * window.columns + column) }
        }
    }
}
