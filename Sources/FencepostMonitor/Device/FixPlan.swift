public import FencepostGeometry
public import FencepostModel

/// What has to be asked of the region index to evaluate one fix: the least that leads to the same events as a query of
/// all regions within the search radius.
///
/// `DeviceMonitor.plan` makes it, the caller queries the index, and one call of the monitor takes the result.
public enum FixPlan: Hashable, Sendable {
    /// Nothing. The fix is in the cached safe region and changes the state of no region: call `record`.
    case unchanged
    /// Nothing. The fix is in the cached safe region and in the covering regions that `plan` returned. Only tracked
    /// regions take it: call `locate` with these.
    case cached
    /// The covering regions. If `record(_:coveredBy:)` does not accept them, continue with the same values as for
    /// `tracked` if the search radius is not 0, otherwise as for `near`.
    case covering(searchRadius: Double, segmentStart: Coordinate?)
    /// The covering regions, and the distances to the boundaries of these and of the tracked regions within the search
    /// radius, in metres. The fix changes the state of no other region, however near it is. Call `locate` with these.
    case tracked(searchRadius: Double, segmentStart: Coordinate?)
    /// The regions within the search radius, in metres; the covering regions if it is 0. If the start of a track segment
    /// is given, also the regions that the segment from there to the fix passes through. Call `locate` with all of them.
    case near(searchRadius: Double, segmentStart: Coordinate?)
}

extension DeviceMonitor {
    /// Plans the evaluation of a fix that is not older than the one before.
    ///
    /// - Parameters:
    ///   - location: the fix.
    ///   - rules: those of the regions.
    ///   - covering: receives the regions that contain the fix, sorted by handle, for the plan `cached`.
    ///   - plane: any plane, which saves time if it is that around the fix before; replaced if another one is needed.
    /// - Returns: what to query, and which call takes the result.
    @inline(__always)
    public mutating func plan(
        for location: Location, _ rules: WatchRules, covering: inout [RegionHandle], plane: inout LocalPlane
    ) -> FixPlan {
        let ownRadius = searchRadius(for: location, rules)
        var radius = ownRadius
        let isSoon = radius > 0 && affectsNoUntracked(location, rules)
        // Then the covering regions suffice.
        if isSoon, pairs.isEmpty { radius = 0 }
        if steadyState != .none, safeRegion.contains(location.coordinate, searchRadius: radius),
            lastRevision == rules.revision
        {
            safeRegion.recordHit()
            if isUntracked(at: location.timestamp, rules) { return .unchanged }
            covering.removeAll(keepingCapacity: true)
            for pair in pairs where pair.isCovered { covering.append(pair.handle) }
            return .cached
        }
        let start = rules.hasConfirmed ? segmentStart(to: location, &plane) : nil
        // If the own radius is not 0, no region is tracked, and the fix affects no untracked one.
        guard radius > 0 else { return .covering(searchRadius: ownRadius, segmentStart: start) }
        return isSoon
            ? .tracked(searchRadius: radius, segmentStart: start) : .near(searchRadius: radius, segmentStart: start)
    }

    /// The regions that the plan `tracked` needs the distances of. It changes nothing, and is mutating because a call would
    /// copy the monitor otherwise.
    ///
    /// - Parameters:
    ///   - covering: the regions that contain the fix, sorted by handle.
    ///   - handles: replaced by the tracked regions and these, sorted.
    public mutating func trackedRegions(and covering: [RegionHandle], into handles: inout [RegionHandle]) {
        handles.removeFew()
        var next = 0
        for pair in pairs {
            while next < covering.count, covering[next] < pair.handle {
                handles.append(covering[next])
                next += 1
            }
            if next < covering.count, covering[next] == pair.handle { next += 1 }
            handles.append(pair.handle)
        }
        while next < covering.count {
            handles.append(covering[next])
            next += 1
        }
    }

    /// The plan without shortcuts. It leads to the same events and takes longer, so that tests can compare the two.
    public func thoroughPlan(for location: Location, _ rules: WatchRules) -> FixPlan {
        var plane = LocalPlane(origin: last.coordinate)
        return .near(
            searchRadius: searchRadius(for: location, rules),
            segmentStart: rules.hasConfirmed ? segmentStart(to: location, &plane) : nil)
    }

    /// Metres around the next fix within which distances to boundaries matter for this device; 0 if none do.
    @inline(__always)
    private func searchRadius(for location: Location, _ rules: WatchRules) -> Double {
        guard rules.hasConfirmed, !rules.hasCoreLocation else { return rules.searchRadius(for: location) }
        return TrustEvaluator.searchRadius(
            accuracy: location.horizontalAccuracy ?? FixRule.defaultAccuracy,
            errorVarianceRatio: Double(trust.errorVarianceRatio))
    }

    /// Whether a fix changes the state of no region that is neither tracked nor contains it, however near it is to one.
    @inline(__always)
    private func affectsNoUntracked(_ location: Location, _ rules: WatchRules) -> Bool {
        trust.hasBegun && lastRevision == rules.revision && rules.ignoresNearFixes
            && location.timestamp.milliseconds - last.time.milliseconds <= PresenceRule.untrackedMilliseconds
    }

    /// Whether a fix at this time changes the state of no region, if it has the same relation to all regions as the last.
    @inline(__always)
    private func isUntracked(at now: Timestamp, _ rules: WatchRules) -> Bool {
        steadyState == .untracked && lastRevision == rules.revision && !isDue(at: now, rules)
    }

    // MARK: Results

    /// Takes a fix that changes the state of no region, for the plan `unchanged`.
    public mutating func record(_ location: Location, _ rules: WatchRules, into events: inout [Event]) {
        var batch = EventBatch(rules)
        if rules.hasConfirmed { _ = trust.evaluate(location, after: hasFix ? last.summary : nil) }
        finish(location, rules, &batch, into: &events)
    }

    /// Takes a fix for the plan `covering`, if it changes the state of no region, or if the covering regions alone decide:
    /// they are those of the last fix, or all regions are plain ones of mode `raw`.
    ///
    /// - Parameters:
    ///   - location: the fix of the plan.
    ///   - covering: the regions that cover it, sorted by handle.
    ///   - rules: those of the plan.
    ///   - events: receives the events that the fix causes.
    /// - Returns: whether to compute a safe region for `cache`; `nil` if the fix was not taken.
    public mutating func record(
        _ location: Location, coveredBy covering: [RegionHandle], _ rules: WatchRules, into events: inout [Event]
    ) -> Bool? {
        guard isUntracked(at: location.timestamp, rules) else { return nil }
        if !hasSameCovering(covering) {
            guard rules.isPlainRaw else { return nil }
            cross(to: covering, location, rules, into: &events)
        }
        record(location, rules, into: &events)
        return needsSafeRegion(searchRadius: 0, isNearBoundary: false)
    }

    /// Exits the regions that no longer contain the device, and enters those that do now. All are plain ones of mode
    /// `raw`, and the steady state is `untracked`, so that the device is inside of exactly the tracked regions.
    @inline(never)
    private mutating func cross(
        to covering: [RegionHandle], _ location: Location, _ rules: WatchRules, into events: inout [Event]
    ) {
        let first = events.count
        let moment = location.timestamp
        var device = Identity()
        device.add(deviceID.rawValue)
        var (kept, next) = (0, 0)
        for index in pairs.indices {
            let handle = pairs[index].handle
            while next < covering.count, covering[next] < handle { next += 1 }
            if next < covering.count, covering[next] == handle {
                if kept != index { pairs[kept] = pairs[index] }
                kept += 1
            } else if let exit = pairs[index].presence.plainExit(at: moment) {
                let occurrence = Occurrence.regionExited(rules.summary(of: handle), reason: nil)
                events.append(event(occurrence, at: exit, location, of: device, rules))
            }
        }
        pairs.removeLast(pairs.count - kept)
        // The tracked regions are a part of the covering ones now, and both are sorted.
        for (slot, handle) in covering.enumerated() where slot >= pairs.count || pairs[slot].handle != handle {
            let presence = RegionPresence(plainEntry: moment)
            pairs.insert(Pair(presence: presence, handle: handle, isCovered: true), at: slot)
            let occurrence = Occurrence.regionEntered(rules.summary(of: handle))
            events.append(event(occurrence, at: moment, location, of: device, rules))
        }
        EventOrder.sort(&events, first..<events.count)
        for index in first..<events.count {
            sequence += 1
            events[index].sequence = Int(sequence)
        }
    }

    /// A crossing in the mode `raw`, without its number. `device` is the hash of the device's id alone.
    private func event(
        _ occurrence: Occurrence, at moment: Timestamp, _ location: Location, of device: Identity, _ rules: WatchRules
    ) -> Event {
        var event = Event(
            id: "", sequence: 0, deviceID: deviceID, occurrence: occurrence, timestamp: moment,
            detectedAt: location.timestamp, location: location,
            why: rules.explains
                ? Why(rule: .containment, fix: location, accuracy: location.horizontalAccuracy) : nil)
        event.identity = occurrence.identity(
            of: device, at: moment, detectedAt: location.timestamp, coordinate: location.coordinate)
        return event
    }

    @inline(__always)
    private func hasSameCovering(_ regions: [RegionHandle]) -> Bool {
        guard regions.count == pairs.count else { return false }
        for index in regions.indices where regions[index] != pairs[index].handle || !pairs[index].isCovered {
            return false
        }
        return true
    }

    /// Whether to compute a safe region after a fix that was located by a query.
    ///
    /// - Parameters:
    ///   - searchRadius: that of the query, in metres; 0 for the covering regions only.
    ///   - isNearBoundary: whether the query found a boundary.
    /// - Returns: `true` when enough fixes missed the cached safe region to pay for a new one.
    public mutating func needsSafeRegion(searchRadius: Double, isNearBoundary: Bool) -> Bool {
        // Measured: the time to compute a safe region in queries of each kind.
        safeRegion.recordMiss(cost: searchRadius > 0 ? 4 : 24, isNearBoundary: isNearBoundary)
            && steadyState != .none
    }

    /// Caches a safe region around the last fix.
    ///
    /// - Parameters:
    ///   - envelope: `nil` if a boundary is too near.
    ///   - searchRadius: the search radius in metres that it is valid for.
    public mutating func cache(_ envelope: SafeRegion?, searchRadius: Double) {
        safeRegion.store(envelope, searchRadius: searchRadius)
    }
}
