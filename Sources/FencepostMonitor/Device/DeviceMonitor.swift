public import FencepostGeometry
public import FencepostModel

/// Monitors one device: takes its fixes in time order and emits its events.
///
/// A value without a clock: the same inputs give the same events in whatever batches they come, and a restored snapshot
/// changes nothing that follows. It takes about 230 bytes, including the state of `TrustEvaluator`. The visit detector
/// and the tracked regions are on the heap, and only if they are needed.
public struct DeviceMonitor: Sendable {
    /// What the monitor takes, in time order.
    public enum Input: Sendable {
        /// A fix, not older than the one before, and its proximity to the regions near it, sorted by handle.
        ///
        /// All other regions are farther away than the search radius. The pass-throughs are those of the track segment
        /// from the fix before, if the `FixPlan` names its start.
        case located(Location, [Proximity], passThroughs: [PassThrough] = [])
        /// The time has come.
        case clock(Timestamp)
        /// Regions were deleted; the catalog no longer has them.
        case removed([RegionHandle: Region], at: Timestamp)
        /// Regions were replaced; the catalog has the new ones.
        case replaced([RegionHandle], at: Timestamp)
        /// The fence changes, at a time after all fixes and deadlines before.
        case fence(FenceChange, at: Timestamp)
    }

    /// The state of the device in one tracked region.
    struct Pair: Hashable, Sendable {
        var presence: RegionPresence
        var handle: RegionHandle
        /// Whether the last fix was in the region or on its boundary.
        var isCovered = false
    }

    /// The device that is monitored.
    public let deviceID: DeviceID
    // The order leaves no gaps, since there are many devices.
    /// The first moment at which a region, a visit or an alert may have an event without a fix; `distantFuture` if none.
    var nextDeadline = Timestamp.distantFuture
    /// The tracked regions, sorted by handle: those that the device is in, or may be about to enter or leave. The device
    /// is certainly outside of all others.
    var pairs: [Pair] = []
    var visits = Boxed<VisitDetector>()
    var rare = Boxed<RareState>()
    var last = LastFix()
    /// Whether there was a fix; before it, `last` and `lastRevision` have no meaning.
    var hasFix = false
    /// `isStale`, `hasFence` and `hasPlans`, in one byte.
    @usableFromInline var flags: UInt8 = 0
    var steadyState = SteadyState.none
    /// The revision of the catalog at the last fix.
    var lastRevision: UInt32 = 0
    var sequence: UInt32 = 0
    var motion = MotionLimit()
    /// Begins with the first fix after which a region of mode `confirmed` is monitored.
    var trust = FixTrust()
    var safeRegion = CachedSafeRegion()

    /// Whether the device has been silent for `MonitorSettings.staleAfter`, and has reported `device.stale`.
    public internal(set) var isStale: Bool {
        @inlinable get { flags & 1 != 0 }
        set { flags = newValue ? flags | 1 : flags & ~1 }
    }

    /// Whether the device has a fence, or a schedule of one.
    public internal(set) var hasFence: Bool {
        @inlinable get { flags & 2 != 0 }
        set { flags = newValue ? flags | 2 : flags & ~2 }
    }

    /// Whether the device walks the rounds of a plan.
    public internal(set) var hasPlans: Bool {
        @inlinable get { flags & 4 != 0 }
        set { flags = newValue ? flags | 4 : flags & ~4 }
    }

    /// Whether a location is evaluated for a fence or for rounds, besides its regions.
    public var hasFenceOrPlans: Bool { @inlinable get { flags & 6 != 0 } }

    /// What a fix changes if it has the same relation to all regions as the last one.
    enum SteadyState: UInt8 {
        /// It may change anything.
        case none
        /// It may change the state of tracked regions only. No region that contains the device is untracked.
        case stationary
        /// It changes the state of no region, until a deadline.
        case untracked
    }

    /// A monitor that knows nothing of the device yet; its first fix starts it.
    public init(deviceID: DeviceID, settings: MonitorSettings) {
        self.deviceID = deviceID
        if let settings = settings.visits { visits.set(VisitDetector(settings: settings)) }
        if !settings.plans.isEmpty { hasPlans = settings.plans.contains { $0.applies(to: deviceID) } }
    }

    /// The last evaluated fix.
    public var lastLocation: Location? { hasFix ? last.location(of: deviceID) : nil }

    /// The time of `lastLocation`.
    package var lastTime: Timestamp? { hasFix ? last.time : nil }

    /// Where another phone with the same id was last, if the fixes show that there are two.
    public var otherPhone: Coordinate? {
        guard hasFix, let phones = rare.read({ $0.secondPhone }) ?? nil else { return nil }
        return phones.other(than: last.location(of: deviceID))
    }

    /// The number of flagged fixes. Fixes are evaluated only if a region of mode `confirmed` is monitored.
    public var flagCounts: FlagCounts { trust.flagCounts }

    /// The regions that the device is in, according to its events.
    public var occupiedRegions: [RegionHandle] { pairs.filter(\.presence.isStaying).map(\.handle) }

    /// Whether it tracks any region.
    public var tracksRegions: Bool { !pairs.isEmpty }

    /// Whether it tracks one of these regions.
    public func tracksAny(of regions: Set<RegionHandle>) -> Bool { pairs.contains { regions.contains($0.handle) } }

    /// The first moment at which an event may be due without a further fix; `nil` if none.
    public func deadline(_ rules: WatchRules) -> Timestamp? {
        let first = min(nextDeadline, staleDeadline(rules))
        return first == .distantFuture ? nil : first
    }

    /// Takes one input, in time order.
    ///
    /// - Returns: the events that follow.
    public mutating func handle(_ input: Input, _ rules: WatchRules) -> [Event] {
        var events: [Event] = []
        switch input {
        case .located(let location, let proximities, let passThroughs):
            var workspace = MonitorWorkspace()
            if isImpossible(location, rules) {
                locateImpossible(location, proximities, rules, &workspace, into: &events)
            } else {
                locate(location, proximities, passThroughs: passThroughs, rules, &workspace, into: &events)
                if rules.hasAlerts { evaluateAlerts(location, rules, into: &events) }
                if hasFenceOrPlans { evaluateFenceAndPlans(location, rules, into: &events) }
            }
        case .clock(let now):
            fireDeadlines(through: now, rules, into: &events)
        case .fence(let change, let moment):
            take(change, at: moment, rules, into: &events)
        case .removed(let regions, let moment):
            steadyState = .none
            let now = max(moment, hasFix ? last.time : moment)
            fireDeadlines(through: now, rules, removed: regions, into: &events)
            var batch = EventBatch(rules)
            pairs.removeAll { pair in
                guard let region = regions[pair.handle] else { return false }
                var presence = pair.presence
                batch.add(presence.leave(because: .deleted, at: now, in: region), of: region)
                return true
            }
            if !batch.isEmpty { batch.close(of: deviceID, at: lastLocation, after: &sequence, into: &events) }
            updateNextDeadline()
        case .replaced(let handles, let moment):
            steadyState = .none
            let now = max(moment, hasFix ? last.time : moment)
            for index in pairs.indices where handles.contains(pairs[index].handle) {
                guard let region = rules.catalog[pairs[index].handle] else { continue }
                pairs[index].presence.regionChanged(to: region, at: now)
            }
            updateNextDeadline()
        }
        return events
    }

    // MARK: Deadlines

    /// Whether a fix at this time has to do more than regions and visits ask for: a deadline is reached, or the device
    /// was stale.
    @inline(__always)
    func isDue(at now: Timestamp, _ rules: WatchRules) -> Bool {
        nextDeadline <= now || isStale || staleDeadline(rules) <= now
    }

    private func staleDeadline(_ rules: WatchRules) -> Timestamp {
        // One that leaps about is heard.
        guard !isStale, hasFix, !motion.isLeaping, let span = rules.staleAfter else { return .distantFuture }
        return Timestamp(milliseconds: last.time.milliseconds + span)
    }

    /// Computes `nextDeadline` again, after a change of a deadline of a region or a visit.
    mutating func updateNextDeadline() {
        nextDeadline = min(visits.read { $0.due } ?? .distantFuture, rareDue)
        for pair in pairs { nextDeadline = min(nextDeadline, pair.presence.deadline) }
    }

    /// Handles the deadlines before a fix. Not inlined: most fixes have none.
    @inline(never)
    mutating func fireDeadlines(before next: Location, _ rules: WatchRules, into events: inout [Event]) {
        fireDeadlines(through: next.timestamp, rules, before: VisitFix(next), into: &events)
    }

    /// Handles all deadlines up to a moment, in time order.
    ///
    /// `removed` has the deleted regions that the device may still be in. `next` is the fix after the deadlines, if it is known.
    mutating func fireDeadlines(
        through now: Timestamp, _ rules: WatchRules, removed: [RegionHandle: Region] = [:],
        before next: VisitFix? = nil, into events: inout [Event]
    ) {
        while let moment = deadline(rules), moment <= now {
            steadyState = .none
            let first = events.count
            // A deadline can follow from a backdated event. It is detected at the last fix, not before.
            let detectedAt = max(moment, hasFix ? last.time : moment)
            var batch = EventBatch(rules)
            for index in pairs.indices where pairs[index].presence.deadline <= moment {
                guard let region = rules.catalog[pairs[index].handle] ?? removed[pairs[index].handle] else { continue }
                batch.add(pairs[index].presence.deadlineReached(detectedAt, in: region), of: region)
            }
            var reports: [VisitReport] = []
            visits.update { if $0.due <= moment { $0.deadlineReached(moment, before: next, into: &reports) } }
            for report in reports { batch.add(report, of: deviceID) }
            decideAlerts(at: moment, detectedAt: detectedAt, rules, &batch)
            let stale = staleDeadline(rules)
            if stale <= moment {
                isStale = true
                batch.add(.deviceStale, at: stale)
            }
            pairs.removeAll { $0.presence.isUntracked }
            if !batch.isEmpty { batch.close(of: deviceID, at: lastLocation, after: &sequence, into: &events) }
            decideFence(at: moment, detectedAt: detectedAt, rules, into: &events)
            if hasPlans { decidePlans(at: detectedAt, from: first, rules, into: &events) }
            updateNextDeadline()
        }
    }

    /// Where the reference to the memory of the tracked regions is in a monitor, in bytes, to load that memory ahead.
    package static let trackedOffset = MemoryLayout<DeviceMonitor>.offset(of: \DeviceMonitor.pairs)

    /// Calls `body` with each tracked region of the monitor at an address, without a copy of the monitor.
    @inline(__always)
    package static func forEachTracked(at monitor: UnsafeRawPointer, _ body: (RegionHandle) -> Void) {
        guard let trackedOffset else { return }
        let pairs = unsafe (monitor + trackedOffset).assumingMemoryBound(to: [Pair].self)
        unsafe pairs.pointee.withUnsafeBufferPointer { pairs in
            for index in pairs.indices { unsafe body(pairs[index].handle) }
        }
    }

    /// The size of its heap blocks, in bytes.
    public var heapByteCount: Int {
        HeapSize.ofArray(pairs) + trust.earlierTrusted.heapByteCount + last.heapByteCount + rare.heapByteCount
            + visits.heapByteCount + (visits.read { $0.heapByteCount } ?? 0)
    }
}
