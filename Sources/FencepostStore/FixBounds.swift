import FencepostGeometry
import GRDB

/// The rectangle around fixes, in ten-millionths of a degree, as the columns of a segment have it.
///
/// It contains the line between any two of the fixes that is straight in longitude and latitude and as short as the antimeridian
/// lets it be: it is less than half around the earth, or all around.
struct FixBounds: Hashable, Sendable {
    /// Parts of a degree.
    static let degree = 1e7
    private static let half = Int64(180 * degree)

    /// Parallels, `south` at most `north`; and meridians. Where `west` is above `east` the antimeridian lies between them.
    var south, west, north, east: Int64

    /// The whole earth.
    static let everywhere = FixBounds(south: -half / 2, west: -half, north: half / 2, east: half)

    /// Bounds by their numbers.
    init(south: Int64, west: Int64, north: Int64, east: Int64) {
        (self.south, self.west, self.north, self.east) = (south, west, north, east)
    }

    /// Finds the bounds of fixes one by one, with a few comparisons for each.
    struct Builder {
        private var south = Double.infinity
        private var north = -Double.infinity
        private var west = Double.infinity
        private var east = -Double.infinity
        // The fix nearest to 0° on either side.
        private var leastEast = Double.infinity
        private var mostWest = -Double.infinity

        /// Adds a fix.
        @inline(__always)
        mutating func add(_ coordinate: Coordinate) {
            let (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
            if latitude < south { south = latitude }
            if latitude > north { north = latitude }
            if longitude < west { west = longitude }
            if longitude > east { east = longitude }
            if longitude >= 0 {
                if longitude < leastEast { leastEast = longitude }
            } else if longitude > mostWest {
                mostWest = longitude
            }
        }

        /// The bounds, which touch nothing without a fix.
        var bounds: FixBounds {
            guard south <= north else { return FixBounds(south: 1, west: 0, north: 0, east: 0) }
            var (west, east) = (west, east)
            if east - west >= 180 {
                let crossesAntimeridian = mostWest + 360 - leastEast < 180
                (west, east) = crossesAntimeridian ? (leastEast, mostWest) : (-180, 180)
            }
            return FixBounds(
                south: FixBounds.part(south, .down), west: FixBounds.part(west, .down),
                north: FixBounds.part(north, .up), east: FixBounds.part(east, .up))
        }
    }

    private static func part(_ degrees: Double, _ rule: FloatingPointRoundingRule) -> Int64 {
        // Limited, so that sums with a turn of the earth fit whatever was stored.
        Int64(clamped: (degrees * degree).rounded(rule).bounded(by: 9e9))
    }

    /// Bounds of two rectangles together, with the lines between their fixes.
    func union(_ other: FixBounds) -> FixBounds {
        let (south, north) = (min(south, other.south), max(north, other.north))
        func around(_ west: Int64, _ east: Int64) -> FixBounds {
            FixBounds(south: south, west: west, north: north, east: east)
        }
        if west <= east, other.west <= other.east {
            let (least, most) = (min(west, other.west), max(east, other.east))
            if most - least < Self.half { return around(least, most) }
        }
        // Moved by 180°, what is near the antimeridian is in one piece.
        let (a, b) = (moved, other.moved)
        if !isAllAround, !other.isAllAround, a.west <= a.east, b.west <= b.east {
            let (least, most) = (min(a.west, b.west), max(a.east, b.east))
            if most - least < Self.half { return around(Self.back(least), Self.back(most)) }
        }
        return around(-Self.half, Self.half)
    }

    private var isAllAround: Bool { west <= -Self.half && east >= Self.half }

    /// The meridians, from 0° on eastwards.
    private var moved: (west: Int64, east: Int64) {
        func move(_ longitude: Int64) -> Int64 { longitude < 0 ? longitude + 2 * Self.half : longitude }
        return (move(west), move(east))
    }

    private static func back(_ longitude: Int64) -> Int64 {
        longitude > half ? longitude - 2 * half : longitude
    }

    /// Whether they have a point in common with a rectangle that does not cross the antimeridian.
    func touch(_ area: FixBounds) -> Bool {
        guard south <= area.north, area.south <= north else { return false }
        return west <= east
            ? west <= area.east && area.west <= east : area.east >= west || area.west <= east
    }

    /// A rectangle of degrees, rounded outwards.
    init(_ envelope: Envelope) {
        self.init(
            south: Self.part(envelope.south, .down), west: Self.part(envelope.west, .down),
            north: Self.part(envelope.north, .up), east: Self.part(envelope.east, .up))
    }
}

extension FixBounds {
    /// The columns of a segment from one on; `nil` where they are not known yet.
    init?(_ row: Row, at index: Int) throws {
        guard let south = try row[index] as Int64? else { return nil }
        try self.init(south: south, west: row[index + 1], north: row[index + 2], east: row[index + 3])
    }
}
