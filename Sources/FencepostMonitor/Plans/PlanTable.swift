import FencepostGeometry
import FencepostModel

/// The plans with what each fix needs of their regions.
struct PlanTable: Sendable {
    /// A region that a plan names.
    struct Place: Sendable {
        var handle: RegionHandle
        var summary: RegionSummary
        /// A circle that contains the region; `nil` if its shape is empty.
        var circle: Circle?
        /// Whether a position in the shape is in the region at any time and altitude.
        var isPlain: Bool
    }

    /// All versions of all plans.
    let plans: [Plan]
    private let places: [RegionID: Place]
    private let byVersion: [Version: Int]

    private struct Version: Hashable {
        var id: String
        var since: Timestamp
    }

    init(_ plans: [Plan], _ catalog: RegionCatalog) {
        self.plans = plans
        var places: [RegionID: Place] = [:]
        for id in Set(plans.flatMap { $0.stops.map(\.region) }) {
            guard let handle = catalog.handle(for: id), let region = catalog[handle] else { continue }
            places[id] = Place(
                handle: handle, summary: RegionSummary(region), circle: region.shape.bounds,
                isPlain: region.schedule == nil && region.minAltitude == nil && region.maxAltitude == nil)
        }
        self.places = places
        byVersion = Dictionary(
            plans.enumerated().map { (Version(id: $1.id, since: $1.since), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The plan of a round; `nil` if it is gone.
    func plan(of round: PlanState.Round) -> Plan? {
        byVersion[Version(id: round.plan, since: round.since)].map { plans[$0] }
    }

    /// A region; `nil` if there is none with the id.
    func place(_ id: RegionID) -> Place? { places[id] }
}

extension Shape {
    /// A circle that contains the shape; `nil` for an empty one.
    fileprivate var bounds: Circle? {
        switch self {
        case .circle(let circle): circle
        case .polygons(let area): Self.bounds(of: area.polygons.flatMap(\.exterior.coordinates), margin: 0)
        case .corridor(let corridor): Self.bounds(of: corridor.lines.joined(), margin: corridor.width / 2)
        }
    }

    private static func bounds(of coordinates: some Sequence<Coordinate>, margin: Double) -> Circle? {
        guard let envelope = Envelope(of: coordinates) else { return nil }
        let center = Coordinate(
            latitude: (envelope.south + envelope.north) / 2, longitude: (envelope.west + envelope.east) / 2)
        let radius = coordinates.reduce(0) { max($0, Geodesic.distance(center, $1)) }
        return Circle(center: center, radius: radius + margin)
    }
}
