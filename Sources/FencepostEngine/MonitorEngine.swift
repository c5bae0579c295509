public import FencepostGEOS
import FencepostGeometry
public import FencepostModel
public import FencepostMonitor
public import FencepostRegions

/// Evaluates fixes of any number of devices and emits their events: live, in a replay, and for a simulation.
///
/// Devices are independent of each other: the events of one device do not depend on the fixes of others.
public struct MonitorEngine: ~Copyable {
    /// A device is live once a fix is no older than this on arrival.
    public static let liveness = Duration.seconds(600)

    var evaluator: FixEvaluator
    var devices = DeviceTable()
    var memory: FixMemory
    private let window: Duration
    /// Deadlines of live devices.
    var clock = DeadlineQueue()
    private var verdicts = MonitorCounts()
    /// Whether recorded fixes that leap ahead of their device are held until the next ones show whether its clock was right.
    private let holdsLeaps: Bool
    /// Fixes released from a reorder buffer. Reused to avoid an allocation.
    private var ready: [Location] = []
    /// The fixes that the last `accept` evaluated, in the order of time, if others were held before; else empty.
    public private(set) var released: [Location] = []

    /// An engine without devices.
    ///
    /// - Parameters:
    ///   - index: over the regions to monitor.
    ///   - settings: the settings of all devices.
    ///   - explains: whether distances are measured for the `why` of events even where the result does not need them.
    ///   - memory: fixes of all devices among which a duplicate is recognised. A caller that can query older fixes
    ///     needs few.
    ///   - isThorough: whether every fix queries the regions, without the cached safe regions. The events are the same;
    ///     for tests.
    ///   - holdsLeaps: whether recorded fixes come in the order of their arrival. Then one that leaps ahead of its device is
    ///     held until the next ones show whether the clock of the device was right.
    ///
    /// Six parameters, because most callers give one or two, and each is of its own.
    public init(
        _ index: RegionIndex, settings: MonitorSettings, explains: Bool = false,
        memory: Int = FixMemory.defaultCapacity,
        isThorough: Bool = false, holdsLeaps: Bool = false
    ) {
        self.init(
            index, rules: WatchRules(index.catalog, settings), explains: explains, memory: memory,
            isThorough: isThorough, holdsLeaps: holdsLeaps)
    }

    /// An engine that shares the rules derived from the regions with other engines.
    ///
    /// - Parameters:
    ///   - index: over the regions to monitor.
    ///   - rules: derived from the index's catalog.
    ///   - explains: whether distances are measured for the `why` of events even where the result does not need them.
    ///   - memory: fixes of all devices among which a duplicate is recognised.
    ///   - isThorough: whether every fix queries the regions, without the cached safe regions.
    ///   - holdsLeaps: whether recorded fixes that leap ahead of their device are held.
    ///
    /// Six parameters, because most callers give one or two, and each is of its own.
    public init(
        _ index: RegionIndex, rules: WatchRules, explains: Bool = false, memory: Int = FixMemory.defaultCapacity,
        isThorough: Bool = false, holdsLeaps: Bool = false
    ) {
        evaluator = FixEvaluator(index, rules: rules, explains: explains, isThorough: isThorough)
        self.memory = FixMemory(capacity: memory)
        window = rules.settings.reorderWindow
        self.holdsLeaps = holdsLeaps
    }

    /// The settings of the evaluation.
    public var settings: MonitorSettings { evaluator.rules.settings }
    /// The index over the current regions.
    public var index: RegionIndex { evaluator.index }
    /// The current regions.
    public var catalog: RegionCatalog { evaluator.rules.catalog }

    /// Fixes by verdict and events by type, since the start.
    public var counts: MonitorCounts {
        var counts = verdicts
        counts.events = evaluator.eventCounts
        return counts
    }

    /// Number of known devices.
    public var deviceCount: Int { devices.count }

    /// Size of the state of all devices in bytes, without their ids.
    public var stateByteCount: Int { devices.byteCount }

    /// Fixes of all devices that were trusted less than their accuracy says, by reason.
    public var flagCounts: FlagCounts { devices.list.reduce(FlagCounts()) { $0 + $1.monitor.flagCounts } }

    /// Whether any device is live, so that `advanceClock` must be called.
    public internal(set) var hasLiveDevices = false

    /// The devices of which the last `advanceClock` fired deadlines. Other due devices only had fixes to release.
    public private(set) var firedDevices: [DeviceID] = []

    /// Whether `accept` can decide from memory alone if the fix of the device with an index is a duplicate. It can for a fix
    /// that is newer than all others of its device, and for a recent one. `now` is the time of its arrival.
    public mutating func remembers(_ location: Location, at device: Int, now: Timestamp) -> Bool {
        // `with` would copy the device here.
        let isNew = devices.list.withUnsafeBufferPointer { list in
            guard let start = list.baseAddress, list.indices.contains(device) else {
                preconditionFailure("There is no device \(device).")
            }
            return (start + device).pointee.buffer.isNew(location.timestamp, at: now)
        }
        return isNew || memory.contains(location, of: location.deviceID.fingerprint)
    }

    /// Evaluates a fix. Fixes must be passed in order of arrival.
    ///
    /// - Parameters:
    ///   - location: the fix; its device is added if it is new.
    ///   - now: the current time when fixes may be live; `nil` for recorded fixes.
    ///   - emit: called with each event.
    /// - Returns: whether the fix was accepted, late, or a duplicate.
    /// - Throws: when GEOS fails on a region.
    public mutating func accept(
        _ location: Location, now: Timestamp? = nil, emit: (Event) -> Void
    ) throws(GEOSError) -> ReorderBuffer.Verdict {
        var device = devices.index(of: location.deviceID)
        return try accept(location, at: &device, now: now, emit: emit)
    }

    /// As `accept(_:now:emit:)`, for a device that is looked up already.
    ///
    /// - Parameters:
    ///   - location: the fix.
    ///   - known: the device's index. For a new device `nil`, which is replaced by the index that it gets.
    ///   - now: the current time when fixes may be live; `nil` for recorded fixes.
    ///   - emit: called with each event.
    /// - Returns: whether the fix was accepted, late, or a duplicate.
    /// - Throws: when GEOS fails on a region.
    public mutating func accept(
        _ location: Location, at known: inout Int?, now: Timestamp? = nil, emit: (Event) -> Void
    ) throws(GEOSError) -> ReorderBuffer.Verdict {
        let hash = location.deviceID.fingerprint
        let device =
            known
            ?? devices.add(
                DeviceTable.Device(DeviceMonitor(deviceID: location.deviceID, settings: settings)))
        known = device
        if holdsLeaps, !released.isEmpty { released.removeAll(keepingCapacity: true) }
        if let now,
            let verdict = devices.list[device].buffer.arrive(location, of: hash, at: now, memory: &memory)
        {
            verdicts.add(verdict)
            noteArrival(of: location, at: device, now, verdict)
            return verdict
        }
        let verdict: ReorderBuffer.Verdict
        if holdsLeaps, now == nil, window == .zero, devices.list[device].buffer.mayHold(location.timestamp) {
            verdict = devices.list[device].buffer.hold(
                location, of: hash, memory: &memory, ahead: { _ in verdicts.ahead += 1 }, ready: { released.append($0) }
            )
            evaluator.aheadIndex = nil
            for location in released { try evaluator.evaluate(location, &devices.list[device].monitor, emit) }
            verdicts.accepted += max(released.count - 1, 0)
        } else if window == .zero {
            let result = devices.list[device].buffer.accept(location, of: hash, memory: &memory)
            if result == .accepted { try evaluator.evaluate(location, &devices.list[device].monitor, emit) }
            let isOfWrongClock =
                result == .late && holdsLeaps && now == nil
                && devices.list[device].buffer.isOfWrongClock(location.timestamp)
            verdict = isOfWrongClock ? .ahead : result
        } else {
            ready.removeAll(keepingCapacity: true)
            verdict = devices.list[device].buffer.accept(location, of: hash, window: window, memory: &memory) {
                ready.append($0)
            }
            for location in ready { try evaluator.evaluate(location, &devices.list[device].monitor, emit) }
        }
        verdicts.add(verdict)
        noteArrival(of: location, at: device, now, verdict)
        return verdict
    }

    /// Notes whether a device sends its fixes as they happen, and when it is due.
    ///
    /// A duplicate says nothing of it: it is not in the log, of which the same events have to follow.
    @inline(__always)
    private mutating func noteArrival(
        of location: Location, at device: Int, _ now: Timestamp?, _ verdict: ReorderBuffer.Verdict
    ) {
        if let now, verdict != .duplicate, !devices.list[device].isLive, location.timestamp + Self.liveness >= now {
            devices.list[device].isLive = true
            hasLiveDevices = true
        }
        if devices.list[device].isLive { schedule(device) }
    }

    /// The number of fixes so far that needed the regions that contain them.
    var coveringCount: Int { evaluator.coveringCount }

    /// Looks up the regions of fixes that `accept(_:at:ahead:emit:)` takes next.
    mutating func lookAhead(_ coordinates: [Coordinate]) throws(GEOSError) { try evaluator.lookAhead(coordinates) }

    /// As `accept(_:at:now:emit:)`, for a recorded fix whose regions are looked up already, without a window to reorder
    /// fixes.
    ///
    /// `ahead` is the index of the fix in the last `lookAhead`.
    mutating func accept(
        _ location: Location, at known: inout Int?, ahead: Int, emit: (Event) -> Void
    ) throws(GEOSError) -> ReorderBuffer.Verdict {
        evaluator.aheadIndex = ahead
        defer { evaluator.aheadIndex = nil }
        return try accept(location, at: &known, emit: emit)
    }

    /// The earliest deadline of a device, `distantFuture` without one.
    func deadline(of device: Int) -> Timestamp {
        var moment = Timestamp.distantFuture
        if let deadline = devices.list[device].monitor.deadline(evaluator.rules) { moment = deadline + window }
        if let deadline = devices.list[device].buffer.deadline(window: window) { moment = min(moment, deadline) }
        return moment
    }

    /// Enters a live device into the deadline queue, unless the queue has it at an earlier time.
    mutating func schedule(_ device: Int) {
        let moment = deadline(of: device)
        guard moment < devices.list[device].wake else { return }
        devices.list[device].wake = moment
        clock.add(device, at: moment)
    }

    /// Evaluates the deadlines of live devices that are due: dwells, departures, staleness, buffered fixes.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - isAhead: devices to skip, because their state is of a later time; for a replay.
    ///   - willEvaluate: called before each device.
    ///   - emit: called with each event.
    /// - Returns: the devices that had a deadline due.
    /// - Throws: when GEOS fails on a region.
    @discardableResult
    public mutating func advanceClock(
        to now: Timestamp, except isAhead: (DeviceID) -> Bool = { _ in false },
        willEvaluate: (DeviceID) -> Void = { _ in }, emit: (Event) -> Void
    ) throws(GEOSError) -> [DeviceID] {
        firedDevices.removeAll(keepingCapacity: true)
        guard hasLiveDevices else { return [] }
        let moment = now - window
        var dueDevices: [Int] = []
        var skipped: [Int] = []
        // An entry of the queue may be earlier than the device's deadline, never later, and its device may be removed.
        while let entry = clock.next(through: now) {
            let device = Int(entry.device)
            guard device < devices.count, devices.list[device].wake == entry.moment else { continue }
            devices.list[device].wake = .distantFuture
            if deadline(of: device) > now {
                schedule(device)
            } else if isAhead(devices.list[device].monitor.deviceID) {
                skipped.append(device)
            } else {
                dueDevices.append(device)
            }
        }
        dueDevices = devices.sorted(dueDevices)
        for device in dueDevices {
            willEvaluate(devices.list[device].monitor.deviceID)
            ready.removeAll(keepingCapacity: true)
            devices.list[device].buffer.release(through: moment) { ready.append($0) }
            for location in ready { try evaluator.evaluate(location, &devices.list[device].monitor, emit) }
            if let deadline = devices.list[device].monitor.deadline(evaluator.rules), deadline <= moment {
                firedDevices.append(devices.list[device].monitor.deviceID)
            }
            try evaluator.handle(.clock(moment), &devices.list[device].monitor, emit)
        }
        for device in dueDevices + skipped { schedule(device) }
        return dueDevices.map { devices.list[$0].monitor.deviceID }
    }

    /// Evaluates all fixes that are still buffered, at the end of the input. `released` has them then.
    ///
    /// - Throws: when GEOS fails on a region.
    public mutating func finish(emit: (Event) -> Void) throws(GEOSError) {
        released.removeAll(keepingCapacity: true)
        for device in devices.indices(where: { $0.buffer.bufferedCount > 0 }) {
            ready.removeAll(keepingCapacity: true)
            devices.list[device].buffer.end(ahead: { _ in verdicts.ahead += 1 }, ready: { ready.append($0) })
            released += ready
            // Those in a window are counted on arrival.
            if window == .zero { verdicts.accepted += ready.count }
            for location in ready { try evaluator.evaluate(location, &devices.list[device].monitor, emit) }
        }
    }

    /// Replaces the regions.
    ///
    /// A device inside a removed region exits it now. A region whose shape has changed is evaluated with the next fix.
    ///
    /// - Parameters:
    ///   - index: over a catalog that `RegionCatalog.update` derived from this engine's.
    ///   - now: the time of the exits.
    ///   - emit: called with each event.
    /// - Returns: the devices with state about a removed or changed region, in the order of their events.
    /// - Throws: when GEOS fails on a region.
    @discardableResult
    public mutating func replace(
        _ index: RegionIndex, at now: Timestamp, emit: (Event) -> Void
    ) throws(GEOSError) -> [DeviceID] {
        try replace(RegionReplacement(of: catalog, with: index, settings: settings), at: now, emit: emit)
    }

    /// As `replace(_:at:emit:)` with an index, with a replacement that was prepared before. `willEvaluate` is called before each
    /// device.
    ///
    /// - Precondition: the replacement was derived from this engine's current catalog and settings.
    @discardableResult
    public mutating func replace(
        _ replacement: RegionReplacement, at now: Timestamp, willEvaluate: (DeviceID) -> Void = { _ in },
        emit: (Event) -> Void
    ) throws(GEOSError) -> [DeviceID] {
        precondition(replacement.revision == catalog.revision, "the replacement was derived from other regions")
        let (removed, replaced) = (replacement.removed, replacement.replaced)
        evaluator.replace(replacement.index, replacement.rules)
        guard !removed.isEmpty || !replaced.isEmpty else { return [] }
        let changed = Set(removed.keys).union(replaced)
        let affected = devices.indices { $0.monitor.tracksAny(of: changed) }
        for device in affected {
            willEvaluate(devices.list[device].monitor.deviceID)
            try evaluator.handle(.removed(removed, at: now), &devices.list[device].monitor, emit)
            try evaluator.handle(.replaced(replaced, at: now), &devices.list[device].monitor, emit)
            if devices.list[device].isLive { schedule(device) }
        }
        return affected.map { devices.list[$0].monitor.deviceID }
    }

    /// Continues with other alert rules and plans, which apply to each device as after a restart with them: no event follows from
    /// the change itself.
    ///
    /// - Parameters:
    ///   - alerts: the rules, without groups.
    ///   - plans: the plans, without groups; `nil` for those of now.
    /// - Returns: the devices whose state has changed.
    public mutating func replaceAlerts(_ alerts: [AlertRule], plans: [Plan]? = nil) -> [DeviceID] {
        let former = settings.alerts
        var settings = settings
        settings.alerts = alerts
        let hasPlans = !settings.plans.isEmpty || plans?.isEmpty == false
        if let plans { settings.plans = plans }
        let rules = WatchRules(catalog, settings, explains: evaluator.rules.explains)
        evaluator.replace(rules)
        var affected: [DeviceID] = []
        for device in devices.list.indices {
            let hasAlerts = devices.list[device].monitor.adoptAlerts(rules, after: former)
            if hasPlans && devices.list[device].monitor.adoptPlans(rules) || hasAlerts {
                affected.append(devices.list[device].monitor.deviceID)
            }
            if devices.list[device].isLive { schedule(device) }
        }
        return affected
    }
}

extension MonitorEngine {
    /// Continues with other proximity rules, which no state of a device depends on.
    package mutating func replaceProximity(_ rules: [ProximityRule]) {
        var settings = settings
        settings.proximity = rules
        evaluator.replace(WatchRules(catalog, settings, explains: evaluator.rules.explains))
    }
}

/// Counts of fixes and events.
public struct MonitorCounts: Hashable, Sendable {
    /// Fixes that were evaluated or buffered.
    public var accepted = 0
    /// Fixes that came too late to be evaluated.
    public var late = 0
    /// Fixes that were ignored as duplicates.
    public var duplicates = 0
    /// Fixes whose time is ahead of their arrival or of their neighbours, which are not evaluated.
    public var ahead = 0
    /// Emitted events.
    public var events: [EventType: Int] = [:]

    @inline(__always)
    mutating func add(_ verdict: ReorderBuffer.Verdict) {
        switch verdict {
        case .accepted: accepted += 1
        // Counted when it is decided.
        case .held: break
        case .ahead: ahead += 1
        case .late: late += 1
        case .duplicate: duplicates += 1
        }
    }
}
