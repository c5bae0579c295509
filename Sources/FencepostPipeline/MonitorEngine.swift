public import FencepostGEOS
import FencepostGeometry
public import FencepostModel
public import FencepostMonitor
public import FencepostRegions

/// Fixes of any number of devices in, their events out: the one engine of watching live, of replay and of simulation.
///
/// Devices do not bear on each other, so the events of one device are the same whatever comes between its fixes.
public struct MonitorEngine: ~Copyable {
    struct Device {
        var buffer: ReorderBuffer
        var monitor: DeviceMonitor
        /// Whether its fixes come while they happen, so that the clock's time is its time.
        var isLive = false
    }

    /// A fix that is no older than this on arrival shows that its device is live.
    public static let liveness = Duration.seconds(600)

    public private(set) var settings: MonitorSettings
    public private(set) var counts = MonitorCounts()
    private var query: RegionQuery
    private var modes: Set<CrossingMode>
    var devices: [DeviceID: Device] = [:]
    /// How many fixes of a device a repeated one is recognised among.
    private let memory: Int
    /// Whether distances are measured even where the mode does not need them, so that events can say why.
    private let explains: Bool
    // Kept between fixes so that their storage is.
    private var proximities: [Proximity] = []
    private var covering: [RegionHandle] = []
    private var ready: [Location] = []

    /// - Parameter memory: how many fixes back a repeated one is recognised; whoever can look further back needs few.
    public init(
        _ index: RegionIndex, settings: MonitorSettings, explains: Bool = false, memory: Int = ReorderBuffer.memory
    ) {
        query = RegionQuery(index)
        modes = Self.modes(of: index.catalog, settings)
        self.settings = settings
        self.explains = explains
        self.memory = memory
    }

    public var index: RegionIndex { query.index }
    public var catalog: RegionCatalog { query.index.catalog }

    /// How many devices were seen.
    public var deviceCount: Int { devices.count }

    /// How many fixes of all devices counted for less than their accuracy says, by reason.
    public var doubts: DoubtCounts { devices.values.reduce(DoubtCounts()) { $0 + $1.monitor.doubts } }

    /// Whether any device is live, so that the clock has to be told.
    public internal(set) var hasLiveDevices = false

    /// Whether `accept` knows by itself if the fix was there before.
    public func remembers(_ location: Location) -> Bool {
        devices[location.deviceID]?.buffer.remembers(location.timestamp) ?? false
    }

    /// Takes a fix in the order of arrival.
    ///
    /// - Parameter now: the clock, where fixes may be live; `nil` when they are known to be history.
    public mutating func accept(
        _ location: Location, now: Timestamp? = nil, emit: (Event) -> Void
    ) throws(GEOSError) -> ReorderBuffer.Verdict {
        var device =
            devices[location.deviceID]
            ?? Device(
                buffer: ReorderBuffer(window: settings.reorderWindow, memory: memory),
                monitor: DeviceMonitor(deviceID: location.deviceID, settings: settings))
        // Taken out while it is worked on: a second owner would mean a copy of all that it holds.
        devices[location.deviceID] = nil
        defer { devices[location.deviceID] = device }
        if let now, !device.isLive, location.timestamp + Self.liveness >= now {
            device.isLive = true
            hasLiveDevices = true
        }
        ready.removeAll(keepingCapacity: true)
        let verdict = device.buffer.accept(location) { ready.append($0) }
        counts.add(verdict)
        for location in ready { try evaluate(location, &device.monitor, emit) }
        return verdict
    }

    /// Fires what is due by the clock, for the devices that are live.
    ///
    /// - Parameter isAhead: devices that are left alone, since their state is of a later moment.
    /// - Returns: the devices for which something was due.
    @discardableResult
    public mutating func advanceClock(
        to now: Timestamp, except isAhead: (DeviceID) -> Bool = { _ in false }, emit: (Event) -> Void
    ) throws(GEOSError) -> [DeviceID] {
        guard hasLiveDevices else { return [] }
        let moment = now - settings.reorderWindow
        let due = devices.filter { id, device in
            guard device.isLive, !isAhead(id) else { return false }
            let deadline = device.monitor.deadline(settings)
            return device.buffer.deadline.map { $0 <= now } ?? false || deadline.map { $0 <= moment } ?? false
        }
        // In an order that does not depend on how a dictionary lies in memory.
        let ids = due.keys.sorted(by: { $0.rawValue < $1.rawValue })
        for id in ids {
            guard var device = devices.removeValue(forKey: id) else { continue }
            defer { devices[id] = device }
            ready.removeAll(keepingCapacity: true)
            device.buffer.release(through: moment) { ready.append($0) }
            for location in ready { try evaluate(location, &device.monitor, emit) }
            try tell(device.monitor.handle(.clock(moment), catalog: catalog, settings: settings), emit)
        }
        return ids
    }

    /// Evaluates what is still held back: nothing more will come.
    public mutating func finish(emit: (Event) -> Void) throws(GEOSError) {
        for id in devices.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard var device = devices.removeValue(forKey: id) else { continue }
            defer { devices[id] = device }
            ready.removeAll(keepingCapacity: true)
            device.buffer.finish { ready.append($0) }
            for location in ready { try evaluate(location, &device.monitor, emit) }
        }
    }

    /// Goes on with other regions, made from this engine's catalog by `RegionCatalog.update`.
    ///
    /// Whoever is inside a region that is gone exits it now; a region that was replaced is judged by the next fix.
    ///
    /// - Returns: the devices of which something is known that the change bears on, in the order of their events.
    @discardableResult
    public mutating func replace(
        _ index: RegionIndex, at now: Timestamp, emit: (Event) -> Void
    ) throws(GEOSError) -> [DeviceID] {
        var removed: [RegionHandle: Region] = [:]
        var replaced: [RegionHandle] = []
        for (handle, region) in catalog.regions {
            guard let next = index.catalog[handle] else {
                removed[handle] = region
                continue
            }
            if !region.isWatchedAlike(next) { replaced.append(handle) }
        }
        query = RegionQuery(index)
        modes = Self.modes(of: index.catalog, settings)
        guard !removed.isEmpty || !replaced.isEmpty else { return [] }
        let changed = Set(removed.keys).union(replaced)
        let affected = devices.filter { $0.value.monitor.knowsAny(of: changed) }.keys
            .sorted(by: { $0.rawValue < $1.rawValue })
        for id in affected {
            guard var device = devices.removeValue(forKey: id) else { continue }
            defer { devices[id] = device }
            var events = device.monitor.handle(.removed(removed, at: now), catalog: catalog, settings: settings)
            events += device.monitor.handle(.replaced(replaced, at: now), catalog: catalog, settings: settings)
            try tell(events, emit)
        }
        return affected
    }

    private mutating func evaluate(
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
            counts.events[event.occurrence.type, default: 0] += 1
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

/// What the engine was given and what came of it.
public struct MonitorCounts: Hashable, Sendable {
    public var accepted = 0
    public var late = 0
    public var duplicates = 0
    public var events: [EventType: Int] = [:]

    mutating func add(_ verdict: ReorderBuffer.Verdict) {
        switch verdict {
        case .accepted: accepted += 1
        case .late: late += 1
        case .duplicate: duplicates += 1
        }
    }
}
