import FencepostGeometry
import FencepostModel

/// Builds a `CellIndex`: classifies the cells of a hierarchy of grids.
///
/// It takes all primitives that touch a box, lays a grid around them, assigns them to the cells they touch, and
/// recurses until a cell holds little or a smaller cell is not worth its memory. `docs/design/cell-index.md` describes
/// the design.
struct CellBuilder {
    /// One polygon, circle or corridor line, within one envelope.
    struct Primitive {
        let handle: UInt32
        let part: Int
        let kind: RegionLayer.Part.Kind
        let envelope: Envelope
        /// Degrees added to longitudes to move the shape into this envelope, for shapes that cross the antimeridian.
        let longitudeOffset: Double
        /// The grid cells that its envelope touches.
        let cells: CellRectangle
        /// Degrees; a cell no larger than this is not divided for this primitive.
        let minimumCellExtent: Double
    }

    /// One edge or boundary that touches a cell. Records of one primitive are consecutive; primitives are in the order
    /// of their handles.
    struct Record {
        var primitive: UInt32
        /// The index of the edge's first vertex, or one of the two values below.
        var edge: UInt32

        /// The primitive covers the cell.
        static let coversCell = UInt32.max
        /// A boundary that is not made of edges: a circle or corridor, or a polygon in a cell where rounding could
        /// decide.
        static let boundary = UInt32.max - 1
    }

    /// A cell whose boundary tests cost no more than this many edge tests is not divided.
    static let acceptableCost = 7

    /// Up to `splitFirstEdges` edges, a cell is split before a division is considered; up to `splitLaterEdges`, it is
    /// split if it is not divided.
    static let (splitFirstEdges, splitLaterEdges) = (8, 24)

    /// The number of records from which all processors are used.
    private let parallelThreshold: Int
    let parts: [RegionLayer.Part]
    let outlines: Outlines
    let circles: [PreparedCircle]
    let flatCircles: [FlatCircle]
    let grid: CellGrid
    let primitives: [Primitive]
    var storage: [UInt32] = []
    /// What follows the storage, if the cells of the root node were built in parallel.
    var partitions: [Partition] = []
    /// A limit on `storage` in words. Beyond it nothing is divided, so no input can exhaust the memory.
    var storageLimit: Int
    /// Offsets of words in `storage` that refer to a node, a leaf or a split by its offset.
    var references: [UInt32] = []
    var knownLeaves = KnownLeaves()
    var splitter = CellSplitter(maximumEdges: Self.splitLaterEdges)
    /// The classifications below and above each split of a cell. Like the two arrays below it is kept to reuse its
    /// memory.
    var classifications: [UInt32] = []
    /// The primitives of a cell with the outline of each polygon; `nil` where the primitive covers the cell.
    var owners: [(handle: UInt32, outline: Int?)] = []
    /// The entries of the leaf that is being written.
    var entries: [UInt32] = []
    /// The largest number of regions in one leaf.
    var maximumLeafCount = 1

    init(
        parts: [RegionLayer.Part], envelopes: [(part: Int, envelope: Envelope, longitudeOffset: Double)],
        outlines: Outlines,
        circles: [PreparedCircle], parallelThreshold: Int
    ) {
        self.parallelThreshold = parallelThreshold
        self.parts = parts
        self.outlines = outlines
        self.circles = circles
        flatCircles = circles.map { FlatCircle($0.circle) }
        var bounds = envelopes.first?.envelope ?? Envelope(west: 0, south: 0, east: 0, north: 0)
        for (_, envelope, _) in envelopes { bounds.formUnion(envelope) }
        let grid = CellGrid(bounds)
        self.grid = grid
        var edges = 0
        primitives = envelopes.compactMap { part, envelope, longitudeOffset in
            let extent = max(envelope.east - envelope.west, envelope.north - envelope.south)
            let minimumCellExtent: Double
            switch parts[part].kind {
            case .antimeridianBoundary: return nil
            case .polygon(let outline):
                let count = outlines.edgeCount(of: outline)
                edges += count
                minimumCellExtent = extent * 2 / Double(max(count, 8))
            case .circle: minimumCellExtent = extent / 8
            case .corridor(_, let halfWidth): minimumCellExtent = max(halfWidth / 111_000, extent / 256)
            }
            return Primitive(
                handle: parts[part].region.rawValue, part: part, kind: parts[part].kind, envelope: envelope,
                longitudeOffset: longitudeOffset,
                cells: grid.rectangle(envelope), minimumCellExtent: minimumCellExtent)
        }
        // An estimate of the final size.
        storage = Array(hugePagesCapacity: 4096 + 10 * edges)
        storageLimit = min(CellIndex.offsetLimit - (1 << 24), 4096 + 256 * primitives.count + 32 * edges)
    }

    /// - Precondition: handles are below `CellIndex.handleLimit`.
    mutating func build() -> CellIndex {
        precondition(primitives.allSatisfy { $0.handle < CellIndex.handleLimit }, "too many regions")
        var records: [Record] = Array(hugePagesCapacity: primitives.count + outlines.vertices.count)
        for (index, primitive) in primitives.enumerated() {
            let index = UInt32(index)
            if case .polygon(let outline) = primitive.kind {
                outlines.forEachEdge(of: outline) { records.append(Record(primitive: index, edge: UInt32($0))) }
            } else {
                records.append(Record(primitive: index, edge: Record.boundary))
            }
        }
        let all = CellRectangle(west: 0, south: 0, east: .max, north: .max)
        let window = CellWindow(all, columns: 1, rows: 1)
        var root = build(records.span, in: all, CellFrame(grid, window, column: 0, row: 0))
        if root & 3 != 1 {
            // The root must be a node; this one has a single cell.
            storage += [window.west, window.south, window.columnScale, window.rowScale, 1 | 1 << 16, 0, root]
            root = UInt32(storage.count - CellIndex.nodeHeader - 1) << 2 | 1
        }
        return CellIndex(
            grid: grid, root: root, storage: joinedStorage(), flatCircles: PinnedArray(flatCircles),
            maximumLeafCount: maximumLeafCount)
    }

    // MARK: Cells

    /// Classifies a cell that these records touch.
    private mutating func build(
        _ records: borrowing Span<Record>, in cell: CellRectangle, _ frame: CellFrame
    ) -> UInt32 {
        guard records.count > 0 else { return 0 }
        let box = grid.envelope(cell)
        let extent = max(box.east - box.west, box.north - box.south)
        var (cost, gain, coveringCount, crossings) = (0, 0, 0, 0)
        var first = 0
        while first < records.count {
            let end = endOfPrimitive(from: first, records)
            defer { first = end }
            if records[first].edge == Record.coversCell {
                coveringCount += 1
                continue
            }
            crossings += end - first
            let primitive = primitives[Int(records[first].primitive)]
            var ownCost = end - first + 1
            if case .circle = primitive.kind { ownCost = 4 }
            if case .corridor = primitive.kind { ownCost = 60 }
            cost += ownCost
            let mayDivide =
                extent > primitive.minimumCellExtent || (end - first > 16 && extent > primitive.minimumCellExtent / 64)
            if mayDivide { gain += ownCost }
        }
        if crossings > 0 && crossings <= Self.splitFirstEdges,
            let classification = classifyBySplits(records, in: cell, frame)
        {
            return classification
        }
        if crossings > 0 && cost > Self.acceptableCost && 2 * gain > Self.acceptableCost
            && storage.count < storageLimit,
            let window = window(around: records, in: cell, crossings: crossings, coveringCount: coveringCount)
        {
            return divide(records, in: cell, by: window)
        }
        if crossings > Self.splitFirstEdges && crossings <= Self.splitLaterEdges,
            let classification = classifyBySplits(records, in: cell, frame)
        {
            return classification
        }
        return classifyAsLeaf(records, in: cell)
    }

    func endOfPrimitive(from first: Int, _ records: borrowing Span<Record>) -> Int {
        let primitive = records[first].primitive
        var end = first + 1
        while end < records.count && records[end].primitive == primitive { end += 1 }
        return end
    }

    /// The grid cells that an edge can touch.
    private func rectangle(ofEdge edge: UInt32) -> CellRectangle {
        let (a, b) = (outlines.vertices[Int(edge)], outlines.vertices[Int(edge) + 1])
        return grid.rectangle(
            Envelope(
                west: min(a.longitude, b.longitude), south: min(a.latitude, b.latitude),
                east: max(a.longitude, b.longitude), north: max(a.latitude, b.latitude)))
    }

    /// The layout of a node around all primitives whose boundary is in a cell, with somewhat fewer cells than edges;
    /// `nil` where a division would not make smaller cells.
    private func window(
        around records: borrowing Span<Record>, in cell: CellRectangle, crossings: Int, coveringCount: Int
    ) -> CellWindow? {
        // A primitive covers nothing beyond its envelope. Between its edges and its envelope it may cover cells.
        var around: CellRectangle?
        for index in 0..<records.count where records[index].edge != Record.coversCell {
            if index > 0 && records[index].primitive == records[index - 1].primitive { continue }
            guard let touched = primitives[Int(records[index].primitive)].cells.intersection(cell) else { continue }
            if around == nil { around = touched } else { around?.formUnion(touched) }
        }
        // The root node spans the whole grid, so a lookup needs no bounds check there.
        let isRoot = storage.isEmpty
        guard let around = isRoot ? cell : around else { return nil }
        let box = grid.envelope(around)
        let (width, height) = (Double(around.east - around.west) + 1, Double(around.north - around.south) + 1)
        let middle = max(0.05, (1 - (box.south + box.north) * (box.south + box.north) / 32_400).squareRoot())
        let shape = (box.east - box.west) * middle / (box.north - box.south)
        // The root node gets more cells, which saves most lookups one level.
        var target = Double(min(max(crossings * (isRoot ? 5 : 4) / (5 * (1 + coveringCount / 2)), 6), 1 << 24))
        // At least two grid units per cell, so each cell is smaller than the parent's.
        let (mostColumns, mostRows) = (max((width / 2).rounded(.down), 1), max((height / 2).rounded(.down), 1))
        while true {
            var columns = min(max((target * shape).squareRoot().rounded(), 1), 4096)
            let rows = min(max((target / columns).rounded(), 1), 4096, mostRows)
            columns = min(max((target / rows).rounded(), 1), 4096, mostColumns)
            guard columns * rows >= 2 else { return nil }
            // The number of cells that the primitives would be listed in. A few large cells are better than many equal
            // lists.
            var touched = 0.0
            var last = UInt32.max
            for index in 0..<records.count where records[index].primitive != last {
                last = records[index].primitive
                guard let own = primitives[Int(last)].cells.intersection(around) else { continue }
                touched +=
                    (Double(own.east - own.west) / width * columns + 1)
                    * (Double(own.north - own.south) / height * rows + 1)
            }
            if target <= 6 || touched <= 6 * Double(crossings) + 64 {
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
        // An edge mostly touches two or three cells, and what is not used takes no memory.
        var found: [(cell: UInt32, record: Record)] = Array(hugePagesCapacity: records.count * 4)
        var covering: [Record] = []
        /// For each cell, the last primitive that has an edge in it.
        var marks = Array(hugePages: UInt32.max, count: count)
        var first = 0
        while first < records.count {
            let end = endOfPrimitive(from: first, records)
            defer { first = end }
            let record = records[first]
            if record.edge == Record.coversCell {
                covering.append(record)
                for index in 0..<count
                where strips.cell(column: index % window.columns, row: index / window.columns) != nil {
                    found.append((UInt32(index), record))
                }
                continue
            }
            let primitive = primitives[Int(record.primitive)]
            guard let touched = primitive.cells.intersection(cell) else { continue }
            guard case .polygon(let outline) = primitive.kind, record.edge != Record.boundary else {
                forEachCell(of: touched, window) { index, column, row in
                    guard let box = strips.box(column: column, row: row) else { return }
                    switch covers(primitive, all: box) {
                    case true?:
                        found.append((UInt32(index), Record(primitive: record.primitive, edge: Record.coversCell)))
                    case false?: break
                    case nil: found.append((UInt32(index), record))
                    }
                }
                continue
            }
            for index in first..<end {
                let edge = records[index]
                guard let edgeCells = rectangle(ofEdge: edge.edge).intersection(cell) else { continue }
                forEachCell(of: edgeCells, window) { index, column, row in
                    // An edge is recorded only in cells that it can touch, because later steps count these records.
                    guard let box = strips.box(column: column, row: row),
                        outlines.touches(Int(edge.edge), box, margin: CellGrid.margin)
                    else { return }
                    found.append((UInt32(index), edge))
                    marks[index] = edge.primitive
                }
            }
            // A cell without an edge is inside or outside as a whole, and has the same answer as its neighbour in the
            // row.
            var lastRow = -1
            var left: Bool?
            forEachCell(of: touched, window) { index, column, row in
                if row != lastRow { (lastRow, left) = (row, nil) }
                guard marks[index] != record.primitive, let box = strips.box(column: column, row: row) else {
                    left = nil
                    return
                }
                if left == nil {
                    switch outlines.locate(box.middle, in: outline) {
                    case .inside: left = true
                    case .outside: left = false
                    case .boundary, .uncertain:
                        // Not expected this far from an edge. A lookup in such a cell tests the whole outline.
                        found.append((UInt32(index), Record(primitive: record.primitive, edge: Record.boundary)))
                        return
                    }
                }
                if left == true {
                    found.append((UInt32(index), Record(primitive: record.primitive, edge: Record.coversCell)))
                }
            }
        }
        return write(found, covering, strips, window)
    }

    /// Groups the records by cell with a counting sort, writes the node and classifies its cells.
    private mutating func write(
        _ found: [(cell: UInt32, record: Record)], _ covering: [Record], _ strips: CellStrips, _ window: CellWindow
    ) -> UInt32 {
        let count = window.columns * window.rows
        var starts = Array(hugePages: UInt32(0), count: count + 1)
        for (cell, _) in found { starts[Int(cell) + 1] += 1 }
        for index in 0..<count { starts[index + 1] += starts[index] }
        var next = starts
        var sorted = Array(hugePages: Record(primitive: 0, edge: 0), count: found.count)
        for (cell, record) in found {
            sorted[Int(next[Int(cell)])] = record
            next[Int(cell)] += 1
        }
        // Padding that keeps the header within one cache line.
        while storage.count % CellIndex.wordsPerCacheLine > CellIndex.wordsPerCacheLine - CellIndex.nodeHeader {
            storage.append(0)
        }
        let node = storage.count
        storage += [
            window.west, window.south, window.columnScale, window.rowScale,
            UInt32(window.columns) | UInt32(window.rows) << 16, 0,
        ]
        storage.append(contentsOf: repeatElement(0, count: count))
        set(node + 5, classifyAsLeaf(covering.span, in: CellRectangle(west: 0, south: 0, east: 0, north: 0)))
        let isRoot = node == 0
        if isRoot && sorted.count >= parallelThreshold {
            buildInParallel(sorted, starts, strips, window)
        } else {
            for index in 0..<count where starts[index] < starts[index + 1] {
                let records = sorted.span.extracting(Int(starts[index])..<Int(starts[index + 1]))
                set(node + CellIndex.nodeHeader + index, build(records, index, of: strips, window))
            }
        }
        return UInt32(node) << 2 | 1
    }

    mutating func build(
        _ records: borrowing Span<Record>, _ index: Int, of strips: CellStrips, _ window: CellWindow
    ) -> UInt32 {
        let (row, column) = index.quotientAndRemainder(dividingBy: window.columns)
        guard let cell = strips.cell(column: column, row: row) else { return 0 }
        let frame = CellFrame(grid, window, column: column, row: row)
        return build(records, in: cell, frame)
    }

    /// Stores a classification at an offset and notes it if it refers to another offset.
    mutating func set(_ offset: Int, _ classification: UInt32) {
        storage[offset] = classification
        if Self.isReference(classification) { references.append(UInt32(offset)) }
    }

    mutating func append(classification: UInt32) {
        if Self.isReference(classification) { references.append(UInt32(storage.count)) }
        storage.append(classification)
    }

    static func isReference(_ classification: UInt32) -> Bool {
        classification & 1 == 1 && classification != CellIndex.unknown
    }

    /// Calls a closure with the index, the column and the row of each cell of a node that a rectangle touches, row by row.
    @inline(__always)
    private func forEachCell(
        of rectangle: CellRectangle, _ window: CellWindow, _ body: (_ index: Int, _ column: Int, _ row: Int) -> Void
    ) {
        // Coordinates beyond the last column are outside the node, which encloses all boundaries.
        guard rectangle.east >= window.west && rectangle.north >= window.south else { return }
        let columns = window.column(max(rectangle.west, window.west))...window.column(rectangle.east)
        let rows = window.row(max(rectangle.south, window.south))...window.row(rectangle.north)
        for row in rows where row < window.rows {
            for column in columns where column < window.columns { body(row * window.columns + column, column, row) }
        }
    }
}
