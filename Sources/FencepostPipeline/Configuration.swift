import FencepostModel
public import FencepostMonitor

/// What Fencepost is told to do: the content of one config file, or the defaults where there is none.
public struct Configuration: Sendable {
    /// Region files, folders and patterns; paths are absolute or relative to the working folder.
    public var regions: [String] = []
    /// The property that names a region, where the files do not say `id`.
    public var idProperty: String?
    public var monitor = MonitorSettings()
    /// App files and patterns, paths as in `regions`.
    public var apps: [String] = []

    public init() {}
}
