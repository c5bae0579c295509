import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions

/// Evaluates fixes against the regions and the monitor of their device.
///
/// Per fix, the monitor plans which query is needed (`FixPlan`), the evaluator runs it on the region index, and the
/// monitor takes the result. The devices are stored elsewhere (`DeviceTable`).
struct FixEvaluator: ~Copyable {
    private(set) var rules: WatchRules
    private var counters = EventCounters()
    private(set) var query: RegionQuery
    /// The covering regions of the fixes that come next, if they were looked up at once.
    private var ahead = Coverings()
    /// The index in `ahead` of the fix that is evaluated; `nil` if it was not looked up.
    var aheadIndex: Int?
    /// The number of fixes that needed their covering regions.
    private(set) var coveringCount = 0
    /// The radius in metres within which the distance of a crossing to the boundary is measured, so that its event can
    /// explain it; with 0, only where the decision needs it. The plan of a fix does not depend on it, so neither do events.
    private let explainedRadius: Double
    /// Whether every fix is queried without shortcuts, so that tests can compare the events.
    private let isThorough: Bool
    /// Whether prefetching region data for later fixes pays off: distances are measured, and the index is larger than the
    /// cache that most cores have for themselves. In a smaller index it takes longer than it saves.
    private(set) var prefetchesRegions: Bool
    // Kept between fixes to reuse their storage.
    private var proximities: [Proximity] = []
    private var covering: [RegionHandle] = []
    private var handles: [RegionHandle] = []
    /// Whether `covering` has the regions that contain the fix which is evaluated.
    private var knowsCovering = false
    /// The indices of the events that lack a distance.
    private var undistanced: [Int] = []
    private var events: [Event] = []
    private var workspace = MonitorWorkspace()
    /// The plane that was made last: where a device has several fixes in a row, that around the one before the next, where a
    /// track segment starts.
    private var plane = LocalPlane(origin: Coordinate(latitude: 0, longitude: 0))

    /// An evaluator of fixes against the regions of an index; the rules are those of the index's catalog.
    ///
    /// `explains` is whether crossings state distances up to 1000 m, also where no decision needs them. It costs
    /// nothing for other fixes.
    init(_ index: RegionIndex, rules: WatchRules, explains: Bool, isThorough: Bool) {
        query = RegionQuery(index)
        self.rules = rules
        explainedRadius = explains ? 1000 : 0
        prefetchesRegions = Self.prefetchesRegions(of: index, rules)
        self.isThorough = isThorough
    }

    var index: RegionIndex { query.index }
    var eventCounts: [EventType: Int] { counters.byType }

    /// Continues with other regions; the rules are those of the index's catalog.
    mutating func replace(_ index: RegionIndex, _ rules: WatchRules) {
        query = RegionQuery(index)
        self.rules = rules
        prefetchesRegions = Self.prefetchesRegions(of: index, rules)
        aheadIndex = nil
    }

    /// Continues with other rules of the same regions.
    mutating func replace(_ rules: WatchRules) { self.rules = rules }

    private static func prefetchesRegions(of index: RegionIndex, _ rules: WatchRules) -> Bool {
        rules.hasConfirmed && index.byteCount > 4 << 20
    }

    /// Looks up the covering regions of fixes at once, which takes less time than one by one. The caller sets
    /// `aheadIndex` to the index of each fix before its evaluation, and to `nil` after the last one.
    mutating func lookAhead(_ coordinates: [Coordinate]) throws(GEOSError) {
        try query.covering(coordinates, into: &ahead)
    }

    /// Calls `body` with the regions of a fix of the last `lookAhead`, whose index is given.
    @inline(__always)
    func forEachRegion(ahead index: Int, _ body: (RegionHandle) -> Void) {
        for position in ahead.range(at: index) { body(ahead.handle(at: position)) }
    }

    /// Whether a fix of the last `lookAhead` has the same regions as the one before.
    @inline(__always)
    func hasSameRegions(ahead index: Int) -> Bool { index > 0 && ahead.isUnchanged(at: index) }

    /// Sets `covering` to the regions that contain a fix.
    @inline(__always)
    private mutating func findCovering(_ location: Location) throws(GEOSError) {
        coveringCount += 1
        knowsCovering = true
        guard let aheadIndex else { return try query.covering(location.coordinate, into: &covering) }
        // The count is usually unchanged, so elements are overwritten.
        let range = ahead.range(at: aheadIndex)
        while covering.count > range.count { covering.removeLast() }
        var position = range.lowerBound
        for slot in covering.indices {
            covering[slot] = ahead.handle(at: position)
            position += 1
        }
        while position < range.upperBound {
            covering.append(ahead.handle(at: position))
            position += 1
        }
    }

    /// Takes an input other than a fix.
    mutating func handle(
        _ input: DeviceMonitor.Input, _ monitor: inout DeviceMonitor, _ emit: (Event) -> Void
    ) throws(GEOSError) {
        events += monitor.handle(input, rules)
        try emitEvents(emit)
    }

    /// Takes a fix that is not older than the one before.
    @inline(__always)
    mutating func evaluate(
        _ location: Location, _ monitor: inout DeviceMonitor, _ emit: (Event) -> Void
    ) throws(GEOSError) {
        knowsCovering = false
        if monitor.isImpossible(location, rules) { return try evaluate(impossible: location, &monitor, emit) }
        let plan =
            isThorough
            ? monitor.thoroughPlan(for: location, rules)
            : monitor.plan(for: location, rules, covering: &covering, plane: &plane)
        switch plan {
        case .unchanged: monitor.record(location, rules, into: &events)
        case .cached: try locateCached(location, &monitor)
        case .covering(let radius, let start): try locateByCovering(location, radius, start, &monitor)
        case .tracked(let radius, let start): try locateTracked(location, radius, start, &monitor)
        case .near(let radius, let start): try locate(location, radius, start, &monitor)
        }
        if rules.hasAlerts { monitor.evaluateAlerts(location, rules, into: &events) }
        if monitor.hasFenceOrPlans { monitor.evaluateFenceAndPlans(location, rules, into: &events) }
        if !events.isEmpty {
            if rules.explains { try addDistances(at: location) }
            try emitEvents(emit)
        }
    }

    /// Takes a fix that the device cannot have come to. Not inlined: few fixes are.
    @inline(never)
    private mutating func evaluate(
        impossible location: Location, _ monitor: inout DeviceMonitor, _ emit: (Event) -> Void
    ) throws(GEOSError) {
        let radius = rules.searchRadius(for: location)
        if radius == 0 { try findCovering(location) }
        try findProximities(of: location, within: radius)
        monitor.locateImpossible(location, proximities, rules, &workspace, into: &events)
        guard !events.isEmpty else { return }
        if rules.explains { try addDistances(at: location) }
        try emitEvents(emit)
    }

    /// Takes a fix in the cached safe region.
    private mutating func locateCached(_ location: Location, _ monitor: inout DeviceMonitor) throws(GEOSError) {
        proximities.removeFew()
        let needsWidth = rules.searchRadius(for: location) > 0
        for region in covering {
            let width = needsWidth ? try query.width(of: region) : 0
            proximities.append(Proximity(region: region, covers: true, signedDistance: -.infinity, width: width))
        }
        // The track segment is within the safe region too, so it passes through no region.
        monitor.locate(location, proximities, rules, &workspace, into: &events)
    }

    /// Takes a fix for which the covering regions may suffice.
    private mutating func locateByCovering(
        _ location: Location, _ radius: Double, _ start: Coordinate?, _ monitor: inout DeviceMonitor
    ) throws(GEOSError) {
        try findCovering(location)
        let passThroughs = try passThroughs(from: start, to: location, &monitor)
        if passThroughs.isEmpty,
            let needsSafeRegion = monitor.record(location, coveredBy: covering, rules, into: &events)
        {
            if needsSafeRegion { cacheSafeRegion(around: location, radius: 0, &monitor) }
            return
        }
        if radius > 0 { return try locateTracked(location, radius, passThroughs, &monitor) }
        try locate(location, radius, passThroughs, &monitor)
    }

    /// Takes a fix that changes the state of no region but the tracked and the covering ones.
    private mutating func locateTracked(
        _ location: Location, _ radius: Double, _ start: Coordinate?, _ monitor: inout DeviceMonitor
    ) throws(GEOSError) {
        try findCovering(location)
        let passThroughs = try passThroughs(from: start, to: location, &monitor)
        try locateTracked(location, radius, passThroughs, &monitor)
    }

    /// - Precondition: `covering` has the regions that contain the fix.
    private mutating func locateTracked(
        _ location: Location, _ radius: Double, _ passThroughs: [PassThrough], _ monitor: inout DeviceMonitor
    ) throws(GEOSError) {
        monitor.trackedRegions(and: covering, into: &handles)
        plane = LocalPlane(origin: location.coordinate)
        try query.near(plane, within: radius, among: handles, containing: covering, into: &proximities)
        workspace.plane = plane
        record(location, radius, passThroughs, &monitor)
    }

    /// Takes a fix with the regions within the search radius.
    private mutating func locate(
        _ location: Location, _ radius: Double, _ start: Coordinate?, _ monitor: inout DeviceMonitor
    ) throws(GEOSError) {
        if radius == 0 || start != nil { try findCovering(location) }
        let passThroughs = try passThroughs(from: start, to: location, &monitor)
        try locate(location, radius, passThroughs, &monitor)
    }

    /// - Precondition: for a radius of 0, `covering` has the regions that contain the fix.
    private mutating func locate(
        _ location: Location, _ radius: Double, _ passThroughs: [PassThrough], _ monitor: inout DeviceMonitor
    ) throws(GEOSError) {
        try findProximities(of: location, within: radius)
        record(location, radius, passThroughs, &monitor)
    }

    /// Sets `proximities` to the regions within a search radius; for a radius of 0, to those of `covering`.
    private mutating func findProximities(of location: Location, within radius: Double) throws(GEOSError) {
        if radius > 0 {
            plane = LocalPlane(origin: location.coordinate)
            try query.near(plane, within: radius, into: &proximities)
            workspace.plane = plane
        } else {
            proximities.removeAll(keepingCapacity: true)
            for region in covering {
                proximities.append(Proximity(region: region, covers: true, signedDistance: -.infinity, width: 0))
            }
        }
    }

    /// Passes a fix with its `proximities` to the monitor, and caches a safe region if it is worth it.
    private mutating func record(
        _ location: Location, _ radius: Double, _ passThroughs: [PassThrough], _ monitor: inout DeviceMonitor
    ) {
        monitor.locate(location, proximities, passThroughs: passThroughs, rules, &workspace, into: &events)
        if isThorough { return }
        let isNearBoundary = radius > 0 && proximities.contains { $0.signedDistance.isFinite }
        if monitor.needsSafeRegion(searchRadius: radius, isNearBoundary: isNearBoundary) {
            cacheSafeRegion(around: location, radius: radius, &monitor)
        }
    }

    /// The monitor is not changed; it is `inout` because it would be copied otherwise.
    ///
    /// - Precondition: `covering` has the regions that contain the fix.
    @inline(__always)
    private mutating func passThroughs(
        from start: Coordinate?, to location: Location, _ monitor: inout DeviceMonitor
    ) throws(GEOSError) -> [PassThrough] {
        guard let start else { return [] }
        // The monitor ignores shallow ones.
        let minimumDepth = isThorough ? 0 : monitor.leastDepth(to: location)
        return try query.passThroughs(
            from: start, to: location.coordinate, containingEnd: covering, minimumDepth: minimumDepth)
    }

    private mutating func cacheSafeRegion(around location: Location, radius: Double, _ monitor: inout DeviceMonitor) {
        monitor.cache(query.safeRegion(around: location.coordinate, searchRadius: radius), searchRadius: radius)
    }

    // MARK: Events

    /// Adds the distance to the boundary to crossings that were decided without it.
    private mutating func addDistances(at location: Location) throws(GEOSError) {
        let radius = max(rules.searchRadius(for: location), explainedRadius)
        guard radius > 0 else { return }
        handles.removeAll(keepingCapacity: true)
        if !undistanced.isEmpty { undistanced.removeAll(keepingCapacity: true) }
        for index in events.indices {
            guard let handle = undistancedRegion(index, at: location) else { continue }
            handles.append(handle)
            undistanced.append(index)
        }
        guard !handles.isEmpty else { return }
        if !knowsCovering { try findCovering(location) }
        let plane = LocalPlane(origin: location.coordinate)
        try query.near(plane, within: radius, among: handles, containing: covering, into: &proximities)
        for (handle, index) in zip(handles, undistanced) {
            guard let distance = proximities.first(where: { $0.region == handle })?.signedDistance, distance.isFinite
            else { continue }
            events[index].why?.distance = distance
        }
    }

    /// The region of an event that lacks the distance which explains it; `nil` for any other event.
    private func undistancedRegion(_ index: Int, at location: Location) -> RegionHandle? {
        guard let why = events[index].why, why.distance == nil,
            why.rule.usesDistanceOfFix || (explainedRadius > 0 && why.rule == .initialState),
            let id = events[index].occurrence.region?.id, let handle = rules.catalog.handle(for: id),
            rules.monitors(handle, at: location.altitude)
        else { return nil }
        return handle
    }

    private mutating func emitEvents(_ emit: (Event) -> Void) throws(GEOSError) {
        defer { if !events.isEmpty { events.removeAll(keepingCapacity: true) } }
        for index in events.indices {
            counters.count(events[index].occurrence.type)
            guard var visit = events[index].occurrence.visit else { continue }
            visit.regions = try regions(at: visit, of: events[index])
            events[index].occurrence.visit = visit
        }
        // Removed from the array, which saves a copy of each. Of few events, as usual, the first one is removed without
        // copies of the others.
        if events.count <= 8 {
            while !events.isEmpty { emit(events.removeFirst()) }
        } else {
            events.reverse()
            while let event = events.popLast() { emit(event) }
        }
    }

    /// The regions that a visit is in: those that contain its centre, apply to the device and have not expired.
    ///
    /// A visit has no altitude and lasts for hours, so regions with an altitude band are excluded and schedules are
    /// ignored.
    private mutating func regions(at visit: Visit, of event: Event) throws(GEOSError) -> [RegionID] {
        guard visit.coordinate.isValid else { return [] }
        var regions: [RegionID] = []
        for handle in try query.covering(visit.coordinate) {
            guard let region = rules.catalog[handle], region.applies(to: event.deviceID),
                region.minAltitude == nil, region.maxAltitude == nil,
                region.expires.map({ event.detectedAt < $0 }) ?? true
            else { continue }
            regions.append(region.id)
        }
        return regions.sorted()
    }
}
