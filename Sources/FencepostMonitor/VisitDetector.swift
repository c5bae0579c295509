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
    private var stay: VisitStay?
    /// Between stays the last fixes; during a stay those away from it that may turn out to be its end.
    private var trail = VisitTrail()
    private var last: VisitTrace?
    private var rhythm = VisitRhythm()
    /// The last stay, while its departure is held back or it was too short to be told: it may yet go on.
    private var closed: VisitStay?
    /// The moment when something is to be told, or settled, without a further fix.
    ///
    /// Kept, since it is asked for far more often than it changes.
    public private(set) var deadline: Timestamp?

    public init(settings: VisitSettings) {
        limits = VisitLimits(settings)
    }

    /// `deadline`, and `distantFuture` where there is none.
    var deadlineOrNever: Timestamp { deadline ?? .distantFuture }

    /// What it takes on the heap beside itself, in bytes.
    var heapByteCount: Int { HeapSize.ofArray(trail.fixes) + rhythm.heapByteCount }

    /// Takes the next fix; one that is not newer than the last is ignored.
    ///
    /// A deadline before the fix that was not delivered is caught up on.
    public mutating func handle(_ location: Location) -> [VisitReport] {
        let fix = VisitTrace(location)
        if let last, fix.time <= last.time { return [] }
        defer { deadline = nextDeadline }
        var reports: [VisitReport] = []
        while let deadline, deadline < fix.time { reports += deadlineReached(deadline) }
        let before = last
        last = fix
        if let before {
            let interval = fix.seconds(since: before)
            rhythm.note(interval: interval, accuracy: fix.accuracy)
            if interval > limits.gap { trail.begin(after: nil) }
        }
        return reports + take(fix, after: before, now: fix.time)
    }

    /// Takes the passing of a deadline.
    ///
    /// - Parameter now: the deadline, or a later moment before the next fix.
    public mutating func deadlineReached(_ now: Timestamp) -> [VisitReport] {
        guard let last else { return [] }
        defer { deadline = nextDeadline }
        var reports: [VisitReport] = []
        if let held = heldBackUntil, now >= held { reports += tellDeparture(at: now, rule: "departure_held_back") }
        if let silenceEnd, now >= silenceEnd, let run = run(spanning: 0) { begin(run, basis: .silence) }
        reports += tellArrivalIfDue(now)
        if stay != nil, now >= gapEnd(after: last) {
            reports += end(now: now, firstAway: nil, rule: "maximum_gap")
            trail.begin(after: nil)
        }
        return reports
    }

    private var nextDeadline: Timestamp? {
        guard let last else { return nil }
        var next = heldBackUntil
        func consider(_ moment: Timestamp) { next = min(next ?? moment, moment) }
        if let stay {
            if !stay.isTold, trail.isEmpty { consider(max(stay.begin.after(limits.minimumStay), last.time)) }
            consider(gapEnd(after: last))
        } else if let silenceEnd {
            consider(silenceEnd)
        }
        return next
    }

    /// A hole that is longer than the longest has ended by then.
    private func gapEnd(after fix: VisitTrace) -> Timestamp { fix.time.after(limits.gapEnd) }

    private var heldBackUntil: Timestamp? {
        closed?.departureNoticed.map { $0.after(limits.departureHold) }
    }

    /// When the silence since the last fix becomes a stay at its place.
    private var silenceEnd: Timestamp? {
        guard stay == nil, let last, !trail.isEmpty else { return nil }
        // One fix of a phone that sends rarely is no sign that it lies still.
        let span = rhythm.interval > VisitRule.sparseInterval ? 60.0 : 0
        guard let run = run(spanning: span) else { return nil }
        let silence =
            last.isUnderWay ? VisitRule.silenceInMotion : max(limits.dwell, VisitRule.holeIntervals * rhythm.interval)
        return max(
            run.first.time.after(limits.minimumStay), last.time + .seconds(min(silence, VisitRule.longestSilence)))
    }

    private mutating func take(_ fix: VisitTrace, after before: VisitTrace?, now: Timestamp) -> [VisitReport] {
        stay == nil ? depart(with: fix, now: now) : remain(with: fix, after: before, now: now)
    }
}

// MARK: - Between stays

extension VisitDetector {
    /// Takes a fix while there is no stay.
    private mutating func depart(with fix: VisitTrace, now: Timestamp) -> [VisitReport] {
        trail.append(fix)
        if let reports = stayInHole(before: fix, now: now) { return reports }
        guard let run = run(spanning: limits.dwell) else { return [] }
        begin(run, basis: .fixes)
        return tellArrivalIfDue(now)
    }

    /// The fixes at the end of the trail that are at one place, if they span so many seconds.
    private func run(spanning span: Double) -> VisitRun? {
        guard let newest = trail.last, span == 0 || !newest.isUnderWay else { return nil }
        return trail.run(
            reach: limits.radius * VisitRule.nearRadii, coarse: max(200, 1.5 * rhythm.accuracy), spanning: span)
    }

    /// Begins a stay where the hole before this fix can only have been spent at one place.
    ///
    /// - Returns: `nil` when it was no stay.
    private mutating func stayInHole(before fix: VisitTrace, now: Timestamp) -> [VisitReport]? {
        guard let before = trail.lastButOne else { return nil }
        let span = fix.seconds(since: before)
        guard span > limits.dwell else { return nil }
        let apart = before.distance(to: fix)
        let blur = 0.6 * Double(before.accuracy + fix.accuracy)
        let isTogether = apart - min(blur, 180) <= limits.radius * VisitRule.nearRadii
        guard isTogether || span > VisitRule.holeIntervals * rhythm.interval else { return nil }
        let way = max(0, apart - blur)
        if Double(min(before.speed, fix.speed)) > VisitRule.tunnelSpeed, way / span > VisitRule.tunnelAverage {
            return nil
        }
        guard isTogether || (way / span < VisitRule.holeSpeed && span - travelTime(way, to: fix) >= limits.dwell) else {
            return nil
        }
        // A phone that sends often fell silent where it stopped; one that sends rarely was where it stands now.
        let stoodHere = fix.speed >= 0 && !fix.isMoving && !(before.speed >= 0 && !before.isMoving)
        if isTogether || rhythm.interval <= VisitRule.sparseInterval || !stoodHere {
            trail.removeLast()
            guard let run = run(spanning: 0) else {
                trail.append(fix)
                return nil
            }
            begin(run, basis: .hole)
            return remain(with: fix, after: before, now: now)
        }
        begin(VisitRun(anchor: VisitAnchor(fix), first: fix, last: fix, before: before), basis: .hole)
        return tellArrivalIfDue(now)
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
        if let old = closed, old.anchor.distance(to: run.first) < VisitRule.reunionRadii * limits.radius,
            old.isTold || new.begin - (old.departure ?? old.begin) <= .seconds(VisitRule.reunionSpan)
        {
            // The same place again, and no absence told: one stay.
            new.identity = old.identity
            (new.arrival, new.arrivalEarliest, new.firstInside) = (old.arrival, old.arrivalEarliest, old.firstInside)
            new.isTold = old.isTold
            closed = nil
        }
        stay = new
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
        with fix: VisitTrace, after before: VisitTrace?, now: Timestamp
    ) -> [VisitReport] {
        guard var stay else { return [] }
        let interval = before.map { fix.seconds(since: $0) } ?? 60
        let distance = stay.anchor.distance(to: fix)
        let accuracy = Double(fix.accuracy)
        let anchorAccuracy = min(stay.anchor.accuracy, VisitRule.accuracyLimit)
        let blur =
            VisitRule.nearAccuracy * min(accuracy, VisitRule.accuracyLimit)
            + VisitRule.nearAnchorAccuracy * anchorAccuracy
        if distance - blur <= VisitRule.nearRadii * limits.radius {
            if let first = trail.first {
                if trail.count(where: \.isMoving) >= 2, fix.seconds(since: first) >= VisitRule.shortAbsence,
                    !stay.beganWithLeap
                {
                    // Once round the block: a stay before it, and perhaps one after.
                    return leave(now: now, then: [fix])
                }
                trail.clear()
            }
            stay.evidence = 0
            stay.anchor.add(fix, after: interval)
            stay.lastInside = fix
            self.stay = stay
            return tellArrivalIfDue(now)
        }
        let farBlur = accuracy + VisitRule.farAnchorAccuracy * anchorAccuracy
        guard distance - farBlur > VisitRule.farRadii * limits.radius else { return [] }
        if trail.isEmpty {
            let since = fix.seconds(since: stay.lastInside)
            let reached = max(0, distance - accuracy) / max(since, 1)
            stay.beganWithLeap = fix.speed < 0 && reached > (since < 180 ? 6 : 25)
        }
        stay.evidence += evidence(of: fix, after: interval)
        trail.append(fix)
        self.stay = stay
        guard stay.evidence >= 1, let first = trail.first else { return [] }
        let hasMoved = trail.contains(where: \.isMoving) || trail.extent > VisitRule.doubtfulExtent
        let isDoubtful = stay.beganWithLeap || rhythm.interval <= VisitRule.sparseInterval
        if isDoubtful, !hasMoved, fix.seconds(since: first) < VisitRule.doubtfulAbsence { return [] }
        return leave(now: now, then: [])
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
    private mutating func leave(now: Timestamp, then next: [VisitTrace]) -> [VisitReport] {
        let away = trail.fixes + next
        var reports = end(now: now, firstAway: away.first, rule: "departure")
        var before: VisitTrace?
        for fix in away {
            reports += take(fix, after: before, now: now)
            before = fix
        }
        return reports
    }

    private mutating func end(now: Timestamp, firstAway: VisitTrace?, rule: String) -> [VisitReport] {
        guard var old = stay else { return [] }
        let inside = old.lastInside
        old.departure = inside.time
        if let firstAway {
            let span = firstAway.seconds(since: inside)
            old.departure = inside.time + .seconds(slack(span, way: old.anchor.distance(to: firstAway), to: firstAway))
            if span > VisitRule.boundsSpan {
                (old.departureEarliest, old.departureLatest) = (inside.time, firstAway.time)
            }
        }
        stay = nil
        trail.begin(after: inside, departed: old.departure)
        var reports = tellDeparture(at: now, rule: "next_stay")
        if !old.isTold, (old.departure ?? inside.time) >= old.begin.after(limits.minimumStay) {
            reports.append(.arrived(old.estimate(isOver: false, detectedAt: now, rule: old.basis.rawValue)))
            old.isTold = true
        }
        if old.isTold { old.departureNoticed = now }
        closed = old
        if old.isTold, limits.departureHold == 0 { reports += tellDeparture(at: now, rule: rule) }
        return reports
    }

    // MARK: Telling

    private mutating func tellArrivalIfDue(_ now: Timestamp) -> [VisitReport] {
        guard let stay, !stay.isTold, trail.isEmpty, now >= stay.begin.after(limits.minimumStay) else { return [] }
        self.stay?.isTold = true
        return tellDeparture(at: now, rule: "next_stay")
            + [.arrived(stay.estimate(isOver: false, detectedAt: now, rule: stay.basis.rawValue))]
    }

    /// Forgets the last stay, and tells its end if its begin was told.
    private mutating func tellDeparture(at now: Timestamp, rule: String) -> [VisitReport] {
        defer { closed = nil }
        guard let closed, closed.isTold else { return [] }
        return [.departed(closed.estimate(isOver: true, detectedAt: now, rule: rule))]
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
        stay = try container.decodeIfPresent(VisitStay.self, forKey: .stay)
        trail = try container.decode(VisitTrail.self, forKey: .trail)
        last = try container.decodeIfPresent(VisitTrace.self, forKey: .last)
        rhythm = try container.decode(VisitRhythm.self, forKey: .rhythm)
        closed = try container.decodeIfPresent(VisitStay.self, forKey: .closed)
        deadline = try container.decodeIfPresent(Timestamp.self, forKey: .deadline)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(settings, forKey: .settings)
        try container.encodeIfPresent(stay, forKey: .stay)
        try container.encode(trail, forKey: .trail)
        try container.encodeIfPresent(last, forKey: .last)
        try container.encode(rhythm, forKey: .rhythm)
        try container.encodeIfPresent(closed, forKey: .closed)
        try container.encodeIfPresent(deadline, forKey: .deadline)
    }
}
