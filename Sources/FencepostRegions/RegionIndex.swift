import FencepostGeometry
public import FencepostModel

/// Where the regions of a catalog are, for fast and exact answers; it never changes and any thread may share it.
///
/// Questions are asked through a `RegionQuery`, of which each thread has its own.
public struct RegionIndex: Sendable {
    public let catalog: RegionCatalog
    /// All regions, as they were when it was built.
    let base: RegionLayer
    /// Those of them that have changed since: what `base` says of one of these does not count.
    let changed: RegionHandleSet
    /// The changed regions as they are now; `nil` as long as there are none.
    let recent: RegionLayer?

    /// - Parameter isConcurrent: whether all processors may be used; the answers are the same.
    public init(_ catalog: RegionCatalog, isConcurrent: Bool = true) {
        self.init(
            catalog, base: RegionLayer(catalog, concurrentFrom: isConcurrent ? CellBuilder.manyRecords : .max),
            changed: RegionHandleSet(), recent: nil)
    }

    init(_ catalog: RegionCatalog, base: RegionLayer, changed: RegionHandleSet, recent: RegionLayer?) {
        self.catalog = catalog
        self.base = base
        self.changed = changed
        self.recent = recent
    }

    /// The layer that knows a region as it is now.
    func layer(of handle: RegionHandle) -> RegionLayer {
        if let recent, changed.contains(handle) { recent } else { base }
    }
}
