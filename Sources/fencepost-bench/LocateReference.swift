import FencepostGEOS
import FencepostGeometry
import FencepostModel

/// The reference answers: GEOS for polygons, a linear scan for circles and corridors.
struct LocateReference: ~Copyable {
    private let tree: PreparedPolygonTree
    private var handles: [RegionHandle] = []
    private var others: [(RegionHandle, Shape)] = []
    private var indices: [Int] = []

    init(_ catalog: RegionCatalog) throws {
        var shapes: [MultiPolygon] = []
        for (handle, region) in catalog.regions {
            if case .polygons(let shape) = region.shape {
                shapes.append(shape)
                handles.append(handle)
            } else {
                others.append((handle, region.shape))
            }
        }
        tree = try PreparedPolygonTree(shapes, in: GEOSContext())
    }

    /// The regions that cover a coordinate, each once, in no particular order.
    mutating func covering(_ coordinate: Coordinate, into found: inout [RegionHandle]) throws {
        found.removeAll(keepingCapacity: true)
        try tree.covering(coordinate, into: &indices)
        for index in indices { found.append(handles[index]) }
        if abs(coordinate.longitude) == 180 {
            let opposite = Coordinate(latitude: coordinate.latitude, longitude: -coordinate.longitude)
            try tree.covering(opposite, into: &indices)
            for index in indices where !found.contains(handles[index]) { found.append(handles[index]) }
        }
        for (handle, shape) in others {
            switch shape {
            case .circle(let circle):
                // A degree of latitude is at least 110 km long.
                if abs(circle.center.latitude - coordinate.latitude) * 110_000 <= circle.radius,
                    Geodesic.distance(circle.center, coordinate) <= circle.radius
                {
                    found.append(handle)
                }
            case .corridor(let corridor):
                if corridor.covers(coordinate) { found.append(handle) }
            case .polygons: break
            }
        }
    }
}
