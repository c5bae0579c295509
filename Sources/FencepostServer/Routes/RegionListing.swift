import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import Synchronization

/// The sorted ids of all regions, computed once per change of the regions.
final class RegionListing: Sendable {
    private let known = Mutex<(revision: UInt32, ids: [RegionID])?>(nil)

    /// The ids of a catalog, sorted by bytes.
    func ids(of catalog: RegionCatalog) -> [RegionID] {
        if let known = known.withLock({ $0 }), known.revision == catalog.revision { return known.ids }
        let ids = catalog.regions.map(\.region.id).sorted()
        known.withLock { $0 = (catalog.revision, ids) }
        return ids
    }
}

extension Region {
    /// The region as one canonical GeoJSON feature.
    var feature: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    /// The tag that `If-Match` is compared with.
    var tag: EntityTag { EntityTag(of: feature) }

    var location: String { "/v1/regions/\(id.rawValue.percentEncoded)" }
}
