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
            var region: RegionSummary?
            if let id = rule.region {
                guard let handle = rules.catalog.handle(for: id), isStaying(in: handle) else { continue }
                region = rules.summary(of: handle)
            }
            guard let (alert, since) = state.apply(rule, in: region, to: step) else { continue }
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

    /// Continues with other alert rules. What is known of a rule that is removed, that no longer applies to the device, or
    /// that watches something else now is dropped without an event.
    ///
    /// - Parameters:
    ///   - rules: the rules from now on.
    ///   - former: those until now.
    /// - Returns: whether the state has changed.
    public mutating func adoptAlerts(_ rules: WatchRules, after former: [AlertRule]) -> Bool {
        guard var state = alerts else { return false }
        guard rules.hasAlerts else {
            // Without rules the state does not follow the locations, so a later rule must not go on with it.
            changeRare { $0.alerts = nil }
            updateNextDeadline()
            return true
        }
        let count = state.entries.count
        _ = state.remove { entry in
            guard entry.rule != Alert.regionRule else { return false }
            guard let next = rules.rule(entry.rule), next.applies(to: deviceID) else { return true }
            return !(former.first { $0.id == entry.rule }.map { next.continues($0) } ?? true)
        }
        let hasChanged = state.entries.count != count
        setDue(&state, rules.settings)
        changeRare { [state] in $0.alerts = state }
        updateNextDeadline()
        return hasChanged
    }

    /// The alerts that last now: the ids of their rules, in the order in which they began.
    public var activeAlerts: [ActiveAlert] {
        guard let entries = alerts?.entries else { return [] }
        return entries.compactMap { entry in
            guard case .active(let since) = entry.phase else { return nil }
            return ActiveAlert(rule: entry.rule, region: entry.region, since: since)
        }
    }

    /// Evaluates the speed limits of the regions that the device is in, by its events, and ends what has ended with a region or
    /// a rule.
    private func evaluateSpeedLimits(
        _ state: inout AlertState, _ step: AlertStep, _ rules: WatchRules, _ batch: inout EventBatch
    ) {
        if rules.hasSpeedLimits {
            for pair in pairs where pair.presence.isStaying {
                guard let limit = rules.speedLimit(of: pair.handle) else { continue }
                let summary = rules.summary(of: pair.handle)
                guard let (alert, since) = state.apply(limit, in: summary, to: step) else { continue }
                batch.add(alert, at: since, detectedAt: step.location.timestamp)
            }
        }
        guard !state.entries.isEmpty else { return }
        let now = step.location.timestamp
        for (entry, since) in state.remove(where: { !isWatched($0, rules) }) {
            // A deleted region keeps its handle.
            guard let id = entry.region, let handle = rules.catalog.handle(for: id), rules[handle].exists,
                let kind = endedKind(entry, rules)
            else { continue }
            var alert = Alert(kind: kind, rule: entry.rule, state: .ended, region: rules.summary(of: handle))
            alert.duration = now - since
            batch.add(alert, at: now, detectedAt: now)
        }
    }

    /// Whether the device is in a region, by its events.
    func isStaying(in handle: RegionHandle) -> Bool {
        pairs.contains { $0.handle == handle && $0.presence.isStaying }
    }

    /// Whether the rule of an entry is evaluated with a location of the device where it is now.
    private func isWatched(_ entry: AlertState.Entry, _ rules: WatchRules) -> Bool {
        guard let id = entry.region else {
            return rules.rule(entry.rule).map { $0.region == nil && $0.applies(to: deviceID) } ?? false
        }
        guard let handle = rules.catalog.handle(for: id), isStaying(in: handle) else { return false }
        if entry.rule == Alert.regionRule { return rules.speedLimit(of: handle) != nil }
        return rules.rule(entry.rule).map { $0.region == id && $0.applies(to: deviceID) } ?? false
    }

    /// The kind of the alert that ends because the device has left the region of an entry; `nil` when its rule is no more.
    private func endedKind(_ entry: AlertState.Entry, _ rules: WatchRules) -> Alert.Kind? {
        if entry.rule == Alert.regionRule { return .speed }
        guard let rule = rules.rule(entry.rule), rule.region == entry.region, rule.applies(to: deviceID) else {
            return nil
        }
        return rule.condition.kind
    }
}

/// An alert that has started and not ended.
public struct ActiveAlert: Hashable, Sendable {
    /// The id of its rule, or `Alert.regionRule`.
    public var rule: String
    /// The region whose limit it is, or that the rule is restricted to.
    public var region: RegionID?
    /// When its condition began.
    public var since: Timestamp
}
