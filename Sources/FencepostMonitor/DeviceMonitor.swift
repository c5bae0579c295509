public import FencepostModel

/// One device: its fixes in time order in, its events out.
///
/// A value without a clock: the same inputs give the same events, in whatever batches they come, and a snapshot
/// after any of them changes nothing that follows.
public struct DeviceMonitor: Hashable, Sendable {
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
        var handle: RegionHandle
        var presence: RegionPresence
    }

    public let deviceID: DeviceID
    /// The regions that the device is in or may be about to enter or leave, sorted by handle; all others are at rest.
    var pairs: [Pair] = []
    /// The catalog's revision at the last fix; `nil` before the first.
    var seenRevision: UInt32?
    var lastFix: Location?
    public internal(set) var isStale = false
    var judge = FixJudge()
    var visits: VisitDetector?
    var sequence = 0

    /// - Parameter sequence: how many events of the device were told before.
    public init(deviceID: DeviceID, settings: MonitorSettings) {
        self.deviceID = deviceID
        visits = settings.visits.map(VisitDetector.init(settings:))
    }

    /// The last fix that was evaluated.
    public var lastLocation: Location? { lastFix }

    /// How many of its fixes were doubted, by reason.
    public var doubts: DoubtCounts { judge.doubts }

    /// The regions that the device is in, as far as events go.
    public var staying: [RegionHandle] { pairs.filter(\.presence.isStaying).map(\.handle) }

    /// Whether it keeps anything of any region.
    public var knowsRegions: Bool { !pairs.isEmpty }

    /// Whether it keeps anything of one of these regions.
    public func knowsAny(of regions: Set<RegionHandle>) -> Bool { pairs.contains { regions.contains($0.handle) } }

    /// The first moment at which something may have to be told without a further fix.
    public func deadline(_ settings: MonitorSettings) -> Timestamp? {
        var first = staleDeadline(settings)
        for pair in pairs { first = earlier(first, pair.presence.deadline) }
        return earlier(first, visits?.deadline)
    }

    /// Metres around a fix within which distances to boundaries bear on the answer in the given modes.
    public func reach(of location: Location, modes: Set<CrossingMode>, _ settings: MonitorSettings) -> Double {
        var meters = 0.0
        if modes.contains(.confirmed) { meters = max(meters, judge.reach(for: location)) }
        if modes.contains(.coreLocation) { meters = max(meters, settings.cushion + 1) }
        return meters
    }

    /// Takes one input, in time order, and says what is to be told of it.
    public mutating func handle(
        _ input: Input, catalog: RegionCatalog, settings: MonitorSettings
    ) -> [Event] {
        var events: [Event] = []
        switch input {
        case .located(let location, let proximities, let passages):
            fireDeadlines(through: location.timestamp, catalog, settings, into: &events)
            pass(through: passages, to: location, catalog, settings, into: &events)
            locate(location, proximities, catalog, settings, into: &events)
            // An entry that is dated back may have a dwell that is due already.
            fireDeadlines(through: location.timestamp, catalog, settings, into: &events)
        case .clock(let now):
            fireDeadlines(through: now, catalog, settings, into: &events)
        case .removed(let regions, let moment):
            let now = max(moment, lastFix?.timestamp ?? moment)
            fireDeadlines(through: now, catalog, settings, removed: regions, into: &events)
            var batch = EventBatch(deviceID: deviceID, location: lastFix)
            pairs.removeAll { pair in
                guard let region = regions[pair.handle] else { return false }
                var presence = pair.presence
                batch.add(presence.leave(because: .deleted, at: now, in: region), of: region)
                return true
            }
            batch.close(after: &sequence, into: &events)
        case .replaced(let handles, let moment):
            let now = max(moment, lastFix?.timestamp ?? moment)
            for index in pairs.indices where handles.contains(pairs[index].handle) {
                guard let region = catalog[pairs[index].handle] else { continue }
                pairs[index].presence.regionChanged(to: region, at: now)
            }
        }
        return events
    }

    private mutating func locate(
        _ location: Location, _ proximities: [Proximity], _ catalog: RegionCatalog, _ settings: MonitorSettings,
        into events: inout [Event]
    ) {
        var batch = EventBatch(deviceID: deviceID, location: location)
        if isStale {
            isStale = false
            batch.add(.deviceRecovered, at: location.timestamp)
        }
        let evidence = judge.judge(location)
        var next: [Pair] = []
        next.reserveCapacity(max(pairs.count, proximities.count))
        var (p, q) = (0, 0)
        while p < pairs.count || q < proximities.count {
            // Both lists are sorted by handle; a region may be in one or in both.
            let handle: RegionHandle
            if p < pairs.count, q < proximities.count {
                handle = min(pairs[p].handle, proximities[q].region)
            } else {
                handle = p < pairs.count ? pairs[p].handle : proximities[q].region
            }
            var known: RegionPresence?
            var proximity: Proximity?
            if p < pairs.count, pairs[p].handle == handle {
                known = pairs[p].presence
                p += 1
            }
            if q < proximities.count, proximities[q].region == handle {
                proximity = proximities[q]
                q += 1
            }
            guard let region = catalog[handle],
                let presence = evaluate(
                    region, handle, known, proximity, location, evidence, catalog, settings, into: &batch)
            else { continue }
            next.append(Pair(handle: handle, presence: presence))
        }
        pairs = next
        lastFix = location
        seenRevision = catalog.revision
        for report in visits?.handle(location) ?? [] { batch.add(report) }
        batch.close(after: &sequence, into: &events)
    }

    /// What becomes of one pair by one fix; `nil` when it need not be kept.
    private func evaluate(
        _ region: Region, _ handle: RegionHandle, _ known: RegionPresence?, _ proximity: Proximity?,
        _ location: Location, _ evidence: FixEvidence, _ catalog: RegionCatalog, _ settings: MonitorSettings,
        into batch: inout EventBatch
    ) -> RegionPresence? {
        if let expires = region.expires, expires <= location.timestamp { return nil }
        let wasWatched = seenRevision.map { $0 >= catalog.revision(addedIn: handle) } ?? false
        if known == nil {
            guard region.isMeant(for: deviceID) else { return nil }
            if wasWatched, proximity.map({ !$0.covers && !$0.signedDistance.isFinite }) ?? true { return nil }
        }
        var presence =
            known
            ?? RegionPresence(
                region.crossing ?? settings.crossing, knownOutsideSince: wasWatched ? lastFix?.timestamp : nil)
        var proximity = proximity
        if region.minAltitude != nil || region.maxAltitude != nil {
            // Without an altitude nothing is known of the band: what was known stays.
            guard let altitude = location.altitude else { return presence.isAtRest ? nil : presence }
            if altitude < region.minAltitude ?? -.infinity || altitude > region.maxAltitude ?? .infinity {
                proximity = nil
            }
        }
        batch.add(presence.located(proximity, location, evidence, in: region, settings), of: region)
        return presence.isAtRest ? nil : presence
    }

    private mutating func fireDeadlines(
        through now: Timestamp, _ catalog: RegionCatalog, _ settings: MonitorSettings,
        removed: [RegionHandle: Region] = [:], into events: inout [Event]
    ) {
        while let moment = deadline(settings), moment <= now {
            // What is due because an event was dated back is settled now, not then.
            let settled = max(moment, lastFix?.timestamp ?? moment)
            var batch = EventBatch(deviceID: deviceID, location: lastFix)
            for index in pairs.indices {
                guard let due = pairs[index].presence.deadline, due <= moment,
                    let region = catalog[pairs[index].handle] ?? removed[pairs[index].handle]
                else { continue }
                batch.add(pairs[index].presence.deadlineReached(settled, in: region), of: region)
            }
            if let due = visits?.deadline, due <= moment {
                for report in visits?.deadlineReached(moment) ?? [] { batch.add(report) }
            }
            if let due = staleDeadline(settings), due <= moment {
                isStale = true
                batch.add(.deviceStale, at: due)
            }
            pairs.removeAll { $0.presence.isAtRest }
            batch.close(after: &sequence, into: &events)
        }
    }

    private func staleDeadline(_ settings: MonitorSettings) -> Timestamp? {
        guard !isStale, let staleAfter = settings.staleAfter, let lastFix else { return nil }
        return lastFix.timestamp + staleAfter
    }

    private func earlier(_ a: Timestamp?, _ b: Timestamp?) -> Timestamp? {
        guard let a, let b else { return a ?? b }
        return min(a, b)
    }
}
