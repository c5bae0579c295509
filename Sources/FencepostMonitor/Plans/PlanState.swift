import FencepostGeometry
import FencepostModel

/// The rounds that one device walks now.
///
/// A pure state machine for each place of a round:
///
///     waiting ── there within the window, for the stay ──────────────► visited
///        │ │                                                              ▲
///        │ └── window over, there within the grace ──► late               │ a later fix shows a visit
///        │                                               ▲                │ within the window
///        └── window over by the settling time ──► missed ┴────────────────┘
///
/// When no place can change any more, the round is completed.
struct PlanState: Hashable, Sendable, Codable {
    enum Verdict: Hashable, Sendable, Codable {
        case waiting
        /// At the time at which the stay was long enough.
        case visited(Timestamp)
        case late(Timestamp)
        case missed
    }

    /// One place of a round.
    struct Stop: Hashable, Sendable, Codable {
        var verdict = Verdict.waiting
        /// The start of the device's stay in the region, and the confidence of its entry; `nil` while it is elsewhere.
        var arrival: Timestamp?
        var confidence: Double?
        /// From when on the stay is shown by fixes: after a gap later than `arrival`, which is an estimate; `nil` while elsewhere.
        var shown: Timestamp?
        /// The time at the place by fixes; `nil` while it is elsewhere, and for regions of other modes than `confirmed`.
        var span: PlanSpan?
        /// Milliseconds of the window in which the device may have been there unseen.
        var hidden: Int64 = 0
        /// The least distance of a fix within the window, in metres.
        var nearest: Double?
        /// Whether a missed place can no longer change, while others of its round can.
        var isFinal = false

        /// The time at which the stay was long enough; `nil` if it was not.
        var time: Timestamp? {
            switch verdict {
            case .visited(let time), .late(let time): time
            case .waiting, .missed: nil
            }
        }
    }

    /// A round of one date, by one version of a plan.
    struct Round: Hashable, Sendable, Codable {
        var plan: String
        /// That of the version.
        var since: Timestamp
        var day: Int
        var stops: [Stop]
    }

    /// The last trusted fix.
    struct Seen: Hashable, Sendable, Codable {
        var time: Timestamp
        var coordinate: Coordinate
        /// Metres.
        var accuracy: Double
        /// Metres per second; `nil` if unknown.
        var speed: Double?
        /// Metres per second of a device that is under way, as it is stated or as the fix before shows; else `nil`.
        var pace: Double?

        init(_ location: Location, after last: Seen?) {
            (time, coordinate, speed) = (location.timestamp, location.coordinate, location.speed)
            accuracy = location.horizontalAccuracy ?? PlanRule.defaultAccuracy
            if let speed {
                pace = speed < PlanRule.standing ? nil : max(speed, PlanRule.slowest)
            } else if let last {
                let (moved, seconds) = (Geodesic.distance(last.coordinate, coordinate), (time - last.time).seconds)
                guard seconds > 0, seconds <= PlanRule.shortGap, moved > accuracy + last.accuracy else { return }
                pace = max(moved / seconds, PlanRule.slowest)
            }
        }

        /// Whether it may be the position of a cell tower, which shows little.
        var isCoarse: Bool { accuracy > FixRule.coarseAccuracy }
    }

    /// The rounds that are not completed, in the order in which they began.
    var rounds: [Round] = []
    /// Rounds that begin up to this moment are in `rounds`, or completed.
    var opened: Timestamp
    /// The time of the last fix.
    var heard: Timestamp
    var last: Seen?
    /// The last trusted fix that was not coarse.
    var known: Seen?
    /// When the next round begins, and when something is due without a fix. They follow from the rest and are not stored.
    var nextStart = Timestamp.distantFuture
    var due = Timestamp.distantFuture

    private enum CodingKeys: CodingKey { case rounds, opened, heard, last, known }

    /// The state of a device that walks rounds which begin after a fix.
    ///
    /// - Parameters:
    ///   - moment: the time of the fix.
    ///   - last: the fix; `nil` if it is still to be taken.
    init(after moment: Timestamp, _ last: Location?) {
        (opened, heard) = (moment, moment)
        self.last = last.map { Seen($0, after: nil) }
        known = self.last.flatMap { $0.isCoarse ? nil : $0 }
    }

    /// As it is stored.
    var withoutDeadlines: PlanState {
        var copy = self
        (copy.nextStart, copy.due) = (.distantFuture, .distantFuture)
        return copy
    }

    /// Computes the deadlines.
    ///
    /// - Parameters:
    ///   - plans: all versions of all plans.
    ///   - device: the device.
    mutating func restoreDeadlines(_ plans: [Plan], _ device: DeviceID) {
        findNextStart(plans, device)
        setDue { round in plans.first { $0.id == round.plan && $0.since == round.since } }
    }

    /// Finds when the next round begins.
    mutating func findNextStart(_ plans: [Plan], _ device: DeviceID) {
        nextStart = .distantFuture
        for plan in plans where plan.applies(to: device) {
            if let next = plan.nextRound(after: opened) { nextStart = min(nextStart, next.start) }
        }
    }

    /// Computes when something is due without a fix. `find` returns the plan of a round.
    mutating func setDue(_ find: (Round) -> Plan?) {
        due = nextStart.milliseconds - heard.milliseconds > PlanRule.longestSilence ? .distantFuture : nextStart
        for round in rounds { if let plan = find(round) { due = min(due, round.due(plan)) } }
    }

    /// Opens the rounds that have begun by a moment.
    mutating func open(through moment: Timestamp, _ plans: [Plan], _ device: DeviceID) {
        var begun: [(start: Timestamp, round: Round)] = []
        for plan in plans where plan.applies(to: device) {
            var after = opened
            while let next = plan.nextRound(after: after), next.start <= moment {
                let stops = [Stop](repeating: Stop(), count: plan.stops.count)
                begun.append((next.start, Round(plan: plan.id, since: plan.since, day: next.day, stops: stops)))
                after = next.start
            }
        }
        begun.sort { ($0.start, $0.round.plan) < ($1.start, $1.round.plan) }
        rounds += begun.map(\.round)
        opened = max(opened, moment)
    }
}

extension PlanState.Round {
    /// When something is due without a fix.
    func due(_ plan: Plan) -> Timestamp {
        var due = plan.until ?? .distantFuture
        for (stop, state) in zip(plan.stops, stops) {
            let end = plan.window(of: stop, on: day).end
            switch state.verdict {
            case .waiting: due = min(due, end + Plan.settling)
            case .missed: if !state.isFinal { due = min(due, end + plan.finalAfter) }
            case .visited, .late: break
            }
        }
        return due
    }

    /// Whether no place can change any more at a moment.
    func isOver(_ plan: Plan, at moment: Timestamp) -> Bool {
        zip(plan.stops, stops).allSatisfy { stop, state in
            switch state.verdict {
            case .visited, .late: true
            case .waiting: false
            case .missed: state.isFinal || plan.window(of: stop, on: day).end + plan.finalAfter <= moment
            }
        }
    }

    /// Whether the places that were visited were so in their order.
    var isInOrder: Bool {
        let times = stops.compactMap(\.time)
        return zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
    }

    /// The result.
    func summary(_ plan: Plan) -> PlanSummary {
        var summary = PlanSummary(visited: 0, late: 0, missed: 0, isInOrder: plan.isOrdered ? isInOrder : nil)
        for stop in stops {
            switch stop.verdict {
            case .visited: summary.visited += 1
            case .late: summary.late += 1
            case .waiting, .missed: summary.missed += 1
            }
        }
        return summary
    }
}

extension PlanState.Stop {
    /// What a stay of the device in the region makes of the place.
    ///
    /// - Parameters:
    ///   - from: when it began.
    ///   - to: when it ended, or until when it is known to last.
    ///   - stop: the place.
    ///   - window: its window.
    ///   - grace: for how long after it the place can be visited late.
    /// - Returns: visited or late; `nil` if the stay changes nothing.
    func verdict(
        ofStay from: Timestamp, _ to: Timestamp, at stop: Plan.Stop, _ window: (start: Timestamp, end: Timestamp),
        grace: Duration
    ) -> PlanState.Verdict? {
        switch verdict {
        case .visited, .late: return nil
        case .waiting, .missed: break
        }
        let satisfied = max(from, window.start) + stop.stay
        if from <= window.end, satisfied <= min(to, window.end) { return .visited(satisfied) }
        // Of a stay that began in the window, but too late to be long enough in it, the whole counts.
        guard to > window.end, satisfied <= min(to, window.end + grace), satisfied > window.end else { return nil }
        return .late(satisfied)
    }

    /// Takes such a stay.
    ///
    /// - Returns: whether the verdict has changed.
    mutating func take(
        stay from: Timestamp, _ to: Timestamp, at stop: Plan.Stop, _ window: (start: Timestamp, end: Timestamp),
        grace: Duration
    ) -> Bool {
        guard let found = verdict(ofStay: from, to, at: stop, window, grace: grace) else { return false }
        verdict = found
        return true
    }

    /// Notes what a gap between two fixes hides.
    ///
    /// - Parameters:
    ///   - last: the fix before it.
    ///   - next: the one after it; `nil` at the end of the window.
    ///   - window: that of the place.
    ///   - stay: how long the device has to stay.
    ///   - circle: contains the place.
    mutating func note(
        gapFrom last: PlanState.Seen?, to next: PlanState.Seen?, _ window: (start: Timestamp, end: Timestamp),
        stay: Duration, _ circle: Circle?
    ) {
        let start = max(last?.time ?? window.start, window.start)
        let end = min(next?.time ?? window.end, window.end)
        guard end >= start else { return }
        let before = last.map { $0.distance(to: circle) }
        let after = next.map { $0.distance(to: circle) }
        if let after, let next, next.time >= window.start, next.time <= window.end {
            nearest = min(nearest ?? after.metres, after.metres)
        }
        guard end > start else { return }
        guard let last, let before else {
            hidden += end.milliseconds - start.milliseconds
            return
        }
        let seconds = ((next?.time ?? window.end) - last.time).seconds
        var speed = seconds > PlanRule.shortGap ? PlanRule.longGapSpeed : PlanRule.slowest
        speed = max(speed, PlanRule.haste * max(last.speed ?? 0, next?.speed ?? 0))
        if let next, seconds > 0 {
            speed = max(speed, PlanRule.haste * Geodesic.distance(last.coordinate, next.coordinate) / seconds)
        }
        // The shortest time there and back, from where the fixes surely are.
        let needed = (before.clear + (after?.clear ?? 0)) / speed + stay.seconds
        if needed <= seconds { hidden += end.milliseconds - start.milliseconds }
    }

    /// How sure it is that the device was not there: less for each part of the window in which it may have been unseen.
    func confidence(window: (start: Timestamp, end: Timestamp)) -> Double {
        let length = max(window.end.milliseconds - window.start.milliseconds, 1)
        let share = min(Double(hidden) / Double(length), 1)
        return ((PlanRule.surest - (PlanRule.surest - PlanRule.unsure) * share) * 1000).rounded() / 1000
    }
}

extension PlanState.Seen {
    /// Metres to a circle, and metres that it is surely away.
    func distance(to circle: Circle?) -> (metres: Double, clear: Double) {
        guard let circle else { return (0, 0) }
        let metres = max(Geodesic.distance(coordinate, circle.center) - circle.radius, 0)
        return (metres, max(metres - (isCoarse ? PlanRule.coarseAccuracies : PlanRule.accuracies) * accuracy, 0))
    }
}
