public import FencepostModel

extension RegionIndex {
    /// The index of a catalog that results from `RegionCatalog.update` on this index's catalog.
    ///
    /// Changed regions go into a small second layer, so an update costs about as much as indexing the regions that
    /// changed since the last full build. When too many have changed, all regions are indexed again, which takes about
    /// two seconds for 100 000 regions; so build the index on a background thread and switch over when it is complete.
    ///
    /// - Parameters:
    ///   - catalog: the catalog after the updates.
    ///   - handles: the regions that were added, replaced or removed in between.
    /// - Returns: an index with the answers of a new one.
    /// - Precondition: a handle means the same region in both catalogs, as it does after any number of updates.
    public func updated(to catalog: RegionCatalog, changed handles: some Sequence<RegionHandle>) -> RegionIndex {
        var changed = changed
        for handle in handles { changed.insert(handle) }
        guard changed.count > 0 else { return RegionIndex(catalog, base: base, changed: changed, recent: nil) }
        // Twice the square root balances the cost of all updates until the next full build with the cost of that build.
        let limit = max(64, Int(2 * Double(catalog.handleCount).squareRoot()))
        guard changed.count <= limit else { return RegionIndex(catalog, isConcurrent: false) }
        let recent = RegionLayer(changed.handles.compactMap { handle in catalog[handle].map { (handle, $0) } })
        return RegionIndex(catalog, base: base, changed: changed, recent: recent)
    }
}
