public import FencepostModel
public import FencepostMonitor
public import FencepostRegions

/// Other regions for an engine to go on with, and all that follows from them for any device: what takes long for many
/// regions is made beside the engine.
public struct RegionReplacement: Sendable {
    public let index: RegionIndex
    let rules: WatchRules
    let removed: [RegionHandle: Region]
    let replaced: [RegionHandle]
    /// Of the catalog that it was made for.
    let revision: UInt32

    /// - Parameters:
    ///   - catalog: the engine's.
    ///   - index: of a catalog that `RegionCatalog.update` made of it.
    public init(of catalog: RegionCatalog, with index: RegionIndex, settings: MonitorSettings) {
        var removed: [RegionHandle: Region] = [:]
        var replaced: [RegionHandle] = []
        for (handle, region) in catalog.regions {
            guard let next = index.catalog[handle] else {
                removed[handle] = region
                continue
            }
            if !region.isWatchedAlike(next) { replaced.append(handle) }
        }
        (self.index, self.removed, self.replaced) = (index, removed, replaced)
        rules = WatchRules(index.catalog, settings)
        revision = catalog.revision
    }
}
