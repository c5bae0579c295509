import FencepostModel

/// Alert rules of silent devices.
///
/// They are due when no location has come for as long as the rule says, or for longer than is usual for the device.
extension DeviceMonitor {
    /// Ends the alerts of silence with a location, and learns from the time since the one before.
    func settleSilence(
        _ state: inout AlertState, _ location: Location, _ rules: WatchRules, _ batch: inout EventBatch
    ) {
        guard rules.hasSilence else {
            state.rhythm = nil
            return
        }
        let now = location.timestamp
        var learns = false
        for rule in rules.settings.alerts where rule.applies(to: deviceID) {
            guard case .silent(let fixed) = rule.condition else { continue }
            if fixed == nil { learns = true }
            guard let since = state.activeSince(rule), let last = state.last else { continue }
            state.setActive(since: nil, rule)
            if since > now, fixed == nil {
                var rhythm = state.rhythm ?? ReportingRhythm()
                rhythm.noteLate(silence: since.milliseconds - last.timestamp.milliseconds, at: now)
                state.rhythm = rhythm
            }
            var alert = Self.silence(of: rule, .ended, limit: since - last.timestamp)
            alert.value = Self.seconds(now - last.timestamp)
            if now > since { alert.duration = now - since }
            batch.add(alert, at: now, detectedAt: now)
        }
        guard learns else {
            state.rhythm = nil
            return
        }
        let silence = state.last.map { now.milliseconds - $0.timestamp.milliseconds } ?? 0
        if state.rhythm == nil { state.rhythm = ReportingRhythm() }
        state.rhythm?.note(silence: silence, endingAt: now)
    }

    /// Begins the alerts of silence that are due at a moment.
    func decideSilence(
        _ state: inout AlertState, at moment: Timestamp, detectedAt: Timestamp, _ rules: WatchRules,
        _ batch: inout EventBatch
    ) {
        guard rules.hasSilence, let last = state.last else { return }
        for rule in rules.settings.alerts where rule.applies(to: deviceID) {
            guard let limit = state.silence(of: rule), state.activeSince(rule) == nil else { continue }
            let due = last.timestamp + limit
            guard due <= moment else { continue }
            state.setActive(since: due, rule)
            batch.add(Self.silence(of: rule, .started, limit: limit), at: due, detectedAt: detectedAt)
        }
    }

    /// When the next alert of silence begins without a further location; `distantFuture` if none does.
    func nextSilence(_ state: AlertState, _ settings: MonitorSettings) -> Timestamp {
        guard let last = state.last else { return .distantFuture }
        var due = Timestamp.distantFuture
        for rule in settings.alerts where rule.applies(to: deviceID) {
            guard let limit = state.silence(of: rule), state.activeSince(rule) == nil else { continue }
            due = min(due, last.timestamp + limit)
        }
        return due
    }

    private static func silence(of rule: AlertRule, _ state: Alert.State, limit: Duration) -> Alert {
        var alert = Alert(kind: .silent, rule: rule.id, state: state)
        (alert.limit, alert.unit) = (seconds(limit), "s")
        return alert
    }

    /// Seconds to a tenth.
    private static func seconds(_ span: Duration) -> Double { (span.seconds * 10).rounded() / 10 }
}

extension AlertState {
    /// The time without a location after which a rule of silence begins its alert; `nil` for other rules, and while too
    /// little is known of the device.
    fileprivate func silence(of rule: AlertRule) -> Duration? {
        guard case .silent(let fixed) = rule.condition else { return nil }
        if let fixed { return max(fixed, rule.hold) }
        return (rhythm?.limit).map { max(.milliseconds($0), rule.hold) }
    }
}
