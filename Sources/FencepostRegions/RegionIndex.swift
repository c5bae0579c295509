import FencepostGeometry
public import FencepostModel

/// Where the regions of a catalog are, for fast and exact answers; it never changes and any thread may share it.
///
/// Questions are asked through a `RegionQuery`, of which each thread has its own.
public struct RegionIndex: Sendable {
    public let catalog: RegionCatalog
    let parts: Parts

    public init(_ catalog: RegionCatalog) {
        self.catalog = catalog
        parts = Parts(catalog)
    }

    /// One piece of a region that has an envelope of its own.
    struct Part: Sendable {
        enum Kind {
            /// A polygon with its holes, by its outline.
            case polygon(Int)
            case circle(Int)
            /// Lines, by their outline, and half the width around them.
            case corridor(Int, Double)
            /// Stretches at 180° of longitude where a region really ends: counts for distances only.
            case seamBoundary(Int)
        }

        var region: RegionHandle
        var kind: Kind
    }

    /// A class, so that handing the index on copies one reference.
    final class Parts: Sendable {
        let tree: PackedTree
        let list: [Part]
        /// For each envelope of the tree the part that it belongs to; a part that reaches over 180° has two.
        let owners: [UInt32]
        let outlines: Outlines
        let circles: [PreparedCircle]
        /// The parts of each region: `list[ranges[handle]]`.
        let ranges: [Range<Int>]
        let cells: CellIndex

        init(_ catalog: RegionCatalog) {
            var builder = Builder()
            for (handle, region) in catalog.regions {
                while builder.ranges.count < Int(handle.rawValue) { builder.ranges.append(0..<0) }
                let first = builder.list.count
                builder.add(region.shape, of: handle)
                builder.ranges.append(first..<builder.list.count)
            }
            while builder.ranges.count < catalog.handleCount { builder.ranges.append(0..<0) }
            tree = PackedTree(builder.envelopes)
            list = builder.list.trimmed
            owners = builder.owners.trimmed
            outlines = Outlines(builder.outlines)
            circles = builder.circles.trimmed
            ranges = builder.ranges.trimmed
            let envelopes = zip(zip(builder.owners, builder.envelopes), builder.turns)
            var cells = CellBuilder(
                parts: list, envelopes: envelopes.map { (part: Int($0.0.0), envelope: $0.0.1, turn: $0.1) },
                outlines: outlines, circles: circles)
            self.cells = cells.build()
        }
    }

    private struct Builder {
        var list: [Part] = []
        var envelopes: [Envelope] = []
        /// What was added to longitudes to see each envelope where it is.
        var turns: [Double] = []
        var owners: [UInt32] = []
        var outlines = OutlineBuilder()
        var circles: [PreparedCircle] = []
        var ranges: [Range<Int>] = []

        mutating func add(_ shape: Shape, of handle: RegionHandle) {
            switch shape {
            case .polygons(let shape):
                for polygon in shape.polygons {
                    let outline = outlines.append(polygon.rings.map(\.coordinates))
                    guard let envelope = outlines.envelope(of: outline) else { continue }
                    add(Part(region: handle, kind: .polygon(outline)), [(envelope, 0)])
                }
                let ends = shape.boundaryOnSeam
                if !ends.isEmpty {
                    let outline = outlines.append(ends)
                    if let envelope = outlines.envelope(of: outline) {
                        add(Part(region: handle, kind: .seamBoundary(outline)), [(envelope, 0)])
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

        private mutating func add(_ part: Part, _ envelopes: [(envelope: Envelope, turn: Double)]) {
            for (envelope, turn) in envelopes {
                self.envelopes.append(envelope)
                turns.append(turn)
                owners.append(UInt32(list.count))
            }
            list.append(part)
        }
    }
}

extension MultiPolygon {
    /// The stretches along 180° of longitude that are boundary on the ground: where the area on one side does not go
    /// on at the other.
    var boundaryOnSeam: [[Coordinate]] {
        var east: [ClosedRange<Double>] = []
        var west: [ClosedRange<Double>] = []
        for polygon in polygons {
            for ring in polygon.rings {
                for (a, b) in zip(ring.coordinates, ring.coordinates.dropFirst())
                where a.longitude == b.longitude && abs(a.longitude) == 180 && a.latitude != b.latitude {
                    let stretch = min(a.latitude, b.latitude)...max(a.latitude, b.latitude)
                    if a.longitude > 0 { east.append(stretch) } else { west.append(stretch) }
                }
            }
        }
        guard !(east.isEmpty && west.isEmpty) else { return [] }
        let cuts = Set((east + west).flatMap { [$0.lowerBound, $0.upperBound] }).sorted()
        return zip(cuts, cuts.dropFirst()).compactMap { low, high in
            let middle = (low + high) / 2
            let isEast = east.contains { $0.contains(middle) }
            guard isEast != west.contains(where: { $0.contains(middle) }) else { return nil }
            return [low, high].map { Coordinate(latitude: $0, longitude: isEast ? 180 : -180) }
        }
    }
}
