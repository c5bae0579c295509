public import FencepostModel

/// One device: its fixes in time order in, its events out.
///
/// A value without a clock: the same inputs give the same events, in whatever batches they come, and a snapshot
/// after any of them changes nothing that follows. It takes about 225 bytes, the judge of its fixes among them; a detector
/// of visits and the regions that it is in lie beside it and are there only when they are needed.
public struct DeviceMonitor: Sendable {
    public enum Input: Sendable {
        /// A fix, not older than the one before it, and how it lies to the regions near it, sorted by handle.
        ///
        /// Regions that are not named are farther away than `reach` of the fix. The passages are the regions that the
        /// way from the fix before leads through, where `way` asked for them.
        case located(Location, [Proximity], passages: [Passage] = [])
        /// The clock has come so far.
        case clock(Timestamp)
        /// Regions are there no more; the catalog holds them no longer.
        case removed([RegionHandle: Region], at: Timestamp)
        /// Regions were replaced; the catalog holds them as they are now.
        case replaced([RegionHandle], at: Timestamp)
    }

    struct Pair: Hashable, Sendable {
        var presence: RegionPresence
        var handle: RegionHandle
        /// Whether the last fix was in the region, boundary included.
        var isCovered = false
    }

    public let deviceID: DeviceID
    // In an order that leaves no gaps: there are many devices.
    /// The first moment at which a region or a visit may have something to tell without a fix; else `distantFuture`.
    var wake = Timestamp.distantFuture
    /// The regions that the device is in or may be about to enter or leave, sorted by handle; all others are at rest.
    var pairs: [Pair] = []
    var visits = Boxed<VisitDetector>()
    var last = KeptFix()
    /// Whether there was a fix; `last` and `seenRevision` say nothing before.
    var hasFix = false
    public internal(set) var isStale = false
    /// What comes of a fix that lies to all regions as the last one did.
    var quiet = Quiet.no
    /// The catalog's revision at the last fix.
    var seenRevision: UInt32 = 0
    var sequence: UInt32 = 0
    /// Begins with the first fix that a region of mode `confirmed` is watched at.
    var trust = FixTrust()
    /// Where the next fix lies to all regions as the last one did.
    var calm = CalmBox()

    /// What the regions make of a fix that lies to all of them as the last one did.
    enum Quiet: UInt8 {
        /// Anything.
        case no
        /// What follows from the pairs alone: no region that the device is in is without one for a while only.
        case paired
        /// Nothing, until a deadline.
        case settled
    }

    public init(deviceID: DeviceID, settings: MonitorSettings) {
        self.deviceID = deviceID
        if let settings = settings.visits { visits.set(VisitDetector(settings: settings)) }
    }

    /// The last fix that was evaluated.
    public var lastLocation: Location? { hasFix ? last.location(of: deviceID) : nil }

    /// How many of its fixes were doubted, by reason; none is where no region weighs them.
    public var doubts: DoubtCounts { trust.doubts }

    /// The regions that the device is in, as far as events go.
    public var staying: [RegionHandle] { pairs.filter(\.presence.isStaying).map(\.handle) }

    /// Whether it keeps anything of any region.
    public var knowsRegions: Bool { !pairs.isEmpty }

    /// Whether it keeps anything of one of these regions.
    public func knowsAny(of regions: Set<RegionHandle>) -> Bool { pairs.contains { regions.contains($0.handle) } }

    /// The first moment at which something may have to be told without a further fix.
    public func deadline(_ rules: WatchRules) -> Timestamp? {
        let first = min(wake, staleDeadline(rules))
        return first == .distantFuture ? nil : first
    }

    /// Takes one input, in time order, and says what is to be told of it.
    public mutating func handle(_ input: Input, _ rules: WatchRules) -> [Event] {
        var events: [Event] = []
        switch input {
        case .located(let location, let proximities, let passages):
            var workspace = MonitorWorkspace()
            locate(location, proximities, passages: passages, rules, &workspace, into: &events)
        case .clock(let now):
            fireDeadlines(through: now, rules, into: &events)
        case .removed(let regions, let moment):
            quiet = .no
            let now = max(moment, hasFix ? last.time : moment)
            fireDeadlines(through: now, rules, removed: regions, into: &events)
            var batch = EventBatch()
            pairs.removeAll { pair in
                guard let region = regions[pair.handle] else { return false }
                var presence = pair.presence
                batch.add(presence.leave(because: .deleted, at: now, in: region), of: region)
                return true
            }
            if !batch.isEmpty { batch.close(of: deviceID, at: lastLocation, after: &sequence, into: &events) }
            updateWake()
        case .replaced(let handles, let moment):
            quiet = .no
            let now = max(moment, hasFix ? last.time : moment)
            for index in pairs.indices where handles.contains(pairs[index].handle) {
                guard let region = rules.catalog[pairs[index].handle] else { continue }
                pairs[index].presence.regionChanged(to: region, at: now)
            }
            updateWake()
        }
        return events
    }

    // MARK: Deadlines

    /// Whether a deadline is reached, or something else has to be told with the next fix whatever it is.
    @inline(__always)
    func isDue(at now: Timestamp, _ rules: WatchRules) -> Bool {
        wake <= now || isStale || staleDeadline(rules) <= now
    }

    private func staleDeadline(_ rules: WatchRules) -> Timestamp {
        guard !isStale, hasFix, let span = rules.staleAfter else { return .distantFuture }
        return Timestamp(milliseconds: last.time.milliseconds + span)
    }

    /// To be called when a deadline of a region or of a visit may be another one than before.
    mutating func updateWake() {
        wake = visits.look { $0.due } ?? .distantFuture
        for pair in pairs { wake = min(wake, pair.presence.deadline) }
    }

    mutating func fireDeadlines(
        through now: Timestamp, _ rules: WatchRules, removed: [RegionHandle: Region] = [:],
        into events: inout [Event]
    ) {
        while let moment = deadline(rules), moment <= now {
            quiet = .no
            // What is due because an event was dated back is settled now, not then.
            let settled = max(moment, hasFix ? last.time : moment)
            var batch = EventBatch()
            for index in pairs.indices where pairs[index].presence.deadline <= moment {
                guard let region = rules.catalog[pairs[index].handle] ?? removed[pairs[index].handle] else { continue }
                batch.add(pairs[index].presence.deadlineReached(settled, in: region), of: region)
            }
            var reports: [VisitReport] = []
            visits.update { if $0.due <= moment { $0.deadlineReached(moment, into: &reports) } }
            for report in reports { batch.add(report, of: deviceID) }
            let stale = staleDeadline(rules)
            if stale <= moment {
                isStale = true
                batch.add(.deviceStale, at: stale)
            }
            pairs.removeAll { $0.presence.isAtRest }
            if !batch.isEmpty { batch.close(of: deviceID, at: lastLocation, after: &sequence, into: &events) }
            updateWake()
        }
    }

    /// What it takes on the heap, in bytes.
    public var heapByteCount: Int {
        HeapSize.ofArray(pairs) + trust.trustedBefore.heapByteCount + last.heapByteCount
            + visits.heapByteCount + (visits.look { $0.heapByteCount } ?? 0)
    }
}
