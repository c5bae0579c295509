public import FencepostModel

/// What may be set about the monitor; the names are those of the config file.
public struct MonitorSettings: Hashable, Sendable, Codable {
    /// For regions that do not say.
    public var crossing = CrossingMode.confirmed
    /// How long a fix is held back so that later ones of earlier time can be sorted before it; zero or more.
    public var reorderWindow = Duration.zero
    /// Without a fix for this long a device is stale; `nil` turns it off.
    public var staleAfter: Duration? = .seconds(900)
    /// How far beyond the boundary `coreLocation` wants a device, in metres (rule REGION-07).
    public var cushion = 200.0
    /// How long `coreLocation` wants it to stay there (rule REGION-07).
    public var cushionStay = Duration.seconds(20)
    /// `nil` turns visits off.
    public var visits: VisitSettings? = VisitSettings()

    public init() {}
}
