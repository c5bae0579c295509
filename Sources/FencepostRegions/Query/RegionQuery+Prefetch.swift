import CPrefetch
import FencepostGeometry
package import FencepostModel

/// Hints to the processor to load what `near(_:within:among:containing:into:)` reads of a region, some time before it is
/// called. With many regions it is not in the cache. They change no result.
extension RegionQuery {
    /// Loads the record of a region, which leads to its boundary.
    @inline(__always)
    package func prefetchRecord(of handle: RegionHandle) {
        fencepost_prefetch(smallRegions + min(Int(handle.rawValue), smallRegionCount))
    }

    /// Loads the boundary and the width of a region, some time after `prefetchRecord`.
    @inline(__always)
    package func prefetchBoundary(of handle: RegionHandle) {
        guard Int(handle.rawValue) < smallRegionCount else { return }
        let region = smallRegions[Int(handle.rawValue)]
        widths.prefetch(Int(region.part))
        let first = vertices + Int(region.run.first)
        for vertex in stride(from: 0, through: min(Int(region.run.edges), 32), by: 4) {
            fencepost_prefetch(first + vertex)
        }
    }
}
