import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions

/// Puts fixes to the regions and to the monitor of their device; the devices themselves are elsewhere.
struct FixEvaluator: ~Copyable {
    private(set) var rules: WatchRules
    private(set) var eventCounts: [EventType: Int] = [:]
    private var query: RegionQuery
    /// Whether distances are measured even where the mode does not need them, so that events can say why.
    private let explains: Bool
    /// Whether every fix is put to the regions even where it is known what they will say: for tests to compare with.
    private let isThorough: Bool
    // Kept between fixes so that their storage is.
    private var proximities: [Proximity] = []
    private var covering: [RegionHandle] = []
    private var events: [Event] = []
    private var workspace = MonitorWorkspace()

    /// - Parameter rules: made of the index's catalog.
    init(_ index: RegionIndex, rules: WatchRules, explains: Bool, isThorough: Bool) {
        query = RegionQuery(index)
        self.rules = rules
        self.explains = explains
        self.isThorough = isThorough
    }

    var index: RegionIndex { query.index }

    /// - Parameter rules: made of the index's catalog.
    mutating func replace(_ index: RegionIndex, _ rules: WatchRules) {
        query = RegionQuery(index)
        self.rules = rules
    }

    /// Takes an input that is no fix.
    mutating func handle(
        _ input: DeviceMonitor.Input, _ monitor: inout DeviceMonitor, _ emit: (Event) -> Void
    ) throws(GEOSError) {
        events += monitor.handle(input, rules)
        try tell(emit)
    }

    /// Takes a fix that is not older than the one before it.
    @inline(__always)
    mutating func evaluate(
        _ location: Location, _ monitor: inout DeviceMonitor, _ emit: (Event) -> Void
    ) throws(GEOSError) {
        var reach = max(monitor.reach(of: location, rules), explains ? 1000 : 0)
        // Then it is enough to know what the fix is in.
        if reach > 0, !explains, !isThorough, monitor.staysOutside(unlessIn: location, rules) { reach = 0 }
        if !isThorough, monitor.isCalm(at: location.coordinate, reach: reach, rules) {
            monitor.wasCalm()
            if monitor.isSettled(at: location.timestamp, rules) {
                monitor.rest(at: location, rules, into: &events)
            } else {
                try stay(location, &monitor)
            }
        } else {
            try look(location, reach: reach, &monitor)
        }
        if !events.isEmpty {
            if reach < rules.reach(of: location) { try addDistances(at: location) }
            try tell(emit)
        }
    }

    /// Tells with crossings how far the boundary was where it was farther than had to be known to judge them.
    private mutating func addDistances(at location: Location) throws(GEOSError) {
        var isMeasured = false
        for place in events.indices {
            let summary: RegionSummary
            switch events[place].occurrence {
            case .regionEntered(let region), .regionExited(let region, _): summary = region
            case .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched:
                continue
            }
            guard let why = events[place].why, why.distance == nil, why.isOfFix,
                let handle = rules.catalog.handle(for: summary.id), let region = rules.catalog[handle],
                region.holds(location.altitude)
            else { continue }
            if !isMeasured {
                try query.near(location.coordinate, within: rules.reach(of: location), into: &proximities)
            }
            isMeasured = true
            let distance = proximities.first { $0.region == handle }?.signedDistance
            if let distance, distance.isFinite { events[place].why?.distance = distance }
        }
    }

    /// Takes a fix that lies to the regions as the one before it did.
    private mutating func stay(_ location: Location, _ monitor: inout DeviceMonitor) throws(GEOSError) {
        proximities.removeAll(keepingCapacity: true)
        monitor.coveringRegions(into: &covering)
        for region in covering {
            let width = rules.reach(of: location) > 0 ? try query.width(of: region) : 0
            proximities.append(
                Proximity(region: region, covers: true, signedDistance: -.infinity, width: width))
        }
        // No region is passed through within the box: the way to the fix is in it as well.
        monitor.locate(location, proximities, rules, &workspace, into: &events)
    }

    /// Takes a fix of which it has to be found out how it lies to the regions.
    private mutating func look(
        _ location: Location, reach: Double, _ monitor: inout DeviceMonitor
    ) throws(GEOSError) {
        let passages = try monitor.way(to: location, rules).map { start throws(GEOSError) in
            try query.passages(from: start, to: location.coordinate)
        }
        var reach = reach
        if reach == 0 {
            try query.covering(location.coordinate, into: &covering)
            if !isThorough, passages?.isEmpty ?? true, monitor.isSettled(at: location.timestamp, rules),
                monitor.isCovered(by: covering)
            {
                monitor.rest(at: location, rules, into: &events)
                return lookAround(location, reach: 0, &monitor)
            }
            reach = monitor.reach(of: location, rules)
        }
        if reach > 0 {
            try query.near(location.coordinate, within: reach, into: &proximities)
        } else {
            proximities.removeAll(keepingCapacity: true)
            for region in covering {
                proximities.append(Proximity(region: region, covers: true, signedDistance: -.infinity, width: 0))
            }
        }
        monitor.locate(location, proximities, passages: passages ?? [], rules, &workspace, into: &events)
        if !isThorough { lookAround(location, reach: reach, &monitor) }
    }

    /// Finds out where the device may go without a question, if it seems worth it.
    @inline(__always)
    private mutating func lookAround(_ location: Location, reach: Double, _ monitor: inout DeviceMonitor) {
        // About as many times does finding out take as long as the question that it saves.
        let isNear = reach > 0 && proximities.contains { $0.signedDistance.isFinite }
        guard monitor.wantsCalm(worth: reach > 0 ? 4 : 24, isNear: isNear) else { return }
        monitor.stayCalm(in: query.safeEnvelope(around: location.coordinate, reach: reach), reach: reach)
    }

    private mutating func tell(_ emit: (Event) -> Void) throws(GEOSError) {
        defer { events.removeAll(keepingCapacity: true) }
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
            guard let region = rules.catalog[handle], region.isMeant(for: event.deviceID),
                region.minAltitude == nil, region.maxAltitude == nil,
                region.expires.map({ event.detectedAt < $0 }) ?? true
            else { continue }
            regions.append(region.id)
        }
        return regions.sorted()
    }
}
