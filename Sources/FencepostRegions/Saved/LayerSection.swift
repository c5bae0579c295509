import FencepostGeometry

/// The parts of a saved index that are arrays of an index in memory. The numbers are those in files.
package enum LayerSection: UInt32, CaseIterable, Sendable {
    /// The numbers of a `CellGrid`, the root of the cells and the largest number of regions in a leaf.
    case grid = 32
    case treeBoxes, treeItems, owners, parts, corridors, circles
    case vertices, blocks, boxes, nodes, levels, outlines, runs
    case cells

    /// The size of an element in bytes, which is a multiple of its alignment.
    var stride: Int {
        switch self {
        case .grid: MemoryLayout<UInt64>.stride
        case .treeBoxes, .boxes, .nodes: MemoryLayout<Envelope>.stride
        case .treeItems, .owners, .cells: MemoryLayout<UInt32>.stride
        case .parts: MemoryLayout<PackedPart>.stride
        case .corridors: MemoryLayout<CorridorLine>.stride
        case .circles: 3 * MemoryLayout<Double>.stride
        case .vertices: MemoryLayout<Coordinate>.stride
        case .blocks: MemoryLayout<Outlines.Block>.stride
        case .levels: MemoryLayout<Outlines.Level>.stride
        case .outlines: MemoryLayout<Outlines.Outline>.stride
        case .runs: MemoryLayout<EdgeRun>.stride
        }
    }
}

extension RegionIndex {
    /// Calls a closure with the bytes of each section of the index, in the order of their numbers.
    ///
    /// - Precondition: the index was built as a whole, not updated.
    package func forEachSection<Problem: Error>(
        _ body: (LayerSection, UnsafeRawBufferPointer) throws(Problem) -> Void
    ) throws(Problem) {
        precondition(recent == nil && changed.count == 0, "an index with changes cannot be saved")
        let layer = base
        for section in LayerSection.allCases {
            switch section {
            case .grid: try Self.put(section, layer.cells.header, body)
            case .treeBoxes: try Self.put(section, layer.tree.boxes, body)
            case .treeItems: try Self.put(section, layer.tree.items, body)
            case .owners: try Self.put(section, layer.owners, body)
            case .parts: try Self.put(section, layer.parts, body)
            case .corridors: try Self.put(section, layer.corridors, body)
            case .circles:
                let numbers = layer.circles.flatMap {
                    [$0.circle.center.latitude, $0.circle.center.longitude, $0.circle.radius]
                }
                try Self.put(section, numbers, body)
            case .vertices: try Self.put(section, layer.outlines.vertices, body)
            case .blocks: try Self.put(section, layer.outlines.blocks, body)
            case .boxes: try Self.put(section, layer.outlines.boxes, body)
            case .nodes: try Self.put(section, layer.outlines.nodes, body)
            case .levels: try Self.put(section, layer.outlines.levels, body)
            case .outlines: try Self.put(section, layer.outlines.outlines, body)
            case .runs: try Self.put(section, layer.outlines.runs, body)
            case .cells: try Self.put(section, layer.cells.storage, body)
            }
        }
    }

    private static func put<Element, Problem: Error>(
        _ section: LayerSection, _ array: PinnedArray<Element>,
        _ body: (LayerSection, UnsafeRawBufferPointer) throws(Problem) -> Void
    ) throws(Problem) {
        try body(section, UnsafeRawBufferPointer(start: array.start, count: array.byteCount))
        // The array frees the bytes when nothing refers to it.
        withExtendedLifetime(array) {}
    }

    private static func put<Element, Problem: Error>(
        _ section: LayerSection, _ array: [Element],
        _ body: (LayerSection, UnsafeRawBufferPointer) throws(Problem) -> Void
    ) throws(Problem) where Element: Sendable {
        try put(section, PinnedArray(array), body)
    }
}

extension CellIndex {
    /// The words of the section `grid`.
    fileprivate var header: [UInt64] {
        [
            grid.west.bitPattern, grid.south.bitPattern, grid.perLongitude.bitPattern, grid.perLatitude.bitPattern,
            grid.touchesAntimeridian ? 1 : 0, UInt64(root), UInt64(maximumLeafCount),
        ]
    }
}
