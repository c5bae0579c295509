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
    private var memory: FixMemory
    private let window: Duration
    /// When live devices have to be looked at by the clock.
    var clock = DeadlineQueue()
    private var verdicts = MonitorCounts()
    // Kept between fixes so that its storage is.
    private var ready: [Location] = []

    /// - Parameters:
    ///   - memory: how many fixes of all devices back a repeated one is recognised; whoever can look further back needs
    ///     few.
    ///   - isThorough: whether every fix is put to the regions even where it is known what they will say: the events
    ///     are the same, and come more slowly.
    public init(
        _ index: RegionIndex, settings: MonitorSettings, explains: Bool = false, memory: Int = FixMemory.usual,
        isThorough: Bool = false
    ) {
        self.init(
            index, rules: WatchRules(index.catalog, settings), explains: explains, memory: memory,
            isThorough: isThorough)
    }

    /// As the other one, for several engines that share what is made of many regions.
    ///
    /// - Parameter rules: made of the index's catalog.
    public init(
        _ index: RegionIndex, rules: WatchRules, explains: Bool = false, memory: Int = FixMemory.usual,
        isThorough: Bool = false
    ) {
        evaluator = FixEvaluator(index, rules: rules, explains: explains, isThorough: isThorough)
        self.memory = FixMemory(capacity: memory)
        window = rules.settings.reorderWindow
    }

    public var settings: MonitorSettings { evaluator.rules.settings }
    public var index: RegionIndex { evaluator.index }
    public var catalog: RegionCatalog { evaluator.rules.catalog }

    public var counts: MonitorCounts {
        var counts = verdicts
        counts.events = evaluator.eventCounts
        return counts
    }

    /// How many devices were seen.
    public var deviceCount: Int { devices.count }

    /// What the state of all devices takes, in bytes, their ids apart.
    public var stateByteCount: Int { devices.byteCount }

    /// How many fixes of all devices counted for less than their accuracy says, by reason.
    public var doubts: DoubtCounts { devices.list.reduce(DoubtCounts()) { $0 + $1.monitor.doubts } }

    /// Whether any device is live, so that the clock has to be told.
    public internal(set) var hasLiveDevices = false

    /// Whether `accept` knows by itself if the fix was there before: one that is newer than all of its device was not.
    public mutating func remembers(_ location: Location) -> Bool {
        guard let place = devices.place(of: location.deviceID) else { return false }
        return remembers(location, at: place)
    }

    /// As `remembers(_:)`, of a fix of the device that stands there.
    public mutating func remembers(_ location: Location, at place: Int) -> Bool {
        devices.list[place].buffer.isNew(location.timestamp)
            || memory.contains(location, of: location.deviceID.fingerprint)
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
        let hash = location.deviceID.fingerprint
        let place =
            known
            ?? devices.add(
                DeviceTable.Device(DeviceMonitor(deviceID: location.deviceID, settings: settings)))
        known = place
        if let now, !devices.list[place].isLive, location.timestamp + Self.liveness >= now {
            devices.list[place].isLive = true
            hasLiveDevices = true
        }
        let verdict: ReorderBuffer.Verdict
        if window == .zero {
            verdict = devices.list[place].buffer.accept(location, of: hash, memory: &memory)
            if verdict == .accepted { try evaluator.evaluate(location, &devices.list[place].monitor, emit) }
        } else {
            ready.removeAll(keepingCapacity: true)
            verdict = devices.list[place].buffer.accept(location, of: hash, window: window, memory: &memory) {
                ready.append($0)
            }
            for location in ready { try evaluator.evaluate(location, &devices.list[place].monitor, emit) }
        }
        verdicts.add(verdict)
        if devices.list[place].isLive { schedule(place) }
        return verdict
    }

    /// Sees to it that the clock's queue has a live device by the time when something of it is due.
    func due(_ place: Int) -> Timestamp {
        var moment = Timestamp.distantFuture
        if let deadline = devices.list[place].monitor.deadline(evaluator.rules) { moment = deadline + window }
        if let deadline = devices.list[place].buffer.deadline(window: window) { moment = min(moment, deadline) }
        return moment
    }

    mutating func schedule(_ place: Int) {
        let moment = due(place)
        guard moment < devices.list[place].wake else { return }
        devices.list[place].wake = moment
        clock.add(place, at: moment)
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
        let moment = now - window
        var places: [Int] = []
        // The queue may have a device too early, never too late, and one that is there no more.
        var kept: [Int] = []
        while let entry = clock.next(through: now) {
            let place = Int(entry.place)
            guard place < devices.count, devices.list[place].wake == entry.moment else { continue }
            devices.list[place].wake = .distantFuture
            if due(place) > now {
                schedule(place)
            } else if isAhead(devices.list[place].monitor.deviceID) {
                kept.append(place)
            } else {
                places.append(place)
            }
        }
        places = devices.sorted(places)
        for place in places {
            ready.removeAll(keepingCapacity: true)
            devices.list[place].buffer.release(through: moment) { ready.append($0) }
            for location in ready { try evaluator.evaluate(location, &devices.list[place].monitor, emit) }
            try evaluator.handle(.clock(moment), &devices.list[place].monitor, emit)
        }
        for place in places + kept { schedule(place) }
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
        try replace(RegionReplacement(of: catalog, with: index, settings: settings), at: now, emit: emit)
    }

    /// As the other one, with what takes long made before.
    ///
    /// - Precondition: made of this engine's catalog and settings.
    @discardableResult
    public mutating func replace(
        _ replacement: RegionReplacement, at now: Timestamp, emit: (Event) -> Void
    ) throws(GEOSError) -> [DeviceID] {
        precondition(replacement.revision == catalog.revision, "the replacement was made for other regions")
        let (removed, replaced) = (replacement.removed, replacement.replaced)
        evaluator.replace(replacement.index, replacement.rules)
        guard !removed.isEmpty || !replaced.isEmpty else { return [] }
        let changed = Set(removed.keys).union(replaced)
        let affected = devices.places { $0.monitor.knowsAny(of: changed) }
        for place in affected {
            try evaluator.handle(.removed(removed, at: now), &devices.list[place].monitor, emit)
            try evaluator.handle(.replaced(replaced, at: now), &devices.list[place].monitor, emit)
            if devices.list[place].isLive { schedule(place) }
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
