import FencepostGeometry

/// Where a device may go without a question: within it every position lies to the regions as its last fix did, in the
/// same of them and with no boundary nearer than the reach.
///
/// To find it out takes longer than a question, so it is asked for only where the last ones were worth it: a device
/// that is soon beyond them goes without for a while, and for longer each time.
struct CalmBox: Sendable {
    private var west = Float.infinity
    private var south = Float.infinity
    private var east = -Float.infinity
    private var north = -Float.infinity
    /// Metres, rounded down; below zero where nothing is known.
    private var reach: Float = -1
    /// How many fixes were within, at most 255.
    private var uses: UInt8 = 0
    /// How many fixes are still to go without, and how many times the wait was doubled.
    private var wait: UInt8 = 0
    private var doublings: UInt8 = 0

    private static let longestWait: UInt8 = 6

    init() {}

    /// Whether all that matters within so many metres of the coordinate is known.
    @inline(__always)
    func holds(_ coordinate: Coordinate, reach meters: Double) -> Bool {
        coordinate.longitude >= Double(west) && coordinate.longitude <= Double(east)
            && coordinate.latitude >= Double(south) && coordinate.latitude <= Double(north) && meters <= Double(reach)
    }

    @inline(__always)
    mutating func wasUsed() { if uses < 255 { uses += 1 } }

    /// Takes a fix that was beyond it, or for which nothing is known.
    ///
    /// - Parameter worth: how many fixes within make up for asking.
    /// - Returns: whether to ask for another one.
    mutating func leave(worth: UInt8, isNear: Bool) -> Bool {
        if reach >= 0 {
            forget()
            if uses < worth { giveUp() } else { doublings = 0 }
        }
        if isNear { return false }
        guard wait > 0 else { return true }
        wait -= 1
        return false
    }

    /// - Parameter envelope: `nil` where a boundary is so near that there is none.
    mutating func enter(_ envelope: SafeEnvelope?, reach meters: Double) {
        guard let envelope else { return giveUp() }
        (west, south, east, north) = (envelope.west, envelope.south, envelope.east, envelope.north)
        let near = Float(meters)
        reach = Double(near) > meters ? near.nextDown : near
        uses = 0
    }

    /// Holds nothing any more, whatever it was worth.
    mutating func forget() {
        (west, south, east, north) = (.infinity, .infinity, -.infinity, -.infinity)
        reach = -1
    }

    private mutating func giveUp() {
        doublings = min(doublings + 1, Self.longestWait)
        wait = 1 << doublings
    }
}
