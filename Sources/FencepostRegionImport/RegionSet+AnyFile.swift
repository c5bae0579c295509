package import FencepostRegionFiles

extension RegionSet {
    /// Reads region files of any format.
    package static func loadAny(paths: [String], options: RegionOptions = RegionOptions()) -> RegionSet {
        load(paths: paths, options: options, reader: AnyRegionFile.reader)
    }
}
