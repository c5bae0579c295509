import FencepostGEOS
import FencepostGeometry
import FencepostModel

/// GEOS for polygons; for circles and corridors, which it does not know, every one of them in reach.
struct LocateReference: ~Copyable {
    private let tree: PreparedPolygonTree
    private var handles: [RegionHandle] = []
    private var others: [(RegionHandle, Shape)] = []
    private var places: [Int] = []

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

    /// Each once, in no order.
    mutating func covering(_ coordinate: Coordinate, into found: inout [RegionHandle]) throws {
        found.removeAll(keepingCapacity: true)
        try tree.covering(coordinate, into: &places)
        for place in places { found.append(handles[place]) }
        if abs(coordinate.longitude) == 180 {
            let opposite = Coordinate(latitude: coordinate.latitude, longitude: -coordinate.longitude)
            try tree.covering(opposite, into: &places)
            for place in places where !found.contains(handles[place]) { found.append(handles[place]) }
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
