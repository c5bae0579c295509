import FencepostModel

/// Alert rules of a time of day: whether the device is in a region then, or not.
///
/// They are due a while after the time (`AlertRule.hold`), with the next location or by the clock, whichever comes first,
/// and decided by the state of that moment. An alert ends when the device enters or leaves, and at the end of the day.
extension DeviceMonitor {
    /// A device that has been silent for longer is no longer looked for, in milliseconds: a week.
    private static let longestSilence: Int64 = 7 * 86_400_000

    /// Ends the alerts of which the device's last location has changed the condition, and finds out when the next rule is
    /// due.
    func settleAppointments(
        _ state: inout AlertState, _ location: Location, _ rules: WatchRules, _ batch: inout EventBatch
    ) {
        guard rules.hasAppointments else {
            (state.decided, state.appointment) = (nil, .distantFuture)
            return
        }
        // Between two appointments nothing is computed: times of a zone take longer than the rest of a location.
        var isKnown = state.decided != nil && state.appointment != .distantFuture
        for rule in rules.settings.alerts where rule.condition.appointment != nil && rule.applies(to: deviceID) {
            guard let since = state.activeSince(rule), isMet(rule.condition, rules) != true else { continue }
            end(rule, since: since, at: location.timestamp, detectedAt: location.timestamp, &state, rules, &batch)
            isKnown = false
        }
        state.decided = max(state.decided ?? location.timestamp, location.timestamp)
        if !isKnown { state.appointment = nextAppointment(state, rules.settings) }
    }

    /// Decides the rules of times of day that are due at a moment.
    func decideAppointments(
        _ state: inout AlertState, at moment: Timestamp, detectedAt: Timestamp, _ rules: WatchRules,
        _ batch: inout EventBatch
    ) {
        guard rules.hasAppointments else { return }
        let decided = state.decided ?? moment
        for rule in rules.settings.alerts where rule.applies(to: deviceID) {
            guard let time = rule.condition.appointment?.time else { continue }
            if let since = state.activeSince(rule), time.endOfDay(of: since + rule.hold) <= moment {
                end(
                    rule, since: since, at: time.endOfDay(of: since + rule.hold), detectedAt: detectedAt, &state, rules,
                    &batch)
            }
            let appointed = time.next(after: decided - rule.hold)
            guard appointed + rule.hold <= moment, isMet(rule.condition, rules) == true else { continue }
            state.setActive(since: appointed, rule)
            batch.add(alert(of: rule, .started, rules), at: appointed, detectedAt: detectedAt)
        }
        state.decided = max(decided, moment)
    }

    /// When the next rule is due or the next alert ends; `distantFuture` if nothing is, or if the device has been silent for
    /// too long by then.
    func nextAppointment(_ state: AlertState, _ settings: MonitorSettings) -> Timestamp {
        guard hasFix, let decided = state.decided else { return .distantFuture }
        var (due, end) = (Timestamp.distantFuture, Timestamp.distantFuture)
        for rule in settings.alerts where rule.applies(to: deviceID) {
            guard let time = rule.condition.appointment?.time else { continue }
            due = min(due, time.next(after: decided - rule.hold) + rule.hold)
            if let since = state.activeSince(rule) { end = min(end, time.endOfDay(of: since + rule.hold)) }
        }
        return due.milliseconds - last.time.milliseconds <= Self.longestSilence ? min(due, end) : end
    }

    /// Ends the alert of a rule. Seven parameters, because the caller owns the state, the rules and the batch.
    private func end(
        _ rule: AlertRule, since: Timestamp, at moment: Timestamp, detectedAt: Timestamp, _ state: inout AlertState,
        _ rules: WatchRules, _ batch: inout EventBatch
    ) {
        state.setActive(since: nil, rule)
        // Without the region it ends without an event.
        guard isMet(rule.condition, rules) != nil else { return }
        var alert = alert(of: rule, .ended, rules)
        alert.duration = moment - since
        batch.add(alert, at: moment, detectedAt: detectedAt)
    }

    private func alert(of rule: AlertRule, _ state: Alert.State, _ rules: WatchRules) -> Alert {
        let handle = (rule.condition.appointment?.region).flatMap { rules.catalog.handle(for: $0) }
        return Alert(
            kind: rule.condition.kind, rule: rule.id, state: state, region: handle.map { rules.summary(of: $0) })
    }

    /// Whether the condition holds by the events so far; `nil` without the region.
    private func isMet(_ condition: AlertRule.Condition, _ rules: WatchRules) -> Bool? {
        guard let region = condition.appointment?.region, let handle = rules.catalog.handle(for: region),
            rules[handle].exists
        else { return nil }
        let isInside = isStaying(in: handle)
        return condition.kind == .present ? isInside : !isInside
    }
}
