import FencepostEngine
public import FencepostGEOS
import FencepostGeometry
public import FencepostModel
import FencepostMonitor
public import FencepostRegions

/// A plan which regions an app registers where, because the system monitors a limited number (rule REGION-01).
///
/// The app registers what `RegionBudget` chooses, and again at each exit from its circle. A plan is for one device's
/// locations in time order.
public struct RegionPlan: ~Copyable {
    /// The regions that the app registers at one location.
    public struct Registration: Hashable, Sendable {
        /// Where the app registers them.
        public let location: Location
        /// Nearest first, without the circle.
        public let regions: [RegionID]
        /// Radius of the circle around the location in metres; `nil` when all regions fit.
        public let circle: Double?
    }

    /// In time order.
    public private(set) var registrations: [Registration] = []
    /// The events of regions that were not registered when they happened.
    public private(set) var lost: [Event] = []
    /// Number of events of registered regions.
    public private(set) var caught = 0
    /// Number of events for an app that registers the first regions of the file and never changes them.
    public private(set) var caughtByFirst = 0

    private let budget = RegionBudget()
    private let first: Set<RegionID>
    private var query: RegionQuery
    private var engine: MonitorEngine
    private var registered: Set<RegionID> = []

    /// An empty plan for the regions of the index.
    public init(_ index: RegionIndex) {
        query = RegionQuery(index)
        var settings = MonitorSettings()
        (settings.crossing, settings.visits, settings.staleAfter) = (.coreLocation, nil, nil)
        engine = MonitorEngine(index, settings: settings)
        first = Set(index.catalog.regions.prefix(budget.limit).map(\.region.id))
    }

    /// Evaluates the next location with the registered regions, and registers others when the device has left the
    /// circle.
    public mutating func take(_ location: Location) throws(GEOSError) {
        var events: [Event] = []
        guard try engine.accept(location, emit: { events.append($0) }) == .accepted else { return }
        for event in events { count(event) }
        guard let last = registrations.last else { return try register(at: location) }
        guard let circle = last.circle else { return }
        let gone = Geodesic.distance(last.location.coordinate, location.coordinate)
        if gone >= circle + budget.margin { try register(at: location) }
    }

    private mutating func count(_ event: Event) {
        let region: RegionID
        switch event.occurrence {
        case .regionEntered(let summary), .regionExited(let summary, _): region = summary.id
        case .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched, .alert,
            .fence, .proximity, .plan:
            return
        }
        if first.contains(region) { caughtByFirst += 1 }
        if registered.contains(region) { caught += 1 } else { lost.append(event) }
    }

    private mutating func register(at location: Location) throws(GEOSError) {
        let choice = try budget.choice(at: location.coordinate, &query)
        let ids = choice.regions.compactMap { query.index.catalog[$0]?.id }
        registered = Set(ids)
        registrations.append(Registration(location: location, regions: ids, circle: choice.circle))
    }
}
