package import FencepostRegionFiles

extension Configuration {
    /// How the region files are read.
    package func regionOptions(repair: Bool = false) -> RegionOptions {
        RegionOptions(repair: repair, idProperty: idProperty, radius: regionRadius)
    }
}
