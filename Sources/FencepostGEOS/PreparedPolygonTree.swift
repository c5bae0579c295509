import CGEOS
public import FencepostGeometry

/// Prepared multipolygons in GEOS's own R-tree of envelopes (`GEOSSTRtree`).
///
/// It is the reference implementation for the region index, in tests and benchmarks: what a program with GEOS alone
/// would do. Like everything that belongs to a context, it is not `Sendable`.
public final class PreparedPolygonTree {
    private let context: GEOSContext
    private let tree: OpaquePointer
    private let polygons: [PreparedPolygons]

    /// - Throws: for a ring that is not closed or has one to three coordinates.
    public init(_ shapes: [MultiPolygon], in context: GEOSContext) throws(GEOSError) {
        var made: [PreparedPolygons] = []
        made.reserveCapacity(shapes.count)
        for shape in shapes { made.append(try PreparedPolygons(shape, in: context)) }
        guard let tree = GEOSSTRtree_create_r(context.handle, 10) else {
            throw context.failure(of: "GEOSSTRtree_create_r")
        }
        // The tree keeps pointers to the geometries, which live as long as `polygons`.
        for polygon in made {
            GEOSSTRtree_insert_r(
                context.handle, tree, polygon.geometry, Unmanaged.passUnretained(polygon).toOpaque())
        }
        for (index, polygon) in made.enumerated() { polygon.treeIndex = index }
        self.context = context
        self.tree = tree
        polygons = made
    }

    deinit {
        GEOSSTRtree_destroy_r(context.handle, tree)
    }

    private struct Search {
        let context: GEOSContextHandle_t
        let point: OpaquePointer
        var found: [Int]
        var hasFailed = false
    }

    /// The indices of the shapes that cover a coordinate, in no particular order.
    ///
    /// - Parameters:
    ///   - coordinate: the position to test; a boundary counts as covered.
    ///   - result: replaced.
    /// - Throws: `GEOSError` if a call of GEOS fails.
    public func covering(_ coordinate: Coordinate, into result: inout [Int]) throws(GEOSError) {
        let point = try context.makePoint(coordinate)
        defer { GEOSGeom_destroy_r(context.handle, point) }
        result.removeAll(keepingCapacity: true)
        var search = Search(context: context.handle, point: point, found: result)
        // Moved, not shared: a shared array would be copied.
        result = []
        withUnsafeMutablePointer(to: &search) { search in
            GEOSSTRtree_query_r(
                context.handle, tree, point,
                { item, search in
                    guard let item, let search = search?.assumingMemoryBound(to: Search.self) else { return }
                    let polygon = Unmanaged<PreparedPolygons>.fromOpaque(item).takeUnretainedValue()
                    switch GEOSPreparedCovers_r(search.pointee.context, polygon.prepared, search.pointee.point) {
                    case 0: break
                    case 1: search.pointee.found.append(polygon.treeIndex)
                    default: search.pointee.hasFailed = true
                    }
                }, search)
        }
        result = search.found
        if search.hasFailed { throw context.failure(of: "GEOSPreparedCovers_r") }
    }
}

@available(*, unavailable)
extension PreparedPolygonTree: Sendable {}
