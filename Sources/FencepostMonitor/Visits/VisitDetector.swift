import FencepostGeometry
public import FencepostModel

/// Finds the stays of one device in its fixes, as they come.
///
/// A phone falls silent when it lies still, so a hole in the fixes is a stay as much as a cluster of them is. The
/// detector is a value without a clock: fixes in time order and deadlines go in, reports come out, and what was
/// reported is never taken back. It keeps at most about 3 KB. `docs/quality.md` explains it and says how good it is.
public struct VisitDetector: Hashable, Sendable {
    public internal(set) var settings: VisitSettings {
        get { limits.settings }
        set { limits = VisitLimits(newValue) }
    }
    private var limits: VisitLimits
    /// No later than the first moment when something is to be told, or settled, without a further fix; `distantFuture`
    /// when there will be none.
    ///
    /// Mostly the next fix comes before it matters just when that is, so it is only found out when this moment is reached.
    private(set) var due = Timestamp.distantFuture
    private var last: VisitTrace?
    private var rhythm = VisitRhythm()
    private var stay = Boxed<VisitStay>()
    /// The last stay, while its departure is held back or it was too short to be told: it may yet go on.
    private var closed = Boxed<VisitStay>()
    /// Between stays the last fixes; during a stay those away from it that may turn out to be its end.
    private var trail = VisitTrail()

    public init(settings: VisitSettings) {
        limits = VisitLimits(settings)
    }

    /// The moment when something is to be told, or settled, without a further fix.
    public var deadline: Timestamp? { due == .distantFuture ? nil : nextDeadline }

    /// What it takes on the heap beside itself, in bytes.
    var heapByteCount: Int {
        trail.heapByteCount + rhythm.heapByteCount + stay.heapByteCount + closed.heapByteCount
    }

    /// Takes the next fix; one that is not newer than the last is ignored.
    ///
    /// A deadline before the fix that was not delivered is caught up on.
    public mutating func handle(_ location: Location) -> [VisitReport] {
        var reports: [VisitReport] = []
        handle(location, into: &reports)
        return reports
    }

    mutating func handle(_ location: Location, into reports: inout [VisitReport]) {
        let fix = VisitTrace(location)
        let before = last
        if let before {
            guard fix.time > before.time else { return }
            while due < fix.time { deadlineReached(due, into: &reports) }
            let interval = fix.seconds(since: before)
            rhythm.note(interval: interval, accuracy: fix.accuracy)
            if interval > limits.gap { trail.begin(after: nil) }
        }
        last = fix
        take(fix, after: before, now: fix.time, into: &reports)
        due = nextDue(after: fix)
    }

    /// Takes the passing of a deadline.
    ///
    /// - Parameter now: the deadline, or a later moment before the next fix.
    public mutating func deadlineReached(_ now: Timestamp) -> [VisitReport] {
        var reports: [VisitReport] = []
        deadlineReached(now, into: &reports)
        return reports
    }

    mutating func deadlineReached(_ now: Timestamp, into reports: inout [VisitReport]) {
        guard let last else { return }
        defer { due = nextDeadline ?? .distantFuture }
        if let held = heldBackUntil, now >= held { tellDeparture(at: now, rule: "departure_held_back", into: &reports) }
        if let silenceEnd, now >= silenceEnd, let run = run(spanning: 0) { begin(run, basis: .silence) }
        tellArrivalIfDue(now, into: &reports)
        if !stay.isEmpty, now >= gapEnd(after: last) {
            end(now: now, firstAway: nil, rule: "maximum_gap", into: &reports)
            trail.begin(after: nil)
        }
    }

    // MARK: Deadlines

    private var nextDeadline: Timestamp? {
        guard let last else { return nil }
        var next = min(heldBackUntil ?? .distantFuture, stayDue(after: last))
        if let silenceEnd { next = min(next, silenceEnd) }
        return next == .distantFuture ? nil : next
    }

    /// As `due` is to be after a fix: `nextDeadline`, or a moment before it.
    private func nextDue(after fix: VisitTrace) -> Timestamp {
        var next = closed.isEmpty ? .distantFuture : heldBackUntil ?? .distantFuture
        if !stay.isEmpty {
            next = min(next, stayDue(after: fix))
        } else if !trail.isEmpty {
            // A silence is a stay after this long at the least. A millisecond for the rounding.
            next = min(next, fix.time.after(Int64(silence(after: fix) * 1000) - 1))
        }
        return next
    }

    private func stayDue(after fix: VisitTrace) -> Timestamp {
        stay.look { stay in
            let end = gapEnd(after: fix)
            guard !stay.isTold, trail.isEmpty else { return end }
            return min(end, max(stay.begin.after(limits.minimumStay), fix.time))
        } ?? .distantFuture
    }

    /// A hole that is longer than the longest has ended by then.
    private func gapEnd(after fix: VisitTrace) -> Timestamp { fix.time.after(limits.gapEnd) }

    private var heldBackUntil: Timestamp? {
        closed.look { $0.departureNoticed.map { $0.after(limits.departureHold) } } ?? nil
    }

    /// When the silence since the last fix becomes a stay at its place.
    private var silenceEnd: Timestamp? {
        guard stay.isEmpty, let last, !trail.isEmpty else { return nil }
        // One fix of a phone that sends rarely is no sign that it lies still.
        let span = rhythm.interval > VisitRule.sparseInterval ? 60.0 : 0
        guard let run = run(spanning: span) else { return nil }
        return max(run.first.time.after(limits.minimumStay), last.time + .seconds(silence(after: last)))
    }

    /// How long nothing must come after a fix between stays so that it is a stay at its place, in seconds.
    private func silence(after fix: VisitTrace) -> Double {
        let silence =
            fix.isUnderWay ? VisitRule.silenceInMotion : max(limits.dwell, VisitRule.holeIntervals * rhythm.interval)
        return min(silence, VisitRule.longestSilence)
    }

    private mutating func take(
        _ fix: VisitTrace, after before: VisitTrace?, now: Timestamp, into reports: inout [VisitReport]
    ) {
        if stay.isEmpty {
            depart(with: fix, now: now, into: &reports)
        } else {
            remain(with: fix, after: before, now: now, into: &reports)
        }
    }
}

// MARK: - Between stays

extension VisitDetector {
    /// Takes a fix while there is no stay.
    private mutating func depart(with fix: VisitTrace, now: Timestamp, into reports: inout [VisitReport]) {
        trail.append(fix)
        if stayInHole(before: fix, now: now, into: &reports) { return }
        guard limits.dwell == 0 || !fix.isUnderWay, let run = trail.nextRun(place, spanning: limits.dwell) else {
            return
        }
        begin(run, basis: .fixes)
        tellArrivalIfDue(now, into: &reports)
    }

    /// The fixes at the end of the trail that are at one place, if they span so many seconds.
    private func run(spanning span: Double) -> VisitRun? {
        guard let newest = trail.last, span == 0 || !newest.isUnderWay else { return nil }
        return trail.run(place, spanning: span)
    }

    private var place: VisitTrail.Place {
        VisitTrail.Place(reach: limits.radius * VisitRule.nearRadii, coarse: max(200, 1.5 * rhythm.accuracy))
    }

    /// Begins a stay where the hole before this fix can only have been spent at one place.
    ///
    /// - Returns: whether it was a stay.
    private mutating func stayInHole(
        before fix: VisitTrace, now: Timestamp, into reports: inout [VisitReport]
    ) -> Bool {
        let span = trail.lastSpan
        guard span > limits.dwell, let before = trail.lastButOne else { return false }
        let apart = before.distance(to: fix)
        let blur = 0.6 * Double(before.accuracy + fix.accuracy)
        let isTogether = apart - min(blur, 180) <= limits.radius * VisitRule.nearRadii
        guard isTogether || span > VisitRule.holeIntervals * rhythm.interval else { return false }
        let way = max(0, apart - blur)
        if Double(min(before.speed, fix.speed)) > VisitRule.tunnelSpeed, way / span > VisitRule.tunnelAverage {
            return false
        }
        guard isTogether || (way / span < VisitRule.holeSpeed && span - travelTime(way, to: fix) >= limits.dwell) else {
            return false
        }
        // A phone that sends often fell silent where it stopped; one that sends rarely was where it stands now.
        let stoodHere = fix.speed >= 0 && !fix.isMoving && !(before.speed >= 0 && !before.isMoving)
        if isTogether || rhythm.interval <= VisitRule.sparseInterval || !stoodHere {
            trail.removeLast()
            guard let run = run(spanning: 0) else {
                trail.append(fix)
                return false
            }
            begin(run, basis: .hole)
            remain(with: fix, after: before, now: now, into: &reports)
            return true
        }
        begin(VisitRun(anchor: VisitAnchor(fix), first: fix, last: fix, before: before), basis: .hole)
        tellArrivalIfDue(now, into: &reports)
        return true
    }

    private mutating func begin(_ run: VisitRun, basis: VisitStay.Basis) {
        var new = VisitStay(run, basis: basis)
        if run.isWhole {
            new.arrival = nil
        } else if let before = run.before {
            let span = run.first.seconds(since: before)
            new.arrival = before.time + .seconds(span - slack(span, way: run.anchor.distance(to: before), to: before))
            if span > VisitRule.boundsSpan { new.arrivalEarliest = before.time }
            if let departed = trail.departed, new.begin < departed { new.arrival = min(departed, run.first.time) }
        }
        if let old = closed.value, old.anchor.distance(to: run.first) < VisitRule.reunionRadii * limits.radius,
            old.isTold || new.begin - (old.departure ?? old.begin) <= .seconds(VisitRule.reunionSpan)
        {
            // The same place again, and no absence told: one stay.
            new.identity = old.identity
            (new.arrival, new.arrivalEarliest, new.firstInside) = (old.arrival, old.arrivalEarliest, old.firstInside)
            new.isTold = old.isTold
            closed.clear()
        }
        stay.set(new)
        trail.clear()
    }

    /// Seconds that the way between the place and a fix takes: at the speed of the fix where it moves, else short
    /// ways on foot and long ones mostly not.
    private func travelTime(_ way: Double, to fix: VisitTrace) -> Double {
        if fix.isMoving { return way / Double(fix.speed) }
        return min(way, VisitRule.footway) / VisitRule.walkingSpeed
            + max(0, way - VisitRule.footway) / VisitRule.ridingSpeed
    }

    /// How much of a span between a fix elsewhere and one at the place was spent at the place, in seconds.
    ///
    /// A phone that is woken by movement sends as soon as it leaves; of one that is woken by a clock nobody knows
    /// whether it stood at this end or at the other, and each gets half.
    private func slack(_ span: Double, way: Double, to fix: VisitTrace) -> Double {
        let rest = max(0, span - travelTime(way, to: fix))
        return rhythm.interval > VisitRule.sparseInterval && rhythm.isRegular ? rest / 2 : rest
    }
}

// MARK: - During a stay

extension VisitDetector {
    /// Takes a fix while there is a stay.
    private mutating func remain(
        with fix: VisitTrace, after before: VisitTrace?, now: Timestamp, into reports: inout [VisitReport]
    ) {
        let interval = before.map { fix.seconds(since: $0) } ?? 60
        guard let anchor = stay.look({ $0.anchor }) else { return }
        let plane = LocalPlane(origin: anchor.coordinate)
        let distance = plane.distance(to: fix.coordinate)
        let accuracy = Double(fix.accuracy)
        let anchorAccuracy = min(anchor.accuracy, VisitRule.accuracyLimit)
        let blur =
            VisitRule.nearAccuracy * min(accuracy, VisitRule.accuracyLimit)
            + VisitRule.nearAnchorAccuracy * anchorAccuracy
        if distance - blur <= VisitRule.nearRadii * limits.radius {
            if let first = trail.first {
                if trail.movingCount >= 2, fix.seconds(since: first) >= VisitRule.shortAbsence,
                    !(stay.look { $0.beganWithLeap } ?? false)
                {
                    // Once round the block: a stay before it, and perhaps one after.
                    return leave(now: now, then: [fix], into: &reports)
                }
                trail.clear()
            }
            stay.update { stay in
                stay.evidence = 0
                stay.anchor.add(fix, after: interval, plane)
                stay.lastInside = fix
            }
            return tellArrivalIfDue(now, into: &reports)
        }
        let farBlur = accuracy + VisitRule.farAnchorAccuracy * anchorAccuracy
        guard distance - farBlur > VisitRule.farRadii * limits.radius else { return }
        let evidence = evidence(of: fix, after: interval)
        let isFirst = trail.isEmpty
        let (sum, beganWithLeap) =
            stay.update { stay in
                if isFirst {
                    let since = fix.seconds(since: stay.lastInside)
                    let reached = max(0, distance - accuracy) / max(since, 1)
                    stay.beganWithLeap = fix.speed < 0 && reached > (since < 180 ? 6 : 25)
                }
                stay.evidence += evidence
                return (stay.evidence, stay.beganWithLeap)
            } ?? (0, false)
        trail.append(fix)
        guard sum >= 1, let first = trail.first else { return }
        let hasMoved = trail.movingCount > 0 || trail.extent > VisitRule.doubtfulExtent
        let isDoubtful = beganWithLeap || rhythm.interval <= VisitRule.sparseInterval
        if isDoubtful, !hasMoved, fix.seconds(since: first) < VisitRule.doubtfulAbsence { return }
        leave(now: now, then: [], into: &reports)
    }

    /// How much a fix away from the place speaks for a departure: 1 is enough.
    private func evidence(of fix: VisitTrace, after interval: Double) -> Double {
        let accuracy = Double(fix.accuracy)
        // What is good for a phone that never knows better.
        let good = rhythm.accuracy > 100 ? 1.5 * rhythm.accuracy : 80
        let isLone = interval >= VisitRule.sparseInterval && fix.speed <= 0
        let quality =
            accuracy <= good
            ? (isLone ? VisitRule.loneQuality : 1)
            : accuracy <= max(200, good) ? VisitRule.fairQuality : VisitRule.coarseQuality
        var evidence = min(1, interval / VisitRule.evidenceInterval) * quality
        if fix.isMoving { evidence += VisitRule.speedEvidence }
        if let previous = trail.last {
            let noise = max(30, 0.7 * Double(previous.accuracy + fix.accuracy))
            if previous.distance(to: fix) > noise { evidence += VisitRule.progressEvidence }
        }
        return evidence
    }

    /// Ends the stay with the first fix away, and goes through the fixes since then again, for the next stay.
    private mutating func leave(now: Timestamp, then next: [VisitTrace], into reports: inout [VisitReport]) {
        let away = trail.fixes + next
        end(now: now, firstAway: away.first, rule: "departure", into: &reports)
        var before: VisitTrace?
        for fix in away {
            take(fix, after: before, now: now, into: &reports)
            before = fix
        }
    }

    private mutating func end(
        now: Timestamp, firstAway: VisitTrace?, rule: String, into reports: inout [VisitReport]
    ) {
        guard var old = stay.value else { return }
        let inside = old.lastInside
        old.departure = inside.time
        if let firstAway {
            let span = firstAway.seconds(since: inside)
            old.departure = inside.time + .seconds(slack(span, way: old.anchor.distance(to: firstAway), to: firstAway))
            if span > VisitRule.boundsSpan {
                (old.departureEarliest, old.departureLatest) = (inside.time, firstAway.time)
            }
        }
        stay.clear()
        trail.begin(after: inside, departed: old.departure)
        tellDeparture(at: now, rule: "next_stay", into: &reports)
        if !old.isTold, (old.departure ?? inside.time) >= old.begin.after(limits.minimumStay) {
            reports.append(.arrived(old.estimate(isOver: false, detectedAt: now, rule: old.basis.rawValue)))
            old.isTold = true
        }
        if old.isTold { old.departureNoticed = now }
        closed.set(old)
        if old.isTold, limits.departureHold == 0 { tellDeparture(at: now, rule: rule, into: &reports) }
    }

    // MARK: Telling

    private mutating func tellArrivalIfDue(_ now: Timestamp, into reports: inout [VisitReport]) {
        let isDue = stay.look { !$0.isTold && now >= $0.begin.after(limits.minimumStay) } ?? false
        guard isDue, trail.isEmpty, let new = stay.value else { return }
        stay.update { $0.isTold = true }
        tellDeparture(at: now, rule: "next_stay", into: &reports)
        reports.append(.arrived(new.estimate(isOver: false, detectedAt: now, rule: new.basis.rawValue)))
    }

    /// Forgets the last stay, and tells its end if its begin was told.
    private mutating func tellDeparture(at now: Timestamp, rule: String, into reports: inout [VisitReport]) {
        guard let old = closed.value else { return }
        closed.clear()
        if old.isTold { reports.append(.departed(old.estimate(isOver: true, detectedAt: now, rule: rule))) }
    }
}

/// The settings of visits as numbers: a `Duration` takes long divisions to be added or compared.
private struct VisitLimits: Hashable, Sendable {
    /// Metres.
    let radius: Double
    /// The shortest span over which fixes, or a hole, show a stay, and the longest hole, in seconds.
    let dwell, gap: Double
    /// The shortest stay that is told, after how long without a fix a stay is over, and how long a departure is held
    /// back, in milliseconds.
    let minimumStay, gapEnd, departureHold: Int64

    init(_ settings: VisitSettings) {
        radius = settings.radius
        dwell = settings.minimumStay.seconds * VisitRule.dwellShare
        gap = settings.maximumGap.seconds
        minimumStay = settings.minimumStay.milliseconds
        gapEnd = settings.maximumGap.milliseconds + 1
        departureHold = settings.departureHold.milliseconds
    }

    var settings: VisitSettings {
        VisitSettings(
            radius: radius, minimumStay: .milliseconds(minimumStay), maximumGap: .milliseconds(gapEnd - 1),
            departureHold: .milliseconds(departureHold))
    }
}

extension Timestamp {
    fileprivate func after(_ span: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds + span) }
}

extension VisitDetector: Codable {
    private enum CodingKeys: CodingKey { case settings, stay, trail, last, rhythm, closed, deadline }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(settings: try container.decode(VisitSettings.self, forKey: .settings))
        stay = Boxed(try container.decodeIfPresent(VisitStay.self, forKey: .stay))
        trail = try container.decode(VisitTrail.self, forKey: .trail)
        last = try container.decodeIfPresent(VisitTrace.self, forKey: .last)
        rhythm = try container.decode(VisitRhythm.self, forKey: .rhythm)
        closed = Boxed(try container.decodeIfPresent(VisitStay.self, forKey: .closed))
        due = try container.decodeIfPresent(Timestamp.self, forKey: .deadline) ?? .distantFuture
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(settings, forKey: .settings)
        try container.encodeIfPresent(stay.value, forKey: .stay)
        try container.encode(trail, forKey: .trail)
        try container.encodeIfPresent(last, forKey: .last)
        try container.encode(rhythm, forKey: .rhythm)
        try container.encodeIfPresent(closed.value, forKey: .closed)
        if due != .distantFuture { try container.encode(due, forKey: .deadline) }
    }
}
