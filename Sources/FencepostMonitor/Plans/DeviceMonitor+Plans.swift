import FencepostGeometry
import FencepostModel

/// The rounds of a device.
///
/// Where the device is follows from its entries and exits, so that noise is filtered once. The clock decides what is missed, in the
/// time of the fixes.
extension DeviceMonitor {
    /// Takes a location that was taken for the regions, and appends what follows to its events.
    mutating func evaluatePlans(_ location: Location, _ rules: WatchRules, into events: inout [Event]) {
        guard let table = rules.plans else { return }
        let now = location.timestamp
        var state: PlanState
        if let known = rare.read({ $0.plans }) ?? nil {
            state = known
        } else {
            state = PlanState(after: now, nil)
            state.findNextStart(table.plans, deviceID)
        }
        // After so long a silence the rounds of it are not looked for.
        if now.milliseconds - state.heard.milliseconds > PlanRule.longestSilence, state.nextStart <= now {
            state.opened = now
            state.findNextStart(table.plans, deviceID)
        }
        state.heard = now
        if state.nextStart <= now { open(through: now, &state, table) }
        let seen = trust.isLastUntrusted ? nil : PlanState.Seen(location, after: state.known)
        if !state.rounds.isEmpty { evaluate(&state, at: now, seen, table, rules, into: &events, from: 0) }
        if let seen {
            state.last = seen
            if !seen.isCoarse { state.known = seen }
        }
        keep(state, table)
    }

    /// Decides what is due at a moment, by the clock or before the location of that moment.
    ///
    /// - Parameters:
    ///   - moment: the moment.
    ///   - first: the index of the first event of the moment, which may be an exit.
    ///   - rules: those of the monitor.
    ///   - events: receives the events.
    mutating func decidePlans(at moment: Timestamp, from first: Int, _ rules: WatchRules, into events: inout [Event]) {
        guard let table = rules.plans, var state = rare.read({ $0.plans }) ?? nil,
            state.due <= moment || (first < events.count && !state.rounds.isEmpty)
        else { return }
        if state.nextStart <= moment { open(through: moment, &state, table) }
        evaluate(&state, at: moment, nil, table, rules, into: &events, from: first)
        keep(state, table)
    }

    /// Continues with other plans. Rounds that no longer apply to the device end without an event.
    ///
    /// - Parameter rules: the rules from now on.
    /// - Returns: whether the state has changed.
    public mutating func adoptPlans(_ rules: WatchRules) -> Bool {
        let before = rare.read { $0.plans } ?? nil
        hasPlans = rules.settings.plans.contains { $0.applies(to: deviceID) }
        guard hasPlans, let table = rules.plans, hasFix else {
            guard before != nil else { return false }
            changeRare { $0.plans = nil }
            updateNextDeadline()
            return true
        }
        var state = before ?? PlanState(after: last.time, lastLocation)
        state.rounds.removeAll { table.plan(of: $0)?.applies(to: deviceID) != true }
        state.restoreDeadlines(table.plans, deviceID)
        changeRare { [state] in $0.plans = state }
        updateNextDeadline()
        return state != before
    }

    /// Restores the state of a snapshot, or begins with the last fix.
    mutating func restorePlans(_ stored: PlanState?, _ settings: MonitorSettings) {
        guard hasPlans, hasFix else { return }
        var state = stored ?? PlanState(after: last.time, lastLocation)
        state.restoreDeadlines(settings.plans, deviceID)
        changeRare { [state] in $0.plans = state }
    }

    private mutating func keep(_ state: PlanState, _ table: PlanTable) {
        var state = state
        state.setDue(table.plan)
        let before = rare.read { $0.plans?.due } ?? nil
        changeRare { [state] in $0.plans = state }
        if before != state.due { updateNextDeadline() }
    }

    private func open(through moment: Timestamp, _ state: inout PlanState, _ table: PlanTable) {
        state.open(through: moment, table.plans, deviceID)
        state.findNextStart(table.plans, deviceID)
    }

    // MARK: Rounds

    /// Evaluates all rounds at a moment. Seven parameters, because the caller owns the state, the rules and the events.
    private mutating func evaluate(
        _ state: inout PlanState, at moment: Timestamp, _ seen: PlanState.Seen?, _ table: PlanTable,
        _ rules: WatchRules, into events: inout [Event], from first: Int
    ) {
        var changes = PlanChanges(events[first...])
        var batch = EventBatch(rules)
        for index in state.rounds.indices {
            guard let plan = table.plan(of: state.rounds[index]), moment < plan.until ?? .distantFuture else {
                continue
            }
            evaluate(&state.rounds[index], plan, (state.last, state.known), moment, seen, table, &changes, &batch)
        }
        state.rounds.removeAll { round in
            guard let plan = table.plan(of: round), moment < plan.until ?? .distantFuture else { return true }
            return round.isOver(plan, at: moment)
        }
        guard !batch.isEmpty else { return }
        // What the clock decides does not depend on which location came last.
        batch.close(of: deviceID, at: seen == nil ? nil : lastLocation, after: &sequence, into: &events)
    }

    /// Evaluates one round. Eight parameters, because the rounds of a device share all but two.
    private func evaluate(
        _ round: inout PlanState.Round, _ plan: Plan, _ before: Before, _ moment: Timestamp,
        _ seen: PlanState.Seen?, _ table: PlanTable, _ changes: inout PlanChanges, _ batch: inout EventBatch
    ) {
        for number in plan.stops.indices {
            let stop = plan.stops[number]
            let window = plan.window(of: stop, on: round.day)
            let place = table.place(stop.region)
            var state = round.stops[number]
            switch state.verdict {
            case .visited, .late: continue
            case .waiting, .missed: if state.isFinal { continue }
            }
            if case .waiting = state.verdict, let seen {
                state.note(gapFrom: before.last, to: seen, window, stay: stop.stay, place?.circle)
            }
            let stays = stays(at: place, &state, before, moment, seen, changes)
            let stay = state.take(bestOf: stays, at: stop, window, grace: plan.grace)
            var report = PlanReport.Stop(
                number + 1, place?.summary ?? RegionSummary(id: stop.region, name: nil, tags: [], metadata: nil),
                start: window.start, end: window.end, stay: stop.stay)
            if let stay {
                report.arrival = stay.arrival
                if plan.isOrdered { report.isInOrder = round.stops[(number + 1)...].allSatisfy { $0.time == nil } }
                round.stops[number] = state
                batch.add(report, state, plan, round.day, moment, confidence: stay.confidence ?? PlanRule.usualEntry)
                continue
            }
            if case .waiting = state.verdict, window.end + Plan.settling <= moment {
                decide(&state, &report, stop, window, place?.circle, before, seen, plan, round.day, moment, &batch)
            }
            if case .missed = state.verdict, seen == nil, window.end + plan.finalAfter <= moment,
                let shown = state.silentSince(before.known),
                state.take(stay: shown, window.end + plan.grace, at: stop, window, grace: plan.grace)
            {
                report.arrival = state.arrival ?? shown
                batch.add(report, state, plan, round.day, moment, confidence: PlanRule.silentVisit)
            }
            if case .missed = state.verdict, window.end + plan.finalAfter <= moment { state.isFinal = true }
            round.stops[number] = state
        }
        guard round.isOver(plan, at: moment) else { return }
        batch.add(round, plan, at: moment)
    }

    /// Decides a place whose window is over. Eleven parameters, because it is the end of one loop, of which it has the variables.
    private func decide(
        _ state: inout PlanState.Stop, _ report: inout PlanReport.Stop, _ stop: Plan.Stop,
        _ window: (start: Timestamp, end: Timestamp), _ circle: Circle?, _ before: Before,
        _ seen: PlanState.Seen?, _ plan: Plan, _ day: Int, _ moment: Timestamp, _ batch: inout EventBatch
    ) {
        // A device that fell silent at the place is taken to have stayed there.
        if seen == nil, let shown = state.silentSince(before.known),
            state.take(stay: shown, window.end, at: stop, window, grace: plan.grace)
        {
            report.arrival = state.arrival ?? shown
            return batch.add(report, state, plan, day, moment, confidence: PlanRule.silentVisit)
        }
        if seen == nil { state.note(gapFrom: before.last, to: nil, window, stay: stop.stay, circle) }
        state.verdict = .missed
        batch.add(report, state, plan, day, moment, confidence: state.confidence(window: window))
    }

    /// The stays of the device at a place that a moment has ended or prolonged. Six parameters, because they are those of one moment.
    private func stays(
        at place: PlanTable.Place?, _ state: inout PlanState.Stop, _ before: Before, _ moment: Timestamp,
        _ seen: PlanState.Seen?, _ changes: PlanChanges
    ) -> [PlanStay] {
        guard let place else {
            (state.arrival, state.shown, state.span) = (nil, nil, nil)
            return []
        }
        var stays: [PlanStay] = []
        var open = state.stay
        for change in changes.of(place.summary.id, beginsInside: open != nil) {
            if change.isEntry {
                open = PlanStay(change.time, shown: change.shown, change.confidence)
            } else if let stay = open {
                stays.append(stay.ending(at: change.time, shown: change.shown))
                open = nil
            }
        }
        let pair = pairs.first { $0.handle == place.handle }
        if let pair, let start = pair.presence.stayStart {
            let stay = open ?? PlanStay(start, shown: start, nil)
            open = stay
            // A fix outside that has not decided an exit yet may be the first one after it.
            if let seen, pair.isCovered { stays.append(stay.ending(at: seen.time, shown: seen.time)) }
        } else if let stay = open {
            // A region that does not report exits.
            if let last = before.last?.time, last > stay.from { stays.append(stay.ending(at: last, shown: last)) }
            open = nil
        }
        state.stay = open
        if let seen { see(seen, pair, at: place, &state, after: before.known) }
        if let span = state.span, span.isProbable {
            let shown = PlanStay(span.from, shown: span.shown, PlanRule.probableVisit)
            stays.append(shown.ending(at: span.to, shown: span.to))
            let assumed = PlanStay(span.from, shown: span.from, PlanRule.silentVisit)
            stays.append(assumed.ending(at: span.until, shown: span.until))
        }
        return stays
    }

    /// Takes a fix for the time that fixes show at a place.
    private func see(
        _ seen: PlanState.Seen, _ pair: Pair?, at place: PlanTable.Place, _ state: inout PlanState.Stop,
        after last: PlanState.Seen?
    ) {
        guard place.isPlain, let circle = place.circle else { return state.span = nil }
        if let pair, pair.isCovered {
            guard case .confirmed = pair.presence.crossing else { return state.span = nil }
            state.see(seen, isCovered: true, circle, after: last)
        } else {
            state.see(seen, isCovered: false, circle, after: last)
        }
    }
}

/// The last trusted fix before a moment, and the last one that was not coarse.
private typealias Before = (last: PlanState.Seen?, known: PlanState.Seen?)

extension PlanState.Stop {
    /// Takes the first stay that makes the place visited, or else late.
    fileprivate mutating func take(
        bestOf stays: [PlanStay], at stop: Plan.Stop, _ window: (start: Timestamp, end: Timestamp), grace: Duration
    ) -> PlanStay? {
        var late: (stay: PlanStay, verdict: PlanState.Verdict)?
        for stay in stays {
            guard let found = verdict(ofStay: stay.from, stay.to, at: stop, window, grace: grace) else { continue }
            if case .visited = found {
                verdict = found
                return stay
            }
            late = late ?? (stay, found)
        }
        if let late { verdict = late.verdict }
        return late?.stay
    }
}

extension PlanState.Stop {
    /// The stay that has not ended; `nil` while the device is elsewhere.
    fileprivate var stay: PlanStay? {
        get { arrival.map { PlanStay($0, shown: shown ?? $0, confidence) } }
        set { (arrival, shown, confidence) = (newValue?.arrival, newValue?.from, newValue?.confidence) }
    }

    /// Since when a device that fell silent is taken to be at the place.
    ///
    /// - Parameter last: the last fix that was not coarse.
    /// - Returns: `nil` if it is not, as one that was under way.
    fileprivate func silentSince(_ last: PlanState.Seen?) -> Timestamp? {
        if let span, let last, span.isProbable, span.to == last.time {
            return span.isStanding || last.pace == nil ? min(span.from, shown ?? span.from) : nil
        }
        return last?.pace == nil ? shown : nil
    }
}

/// A stay in a region, as far as it is known.
private struct PlanStay {
    /// The estimate of when the device came.
    var arrival: Timestamp
    /// What the fixes show of the stay.
    var from, to: Timestamp
    var confidence: Double?

    /// A stay that begins.
    init(_ arrival: Timestamp, shown: Timestamp, _ confidence: Double?) {
        (self.arrival, from, to, self.confidence) = (arrival, shown, shown, confidence)
    }

    /// The stay with its end. Of one without any fix the estimates count, as of a passage between two fixes.
    func ending(at time: Timestamp, shown: Timestamp) -> PlanStay {
        var stay = self
        stay.to = shown
        if from > shown { (stay.from, stay.to) = (arrival, time) }
        return stay
    }
}

/// The entries and exits of one moment.
private struct PlanChanges {
    struct Change {
        var isEntry: Bool
        var time: Timestamp
        /// The time of the fix in the region at the crossing; `time` if there is one near it.
        var shown: Timestamp
        var confidence: Double?
    }

    private var changes: [RegionID: [Change]] = [:]

    init(_ events: ArraySlice<Event>) {
        for event in events {
            switch event.occurrence {
            case .regionEntered(let region):
                changes[region.id, default: []]
                    .append(
                        Change(
                            isEntry: true, time: event.timestamp, shown: event.latest ?? event.timestamp,
                            confidence: event.confidence))
            case .regionExited(let region, _):
                changes[region.id, default: []]
                    .append(
                        Change(
                            isEntry: false, time: event.timestamp, shown: event.earliest ?? event.timestamp,
                            confidence: event.confidence))
            case .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched, .alert,
                .fence, .proximity, .plan:
                break
            }
        }
    }

    /// The changes of a region in the order in which they happened.
    func of(_ region: RegionID, beginsInside: Bool) -> [Change] {
        guard let found = changes[region] else { return [] }
        return found.sorted { a, b in
            // A pass-through has both at nearly one time.
            a.time == b.time ? a.isEntry != b.isEntry && a.isEntry == !beginsInside : a.time < b.time
        }
    }
}

extension EventBatch {
    /// Adds the verdict of a place. Six parameters, because an event of a round states all of them.
    fileprivate mutating func add(
        _ stop: PlanReport.Stop, _ state: PlanState.Stop, _ plan: Plan, _ day: Int, _ moment: Timestamp,
        confidence: Double
    ) {
        var why: Why
        let kind: PlanReport.Kind
        var stop = stop
        let time: Timestamp
        switch state.verdict {
        case .visited(let satisfied):
            (kind, time, why) = (.visited, satisfied, Why(rule: .visitInWindow))
        case .late(let satisfied):
            (kind, time, why) = (.late, satisfied, Why(rule: .visitAfterWindow))
        case .missed, .waiting:
            (kind, time, why) = (.missed, stop.end, Why(rule: .noVisitInWindow, distance: state.nearest?.rounded()))
            stop.arrival = nil
        }
        why.probability = confidence
        add(
            PlanReport(kind, plan, day: day, stop), at: time, detectedAt: moment, confidence: confidence, why: why)
    }

    /// Adds the end of a round.
    fileprivate mutating func add(_ round: PlanState.Round, _ plan: Plan, at moment: Timestamp) {
        let times = round.stops.compactMap(\.time)
        // By the last visit, or by the clock that has decided the last missed place.
        let time = times.count == round.stops.count ? times.max() ?? moment : plan.end(of: round)
        add(
            PlanReport(.completed(round.summary(plan)), plan, day: round.day), at: min(time, moment),
            detectedAt: moment, confidence: nil, why: Why(rule: .roundOver))
    }
}

extension Plan {
    /// When the last missed place of a round became final.
    fileprivate func end(of round: PlanState.Round) -> Timestamp {
        let ends = zip(stops, round.stops).compactMap { stop, state in
            state.time == nil ? window(of: stop, on: round.day).end + finalAfter : nil
        }
        return max(ends.max() ?? .distantPast, round.stops.compactMap(\.time).max() ?? .distantPast)
    }
}
