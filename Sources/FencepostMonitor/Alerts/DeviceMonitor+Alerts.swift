public import FencepostModel

extension DeviceMonitor {
    /// Evaluates the alert rules after a location was taken, and appends their events to those of the location.
    ///
    /// - Parameters:
    ///   - location: the location, which `locate` or `record` has taken.
    ///   - rules: those of the monitor; they have alerts.
    ///   - events: receives the events.
    public mutating func evaluateAlerts(_ location: Location, _ rules: WatchRules, into events: inout [Event]) {
        var state = alerts ?? AlertState()
        let isTrusted = !trust.isLastUntrusted
        let step = AlertStep(
            location: location, previous: state.last, isTrusted: isTrusted && state.last?.isTrusted ?? false)
        var batch = EventBatch(rules)
        for rule in rules.settings.alerts where rule.applies(to: deviceID) {
            guard let (alert, since) = state.apply(rule, in: nil, to: step) else { continue }
            batch.add(alert, at: since, detectedAt: location.timestamp)
        }
        evaluateSpeedLimits(&state, step, rules, &batch)
        settleAppointments(&state, location, rules, &batch)
        settleSilence(&state, location, rules, &batch)
        state.last = AlertFix(location, isTrusted: isTrusted)
        let due = state.due
        state.due = min(state.appointment, rules.hasSilence ? nextSilence(state, rules.settings) : .distantFuture)
        changeRare { [state] in $0.alerts = state }
        if state.due != due { updateNextDeadline() }
        if !batch.isEmpty { batch.close(of: deviceID, at: location, after: &sequence, into: &events) }
    }

    /// Decides the rules that are due at a moment, by the clock or before the location of that moment.
    mutating func decideAlerts(
        at moment: Timestamp, detectedAt: Timestamp, _ rules: WatchRules, _ batch: inout EventBatch
    ) {
        guard var state = alerts, state.due <= moment else { return }
        decideAppointments(&state, at: moment, detectedAt: detectedAt, rules, &batch)
        decideSilence(&state, at: moment, detectedAt: detectedAt, rules, &batch)
        setDue(&state, rules.settings)
        changeRare { [state] in $0.alerts = state }
    }

    /// Computes when the next rule is due by the clock.
    func setDue(_ state: inout AlertState, _ settings: MonitorSettings) {
        state.appointment = nextAppointment(state, settings)
        state.due = min(state.appointment, nextSilence(state, settings))
    }

    /// Evaluates the speed limits of the regions that the device is in, by its events, and ends those of others.
    private func evaluateSpeedLimits(
        _ state: inout AlertState, _ step: AlertStep, _ rules: WatchRules, _ batch: inout EventBatch
    ) {
        var occupied: Set<RegionID> = []
        if rules.hasSpeedLimits {
            for pair in pairs where pair.presence.isStaying {
                guard let limit = rules.speedLimit(of: pair.handle) else { continue }
                let summary = rules.summary(of: pair.handle)
                occupied.insert(summary.id)
                guard let (alert, since) = state.apply(limit, in: summary, to: step) else { continue }
                batch.add(alert, at: since, detectedAt: step.location.timestamp)
            }
        }
        for (id, since) in state.leave(allBut: occupied, rules: rules.alertIDs) {
            // A deleted region keeps its handle.
            guard let handle = rules.catalog.handle(for: id), rules[handle].exists else { continue }
            var alert = Alert(
                kind: .speed, rule: Alert.regionRule, state: .ended, region: rules.summary(of: handle))
            alert.duration = step.location.timestamp - since
            batch.add(alert, at: step.location.timestamp, detectedAt: step.location.timestamp)
        }
    }
}
