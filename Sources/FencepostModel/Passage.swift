/// A straight way through a region that begins and ends outside of it.
public struct Passage: Hashable, Sendable {
    public var region: RegionHandle
    /// The fractions of the way at which it enters and leaves the region; where it does so more than once, those of
    /// the part that leads deepest into it.
    public var entry, exit: Double
    /// How far inside the deepest point of that part is, in metres to the boundary; found by looking at a few points.
    public var depth: Double

    public init(region: RegionHandle, entry: Double, exit: Double, depth: Double) {
        self.region = region
        self.entry = entry
        self.exit = exit
        self.depth = depth
    }
}
