import FencepostGeometry
public import FencepostModel

/// A spatial index over the regions of a catalog, for fast and exact point-in-region queries.
///
/// It is immutable, so threads may share it. Queries go through a `RegionQuery`, of which each thread needs its own.
/// `docs/design/cell-index.md` describes the design.
public struct RegionIndex: Sendable {
    /// The regions of the index.
    public let catalog: RegionCatalog
    /// All regions at the time of the last full build.
    let base: RegionLayer
    /// The regions that have changed since; the answers of `base` for these are ignored.
    let changed: RegionHandleSet
    /// The current versions of the changed regions; `nil` if there are none.
    let recent: RegionLayer?

    /// Indexes all regions of a catalog.
    ///
    /// - Parameters:
    ///   - catalog: the regions.
    ///   - isConcurrent: whether the build may use all processors; the answers are the same.
    public init(_ catalog: RegionCatalog, isConcurrent: Bool = true) {
        self.init(
            catalog, base: RegionLayer(catalog, parallelThreshold: isConcurrent ? CellBuilder.parallelThreshold : .max),
            changed: RegionHandleSet(), recent: nil)
    }

    init(_ catalog: RegionCatalog, base: RegionLayer, changed: RegionHandleSet, recent: RegionLayer?) {
        self.catalog = catalog
        self.base = base
        self.changed = changed
        self.recent = recent
    }

    /// The layer with the current version of a region.
    func layer(of handle: RegionHandle) -> RegionLayer {
        if let recent, changed.contains(handle) { recent } else { base }
    }
}
