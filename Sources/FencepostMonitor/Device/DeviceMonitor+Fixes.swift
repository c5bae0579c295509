public import FencepostGeometry
public import FencepostModel

/// Storage that the monitors of many devices share while each takes a fix, to save allocations.
public struct MonitorWorkspace: Sendable {
    var next: [DeviceMonitor.Pair] = []
    /// The memory of the batch of events.
    var events: [Event] = []
    /// The plane around the next fix, if it is made already; the fix that is taken removes it.
    public var plane: LocalPlane?

    /// A workspace without memory; it grows with the first fixes.
    public init() {}
}

extension DeviceMonitor {
    /// Whether the device cannot have come to the next fix. It is asked once, before `locate` or `record`: such a fix is
    /// passed to `locateImpossible` instead.
    @inline(__always)
    public mutating func isImpossible(_ location: Location, _ rules: WatchRules) -> Bool {
        guard hasFix, rules.hasConfirmed || !visits.isEmpty else { return false }
        if motion.isUsual(location, after: last.time, latitude: last.latitude, longitude: last.longitude) {
            return false
        }
        return takeFastStep(to: location)
    }

    /// Takes a step to a fix that may be a fast one. Not inlined: few devices are so fast.
    ///
    /// - Returns: whether the device cannot have come to it.
    @inline(never)
    private mutating func takeFastStep(to location: Location) -> Bool {
        let seconds = (location.timestamp - last.time).seconds
        let accuracy = last.horizontalAccuracy ?? FixRule.defaultAccuracy
        let uncertainty = accuracy + (location.horizontalAccuracy ?? FixRule.defaultAccuracy)
        let meters = Geodesic.distance(last.coordinate, location.coordinate) - uncertainty
        if SecondPhone.isFast(meters: meters, seconds: seconds) {
            let (start, begin) = (last.coordinate, last.time)
            changeRare {
                if $0.secondPhone == nil {
                    $0.secondPhone = SecondPhone(from: start, to: location.coordinate, at: location.timestamp)
                } else {
                    $0.secondPhone?.step(from: start, at: begin, to: location.coordinate, at: location.timestamp)
                }
            }
        }
        return !motion.measure(meters, in: seconds)
    }

    /// Takes a fix, as described at `Input.located`. The last three parameters are not one structure because the engine
    /// owns the rules, its evaluator the workspace, and the caller the events.
    public mutating func locate(
        _ location: Location, _ proximities: [Proximity], passThroughs: [PassThrough] = [], _ rules: WatchRules,
        _ workspace: inout MonitorWorkspace, into events: inout [Event]
    ) {
        if isDue(at: location.timestamp, rules) { fireDeadlines(before: location, rules, into: &events) }
        let wasUntrusted = trust.isLastUntrusted
        var assessment =
            rules.hasConfirmed
            ? trust.evaluate(location, after: hasFix ? last.summary : nil, in: workspace.plane) : nil
        workspace.plane = nil
        var batch = EventBatch(rules, reusing: &workspace.events)
        defer { batch.returnMemory(to: &workspace.events) }
        if isStale {
            isStale = false
            batch.add(.deviceRecovered, at: location.timestamp)
        }
        if wasUntrusted, let assessment, endUntrustedFix(isConfirmed: assessment.confirmsLast, location, rules, &batch)
        {
            batch.close(of: deviceID, at: location, after: &sequence, into: &events)
        }
        if !passThroughs.isEmpty { emit(passThroughs, to: location, rules, into: &events) }
        updatePairs(proximities, location, &assessment, rules, &workspace, &batch)
        finish(location, rules, &batch, into: &events)
    }

    /// Takes a fix that the device cannot have come to: it decides regions of other modes than `confirmed` only. Not inlined,
    /// since few fixes are.
    @inline(never)
    public mutating func locateImpossible(
        _ location: Location, _ proximities: [Proximity], _ rules: WatchRules,
        _ workspace: inout MonitorWorkspace, into events: inout [Event]
    ) {
        if isDue(at: location.timestamp, rules) { fireDeadlines(through: location.timestamp, rules, into: &events) }
        workspace.plane = nil
        trust.flagCounts.count(.leap)
        var batch = EventBatch(rules, reusing: &workspace.events)
        defer { batch.returnMemory(to: &workspace.events) }
        if isStale {
            isStale = false
            batch.add(.deviceRecovered, at: location.timestamp)
        }
        // Without evidence, no region of mode `confirmed` changes.
        var assessment: FixTrust.Assessment?
        updatePairs(proximities, location, &assessment, rules, &workspace, &batch)
        steadyState = .none
        if !batch.isEmpty { batch.close(of: deviceID, at: location, after: &sequence, into: &events) }
    }

    /// The steps after the regions: stores the fix, passes it to the visit detector, closes the batch and handles
    /// deadlines that follow from backdated events.
    @inline(__always)
    mutating func finish(
        _ location: Location, _ rules: WatchRules, _ batch: inout EventBatch, into events: inout [Event]
    ) {
        last.set(location)
        hasFix = true
        lastRevision = rules.revision
        if !visits.isEmpty {
            var reports: [VisitReport] = []
            let due = visits.update { visits in
                visits.handle(location, into: &reports)
                return visits.due
            }
            for report in reports { batch.add(report, of: deviceID) }
            nextDeadline = min(due ?? .distantFuture, rareDue)
            for pair in pairs { nextDeadline = min(nextDeadline, pair.presence.deadline) }
        }
        if !batch.isEmpty { batch.close(of: deviceID, at: location, after: &sequence, into: &events) }
        if isDue(at: location.timestamp, rules) { fireDeadlines(through: location.timestamp, rules, into: &events) }
    }

    // MARK: Regions

    /// Informs the tracked regions whether the last fix, which was not trusted, was right.
    ///
    /// - Returns: whether events follow. They come before those of the new fix, which can undo them: a stay that only one
    ///   fix shows is entered and exited.
    private mutating func endUntrustedFix(
        isConfirmed: Bool, _ location: Location, _ rules: WatchRules, _ batch: inout EventBatch
    ) -> Bool {
        var hasChanged = false
        for index in pairs.indices {
            guard
                let change = pairs[index].presence.untrustedFixEnds(
                    isConfirmed: isConfirmed, untrusted: last.time, location),
                let region = rules.region(pairs[index].handle)
            else { continue }
            batch.add(pairs[index].presence.apply(change, in: region), of: region)
            hasChanged = true
        }
        return hasChanged && !batch.isEmpty
    }

    /// Evaluates a fix against the tracked regions and those near it. Six parameters, because `locate` hands its own on.
    private mutating func updatePairs(
        _ proximities: [Proximity], _ location: Location, _ assessment: inout FixTrust.Assessment?,
        _ rules: WatchRules, _ workspace: inout MonitorWorkspace, _ batch: inout EventBatch
    ) {
        steadyState = .untracked
        if pairs.isEmpty && proximities.isEmpty { return }
        if stayInside(proximities, location, &assessment, rules) { return }
        var evidence: FixEvidence?
        workspace.next.removeFew()
        var (p, q) = (0, 0)
        while p < pairs.count || q < proximities.count {
            // Merges two lists that are sorted by handle; a region may be in one or in both.
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
            if known == nil, let assessment, staysUntracked(handle, proximity, assessment, rules) { continue }
            if evidence == nil {
                evidence = assessment?.evidence
                // Within less, a crossing has the time of its fix.
                if let interval = evidence?.interval, interval > PresenceRule.boundsSpan {
                    evidence?.leavesRegion = leavesRegion(proximities, rules)
                }
            }
            guard let presence = evaluate(handle, known, proximity, location, evidence, rules, &batch) else { continue }
            let isCovered = proximity?.covers ?? false
            workspace.next.append(Pair(presence: presence, handle: handle, isCovered: isCovered))
            if steadyState == .untracked, !presence.isUnchanged(isCovered: isCovered) { steadyState = .stationary }
        }
        if workspace.next.count <= pairs.capacity {
            // The memory is kept for the next region, also where none is tracked now.
            pairs.removeLast(max(pairs.count - workspace.next.count, 0))
            for index in pairs.indices { pairs[index] = workspace.next[index] }
            for index in pairs.count..<workspace.next.count { pairs.append(workspace.next[index]) }
        } else {
            pairs = Array(workspace.next)
        }
        updateNextDeadline()
    }

    /// Takes a fix that lies clearly inside all tracked regions and near no other one, as most fixes do: each state is
    /// changed where it is stored.
    ///
    /// - Returns: whether it was taken.
    private mutating func stayInside(
        _ proximities: [Proximity], _ location: Location, _ assessment: inout FixTrust.Assessment?,
        _ rules: WatchRules
    ) -> Bool {
        guard pairs.count == proximities.count else { return false }
        for index in pairs.indices
        where !proximities[index].covers || pairs[index].handle != proximities[index].region {
            return false
        }
        guard let fix = assessment?.clearFix else { return false }
        for index in pairs.indices {
            let proximity = proximities[index]
            guard pairs[index].presence.isConfirmedInside(signedDistance: proximity.signedDistance, fix) else {
                return false
            }
            let traits = rules[proximity.region]
            guard traits.mode == .confirmed, traits.exists, !traits.hasBand, traits.expires > location.timestamp else {
                return false
            }
        }
        for index in pairs.indices {
            pairs[index].presence.stayInside(signedDistance: proximities[index].signedDistance, fix)
            pairs[index].isCovered = true
        }
        steadyState = .stationary
        updateNextDeadline()
        return true
    }

    /// Whether the device was inside of a region of mode `confirmed` and the fix with these proximities is outside of it. Not
    /// inlined, since few fixes come after a gap.
    @inline(never)
    private func leavesRegion(_ proximities: [Proximity], _ rules: WatchRules) -> Bool {
        pairs.contains { pair in
            guard case .confirmed(let presence) = pair.presence.crossing, presence.isInside == true else {
                return false
            }
            return !(proximities.first { $0.region == pair.handle }?.covers ?? false)
        }
    }

    /// Whether an untracked region stays so without an evaluation: the fix is outside and came soon after the last one.
    @inline(__always)
    private func staysUntracked(
        _ handle: RegionHandle, _ proximity: Proximity?, _ assessment: FixTrust.Assessment, _ rules: WatchRules
    ) -> Bool {
        guard let proximity, proximity.signedDistance >= 0, !proximity.covers else { return false }
        let traits = rules[handle]
        return traits.mode == .confirmed && !traits.hasBand && hasFix && lastRevision >= traits.added
            && assessment.interval <= PresenceRule.untrackedSpan
    }

    /// Evaluates a fix against one region.
    ///
    /// `known` is the state of a tracked region, and `proximity` is `nil` if the region is beyond the search radius. It
    /// has seven parameters because a structure for them would be built for every region near every fix.
    ///
    /// - Returns: the new state; `nil` if the region is untracked from now on.
    @inline(__always)
    private mutating func evaluate(
        _ handle: RegionHandle, _ known: RegionPresence?, _ proximity: Proximity?, _ location: Location,
        _ evidence: FixEvidence?, _ rules: WatchRules, _ batch: inout EventBatch
    ) -> RegionPresence? {
        let traits = rules[handle]
        guard traits.exists, traits.expires > location.timestamp else { return nil }
        let wasMonitored = hasFix && lastRevision >= traits.added
        if known == nil {
            if wasMonitored, proximity.map({ !$0.covers && !$0.signedDistance.isFinite }) ?? true { return nil }
            guard traits.appliesToAll || rules.region(handle)?.applies(to: deviceID) ?? false else { return nil }
        }
        var presence = known ?? RegionPresence(traits.mode, knownOutsideSince: wasMonitored ? last.time : nil)
        var proximity = proximity
        if traits.hasBand, let region = rules.region(handle) {
            // The next fix can have the same position and another altitude.
            steadyState = .none
            // A fix without an altitude changes nothing.
            guard let altitude = location.altitude else { return presence.isUntracked ? nil : presence }
            if altitude < region.minAltitude ?? -.infinity || altitude > region.maxAltitude ?? .infinity {
                proximity = nil
            }
        }
        let deadline = presence.crossing.deadline
        var change: PresenceChange?
        presence.located(proximity, location, evidence, traits.mode, rules.settings, into: &change)
        // Consumed, since to destroy what may be one takes longer than to see that there is none.
        if let change = consume change {
            if traits.isPlain {
                if let report = presence.apply(plain: change) {
                    batch.add(report, of: rules.summary(of: handle), fix: location)
                }
            } else if let region = rules.region(handle) {
                batch.add(presence.apply(change, in: region), of: region)
            }
        } else if presence.crossing.deadline != deadline {
            if traits.isPlain {
                presence.updatePlainDeadline()
            } else if let region = rules.region(handle) {
                presence.updateDeadline(region)
            }
        }
        guard presence.isUntracked else { return presence }
        // The fix is inside but not trusted. The next one at this position must be evaluated against the region again.
        if proximity?.covers ?? false { steadyState = .none }
        return nil
    }
}

extension RegionPresence {
    /// Whether further fixes with the same relation to the region change nothing.
    fileprivate func isUnchanged(isCovered: Bool) -> Bool {
        switch crossing {
        case .raw(let isInside): isInside == isCovered
        case .confirmed, .coreLocation: false
        }
    }
}
