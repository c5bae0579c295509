import FencepostGeometry
import FencepostModel

/// Regions that were indexed together, by handle.
///
/// It is a class, so passing an index on copies one reference.
final class RegionLayer: Sendable {
    /// One polygon, circle or line of a region, with an envelope of its own.
    struct Part: Sendable {
        enum Kind {
            /// A polygon with its holes, by its outline.
            case polygon(Int)
            case circle(Int)
            /// Lines, by their outline, and the half width around them in metres.
            case corridor(Int, Double)
            /// Edges along 180° of longitude where a region ends: used for distances only.
            case antimeridianBoundary(Int)
        }

        var region: RegionHandle
        var kind: Kind
    }

    let tree: PackedTree
    /// In the order of their regions.
    let parts: PinnedArray<PackedPart>
    /// The lines of corridors, with the half width around them.
    let corridors: [CorridorLine]
    /// For each envelope of the tree the part that it belongs to; a part that crosses 180° has two.
    let owners: PinnedArray<UInt32>
    /// Whether each envelope belongs to the part with its index, so that `owners` need not be read.
    private let ownsInOrder: Bool
    let outlines: Outlines
    let circles: [PreparedCircle]
    let cells: CellIndex
    /// The widths of regions, by the first part of each.
    let widths: SharedNumbers
    /// For each handle and the one after the last, the number of parts of lower handles; empty if most handles below the
    /// last one are not in this layer.
    private let firstParts: [UInt32]
    /// For each handle the region, if it is one polygon of few edges; empty if `firstParts` is.
    let smallRegions: PinnedArray<SmallRegion>

    convenience init(_ catalog: RegionCatalog, parallelThreshold edges: Int = .max) {
        self.init(catalog.regions, parallelThreshold: edges)
    }

    /// - Parameters:
    ///   - regions: in the order of their handles.
    ///   - edges: from this many edges on (a circle or corridor counts as one) all processors are used.
    convenience init(
        _ regions: some Sequence<(handle: RegionHandle, region: Region)>, parallelThreshold edges: Int = .max
    ) {
        var builder = Builder()
        for (handle, region) in regions { builder.add(region.shape, of: handle) }
        let outlines = Outlines(builder.outlines)
        let envelopes = zip(zip(builder.owners, builder.envelopes), builder.longitudeOffsets)
        var cells = CellBuilder(
            parts: builder.allParts,
            envelopes: envelopes.map { (part: Int($0.0.0), envelope: $0.0.1, longitudeOffset: $0.1) },
            outlines: outlines, circles: builder.circles, parallelThreshold: edges)
        var corridors: [CorridorLine] = []
        let parts = builder.allParts.map { PackedPart($0, &corridors) }
        self.init(
            Tables(
                tree: PackedTree(builder.envelopes), parts: PinnedArray(parts), corridors: corridors,
                owners: PinnedArray(builder.owners), outlines: outlines, circles: builder.circles),
            cells.build())
    }

    /// What a layer consists of in addition to its cells.
    struct Tables {
        var tree: PackedTree
        var parts: PinnedArray<PackedPart>
        var corridors: [CorridorLine]
        var owners: PinnedArray<UInt32>
        var outlines: Outlines
        var circles: [PreparedCircle]
    }

    init(_ tables: Tables, _ cells: CellIndex) {
        tree = tables.tree
        (parts, corridors, owners) = (tables.parts, tables.corridors, tables.owners)
        (outlines, circles) = (tables.outlines, tables.circles)
        self.cells = cells
        let owners = tables.owners
        ownsInOrder = (0..<owners.count).allSatisfy { owners[$0] == $0 }
        widths = SharedNumbers(count: parts.count)
        firstParts = Self.firstParts(parts)
        smallRegions = PinnedArray(Self.smallRegions(parts, firstParts, outlines))
    }

    /// The part at an index in `parts`.
    @inline(__always)
    func part(_ number: Int) -> Part { parts[unchecked: number].part(corridors) }

    /// The parts of a region; empty if it is not in this layer.
    func parts(of handle: RegionHandle) -> some RandomAccessCollection<Part> {
        partNumbers(of: handle).lazy.map { self.part($0) }
    }

    /// The indices in `parts` of the parts of a region; empty if it is not in this layer.
    func partNumbers(of handle: RegionHandle) -> Range<Int> {
        if !firstParts.isEmpty {
            guard Int(handle.rawValue) + 1 < firstParts.count else { return parts.count..<parts.count }
            return Int(firstParts[Int(handle.rawValue)])..<Int(firstParts[Int(handle.rawValue) + 1])
        }
        let start = (0..<parts.count).partitioningIndex { parts[$0].region >= handle }
        var end = start
        while end < parts.count && parts[end].region == handle { end += 1 }
        return start..<end
    }

    private static func firstParts(_ parts: PinnedArray<PackedPart>) -> [UInt32] {
        guard parts.count > 0 else { return [] }
        let last = parts[parts.count - 1].region.rawValue
        guard Int(last) < 4 * parts.count else { return [] }
        var first = [UInt32](repeating: 0, count: Int(last) + 2)
        for number in 0..<parts.count { first[Int(parts[number].region.rawValue) + 1] += 1 }
        for handle in 0...Int(last) { first[handle + 1] += first[handle] }
        return first
    }

    /// What the distance and the width of a region of one short run need, in one record.
    struct SmallRegion: Sendable {
        /// `none` for other regions.
        var run: EdgeRun
        /// The index of its part in `parts`, which is that of its width.
        var part: UInt32
    }

    private static func smallRegions(
        _ parts: PinnedArray<PackedPart>, _ firstParts: [UInt32], _ outlines: Outlines
    ) -> [SmallRegion] {
        zip(firstParts, firstParts.dropFirst()).map { first, next in
            guard next == first + 1, let outline = parts[Int(first)].polygon else {
                return SmallRegion(run: .none, part: first)
            }
            return SmallRegion(run: outlines.runs[outline], part: first)
        }
    }

    /// The size of `widths`, `firstParts` and `smallRegions` in bytes.
    var tableByteCount: Int {
        widths.count * MemoryLayout<UInt64>.stride + firstParts.count * MemoryLayout<UInt32>.stride
            + smallRegions.count * MemoryLayout<SmallRegion>.stride
    }

    func owner(_ envelope: UInt32) -> Part {
        part(ownsInOrder ? Int(envelope) : Int(owners[unchecked: Int(envelope)]))
    }

    private struct Builder {
        var allParts: [Part] = []
        var envelopes: [Envelope] = []
        /// For each envelope, the degrees that were added to longitudes.
        var longitudeOffsets: [Double] = []
        var owners: [UInt32] = []
        var outlines = OutlineBuilder()
        var circles: [PreparedCircle] = []

        mutating func add(_ shape: Shape, of handle: RegionHandle) {
            switch shape {
            case .polygons(let shape):
                for polygon in shape.polygons {
                    let outline = outlines.append(polygon.rings.map(\.coordinates))
                    guard let envelope = outlines.envelope(of: outline) else { continue }
                    add(Part(region: handle, kind: .polygon(outline)), [(envelope, 0)])
                }
                let openEdges = shape.boundaryOnAntimeridian
                if !openEdges.isEmpty {
                    let outline = outlines.append(openEdges)
                    if let envelope = outlines.envelope(of: outline) {
                        add(Part(region: handle, kind: .antimeridianBoundary(outline)), [(envelope, 0)])
                    }
                }
            case .circle(let circle):
                circles.append(PreparedCircle(circle))
                let center = Envelope(
                    west: circle.center.longitude, south: circle.center.latitude, east: circle.center.longitude,
                    north: circle.center.latitude)
                add(
                    Part(region: handle, kind: .circle(circles.count - 1)),
                    center.expanded(by: circle.radius).parts)
            case .corridor(let corridor):
                for line in corridor.lines {
                    let outline = outlines.append([line])
                    guard let envelope = outlines.envelope(of: outline) else { continue }
                    add(
                        Part(region: handle, kind: .corridor(outline, corridor.width / 2)),
                        envelope.expanded(by: corridor.width / 2).parts)
                }
            }
        }

        private mutating func add(
            _ part: Part, _ envelopes: some Sequence<(envelope: Envelope, longitudeOffset: Double)>
        ) {
            for (envelope, longitudeOffset) in envelopes {
                self.envelopes.append(envelope)
                longitudeOffsets.append(longitudeOffset)
                owners.append(UInt32(allParts.count))
            }
            allParts.append(part)
        }
    }
}

extension MultiPolygon {
    /// The edges along 180° of longitude that are a boundary on the ground: where the area on one side does not
    /// continue on the other.
    var boundaryOnAntimeridian: [[Coordinate]] {
        var east: [ClosedRange<Double>] = []
        var west: [ClosedRange<Double>] = []
        for polygon in polygons {
            for ring in polygon.rings {
                for (a, b) in zip(ring.coordinates, ring.coordinates.dropFirst())
                where a.longitude == b.longitude && abs(a.longitude) == 180 && a.latitude != b.latitude {
                    let interval = min(a.latitude, b.latitude)...max(a.latitude, b.latitude)
                    if a.longitude > 0 { east.append(interval) } else { west.append(interval) }
                }
            }
        }
        guard !(east.isEmpty && west.isEmpty) else { return [] }
        let latitudes = Set((east + west).flatMap { [$0.lowerBound, $0.upperBound] }).sorted()
        return zip(latitudes, latitudes.dropFirst()).compactMap { low, high in
            let middle = (low + high) / 2
            let isEast = east.contains { $0.contains(middle) }
            guard isEast != west.contains(where: { $0.contains(middle) }) else { return nil }
            return [low, high].map { Coordinate(latitude: $0, longitude: isEast ? 180 : -180) }
        }
    }
}
