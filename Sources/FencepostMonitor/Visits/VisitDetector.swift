import FencepostGeometry
public import FencepostModel

/// Detects the stays of one device from its fixes, as they come.
///
/// A stay is a cluster of fixes, or a gap between fixes: a phone that does not move often sends nothing. The detector
/// decides what the fixes show; `VisitState` decides what is reported, and when. Only an arrival that nothing but a silence
/// showed can be refuted, by the fix after it.
///
/// A value without a clock: fixes in time order and deadlines go in, reports come out. It takes at most about 2 KB.
/// `docs/quality.md` describes the method and its measured quality.
public struct VisitDetector: Hashable, Sendable {
    /// The thresholds of stays, gaps and departures.
    public internal(set) var settings: VisitSettings {
        get { limits.settings }
        set { limits = VisitLimits(newValue) }
    }
    private var limits: VisitLimits
    /// A moment at or before `deadline`; `distantFuture` if there is no deadline.
    ///
    /// The exact deadline takes a search of the trail, and the next fix mostly comes before it. So it is computed when
    /// this moment is reached.
    private(set) var due = Timestamp.distantFuture
    /// The last fix, with the speed that it states.
    private var last: VisitFix?
    private var sampling = SamplingStatistics()
    private var speeds = SpeedAgreement()
    private var state = VisitState.searching(previous: .none)
    /// While searching, the latest fixes. During a stay, the fixes away from it since the device was last there; they are
    /// either ignored when it returns or become the start of the next search.
    private var trail = VisitTrail()

    /// A detector that has seen no fix.
    public init(settings: VisitSettings) {
        limits = VisitLimits(settings)
    }

    /// When a report may be due without a further fix; `nil` if none is.
    public var deadline: Timestamp? { due == .distantFuture ? nil : exactDeadline }

    /// The size of its heap blocks, in bytes.
    var heapByteCount: Int { trail.heapByteCount + sampling.heapByteCount + state.heapByteCount }

    /// Takes the next fix. One that is not newer than the last is ignored.
    ///
    /// Deadlines before the fix are handled first, if the caller has not delivered them.
    public mutating func handle(_ location: Location) -> [VisitReport] {
        var reports: [VisitReport] = []
        handle(location, into: &reports)
        return reports
    }

    mutating func handle(_ location: Location, into reports: inout [VisitReport]) {
        var fix = VisitFix(location)
        let before = last
        if let before {
            guard fix.time > before.time else { return }
            while due < fix.time { deadlineReached(due, before: fix, into: &reports) }
            let interval = fix.seconds(since: before)
            sampling.add(interval: interval, accuracy: fix.accuracy)
            if interval > limits.maximumGap { trail.restart(after: nil) }
        }
        last = fix
        if let before { speeds.add(from: before, to: fix) }
        if !speeds.areTrusted { fix.speed = -1 }
        take(fix, after: before, now: fix.time, into: &reports)
        due = nextDue(after: fix)
    }

    /// Takes the passing of a deadline.
    ///
    /// - Parameter now: the deadline, or a later moment before the next fix.
    /// - Returns: the arrivals and departures that the deadline decides.
    public mutating func deadlineReached(_ now: Timestamp) -> [VisitReport] {
        var reports: [VisitReport] = []
        deadlineReached(now, into: &reports)
        return reports
    }

    /// Takes the passing of a deadline. `next` is the fix after it, if that is known already: no stay is reported that this
    /// fix refutes.
    mutating func deadlineReached(_ now: Timestamp, before next: VisitFix? = nil, into reports: inout [VisitReport]) {
        guard let last else { return }
        state.handle(.clock(now), limits, into: &reports)
        if let silenceEnd, now >= silenceEnd, let cluster = cluster(spanning: 0) {
            if let next, isRefuted(stay(at: cluster, basis: .silence), by: next) {
                // It stays refuted until the fix is taken.
                due = state.departureDue(limits) ?? .distantFuture
                return
            }
            begin(cluster, basis: .silence, into: &reports)
        }
        if let next, let stay = state.stay, state.arrivalDue(limits) != nil, isRefuted(stay, by: next) {
            due = min(state.departureDue(limits) ?? .distantFuture, gapEnd(after: last))
            guard now >= due else { return }
        } else {
            reportArrivalIfDue(now, knownUntil: now, into: &reports)
        }
        defer { due = exactDeadline ?? .distantFuture }
        if !state.isSearching, now >= gapEnd(after: last) {
            end(now: now, firstAway: nil, rule: .maximumGap, into: &reports)
            trail.restart(after: nil)
        }
    }

    // MARK: Deadlines

    private var exactDeadline: Timestamp? {
        guard let last else { return nil }
        var next = min(state.departureDue(limits) ?? .distantFuture, stayDue(after: last))
        if let silenceEnd { next = min(next, silenceEnd) }
        return next == .distantFuture ? nil : next
    }

    /// The value of `due` after a fix: at or before `exactDeadline`.
    private func nextDue(after fix: VisitFix) -> Timestamp {
        var next = state.departureDue(limits) ?? .distantFuture
        if !state.isSearching {
            next = min(next, stayDue(after: fix))
        } else if !trail.isEmpty {
            // No silence becomes a stay before this. The millisecond allows for rounding.
            next = min(next, fix.time.after(Int64(clamped: silence(after: fix, shown: trail.span) * 1000 - 1)))
        }
        return next
    }

    /// When the current stay is reported, or ends in a gap; `distantFuture` while searching.
    private func stayDue(after fix: VisitFix) -> Timestamp {
        guard !state.isSearching else { return .distantFuture }
        let end = gapEnd(after: fix)
        guard trail.isEmpty, let arrival = state.arrivalDue(limits) else { return end }
        return min(end, max(arrival, fix.time))
    }

    private func gapEnd(after fix: VisitFix) -> Timestamp { fix.time.after(limits.gapEnd) }

    /// When the silence since the last fix becomes a stay; `nil` if it does not.
    private var silenceEnd: Timestamp? {
        guard state.isSearching, let last, !trail.isEmpty else { return nil }
        let isSparse = sampling.interval > VisitRule.sparseInterval
        guard let cluster = cluster(spanning: isSparse ? VisitRule.shownSpan : 0) else { return nil }
        let shown = cluster.last.seconds(since: cluster.first)
        if cluster.hasFirstFix, shown < VisitRule.shownSpan { return nil }
        // An inaccurate fix after those at the place may still show that the device is elsewhere.
        guard cluster.last == trail.last || !isFar(last, from: cluster.centroid) else { return nil }
        return max(
            cluster.firstAtCenter.after(limits.minimumStay), last.time + .seconds(silence(after: last, shown: shown)))
    }

    private func isFar(_ fix: VisitFix, from centroid: VisitCentroid) -> Bool {
        centroid.distance(to: fix) - Double(fix.accuracy) > VisitRule.farRadii * limits.radius
    }

    /// The silence after a fix that shows a stay at its position, in seconds. With the time that fixes show before, it
    /// makes up the minimum stay, and it is longer than usual.
    ///
    /// `shown` is the number of seconds over which the fixes before lie at one place.
    private func silence(after fix: VisitFix, shown: Double) -> Double {
        let silence =
            fix.isTravelling && speeds.areTrusted
            ? VisitRule.silenceInMotion : max(limits.dwell - shown, VisitRule.gapIntervals * sampling.interval)
        return min(silence, VisitRule.longestSilence)
    }

    private mutating func take(
        _ fix: VisitFix, after before: VisitFix?, now: Timestamp, into reports: inout [VisitReport]
    ) {
        if state.isSearching {
            search(with: fix, now: now, into: &reports)
        } else {
            compare(fix, after: before, now: now, into: &reports)
        }
    }

    /// Reports the arrival if it is due. `known` is up to when the device is known to be at the place: the time of the
    /// fix that is taken, which is before `now` if it is taken again.
    private mutating func reportArrivalIfDue(
        _ now: Timestamp, knownUntil known: Timestamp, into reports: inout [VisitReport]
    ) {
        guard let due = state.arrivalDue(limits), known >= due, trail.isEmpty else { return }
        state.handle(.present(at: now), limits, into: &reports)
    }
}

// MARK: - Searching

extension VisitDetector {
    /// Takes a fix while there is no stay.
    private mutating func search(with fix: VisitFix, now: Timestamp, into reports: inout [VisitReport]) {
        trail.append(fix, every: limits.searchInterval)
        if beginInGap(before: fix, now: now, into: &reports) { return }
        if trail.mayEndInStay(criteria, spanning: limits.dwell) { beginAtFixes(fix, now: now, into: &reports) }
    }

    // Not inlined: most fixes do not get here, and a cluster takes much of the stack.
    @inline(never)
    private mutating func beginAtFixes(_ fix: VisitFix, now: Timestamp, into reports: inout [VisitReport]) {
        guard let cluster = trail.cluster(criteria, spanning: limits.dwell) else { return }
        begin(cluster, basis: .fixes, into: &reports)
        reportArrivalIfDue(now, knownUntil: fix.time, into: &reports)
    }

    /// The fixes at the end of the trail that lie at one place, if they span at least so many seconds.
    private func cluster(spanning span: Double) -> FixCluster? {
        trail.isEmpty ? nil : trail.cluster(criteria, spanning: span)
    }

    private var criteria: VisitTrail.StayCriteria {
        VisitTrail.StayCriteria(
            radius: limits.radius * VisitRule.nearRadii,
            worstAccuracy: min(max(200, 1.5 * sampling.accuracy), VisitRule.worstAccuracy))
    }

    /// Begins a stay if the device can only have spent the gap before this fix at one place.
    ///
    /// - Returns: whether it did.
    private mutating func beginInGap(
        before fix: VisitFix, now: Timestamp, into reports: inout [VisitReport]
    ) -> Bool {
        let span = trail.lastInterval
        guard span > limits.gap, let before = trail.lastButOne else { return false }
        let separation = before.distance(to: fix)
        let uncertainty = 0.6 * Double(before.accuracy + fix.accuracy)
        let isSameStay = separation - min(uncertainty, 180) <= limits.radius * VisitRule.nearRadii
        let longestInterval = sampling.isKnown ? VisitRule.gapIntervals * sampling.interval : VisitRule.firstGap
        guard isSameStay || span > longestInterval else { return false }
        let distance = max(0, separation - uncertainty)
        if Double(min(before.speed, fix.speed)) > VisitRule.tunnelSpeed, distance / span > VisitRule.tunnelAverage {
            return false
        }
        guard
            isSameStay
                || (distance / span < VisitRule.gapSpeed && span - travelTime(distance, to: fix) >= limits.gap)
        else { return false }
        // A device that sends often has stopped where it fell silent. One that sends rarely was where it stands now.
        let standsHere = !fix.isMoving && (before.isMoving || (fix.speed >= 0 && before.speed < 0))
        if isSameStay || sampling.interval <= VisitRule.sparseInterval || !standsHere {
            trail.removeLast()
            // A fix that is too coarse for a stay may still show that the device was elsewhere.
            guard let cluster = cluster(spanning: 0), cluster.last == before || !isFar(before, from: cluster.centroid)
            else {
                trail.append(fix, every: limits.searchInterval)
                return false
            }
            begin(cluster, basis: .gap, into: &reports)
            compare(fix, after: before, now: now, into: &reports)
            return true
        }
        let cluster = FixCluster(
            centroid: VisitCentroid(fix), first: fix, last: fix, before: before, firstAtCenter: fix.time)
        begin(cluster, basis: .gap, into: &reports)
        reportArrivalIfDue(now, knownUntil: fix.time, into: &reports)
        return true
    }

    private mutating func begin(
        _ cluster: FixCluster, basis: VisitStay.Basis, into reports: inout [VisitReport]
    ) {
        state.handle(.stayFound(stay(at: cluster, basis: basis), firstFix: cluster.first), limits, into: &reports)
        trail.clear()
    }

    private func stay(at cluster: FixCluster, basis: VisitStay.Basis) -> VisitStay {
        var stay = VisitStay(cluster, basis: basis)
        if cluster.hasFirstFix {
            stay.arrival = nil
        } else if let before = cluster.before {
            let span = cluster.first.seconds(since: before)
            let distance = cluster.centroid.distance(to: before)
            if cluster.firstAtCenter == cluster.first.time {
                stay.arrival = before.time + .seconds(span - timeAtStay(of: span, distance: distance, to: before))
            }
            if span > VisitRule.boundsSpan { stay.arrivalEarliest = before.time }
            if let departed = trail.departed {
                // It left the last place in the same gap, and has been on its way since.
                let reached = departed > before.time ? departed + .seconds(travelTime(distance, to: before)) : departed
                if stay.start < reached { stay.arrival = min(reached, cluster.first.time) }
            }
        }
        return stay
    }

    /// The travel time in seconds between the place and a fix. A moving fix gives the speed.
    private func travelTime(_ distance: Double, to fix: VisitFix) -> Double {
        if fix.isMoving { return distance / Double(fix.speed) }
        return WayInSilence.seconds(over: distance)
    }

    /// How much of the span between a fix elsewhere and one at the place was spent at the place, in seconds.
    ///
    /// A device that stands may fall silent, and one that moves sends as usual. So what the way leaves of the span was spent
    /// at the place, but for half of the time that the device takes to notice a motion.
    private func timeAtStay(of span: Double, distance: Double, to fix: VisitFix) -> Double {
        let rest = max(0, span - travelTime(distance, to: fix))
        return rest - min(rest, sampling.reaction) / 2
    }

    /// Whether the fix after a silence shows that a stay which nothing else shows was too short: it is too far away.
    private func isRefuted(_ stay: VisitStay, by next: VisitFix) -> Bool {
        guard isFar(next, from: stay.centroid) else { return false }
        return stay.isRefuted(by: departure(from: stay, to: next), limits)
    }
}

// MARK: - Where the device stands

extension VisitDetector {
    /// At the place of its stay, unless fixes show that it has left; or where its last fixes are, unless they show a way.
    var standingPosition: Position {
        if let stay = state.stay,
            trail.first.map({ trail.count == 1 && $0.seconds(since: stay.lastInside) <= FenceRule.longestGap }) ?? true
        {
            return .at(Self.position(stay.centroid, spread: Double(stay.spread)))
        }
        guard !trail.isEmpty, !(state.stay != nil && trail.count == 1) else { return .moving }
        if let found = cluster(spanning: 0), found.last != found.first || trail.count == 1 {
            return .at(Self.position(found.centroid, spread: found.spread))
        }
        // The last one may be an outlier, but only among others at one place.
        var earlier = trail
        earlier.removeLast()
        guard earlier.count > 1, let found = earlier.cluster(criteria, spanning: 0), found.last != found.first,
            found.last == earlier.last
        else { return .moving }
        return .at(Self.position(found.centroid, spread: found.spread))
    }

    private static func position(_ centroid: VisitCentroid, spread: Double) -> StandingPosition {
        StandingPosition(coordinate: centroid.coordinate, horizontalAccuracy: centroid.accuracy, spread: spread)
    }
}

// MARK: - During a stay

extension VisitDetector {
    /// Takes a fix during a stay: it is at the place, away from it, or too uncertain for either.
    private mutating func compare(
        _ fix: VisitFix, after before: VisitFix?, now: Timestamp, into reports: inout [VisitReport]
    ) {
        let interval = before.map { fix.seconds(since: $0) } ?? 60
        guard let centroid = state.centroid else { return }
        let plane = LocalPlane(origin: centroid.coordinate)
        let distance = plane.distance(to: fix.coordinate)
        let accuracy = Double(fix.accuracy)
        let uncertainty = VisitRule.positionUncertainty(accuracy: accuracy, centroidAccuracy: centroid.accuracy)
        if distance - uncertainty <= VisitRule.nearRadii * limits.radius {
            if let first = trail.first {
                if trail.movingCount >= 2, fix.seconds(since: first) >= VisitRule.shortAbsence,
                    !(state.stay?.beganWithLeap ?? false)
                {
                    // The device has been away and is back: the stay ends, and another one may begin.
                    return leave(now: now, then: [fix], into: &reports)
                }
                trail.clear()
            }
            state.updateStay { stay in
                stay.departureEvidence = 0
                stay.centroid.add(fix, after: interval, plane)
                stay.add(fix, distance: distance)
            }
            return reportArrivalIfDue(now, knownUntil: fix.time, into: &reports)
        }
        let centroidAccuracy = min(centroid.accuracy, VisitRule.accuracyLimit)
        // The error of a cell tower's position is the same in each fix, so that many one accuracy away show no more than one does.
        let accuracies = accuracy > FixRule.coarseAccuracy ? FixRule.absenceAccuracies : 1
        let largestUncertainty = accuracies * accuracy + VisitRule.farCentroidAccuracy * centroidAccuracy
        guard distance - largestUncertainty > VisitRule.farRadii * limits.radius else { return }
        let evidence = departureEvidence(of: fix, after: interval)
        let isFirst = trail.isEmpty
        let (sum, beganWithLeap) =
            state.updateStay { stay in
                if isFirst {
                    let span = fix.seconds(since: stay.lastInside)
                    let speed = max(0, distance - accuracy) / max(span, 1)
                    let limit = span < VisitRule.leapSpan ? VisitRule.leapSpeed : VisitRule.longLeapSpeed
                    stay.beganWithLeap = !fix.isMoving && speed > limit
                }
                stay.departureEvidence += evidence
                return (stay.departureEvidence, stay.beganWithLeap)
            } ?? (0, false)
        trail.append(fix, every: VisitLimits.awayInterval)
        guard sum >= 1, let first = trail.first else { return }
        let hasMoved = trail.movingCount > 0 || trail.extent > VisitRule.uncertainExtent
        let isUncertain = beganWithLeap || sampling.interval <= VisitRule.sparseInterval
        let absence = beganWithLeap ? VisitRule.leapAbsence : VisitRule.uncertainAbsence
        if isUncertain, !hasMoved, fix.seconds(since: first) < absence { return }
        leave(now: now, then: [], into: &reports)
    }

    /// The evidence for a departure that a fix away from the place adds; 1 is enough.
    private func departureEvidence(of fix: VisitFix, after interval: Double) -> Double {
        let accuracy = Double(fix.accuracy)
        // A device whose fixes are all inaccurate is measured by its own accuracy.
        let good = sampling.accuracy > 100 ? 1.5 * sampling.accuracy : 80
        let isSingle = interval >= VisitRule.sparseInterval && fix.speed <= 0
        let quality =
            accuracy <= good
            ? (isSingle ? VisitRule.singleQuality : 1)
            : accuracy <= max(200, good) ? VisitRule.fairQuality : VisitRule.coarseQuality
        var evidence = min(1, interval / VisitRule.evidenceInterval) * quality
        if fix.isMoving { evidence += VisitRule.speedEvidence }
        if let previous = trail.last {
            let noise = max(30, 0.7 * Double(previous.accuracy + fix.accuracy))
            if previous.distance(to: fix) > noise { evidence += VisitRule.progressEvidence }
        }
        return evidence
    }

    /// Ends the stay at the first fix away, and takes the fixes since then again, to search for the next stay.
    private mutating func leave(now: Timestamp, then next: [VisitFix], into reports: inout [VisitReport]) {
        let away = trail.fixes + next
        end(now: now, firstAway: away.first, rule: .departure, into: &reports)
        var before: VisitFix?
        for fix in away {
            take(fix, after: before, now: now, into: &reports)
            before = fix
        }
    }

    /// How much the last fix at the door says about a departure, 0 to 1, if none came for so many seconds before the first one
    /// away.
    private func shareOfDoor(silence: Double) -> Double {
        min(
            max(
                (VisitRule.doorSilence + 2 * sampling.interval - silence) / (VisitRule.doorSilence + sampling.interval),
                0), 1)
    }

    /// When the device left a stay, given the first fix away; `nil` if there is none.
    private func departure(from stay: VisitStay, to firstAway: VisitFix?) -> VisitState.Departure {
        let inside = stay.lastInside
        var departure = VisitState.Departure(time: stay.lastAtDoor)
        if let firstAway {
            let span = Double(firstAway.time.milliseconds - departure.time.milliseconds) / 1000
            let distance = stay.centroid.distance(to: firstAway)
            let rest = timeAtStay(of: span, distance: distance, to: firstAway)
            let left = departure.time + .seconds(rest)
            // Fixes between the door and the first one away show the way out, unless the device fell silent after them.
            let passed = departure.time + .seconds(min(rest, sampling.interval / 2))
            let share = inside.time > departure.time ? shareOfDoor(silence: firstAway.seconds(since: inside)) : 0
            departure.time = left + .seconds(Double(passed.milliseconds - left.milliseconds) / 1000 * share)
            if firstAway.seconds(since: inside) > VisitRule.boundsSpan {
                (departure.earliest, departure.latest) = (inside.time, firstAway.time)
            }
        }
        return departure
    }

    private mutating func end(
        now: Timestamp, firstAway: VisitFix?, rule: Why.Rule, into reports: inout [VisitReport]
    ) {
        guard let stay = state.stay else { return }
        let departure = departure(from: stay, to: firstAway)
        let earliest = stay.isRefuted(by: departure, limits) ? nil : state.earliestDeparture(limits)
        let departed = max(departure.time, earliest ?? departure.time)
        state.handle(.left(departure, detectedAt: now, rule: rule), limits, into: &reports)
        trail.restart(after: stay.lastInside, departed: departed)
    }
}

// The keys are part of stored states and must not change.
extension VisitDetector: Codable {
    private enum CodingKeys: String, CodingKey {
        case settings, stay, trail, last
        case sampling = "rhythm"
        case speeds, closed
        case due = "deadline"
    }

    /// Reads a stored detector.
    ///
    /// - Throws: `DecodingError` if the settings are absent or a member is invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(settings: try container.decode(VisitSettings.self, forKey: .settings))
        state = VisitState(
            try container.decodeIfPresent(StoredStay.self, forKey: .stay),
            closed: try container.decodeIfPresent(StoredStay.self, forKey: .closed))
        trail = try container.decode(VisitTrail.self, forKey: .trail)
        last = try container.decodeIfPresent(VisitFix.self, forKey: .last)
        sampling = try container.decode(SamplingStatistics.self, forKey: .sampling)
        speeds = try container.decodeIfPresent(SpeedAgreement.self, forKey: .speeds) ?? SpeedAgreement()
        due = try container.decodeIfPresent(Timestamp.self, forKey: .due) ?? .distantFuture
    }

    /// Writes the settings, the fixes of the trail and the state of the search.
    public func encode(to encoder: any Encoder) throws {
        let stored = state.stored
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(settings, forKey: .settings)
        try container.encodeIfPresent(stored.stay, forKey: .stay)
        try container.encode(trail, forKey: .trail)
        try container.encodeIfPresent(last, forKey: .last)
        try container.encode(sampling, forKey: .sampling)
        if speeds != SpeedAgreement() { try container.encode(speeds, forKey: .speeds) }
        try container.encodeIfPresent(stored.closed, forKey: .closed)
        if due != .distantFuture { try container.encode(due, forKey: .due) }
    }
}
