import FencepostModel

/// What the alert rules know of one device.
struct AlertState: Hashable, Sendable, Codable {
    /// The phase of one rule, in one region for a region's limit.
    struct Entry: Hashable, Sendable, Codable {
        var rule: String
        var region: RegionID?
        var phase: AlertPhase
    }

    /// Those that differ from a new one, in the order in which they began.
    private(set) var entries: [Entry] = []
    /// The last location.
    var last: AlertFix?
    /// The time up to which the rules of times of day are decided; `nil` while there are none.
    var decided: Timestamp?
    /// What is learned for rules of silence; `nil` without one.
    var rhythm: ReportingRhythm?
    /// When the next rule of a time of day is due. It follows from the rest and is not stored.
    var appointment = Timestamp.distantFuture
    /// When the next rule is due by the clock. It follows from the rest and is not stored.
    var due = Timestamp.distantFuture

    private enum CodingKeys: CodingKey { case entries, last, decided, rhythm }

    /// As it is stored.
    var withoutDeadlines: AlertState {
        var copy = self
        (copy.appointment, copy.due) = (.distantFuture, .distantFuture)
        return copy
    }

    /// Continues a rule with a location.
    ///
    /// - Parameters:
    ///   - rule: the rule.
    ///   - region: the region whose limit it is, or that the rule is restricted to; `nil` for other rules.
    ///   - step: the location.
    /// - Returns: what to report, and the time at which it happened.
    mutating func apply(
        _ rule: AlertRule, in region: RegionSummary?, to step: AlertStep
    ) -> (alert: Alert, since: Timestamp)? {
        let reading = step.reading(of: rule.condition)
        let index = entries.firstIndex { $0.rule == rule.id && $0.region == region?.id }
        var phase = index.map { entries[$0].phase } ?? .unknown
        let now = step.location.timestamp
        let report = phase.take(reading.verdict, at: now, after: last?.timestamp, rule)
        store(phase, of: rule, in: region?.id, at: index)
        guard let report else { return nil }
        var alert = Alert(kind: rule.condition.kind, rule: rule.id, state: report.state, region: region)
        (alert.value, alert.limit, alert.unit) = (reading.value, reading.limit, reading.unit)
        alert.distance = reading.distance
        if now > report.since { alert.duration = now - report.since }
        return (alert, report.state == .started ? report.since : now)
    }

    /// Removes entries.
    ///
    /// - Returns: those whose alert was reported, with the time of its start.
    mutating func remove(where isOver: (Entry) -> Bool) -> [(entry: Entry, since: Timestamp)] {
        var removed: [(entry: Entry, since: Timestamp)] = []
        entries.removeAll { entry in
            guard isOver(entry) else { return false }
            if case .active(let since) = entry.phase { removed.append((entry, since)) }
            return true
        }
        return removed
    }

    /// Since when an alert of a rule that the clock decides lasts; `nil` while none does.
    func activeSince(_ rule: AlertRule) -> Timestamp? {
        guard case .active(let since)? = entries.first(where: { $0.rule == rule.id && $0.region == nil })?.phase
        else { return nil }
        return since
    }

    /// Begins or ends the alert of a rule that the clock decides.
    mutating func setActive(since moment: Timestamp?, _ rule: AlertRule) {
        entries.removeAll { $0.rule == rule.id && $0.region == nil }
        if let moment { entries.append(Entry(rule: rule.id, region: nil, phase: .active(since: moment))) }
    }

    private mutating func store(_ phase: AlertPhase, of rule: AlertRule, in region: RegionID?, at index: Int?) {
        switch (index, phase.isStored(for: rule.condition.kind)) {
        case (let index?, true): entries[index].phase = phase
        case (let index?, false): entries.remove(at: index)
        case (nil, true): entries.append(Entry(rule: rule.id, region: region, phase: phase))
        case (nil, false): break
        }
    }
}
