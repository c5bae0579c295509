import FencepostGeometry
import FencepostModel

/// Regions that were indexed in one go, by their handles.
///
/// A class, so that handing an index on copies one reference.
final class RegionLayer: Sendable {
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

    let tree: PackedTree
    /// In the order of their regions.
    let list: [Part]
    /// For each envelope of the tree the part that it belongs to; a part that reaches over 180° has two.
    let owners: [UInt32]
    let outlines: Outlines
    let circles: [PreparedCircle]
    let cells: CellIndex

    convenience init(_ catalog: RegionCatalog, concurrentFrom edges: Int = .max) {
        self.init(catalog.regions, concurrentFrom: edges)
    }

    /// - Parameters:
    ///   - regions: in the order of their handles.
    ///   - edges: with so many, circles and corridors counted as one each, all processors are used.
    init(
        _ regions: some Sequence<(handle: RegionHandle, region: Region)>, concurrentFrom edges: Int = .max
    ) {
        var builder = Builder()
        for (handle, region) in regions { builder.add(region.shape, of: handle) }
        tree = PackedTree(builder.envelopes)
        list = builder.list.trimmed
        owners = builder.owners.trimmed
        outlines = Outlines(builder.outlines)
        circles = builder.circles.trimmed
        let envelopes = zip(zip(builder.owners, builder.envelopes), builder.turns)
        var cells = CellBuilder(
            parts: list, envelopes: envelopes.map { (part: Int($0.0.0), envelope: $0.0.1, turn: $0.1) },
            outlines: outlines, circles: circles, concurrentFrom: edges)
        self.cells = cells.build()
    }

    /// The parts of a region; none when it is not in this layer.
    func parts(of handle: RegionHandle) -> ArraySlice<Part> {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].region < handle { low = middle + 1 } else { high = middle }
        }
        var end = low
        while end < list.count && list[end].region == handle { end += 1 }
        return list[low..<end]
    }

    func owner(_ envelope: UInt32) -> Part { list[Int(owners[Int(envelope)])] }

    private struct Builder {
        var list: [Part] = []
        var envelopes: [Envelope] = []
        /// What was added to longitudes to see each envelope where it is.
        var turns: [Double] = []
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

        private mutating func add(_ part: Part, _ envelopes: some Sequence<(envelope: Envelope, turn: Double)>) {
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
