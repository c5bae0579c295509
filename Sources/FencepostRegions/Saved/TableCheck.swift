import FencepostGeometry
import FencepostModel

/// Checks that all indices in the tables of a layer are in their arrays, and that all coordinates are on earth.
struct TableCheck {
    /// Metres; longer than any radius or half width of a valid region.
    static let greatestLength = 2.1e7

    private let tables: RegionLayer.Tables
    private let regions: Int

    init(_ tables: RegionLayer.Tables, regions: Int) {
        self.tables = tables
        self.regions = regions
    }

    func run() throws(DamagedSection) {
        let outlines = tables.outlines
        try check(.vertices, outlines.vertices) { $0.isValid }
        let vertices = outlines.vertices.count
        try check(.blocks, outlines.blocks) {
            $0.edges >= 1 && $0.edges <= Outlines.edgesPerBlock && Int($0.first) + Int($0.edges) < vertices
        }
        guard outlines.boxes.count == outlines.blocks.count else { throw DamagedSection(.boxes) }
        try check(.boxes, outlines.boxes, isValid)
        try check(.nodes, outlines.nodes, isValid)
        let (nodes, levels, blocks) = (outlines.nodes.count, outlines.levels.count, outlines.blocks.count)
        try check(.levels, outlines.levels) { $0.isInOrder && $0.range.upperBound <= nodes }
        try check(.outlines, outlines.outlines) { outline in
            guard outline.blocks.isInOrder, outline.blocks.range.upperBound <= blocks,
                outline.levels.isInOrder, outline.levels.range.upperBound <= levels
            else { return false }
            // Each level has an eighth of the boxes of the level below.
            var count = outline.blocks.range.count
            for level in outline.levels.range {
                guard count > Outlines.fanOut else { return false }
                count = (count + Outlines.fanOut - 1) / Outlines.fanOut
                guard outlines.levels[level].range.count == count else { return false }
            }
            return true
        }
        guard outlines.runs.count == outlines.outlines.count else { throw DamagedSection(.runs) }
        try check(.runs, outlines.runs) { $0.edges == 0 || Int($0.first) + Int($0.edges) < vertices }
        try checkParts()
    }

    private func checkParts() throws(DamagedSection) {
        let (outlines, circles, corridors) = (
            tables.outlines.outlines.count, tables.circles.count, tables.corridors.count
        )
        for line in tables.corridors {
            guard line.outline < outlines, line.halfWidth >= 0, line.halfWidth <= Self.greatestLength else {
                throw DamagedSection(.corridors)
            }
        }
        let regions = regions
        var last: UInt32 = 0
        try check(.parts, tables.parts) { part in
            let region = part.region.rawValue
            guard region < regions, region >= last else { return false }
            last = region
            let (content, index) = part.reference
            switch content {
            case .polygon, .antimeridianBoundary: return index < outlines
            case .circle: return index < circles
            case .corridor: return index < corridors
            }
        }
        let parts = tables.parts.count
        try check(.owners, tables.owners) { $0 < parts }
        let owners = tables.owners.count
        guard tables.tree.items.count == owners else { throw DamagedSection(.treeItems) }
        try check(.treeItems, tables.tree.items) { $0 < owners }
        try check(.treeBoxes, tables.tree.boxes, isValid)
    }

    /// Whether it is an envelope near the earth; one around a circle may exceed 180° of longitude.
    private func isValid(_ box: Envelope) -> Bool {
        box.west <= box.east && box.south <= box.north && box.west >= -1000 && box.east <= 1000 && box.south >= -1000
            && box.north <= 1000
    }

    @inline(__always)
    private func check<Element>(
        _ section: LayerSection, _ array: PinnedArray<Element>, _ isValid: (Element) -> Bool
    ) throws(DamagedSection) {
        for element in UnsafeBufferPointer(start: array.start, count: array.count) {
            guard isValid(element) else { throw DamagedSection(section) }
        }
        withExtendedLifetime(array) {}
    }
}
