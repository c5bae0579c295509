/// A region that a straight track segment enters and leaves: both ends of the segment lie outside.
///
/// `RegionQuery` finds it and `DeviceMonitor` decides whether it becomes an entry and an exit.
public struct PassThrough: Hashable, Sendable {
    /// The region, in the catalog of the query.
    public var region: RegionHandle
    /// The fractions of the segment, 0 to 1, at which it enters and leaves the region.
    ///
    /// If the segment enters more than once, these belong to the part that leads deepest into the region.
    public var entry, exit: Double
    /// Distance in metres from the deepest point of that part to the boundary. Estimated from a few sample points.
    public var depth: Double

    /// A pass between two fractions of the segment, with its depth in metres.
    public init(region: RegionHandle, entry: Double, exit: Double, depth: Double) {
        self.region = region
        self.entry = entry
        self.exit = exit
        self.depth = depth
    }
}
