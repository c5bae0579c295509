public import FencepostGEOS
import FencepostGeometry
public import FencepostModel
public import FencepostMonitor
public import FencepostRegions

/// Fixes of any number of devices in, their events out: the one engine of watching live, of replay and of simulation.
///
/// Devices do not bear on each other, so the events of one device are the same whatever comes between its fixes.
public struct MonitorEngine: ~Copyable {
    /// A fix that is no older than this on arrival shows that its device is live.
    public static let liveness = Duration.seconds(600)

    var evaluator: FixEvaluator
    var devices = DeviceTable()
    /// How many fixes of a device a repeated one is recognised among.
    private let memory: Int
    private var verdicts = MonitorCounts()
    // Kept between fixes so that its storage is.
    private var ready: [Location] = []

    /// - Parameter memory: how many fixes back a repeated one is recognised; whoever can look further back needs few.
    public init(
        _ index: RegionIndex, settings: MonitorSettings, explains: Bool = false, memory: Int = ReorderBuffer.memory
    ) {
        evaluator = FixEvaluator(index, settings: settings, explains: explains)
        self.memory = memory
    }

    public var settings: MonitorSettings { evaluator.settings }
    public var index: RegionIndex { evaluator.index }
    public var catalog: RegionCatalog { evaluator.index.catalog }

    public var counts: MonitorCounts {
        var counts = verdicts
        counts.events = evaluator.eventCounts
        return counts
    }

    /// How many devices were seen.
    public var deviceCount: Int { devices.count }

    /// How many fixes of all devices counted for less than their accuracy says, by reason.
    public var doubts: DoubtCounts { devices.list.reduce(DoubtCounts()) { $0 + $1.monitor.doubts } }

    /// Whether any device is live, so that the clock has to be told.
    public internal(set) var hasLiveDevices = false

    /// Whether `accept` knows by itself if the fix was there before.
    public func remembers(_ location: Location) -> Bool {
        devices.place(of: location.deviceID).map { remembers(location, at: $0) } ?? false
    }

    /// Takes a fix in the order of arrival.
    ///
    /// - Parameter now: the clock, where fixes may be live; `nil` when they are known to be history.
    public mutating func accept(
        _ location: Location, now: Timestamp? = nil, emit: (Event) -> Void
    ) throws(GEOSError) -> ReorderBuffer.Verdict {
        var place = devices.place(of: location.deviceID)
        return try accept(location, at: &place, now: now, emit: emit)
    }

    /// Takes a fix in the order of arrival, of a device that was looked up already.
    ///
    /// - Parameter known: where the device is; `nil` when it is new, and then the place that it gets.
    public mutating func accept(
        _ location: Location, at known: inout Int?, now: Timestamp? = nil, emit: (Event) -> Void
    ) throws(GEOSError) -> ReorderBuffer.Verdict {
        let place =
            known
            ?? devices.add(
                DeviceTable.Device(
                    buffer: ReorderBuffer(window: settings.reorderWindow, memory: memory),
                    monitor: DeviceMonitor(deviceID: location.deviceID, settings: settings)))
        known = place
        if let now, !devices.list[place].isLive, location.timestamp + Self.liveness >= now {
            devices.list[place].isLive = true
            hasLiveDevices = true
        }
        ready.removeAll(keepingCapacity: true)
        let verdict = devices.list[place].buffer.accept(location) { ready.append($0) }
        verdicts.add(verdict)
        for location in ready { try evaluator.evaluate(location, &devices.list[place].monitor, emit) }
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
        let places = devices.places { device in
            guard device.isLive, !isAhead(device.monitor.deviceID) else { return false }
            let deadline = device.monitor.deadline(evaluator.settings)
            return device.buffer.deadline.map { $0 <= now } ?? false || deadline.map { $0 <= moment } ?? false
        }
        for place in places {
            ready.removeAll(keepingCapacity: true)
            devices.list[place].buffer.release(through: moment) { ready.append($0) }
            for location in ready { try evaluator.evaluate(location, &devices.list[place].monitor, emit) }
            try evaluator.handle(.clock(moment), &devices.list[place].monitor, emit)
        }
        return places.map { devices.list[$0].monitor.deviceID }
    }

    /// Evaluates what is still held back: nothing more will come.
    public mutating func finish(emit: (Event) -> Void) throws(GEOSError) {
        for place in devices.places(where: { $0.buffer.heldCount > 0 }) {
            ready.removeAll(keepingCapacity: true)
            devices.list[place].buffer.finish { ready.append($0) }
            for location in ready { try evaluator.evaluate(location, &devices.list[place].monitor, emit) }
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
        evaluator.replace(index)
        guard !removed.isEmpty || !replaced.isEmpty else { return [] }
        let changed = Set(removed.keys).union(replaced)
        let affected = devices.places { $0.monitor.knowsAny(of: changed) }
        for place in affected {
            try evaluator.handle(.removed(removed, at: now), &devices.list[place].monitor, emit)
            try evaluator.handle(.replaced(replaced, at: now), &devices.list[place].monitor, emit)
        }
        return affected.map { devices.list[$0].monitor.deviceID }
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
