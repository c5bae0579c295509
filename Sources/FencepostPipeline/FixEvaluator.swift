import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions

/// Puts fixes to the regions and to the monitor of their device; the devices themselves are elsewhere.
struct FixEvaluator: ~Copyable {
    let settings: MonitorSettings
    private(set) var eventCounts: [EventType: Int] = [:]
    private var query: RegionQuery
    private var modes: Set<CrossingMode>
    /// Whether distances are measured even where the mode does not need them, so that events can say why.
    private let explains: Bool
    // Kept between fixes so that their storage is.
    private var proximities: [Proximity] = []
    private var covering: [RegionHandle] = []

    init(_ index: RegionIndex, settings: MonitorSettings, explains: Bool) {
        query = RegionQuery(index)
        modes = Self.modes(of: index.catalog, settings)
        self.settings = settings
        self.explains = explains
    }

    var index: RegionIndex { query.index }
    private var catalog: RegionCatalog { query.index.catalog }

    mutating func replace(_ index: RegionIndex) {
        query = RegionQuery(index)
        modes = Self.modes(of: index.catalog, settings)
    }

    /// Takes an input that is no fix.
    mutating func handle(
        _ input: DeviceMonitor.Input, _ monitor: inout DeviceMonitor, _ emit: (Event) -> Void
    ) throws(GEOSError) {
        try tell(monitor.handle(input, catalog: catalog, settings: settings), emit)
    }

    /// Takes a fix that is not older than the one before it.
    mutating func evaluate(
        _ location: Location, _ monitor: inout DeviceMonitor, _ emit: (Event) -> Void
    ) throws(GEOSError) {
        var reach = monitor.reach(of: location, modes: modes, settings)
        if explains { reach = max(reach, 1000) }
        if reach > 0 {
            try query.near(location.coordinate, within: reach, into: &proximities)
        } else {
            try query.covering(location.coordinate, into: &covering)
            proximities.removeAll(keepingCapacity: true)
            for region in covering {
                proximities.append(Proximity(region: region, covers: true, signedDistance: -.infinity, width: 0))
            }
        }
        let passages = try monitor.way(to: location, modes: modes).map { start throws(GEOSError) in
            try query.passages(from: start, to: location.coordinate)
        }
        try tell(
            monitor.handle(
                .located(location, proximities, passages: passages ?? []), catalog: catalog, settings: settings), emit)
    }

    private mutating func tell(_ events: [Event], _ emit: (Event) -> Void) throws(GEOSError) {
        for var event in events {
            switch event.occurrence {
            case .visitArrived(var visit):
                visit.regions = try regions(at: visit, of: event)
                event.occurrence = .visitArrived(visit)
            case .visitDeparted(var visit):
                visit.regions = try regions(at: visit, of: event)
                event.occurrence = .visitDeparted(visit)
            case .regionEntered, .regionExited, .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched: break
            }
            eventCounts[event.occurrence.type, default: 0] += 1
            emit(event)
        }
    }

    /// The regions that a visit is in: those that hold its centre, are meant for the device and have not expired.
    ///
    /// A visit has no altitude and spans hours, so bands of altitude leave a region out and schedules do not.
    private mutating func regions(at visit: Visit, of event: Event) throws(GEOSError) -> [RegionID] {
        guard visit.coordinate.isValid else { return [] }
        var regions: [RegionID] = []
        for handle in try query.covering(visit.coordinate) {
            guard let region = catalog[handle], region.isMeant(for: event.deviceID),
                region.minAltitude == nil, region.maxAltitude == nil,
                region.expires.map({ event.detectedAt < $0 }) ?? true
            else { continue }
            regions.append(region.id)
        }
        return regions.sorted()
    }

    private static func modes(of catalog: RegionCatalog, _ settings: MonitorSettings) -> Set<CrossingMode> {
        var modes: Set<CrossingMode> = []
        for (_, region) in catalog.regions {
            modes.insert(region.crossing ?? settings.crossing)
            if modes.count == CrossingMode.allCases.count { break }
        }
        return modes
    }
}
