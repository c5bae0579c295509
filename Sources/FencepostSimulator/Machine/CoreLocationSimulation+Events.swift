import FencepostModel

/// Events of the device, and what becomes of them in the app.
extension CoreLocationSimulation {
    mutating func take(_ happened: ServiceEvent) {
        if let at = happened.at { advance(to: at) }
        var event = happened
        event.at = event.at ?? now
        let delivery = put(event)
        effect(delivery.outcome.rawValue)
        for rule in delivery.rules { cite(rule) }
        note(delivery.because)
    }

    /// Has an event decided and carries the decision out.
    @discardableResult mutating func put(_ happened: ServiceEvent) -> Delivery {
        var event = happened
        if let last = lastSignificantChange, event.service == .significantChange, !event.deliveredTogether,
            origin != nil || elapsed > last
        {
            event.sinceLast = elapsed - last
        }
        observe(event)
        var delivery = gate.decide(event, given: given)
        delivery.step = stepCount
        addVisitDates(to: &delivery)
        emit(.deliver(delivery))
        let index = deliveryCount
        deliveryCount += 1
        for warning in delivery.warnings { emit(.warn(warning)) }

        switch delivery.outcome {
        case .delivered, .lost:
            if event.service == .significantChange { lastSignificantChange = elapsed }
            if given.lifecycle != .foreground { usedLocationInBackground = true }
            if delivery.relaunch {
                startProcess(inForeground: false)
            } else if delivery.appWoken {
                wake()
            }
            if delivery.relaunch || delivery.appWoken { given.wasWokenByBeacon = event.service == .regionBeacon }
            // A launched app has handled nothing of a monitor before it iterates.
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

    /// What the system now sees, whether or not the app hears of it.
    private mutating func observe(_ event: ServiceEvent) {
        guard let inward = event.kind.isInward else { return }
        for index in given.services.indices
        where given.services[index].isActive && given.services[index].matches(event.service, event.identifier)
            && !given.services[index].isBeyondLimit
        {
            let isCondition = given.services[index].service.isCondition
            let state: RegionState = isCondition ? (inward ? .satisfied : .unsatisfied) : (inward ? .inside : .outside)
            given.services[index].observed = state
            // The state of a region is the system's own; that of a condition the last that the app has handled.
            if !isCondition { given.services[index].state = state }
        }
    }

    /// The app has taken the event.
    private mutating func handled(_ event: ServiceEvent) {
        for index in given.services.indices
        where given.services[index].isActive && given.services[index].matches(event.service, event.identifier) {
            if event.service.isCondition { given.services[index].state = given.services[index].observed }
            if event.service == .requestLocation { given.services[index].stopped = true }
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

    /// The app runs, so what was queued for it arrives.
    mutating func deliverQueue() {
        let waiting = queue
        queue = []
        for event in waiting {
            cite(.svc15)
            settle(event, .delivered, .svc15)
            handled(event.event)
        }
    }

    /// The user has agreed, so the held event is decided anew.
    mutating func deliverWaiting(_ waiting: WaitingEvent, rule: RuleID) {
        let decision = gate.decide(waiting.event, given: given)
        settle(
            waiting, decision.outcome, decision.outcome == .delivered ? rule : decision.decidingRule,
            relaunch: decision.relaunch, woken: decision.appWoken)
        guard decision.outcome == .delivered || decision.outcome == .lost else { return }
        if decision.relaunch {
            startProcess(inForeground: false)
        } else if decision.appWoken {
            wake()
        }
        if !(decision.relaunch && waiting.event.service.isCondition) { handled(waiting.event) }
    }

    /// The device goes beyond the boundary of the one region, or not far or long enough to count.
    mutating func move(_ distance: Double, _ stay: Duration) {
        cite(.region07)
        for name in ["didEnter", "didExit"] { reply(name, .bool(false)) }
        reply("earliestReportSeconds", .null)
        let places = given.services.filter { $0.isActive && ($0.service.isRegion || $0.service.isCondition) }
        guard places.count == 1, let place = places.first else {
            return note("A move needs exactly one region among the services.")
        }
        guard distance >= parameters.cushion else {
            return note("The device is not beyond the cushion of \(Int(parameters.cushion)) metres.")
        }
        guard stay >= parameters.cushionStay else {
            return note("The device does not stay for \(Int(parameters.cushionStay.seconds)) seconds.")
        }
        let wasInside = (place.observed ?? place.state)?.isInside ?? true
        let kind: ServiceEvent.Kind =
            place.service.isCondition ? (wasInside ? .unsatisfied : .satisfied) : (wasInside ? .exit : .enter)
        var event = ServiceEvent(place.service, kind, identifier: place.identifier)
        event.at = now
        let delivery = put(event)
        effect(delivery.outcome.rawValue)
        for rule in delivery.rules { cite(rule) }
        note(delivery.because)
        let isTold = delivery.outcome == .delivered
        reply("didEnter", .bool(isTold && !wasInside))
        reply("didExit", .bool(isTold && wasInside))
        reply("earliestReportSeconds", .number(parameters.cushionStay.seconds))
    }

    /// A crossing that nobody sees.
    mutating func moveWhilePoweredOff(_ kind: ServiceEvent.Kind) {
        warn(.relaunch17, "A crossing made while the device was off is not told; the state is determined anew.")
        guard let inward = kind.isInward else { return }
        for index in given.services.indices where given.services[index].service.isRegion {
            given.services[index].observed = inward ? .inside : .outside
            if given.unlockedSinceBoot { given.services[index].state = given.services[index].observed }
        }
        for index in given.services.indices where given.services[index].service.isCondition {
            given.services[index].observed = inward ? .satisfied : .unsatisfied
        }
        note("Nothing is told of a crossing while the device is off.")
    }

    mutating func rest(_ span: Duration) {
        cite(.live01)
        guard given.active(.liveUpdates) != nil else { return note("No live updates are iterated.") }
        let isStationary = span >= parameters.stationaryAfter
        if isStationary {
            liveUpdatesArePaused = true
            effect("paused")
            let name = system.isAtLeast(18) ? "stationary" : "isStationary"
            note("The last update has the flag \(name); no more come until the device moves.")
        }
        reply(
            "lastUpdate",
            .members([
                AnswerValue.Member("hasLocation", .bool(true)), AnswerValue.Member("isStationary", .bool(isStationary)),
            ]))
    }

    mutating func moveOn() {
        cite(.live01)
        reply("resumed", .bool(liveUpdatesArePaused))
        guard liveUpdatesArePaused else { return note("No live updates were paused.") }
        liveUpdatesArePaused = false
        effect("resumed")
        wake()
    }
}
