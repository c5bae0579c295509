import FencepostGeometry
import FencepostModel

/// Events of the device, and their delivery to the app.
extension CoreLocationSimulation {
    /// Handles an event that a step names.
    mutating func receive(_ happened: ServiceEvent) {
        if let at = happened.at { advance(to: at) }
        var event = happened
        event.at = event.at ?? now
        let delivery = decide(event)
        effect(delivery.outcome.rawValue)
        for rule in delivery.rules { cite(rule) }
        if event.service == .visits, event.deliveredTogether { cite(.visit04) }
        note(delivery.because)
        if delivery.runtime != nil {
            note(
                "It may run from no time at all to about 30 seconds: Apple documents no time, so it should begin a "
                    + "background task at once.")
        }
        if device.grant == .provisionalAlways, delivery.outcome == .delivered {
            note("The grant is a provisional Always, which the API reports as Always.")
        }
    }

    /// Evaluates the rules for an event and carries out the decision.
    @discardableResult mutating func decide(_ happened: ServiceEvent) -> Delivery {
        var event = happened
        if let last = lastSignificantChange, event.service == .significantChange, !event.deliveredTogether,
            origin != nil || elapsed > last
        {
            event.sinceLast = elapsed - last
        }
        event.isDiscarded = wasDetectedBeforeRegistration(event) ? true : nil
        var delivery = gate.decide(event, for: device)
        observe(event)
        // What waits is decided again when the state has changed.
        if event.service.isRegion { event.isKnownCrossing = true }
        delivery.step = stepCount
        addVisitDates(to: &delivery)
        emit(.deliver(delivery))
        let index = deliveryCount
        deliveryCount += 1
        for warning in delivery.warnings { emit(.warn(warning)) }

        switch delivery.outcome {
        case .delivered, .lost:
            if event.service == .significantChange { lastSignificantChange = elapsed }
            if device.lifecycle != .foreground { usedLocationInBackground = true }
            if delivery.relaunch {
                startProcess(inForeground: false, cause: event.service.rawValue)
            } else if delivery.appWoken {
                wake()
            }
            if delivery.relaunch || delivery.appWoken { device.wasWokenByBeacon = event.service == .regionBeacon }
            // A launched app handles the events of a monitor only when it iterates.
            if delivery.outcome == .delivered, !(delivery.relaunch && event.service.isCondition) { handled(event) }
        case .held:
            if let older = held { settle(older, .dropped, .prov05) }
            held = WaitingEvent(delivery: index, event: event, since: elapsed)
            secondPromptScheduled = true
        case .queued: queue.append(WaitingEvent(delivery: index, event: event, since: elapsed))
        case .dropped, .notMonitored: break
        }
        return delivery
    }

    /// Whether a region was registered again after a late crossing was detected, which discards the crossing (REGION-20).
    private func wasDetectedBeforeRegistration(_ event: ServiceEvent) -> Bool {
        guard event.service.isRegion, let at = event.at, let origin,
            let registered = device.active(event.service, event.identifier)?.registeredAt
        else { return false }
        return at < origin + registered
    }

    /// Records the new state of regions and conditions as the system observes it, whether or not the app is notified.
    private mutating func observe(_ event: ServiceEvent) {
        guard let inward = event.kind.isInward else { return }
        for index in device.services.indices
        where event.isMissed != true && event.isDiscarded != true && device.services[index].isActive
            && device.services[index].matches(event.service, event.identifier)
            && !device.services[index].isBeyondLimit
        {
            let isCondition = device.services[index].service.isCondition
            let state: RegionState = isCondition ? (inward ? .satisfied : .unsatisfied) : (inward ? .inside : .outside)
            device.services[index].observed = state
            // The state of a region belongs to the system. The state of a condition is the last one that the app has
            // handled.
            guard !isCondition else { continue }
            if device.services[index].state == nil || device.services[index].state == .unknown {
                device.services[index].stateIsImplied = true
            }
            device.services[index].state = state
        }
    }

    /// Records that the app has received the event.
    private mutating func handled(_ event: ServiceEvent) {
        for index in device.services.indices
        where device.services[index].isActive && device.services[index].matches(event.service, event.identifier) {
            if event.service.isCondition { device.services[index].state = device.services[index].observed }
            if event.service == .requestLocation { device.services[index].stopped = true }
        }
    }

    private mutating func addVisitDates(to delivery: inout Delivery) {
        guard delivery.event.service == .visits else { return }
        let time = delivery.visit?.time ?? .unknown
        let isSeen = delivery.outcome != .notMonitored && delivery.outcome != .dropped
        if delivery.event.kind == .departure {
            delivery.visit = Delivery.VisitDates(arrival: visitArrival ?? .distantPast, departure: time)
            visitArrival = nil
        } else {
            delivery.visit = Delivery.VisitDates(arrival: time, departure: .distantFuture)
            visitArrival = isSeen ? time : nil
        }
    }

    mutating func settle(
        _ waiting: WaitingEvent, _ outcome: Delivery.Outcome, _ rule: RuleID, relaunch: Bool = false,
        woken: Bool = false
    ) {
        var settlement = Delivery.Settlement(step: stepCount, outcome: outcome, decidingRule: rule)
        settlement.relaunch = relaunch
        settlement.launchedInto = relaunch ? "background" : nil
        settlement.appWoken = woken
        emit(.settle(waiting.delivery, settlement))
    }

    /// Delivers the queued events to the running app.
    mutating func deliverQueue() {
        let waiting = queue
        queue = []
        for event in waiting {
            cite(.svc15)
            settle(event, .delivered, .svc15)
            handled(event.event)
        }
    }

    /// Evaluates the held event again after the user has agreed.
    mutating func deliverWaiting(_ waiting: WaitingEvent, rule: RuleID) {
        let decision = gate.decide(waiting.event, for: device)
        settle(
            waiting, decision.outcome, decision.outcome == .delivered ? rule : decision.decidingRule,
            relaunch: decision.relaunch, woken: decision.appWoken)
        guard decision.outcome == .delivered || decision.outcome == .lost else { return }
        if decision.relaunch {
            startProcess(inForeground: false, cause: waiting.event.service.rawValue)
        } else if decision.appWoken {
            wake()
        }
        if !(decision.relaunch && waiting.event.service.isCondition) { handled(waiting.event) }
    }

    /// The device crosses the boundary of the only region, or does not move far or long enough for a crossing.
    mutating func move(_ distance: Double, _ stay: Duration) {
        cite(.region07)
        for name in ["didEnter", "didExit"] { reply(name, .bool(false)) }
        reply("earliestReportSeconds", .null)
        let monitored = device.services.filter { $0.isActive && ($0.service.isRegion || $0.service.isCondition) }
        guard monitored.count == 1, let object = monitored.first else {
            return note("A move needs exactly one region among the services.")
        }
        guard distance >= parameters.margin else {
            return note("The device is not beyond the cushion of \(Int(parameters.margin)) metres.")
        }
        guard stay >= parameters.marginStay else {
            return note("The device does not stay for \(Int(clamped: parameters.marginStay.seconds)) seconds.")
        }
        let wasInside = (object.observed ?? object.state)?.isInside ?? true
        let kind: ServiceEvent.Kind =
            object.service.isCondition ? (wasInside ? .unsatisfied : .satisfied) : (wasInside ? .exit : .enter)
        var event = ServiceEvent(object.service, kind, identifier: object.identifier)
        event.at = now
        let delivery = decide(event)
        effect(delivery.outcome.rawValue)
        for rule in delivery.rules { cite(rule) }
        note(delivery.because)
        let isDelivered = delivery.outcome == .delivered
        reply("didEnter", .bool(isDelivered && !wasInside))
        reply("didExit", .bool(isDelivered && wasInside))
        reply("earliestReportSeconds", .number(parameters.marginStay.seconds))
    }

    /// A crossing while the device is off.
    mutating func moveWhilePoweredOff(_ kind: ServiceEvent.Kind) {
        warn(.relaunch17, "A crossing while the device was off is not reported; the state is determined again.")
        guard let inward = kind.isInward else { return }
        for index in device.services.indices where device.services[index].service.isRegion {
            device.services[index].observed = inward ? .inside : .outside
            if device.unlockedSinceBoot { device.services[index].state = device.services[index].observed }
        }
        for index in device.services.indices where device.services[index].service.isCondition {
            device.services[index].observed = inward ? .satisfied : .unsatisfied
        }
        note("A crossing while the device is off is not reported.")
    }

    /// The device rests. The time passes, and updates pause on the way.
    mutating func becomeStationary(_ span: Duration) {
        let start = elapsed
        let hasUpdates = device.active(.standardUpdates) != nil
        let hasLiveUpdates = device.active(.liveUpdates) != nil
        if hasLiveUpdates {
            cite(.live01, .live05)
            let isStationary = span >= parameters.stationaryAfter
            if isStationary {
                advance(by: parameters.stationaryAfter)
                pauseLiveUpdates()
            }
            reply(
                "lastUpdate",
                .members([
                    AnswerValue.Member("hasLocation", .bool(true)),
                    AnswerValue.Member("isStationary", .bool(isStationary)),
                ]))
        }
        if hasUpdates { pauseUpdates(after: span, since: start) }
        if !hasUpdates, !hasLiveUpdates {
            cite(.live01, .live05)
            note("No updates run, so none pause.")
        }
        limitRuntime()
        if start + span > elapsed { advance(by: start + span - elapsed) }
    }

    private mutating func pauseLiveUpdates() {
        liveUpdatesArePaused = true
        for index in device.services.indices where device.services[index].service == .liveUpdates {
            device.services[index].isPaused = true
        }
        effect("paused")
        let name = system.isAtLeast(18) ? "stationary" : "isStationary"
        note("The last update has the flag \(name); there are no further updates until the device moves.")
        suspendWhilePaused()
    }

    /// Suspends an app in the background while its live updates are paused. A session does not prevent it.
    private mutating func suspendWhilePaused() {
        guard device.lifecycle == .backgroundGrace || device.lifecycle == .backgroundRunning, !device.platform.isMac,
            !device.hasContinuousUpdates
        else { return }
        (graceEnds, runtimeEnds) = (nil, nil)
        device.lifecycle = .suspended
        note("The app is suspended while its updates are paused, and runs again when the device moves.")
        useMayHaveEnded()
    }

    /// Pauses standard updates after a rest that is long enough, unless the app turned this off.
    private mutating func pauseUpdates(after span: Duration, since start: Duration) {
        guard
            let index = device.services.firstIndex(where: {
                $0.service == .standardUpdates && $0.isActive && $0.isPaused != true
            })
        else { return note("The updates are paused already.") }
        cite(.svc26)
        let object = device.services[index]
        reply("didPause", .bool(false))
        guard system.isAtLeast(6), device.platform.isHandheld else {
            return note("Updates do not pause on \(device.platform.rawValue) \(device.osVersion).")
        }
        guard object.pausesLocationUpdatesAutomatically != false else {
            return note("pausesLocationUpdatesAutomatically is false, so the updates continue.")
        }
        if let activity = object.activityType {
            note(
                "Apple uses the activity \(activity.rawValue) to time a pause, and does not say how; the time here is fixed."
            )
        }
        guard span >= parameters.pauseAfter else {
            return note("The updates pause after about \(Int(clamped: parameters.pauseAfter.seconds / 60)) minutes.")
        }
        let due = start + parameters.pauseAfter
        if due > elapsed { advance(by: due - elapsed) }
        device.services[index].isPaused = true
        effect("paused")
        reply("didPause", .bool(true))
        note(
            "locationManagerDidPauseLocationUpdates(_:) is called. Nothing resumes the updates: the app starts them again."
        )
        guard device.lifecycle != .foreground, device.grant != .always, !device.hasSessionInBackground else { return }
        cite(.svc27)
        note("With \(device.grant.rawValue) the app gets no further update until it is opened again.")
    }

    mutating func resumeMoving() {
        reply("resumed", .bool(liveUpdatesArePaused))
        for index in device.services.indices where device.services[index].service == .liveUpdates {
            device.services[index].isPaused = nil
        }
        if device.services.contains(where: { $0.isActive && $0.isPaused == true }) {
            cite(.svc26)
            note("Standard updates stay paused until the app calls startUpdatingLocation() again.")
            guard liveUpdatesArePaused else { return }
        }
        cite(.live01)
        guard liveUpdatesArePaused else { return note("No live updates were paused.") }
        liveUpdatesArePaused = false
        effect("resumed")
        wake()
    }
}
