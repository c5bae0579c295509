public import FencepostGeometry
public import FencepostModel

/// What the monitors of many devices can share while one after the other takes a fix: kept for its memory.
public struct MonitorWorkspace: Sendable {
    var next: [DeviceMonitor.Pair] = []

    public init() {}
}

/// What becomes of fixes. Most change nothing, and cost nothing but their place in the state.
extension DeviceMonitor {
    /// Takes a fix, as `Input.located` describes it.
    public mutating func locate(
        _ location: Location, _ proximities: [Proximity], passages: [Passage] = [], _ rules: WatchRules,
        _ workspace: inout MonitorWorkspace, into events: inout [Event]
    ) {
        if isDue(at: location.timestamp, rules) { fireDeadlines(through: location.timestamp, rules, into: &events) }
        if !passages.isEmpty { pass(through: passages, to: location, rules, into: &events) }
        var batch = EventBatch()
        if isStale {
            isStale = false
            batch.add(.deviceRecovered, at: location.timestamp)
        }
        let judgement = rules.hasConfirmed ? trust.judge(location, after: hasFix ? last.mark : nil) : nil
        meet(proximities, location, judgement, rules, &workspace, &batch)
        keep(location, rules, &batch, into: &events)
    }

    /// Takes a fix of which the regions make nothing, as `isSettled` says.
    public mutating func rest(at location: Location, _ rules: WatchRules, into events: inout [Event]) {
        var batch = EventBatch()
        if rules.hasConfirmed { _ = trust.judge(location, after: hasFix ? last.mark : nil) }
        keep(location, rules, &batch, into: &events)
    }

    /// What comes after the regions: the fix is the last one now, visits take it, and what was dated back may be due.
    @inline(__always)
    private mutating func keep(
        _ location: Location, _ rules: WatchRules, _ batch: inout EventBatch, into events: inout [Event]
    ) {
        last.set(location)
        hasFix = true
        seenRevision = rules.revision
        if !visits.isEmpty {
            var reports: [VisitReport] = []
            let due = visits.update { visits in
                visits.handle(location, into: &reports)
                return visits.due
            }
            for report in reports { batch.add(report, of: deviceID) }
            wake = due ?? .distantFuture
            for pair in pairs { wake = min(wake, pair.presence.deadline) }
        }
        if !batch.isEmpty { batch.close(of: deviceID, at: location, after: &sequence, into: &events) }
        if isDue(at: location.timestamp, rules) { fireDeadlines(through: location.timestamp, rules, into: &events) }
    }

    /// Metres around the next fix within which distances to boundaries bear on the answer; 0 where none does.
    @inline(__always)
    public func reach(of location: Location, _ rules: WatchRules) -> Double {
        guard rules.hasConfirmed, !rules.hasCoreLocation else { return rules.reach(of: location) }
        return FixJudge.reach(
            accuracy: location.horizontalAccuracy ?? FixRule.usualAccuracy, blur: trust.blur)
    }

    // MARK: Shortcuts

    /// Whether the regions make nothing of a fix, in time order, that is in none of them, however near it is to some.
    @inline(__always)
    public func staysOutside(unlessIn location: Location, _ rules: WatchRules) -> Bool {
        pairs.isEmpty && trust.hasBegun && seenRevision == rules.revision && rules.isPlain
            && location.timestamp.milliseconds - last.time.milliseconds <= PresenceRule.longestCertaintyMilliseconds
    }

    /// Whether a fix, in time order, lies to all regions as the last one did, as far as is known without looking.
    @inline(__always)
    public func isCalm(at coordinate: Coordinate, reach: Double, _ rules: WatchRules) -> Bool {
        quiet != .no && calm.holds(coordinate, reach: reach) && seenRevision == rules.revision
    }

    /// Whether the regions make nothing of a fix at this time that lies to all of them as the last one did.
    @inline(__always)
    public func isSettled(at now: Timestamp, _ rules: WatchRules) -> Bool {
        quiet == .settled && seenRevision == rules.revision && !isDue(at: now, rules)
    }

    /// Whether the last fix was in these regions, sorted by handle, and in no others.
    @inline(__always)
    public func isCovered(by regions: [RegionHandle]) -> Bool {
        guard regions.count == pairs.count else { return false }
        for place in regions.indices where regions[place] != pairs[place].handle || !pairs[place].isCovered {
            return false
        }
        return true
    }

    /// Puts down the regions in which a fix is that lies to all of them as the last one did, sorted by handle.
    ///
    /// - Precondition: `isCalm`.
    public func coveringRegions(into regions: inout [RegionHandle]) {
        regions.removeAll(keepingCapacity: true)
        for pair in pairs where pair.isCovered { regions.append(pair.handle) }
    }

    /// Notes that a fix, as `isCalm` says, is as the last one was.
    @inline(__always)
    public mutating func wasCalm() { calm.wasUsed() }

    /// Whether to find out, after a fix that had to be looked up, where the next one need not be.
    ///
    /// - Parameters:
    ///   - worth: how many fixes that need not be looked up make up for finding out.
    ///   - isNear: whether a boundary is within reach of the fix, so that there is nothing to find out.
    public mutating func wantsCalm(worth: UInt8, isNear: Bool) -> Bool {
        calm.leave(worth: worth, isNear: isNear) && quiet != .no
    }

    /// Notes that in the envelope all positions lie to the regions as the last fix did, as far as within `reach` metres.
    public mutating func stayCalm(in envelope: SafeEnvelope?, reach: Double) { calm.enter(envelope, reach: reach) }

    // MARK: Regions

    /// Takes what lies near the fix into the pairs.
    private mutating func meet(
        _ proximities: [Proximity], _ location: Location, _ judgement: FixTrust.Judgement?,
        _ rules: WatchRules, _ workspace: inout MonitorWorkspace, _ batch: inout EventBatch
    ) {
        quiet = .settled
        if pairs.isEmpty && proximities.isEmpty { return }
        var evidence: FixEvidence?
        workspace.next.removeAll(keepingCapacity: true)
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
            if known == nil, let judgement, staysOutside(of: handle, proximity, judgement, rules) { continue }
            if evidence == nil { evidence = judgement?.evidence }
            guard let presence = evaluate(handle, known, proximity, location, evidence, rules, &batch) else { continue }
            let isCovered = proximity?.covers ?? false
            workspace.next.append(Pair(presence: presence, handle: handle, isCovered: isCovered))
            if quiet == .settled, !presence.isQuiet(isCovered: isCovered) { quiet = .paired }
        }
        if workspace.next.count == pairs.count {
            for place in pairs.indices { pairs[place] = workspace.next[place] }
        } else {
            pairs = Array(workspace.next)
        }
        updateWake()
    }

    /// Whether it is plain that the device is outside of a region as it was at the last fix.
    @inline(__always)
    private func staysOutside(
        of handle: RegionHandle, _ proximity: Proximity?, _ judgement: FixTrust.Judgement, _ rules: WatchRules
    ) -> Bool {
        guard let proximity, proximity.signedDistance >= 0, !proximity.covers else { return false }
        let traits = rules[handle]
        return traits.mode == .confirmed && !traits.hasBand && hasFix && seenRevision >= traits.added
            && judgement.interval <= PresenceRule.longestCertainty
    }

    /// What becomes of one pair by one fix; `nil` when it need not be kept.
    private mutating func evaluate(
        _ handle: RegionHandle, _ known: RegionPresence?, _ proximity: Proximity?, _ location: Location,
        _ evidence: FixEvidence?, _ rules: WatchRules, _ batch: inout EventBatch
    ) -> RegionPresence? {
        let traits = rules[handle]
        guard traits.isThere, traits.expires > location.timestamp else { return nil }
        let wasWatched = hasFix && seenRevision >= traits.added
        if known == nil {
            if wasWatched, proximity.map({ !$0.covers && !$0.signedDistance.isFinite }) ?? true { return nil }
            // Never is it meant for another device, as long as the regions stay as they are.
            guard traits.isForAll || rules.catalog[handle]?.isMeant(for: deviceID) ?? false else { return nil }
        }
        var presence = known ?? RegionPresence(traits.mode, knownOutsideSince: wasWatched ? last.time : nil)
        var proximity = proximity
        if traits.hasBand, let region = rules.catalog[handle] {
            // What the next fix makes of the region may be another altitude's doing.
            quiet = .no
            // Without an altitude nothing is known of the band: what was known stays.
            guard let altitude = location.altitude else { return presence.isAtRest ? nil : presence }
            if altitude < region.minAltitude ?? -.infinity || altitude > region.maxAltitude ?? .infinity {
                proximity = nil
            }
        }
        let pending = presence.crossing.deadline
        if let change = presence.located(proximity, location, evidence, traits.mode, rules.settings) {
            if let region = rules.catalog[handle] { batch.add(presence.take(change, in: region), of: region) }
        } else if presence.crossing.deadline != pending, let region = rules.catalog[handle] {
            presence.updateDeadline(region)
        }
        guard presence.isAtRest else { return presence }
        // In the region and not believed: the next such fix has to be weighed against it again.
        if proximity?.covers ?? false { quiet = .no }
        return nil
    }
}

extension RegionPresence {
    /// Whether further fixes that lie to the region as the last one did change nothing.
    fileprivate func isQuiet(isCovered: Bool) -> Bool {
        if case .raw(let isInside) = crossing { isInside == isCovered } else { false }
    }
}
