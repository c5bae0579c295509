import FencepostEngine
public import FencepostGEOS
import FencepostGeometry
public import FencepostModel
import FencepostMonitor
public import FencepostRegions
import FencepostSimulator

/// A plan which regions an app registers where, because the system monitors a limited number (rule REGION-01).
///
/// The app registers the regions nearest to the device, and as the last one a circle around the device that ends before
/// the nearest region left out. The exit from the circle starts the app, also when it is terminated, and it registers
/// again. No region outside the circle can be entered before. A plan is for one device's locations in time order.
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

    /// Minimum radius of the circle in metres; smaller ones are unreliable (rule REGION-09).
    public static let minimumRadius = 100.0
    /// Radius in metres in which regions are considered.
    public static let searchRadius = 200_000.0

    /// In time order.
    public private(set) var registrations: [Registration] = []
    /// The events of regions that were not registered when they happened.
    public private(set) var lost: [Event] = []
    /// Number of events of registered regions.
    public private(set) var caught = 0
    /// Number of events for an app that registers the first regions of the file and never changes them.
    public private(set) var caughtByFirst = 0

    private let parameters = SimulatorParameters()
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
        first = Set(index.catalog.regions.prefix(parameters.regionLimit).map(\.region.id))
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
        if gone >= circle + parameters.margin { try register(at: location) }
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
        var near: [Proximity] = []
        try query.near(location.coordinate, within: Self.searchRadius, into: &near)
        let byDistance = near.map { (region: $0.region, meters: $0.covers ? 0 : $0.signedDistance) }
            .sorted { ($0.meters, $0.region) < ($1.meters, $1.region) }
        let fits = byDistance.count <= parameters.regionLimit
        let chosen = byDistance.prefix(fits ? byDistance.count : parameters.regionLimit - 1)
        let ids = chosen.compactMap { query.index.catalog[$0.region]?.id }
        // The exit is detected one cushion outside the circle, which must be before the next region.
        let circle = fits ? nil : max(byDistance[chosen.count].meters - parameters.margin, Self.minimumRadius)
        registered = Set(ids)
        registrations.append(Registration(location: location, regions: ids, circle: circle))
    }
}
