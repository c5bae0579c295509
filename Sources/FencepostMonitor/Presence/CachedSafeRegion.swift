import FencepostGeometry

/// The safe region of one device, if one is cached: an area in which every position has the same relation to all regions
/// as the last fix. All positions are inside the same regions, and no boundary is within the search radius.
///
/// A fix inside it (a hit) needs no query of the region index. Computing a safe region costs more than a query, so a new
/// one is computed only if the last ones had enough hits; after each one with too few hits the device waits for four times
/// as many fixes, or for as many as it ever does where queries are cheap.
///
/// Source: Hu, Xu and Lee, "A generic framework for monitoring continuous spatial queries over moving objects",
/// SIGMOD 2005.
struct CachedSafeRegion: Sendable {
    private var west = Float.infinity
    private var south = Float.infinity
    private var east = -Float.infinity
    private var north = -Float.infinity
    /// Metres, rounded down; negative if nothing is cached.
    private var searchRadius: Float = -1
    /// The number of hits, at most 255.
    private var hits: UInt8 = 0
    /// The number of misses to wait before the next safe region is computed.
    private var wait: UInt8 = 0
    /// The wait is 2 to this power.
    private var doublings: UInt8 = 0

    private static let maximumDoublings: UInt8 = 7

    init() {}

    /// Whether a query around the coordinate with this search radius, in metres, would find what the last one found.
    @inline(__always)
    func contains(_ coordinate: Coordinate, searchRadius meters: Double) -> Bool {
        coordinate.longitude >= Double(west) && coordinate.longitude <= Double(east)
            && coordinate.latitude >= Double(south) && coordinate.latitude <= Double(north)
            && meters <= Double(searchRadius)
    }

    @inline(__always)
    mutating func recordHit() { if hits < 255 { hits += 1 } }

    /// Records a fix that needed a query, and drops the cached region.
    ///
    /// - Parameters:
    ///   - cost: the number of hits that save as much time as it takes to compute a safe region.
    ///   - isNearBoundary: whether a boundary is within the search radius, so that there is no safe region.
    /// - Returns: whether to compute a new safe region.
    mutating func recordMiss(cost: UInt8, isNearBoundary: Bool) -> Bool {
        if searchRadius >= 0 {
            removeAll()
            if hits < cost { lengthenWait(isCheap: cost > 8) } else { doublings = 0 }
        }
        if isNearBoundary { return false }
        guard wait > 0 else { return true }
        wait -= 1
        return false
    }

    /// - Parameters:
    ///   - envelope: `nil` if a boundary is too near for a safe region.
    ///   - meters: the search radius, in metres, that the envelope is valid for.
    mutating func store(_ envelope: SafeRegion?, searchRadius meters: Double) {
        guard let envelope else { return lengthenWait(isCheap: meters == 0) }
        (west, south, east, north) = (envelope.west, envelope.south, envelope.east, envelope.north)
        let nearest = Float(meters)
        searchRadius = Double(nearest) > meters ? nearest.nextDown : nearest
        hits = 0
    }

    private mutating func removeAll() {
        (west, south, east, north) = (.infinity, .infinity, -.infinity, -.infinity)
        searchRadius = -1
    }

    /// `isCheap` is whether queries are cheap: those of the covering regions only. Among many regions each safe region that
    /// fails takes as long as dozens of them, so the device waits as long as possible from the first failure on.
    private mutating func lengthenWait(isCheap: Bool) {
        doublings = isCheap ? Self.maximumDoublings : min(doublings + 2, Self.maximumDoublings)
        wait = 1 << doublings
    }
}
