public import FencepostModel
public import FencepostMonitor
public import FencepostRegions

/// A new set of regions for an engine, with all that can be computed without the engine's devices. For many regions that
/// takes seconds, so it runs concurrently with the engine.
public struct RegionReplacement: Sendable {
    /// The index over the new regions.
    public let index: RegionIndex
    let rules: WatchRules
    let removed: [RegionHandle: Region]
    let replaced: [RegionHandle]
    /// Revision of the catalog that is replaced.
    let revision: UInt32

    /// Compares two catalogs.
    ///
    /// - Parameters:
    ///   - catalog: the engine's catalog.
    ///   - index: over a catalog that `RegionCatalog.update` derived from it.
    ///   - settings: those of the engine.
    public init(of catalog: RegionCatalog, with index: RegionIndex, settings: MonitorSettings) {
        var removed: [RegionHandle: Region] = [:]
        var replaced: [RegionHandle] = []
        for (handle, region) in catalog.regions {
            guard let next = index.catalog[handle] else {
                removed[handle] = region
                continue
            }
            if !region.sharesDeviceState(with: next) { replaced.append(handle) }
        }
        (self.index, self.removed, self.replaced) = (index, removed, replaced)
        rules = WatchRules(index.catalog, settings)
        revision = catalog.revision
    }
}
