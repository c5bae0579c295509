import FencepostEngine
public import FencepostGEOS
import FencepostGeometry
public import FencepostModel
import FencepostMonitor
public import FencepostRegions
import FencepostSimulator

/// Which of many regions an app should register where, when the system takes only so many at once (rule REGION-01).
///
/// At each of its places the app registers the regions nearest to the device and, with the last one, a circle round the
/// device that ends short of the nearest region left out. Leaving that circle starts the app even when it is terminated,
/// and it registers anew; what lies beyond cannot be entered before. One device's locations, in time order.
public struct RegionPlan: ~Copyable {
    /// What the app registers at one place.
    public struct Registration: Hashable, Sendable {
        public let location: Location
        /// Nearest first, without the circle.
        public let regions: [RegionID]
        /// Metres round the location; `nil` where all regions fit and no circle is needed.
        public let circle: Double?
    }

    /// Circles are no smaller: smaller ones are not reliable (rule REGION-09). In metres.
    public static let leastCircle = 100.0
    /// How far away regions are looked for, in metres.
    public static let farthest = 200_000.0

    public private(set) var registrations: [Registration] = []
    /// The events of regions that were not registered when they happened.
    public private(set) var lost: [Event] = []
    /// How many events were of registered regions.
    public private(set) var caught = 0
    /// How many events an app would have got that registers the first regions of the file once and for all.
    public private(set) var caughtByFirst = 0

    private let parameters = SimulatorParameters()
    private let first: Set<RegionID>
    private var query: RegionQuery
    private var engine: MonitorEngine
    private var registered: Set<RegionID> = []

    public init(_ index: RegionIndex) {
        query = RegionQuery(index)
        var settings = MonitorSettings()
        (settings.crossing, settings.visits, settings.staleAfter) = (.coreLocation, nil, nil)
        engine = MonitorEngine(index, settings: settings)
        first = Set(index.catalog.regions.prefix(parameters.regionLimit).map(\.region.id))
    }

    /// Takes the next location: judges what it shows by what is registered, then registers anew where that is due.
    public mutating func take(_ location: Location) throws(GEOSError) {
        var events: [Event] = []
        guard try engine.accept(location, emit: { events.append($0) }) == .accepted else { return }
        for event in events { judge(event) }
        guard let last = registrations.last else { return try register(at: location) }
        guard let circle = last.circle else { return }
        let gone = Geodesic.distance(last.location.coordinate, location.coordinate)
        if gone >= circle + parameters.margin { try register(at: location) }
    }

    private mutating func judge(_ event: Event) {
        let region: RegionID
        switch event.occurrence {
        case .regionEntered(let summary), .regionExited(let summary, _): region = summary.id
        case .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched: return
        }
        if first.contains(region) { caughtByFirst += 1 }
        if registered.contains(region) { caught += 1 } else { lost.append(event) }
    }

    private mutating func register(at location: Location) throws(GEOSError) {
        var near: [Proximity] = []
        try query.near(location.coordinate, within: Self.farthest, into: &near)
        let byDistance = near.map { (region: $0.region, meters: $0.covers ? 0 : $0.signedDistance) }
            .sorted { ($0.meters, $0.region) < ($1.meters, $1.region) }
        let fits = byDistance.count <= parameters.regionLimit
        let chosen = byDistance.prefix(fits ? byDistance.count : parameters.regionLimit - 1)
        let ids = chosen.compactMap { query.index.catalog[$0.region]?.id }
        // The exit of the circle is told a cushion beyond it, which has to be before the next region.
        let circle = fits ? nil : max(byDistance[chosen.count].meters - parameters.margin, Self.leastCircle)
        registered = Set(ids)
        registrations.append(Registration(location: location, regions: ids, circle: circle))
    }
}
