public import FencepostModel

extension RegionIndex {
    /// The index of a catalog that was made from this one's by `RegionCatalog.update`.
    ///
    /// Answers as an index that is built anew, and takes about as long as indexing what has changed since that was last
    /// done: changed regions are kept in a small layer of their own beside the others. When they have become too many,
    /// all are indexed again, which for 100 000 regions takes about two seconds; so make it beside whoever asks questions,
    /// and hand it over when it is there.
    ///
    /// - Parameter changed: the handles whose region was added, replaced or removed in between.
    /// - Precondition: a handle means the same region in both catalogs, as it does after any number of updates.
    public func updated(to catalog: RegionCatalog, changed handles: some Sequence<RegionHandle>) -> RegionIndex {
        var changed = changed
        for handle in handles { changed.insert(handle) }
        guard changed.count > 0 else { return RegionIndex(catalog, base: base, changed: changed, recent: nil) }
        // Twice the root balances what all changes until the next rebuilding cost with what that costs.
        let most = max(64, Int(2 * Double(catalog.handleCount).squareRoot()))
        guard changed.count <= most else { return RegionIndex(catalog, isConcurrent: false) }
        let recent = RegionLayer(changed.handles.compactMap { handle in catalog[handle].map { (handle, $0) } })
        return RegionIndex(catalog, base: base, changed: changed, recent: recent)
    }
}
