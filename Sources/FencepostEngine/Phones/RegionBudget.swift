public import FencepostGEOS
public import FencepostGeometry
public import FencepostModel
public import FencepostRegions
public import FencepostSimulator

/// Which regions a phone monitors at a position, because the system monitors a limited number (rule REGION-01).
///
/// They are the regions nearest to the phone, and, where not all fit, a circle around the phone that ends before the
/// nearest region left out. The exit from the circle starts the app, also when it is terminated, and others are chosen.
/// No region outside the circle can be entered before.
public struct RegionBudget: Hashable, Sendable {
    /// What is monitored at one position.
    public struct Choice: Hashable, Sendable {
        /// Nearest first, without the circle.
        public let regions: [RegionHandle]
        /// Radius of the circle around the position in metres; `nil` when all regions fit.
        public let circle: Double?
    }

    /// Minimum radius of the circle in metres; smaller ones are unreliable (rule REGION-09).
    public static let minimumRadius = 100.0
    /// Radius in metres in which regions are considered.
    public static let searchRadius = 200_000.0

    /// The most regions, the circle among them; at least 2.
    public let limit: Int
    /// The distance beyond the circle at which its exit is detected, in metres.
    public let margin: Double

    /// The budget of an app.
    ///
    /// - Parameters:
    ///   - limit: the most regions, the circle among them; `nil` for all that the system admits.
    ///   - parameters: the limit and the margin of the system.
    public init(limit: Int? = nil, parameters: SimulatorParameters = SimulatorParameters()) {
        self.limit = max(limit ?? parameters.regionLimit, 2)
        margin = parameters.margin
    }

    /// What to monitor at a position.
    ///
    /// - Parameters:
    ///   - coordinate: a valid position.
    ///   - query: finds the regions.
    /// - Returns: the regions within the search radius, or the nearest of them and a circle.
    /// - Throws: `GEOSError` if GEOS fails on a region.
    public func choice(at coordinate: Coordinate, _ query: inout RegionQuery) throws(GEOSError) -> Choice {
        var near: [Proximity] = []
        // A search of the whole radius at once would measure the distance to every region of a country.
        var radius = 1000.0
        while true {
            try query.near(coordinate, within: radius, into: &near)
            if near.count > limit || radius == Self.searchRadius { break }
            radius = min(radius * 4, Self.searchRadius)
        }
        let byDistance = near.map { (region: $0.region, meters: $0.covers ? 0 : $0.signedDistance) }
            .sorted { ($0.meters, $0.region) < ($1.meters, $1.region) }
        if byDistance.count <= limit, byDistance.count == query.index.catalog.count {
            return Choice(regions: byDistance.map(\.region), circle: nil)
        }
        let chosen = byDistance.prefix(limit - 1)
        let nextBoundary = byDistance.count > chosen.count ? byDistance[chosen.count].meters : Self.searchRadius
        // The exit is detected one margin outside the circle, which must be before the next region.
        return Choice(regions: chosen.map(\.region), circle: max(nextBoundary - margin, Self.minimumRadius))
    }
}

extension Circle {
    /// A circle that contains a shape, with a radius of whole metres; `nil` for a shape without a position.
    ///
    /// A circle stays where it is. For other shapes the centre is that of the rectangle around all positions, so the
    /// circle is at most 1.5 times as large as the smallest one, except for shapes of continents.
    public init?(containing shape: Shape) {
        let positions: [Coordinate]
        var beyond = 0.0
        switch shape {
        case .circle(let circle):
            self.init(center: circle.center, radius: max(circle.radius.rounded(.up), 1))
            return
        case .corridor(let corridor):
            (positions, beyond) = (corridor.lines.flatMap(\.self), corridor.width / 2)
        case .polygons(let area):
            positions = area.polygons.flatMap(\.exterior.coordinates)
        }
        guard let first = positions.first else { return nil }
        let plane = LocalPlane(origin: first)
        let projected = positions.map(plane.project)
        let (east, north) = (projected.map(\.east), projected.map(\.north))
        let center = plane.unproject(
            east: ((east.min() ?? 0) + (east.max() ?? 0)) / 2, north: ((north.min() ?? 0) + (north.max() ?? 0)) / 2)
        // Between two positions an edge is nearer than the farther one of them, up to rounding.
        let farthest = positions.reduce(0) { max($0, Geodesic.distance(center, $1)) }
        self.init(center: center, radius: (farthest + beyond).rounded(.up) + 1)
    }
}
