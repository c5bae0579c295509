package import FencepostFiles
package import FencepostGeometry
package import FencepostModel

/// The cells, boundaries and tree of an index in a file, which are used where they are.
///
/// All of them are checked once, so that no lookup can read beyond them: a file may have any content. Whether the answers
/// are right is not checked; that is the purpose of the file's checksum.
package final class SavedLayer: Sendable {
    let layer: RegionLayer

    /// - Parameters:
    ///   - regions: the number of regions in the file.
    ///   - part: the bytes of a section, at an offset that is a multiple of 64.
    /// - Throws: the first section that cannot be used.
    package init(regions: Int, _ part: (LayerSection) -> MappedFile.Part?) throws(DamagedSection) {
        /// A section whose size is a multiple of that of its elements.
        func section(_ section: LayerSection) throws(DamagedSection) -> MappedFile.Part {
            guard let part = part(section), part.byteCount % section.stride == 0 else { throw DamagedSection(section) }
            return part
        }
        func array<Element: BitwiseCopyable & Sendable>(
            _ name: LayerSection
        ) throws(DamagedSection) -> PinnedArray<Element> {
            PinnedArray(try section(name))
        }
        let corridors: [CorridorLine] = Array(try section(.corridors).bytes.bindMemory(to: CorridorLine.self))
        let circles: [PreparedCircle] = try Self.circles(try section(.circles))
        guard let tree = PackedTree(boxes: try array(.treeBoxes), items: try array(.treeItems)) else {
            throw DamagedSection(.treeBoxes)
        }
        let tables = RegionLayer.Tables(
            tree: tree, parts: try array(.parts), corridors: corridors, owners: try array(.owners),
            outlines: Outlines(
                vertices: try array(.vertices), blocks: try array(.blocks), boxes: try array(.boxes),
                nodes: try array(.nodes), levels: try array(.levels), outlines: try array(.outlines),
                runs: try array(.runs)),
            circles: circles)
        try TableCheck(tables, regions: regions).run()
        guard let cells = CellIndex(header: try section(.grid), storage: try array(.cells), circles: circles) else {
            throw DamagedSection(.grid)
        }
        let check = CellCheck(
            cells, regions: regions, vertices: tables.outlines.vertices.count, circles: circles.count)
        guard check.isValid() else { throw DamagedSection(.cells) }
        layer = RegionLayer(tables, cells)
    }

    private static func circles(_ part: MappedFile.Part) throws(DamagedSection) -> [PreparedCircle] {
        let numbers = part.bytes.bindMemory(to: Double.self)
        var circles: [PreparedCircle] = []
        circles.reserveCapacity(numbers.count / 3)
        for first in stride(from: 0, to: numbers.count, by: 3) {
            let center = Coordinate(latitude: numbers[first], longitude: numbers[first + 1])
            guard center.isValid, numbers[first + 2] >= 0, numbers[first + 2] <= TableCheck.greatestLength else {
                throw DamagedSection(.circles)
            }
            circles.append(PreparedCircle(Circle(center: center, radius: numbers[first + 2])))
        }
        return circles
    }

    /// The shape of a region, as it was indexed.
    package func shape(of region: Int) -> Shape {
        var polygons: [Polygon] = []
        var lines: [[Coordinate]] = []
        var width = 0.0
        for part in layer.parts(of: RegionHandle(UInt32(region))) {
            switch part.kind {
            case .polygon(let outline):
                let rings = layer.outlines.chains(of: outline).map(LinearRing.init)
                guard let exterior = rings.first else { continue }
                polygons.append(Polygon(exterior: exterior, interiors: Array(rings.dropFirst())))
            case .circle(let circle): return .circle(layer.circles[circle].circle)
            case .corridor(let outline, let halfWidth):
                lines += layer.outlines.chains(of: outline)
                width = 2 * halfWidth
            case .antimeridianBoundary: break
            }
        }
        return lines.isEmpty ? .polygons(MultiPolygon(polygons)) : .corridor(Corridor(lines: lines, width: width))
    }
}

/// A section that is missing or cannot be used.
package struct DamagedSection: Error, Hashable, Sendable {
    package let section: LayerSection

    init(_ section: LayerSection) { self.section = section }
}

extension RegionIndex {
    /// An index in a file, over a catalog of the same regions.
    package init(_ catalog: RegionCatalog, saved: SavedLayer) {
        self.init(catalog, base: saved.layer, changed: RegionHandleSet(), recent: nil)
    }
}

extension Outlines {
    /// The rings or lines of an outline, as they were added.
    fileprivate func chains(of outline: Int) -> [[Coordinate]] {
        var chains: [[Coordinate]] = []
        // The vertex after which a block continues the one before; the vertices of two chains are not shared.
        var last = -1
        for number in outlines[outline].blocks.range {
            let block = blocks[number]
            let (first, end) = (Int(block.first), Int(block.first) + Int(block.edges))
            if first == last, !chains.isEmpty {
                chains[chains.count - 1] += UnsafeBufferPointer(start: vertices.start + first + 1, count: end - first)
            } else {
                chains.append(Array(UnsafeBufferPointer(start: vertices.start + first, count: end - first + 1)))
            }
            last = end
        }
        return chains
    }
}

extension CellIndex {
    fileprivate init?(header: MappedFile.Part, storage: PinnedArray<UInt32>, circles: [PreparedCircle]) {
        let numbers = header.bytes.bindMemory(to: UInt64.self)
        guard numbers.count == 7, numbers[5] <= UInt64(UInt32.max), numbers[6] >= 1,
            numbers[6] <= UInt64(storage.count) + 1
        else { return nil }
        let grid = CellGrid(
            west: Double(bitPattern: numbers[0]), south: Double(bitPattern: numbers[1]),
            perLongitude: Double(bitPattern: numbers[2]), perLatitude: Double(bitPattern: numbers[3]),
            touchesAntimeridian: numbers[4] != 0)
        guard grid.west.isFinite, grid.south.isFinite, grid.perLongitude.isFinite, grid.perLatitude.isFinite else {
            return nil
        }
        self.init(
            grid: grid, root: UInt32(numbers[5]), storage: storage,
            flatCircles: PinnedArray(circles.map { FlatCircle($0.circle) }), maximumLeafCount: Int(numbers[6]))
    }
}
