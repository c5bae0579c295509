import FencepostModel

/// How far the condition of one alert rule is.
enum AlertPhase: Hashable, Sendable, Codable {
    /// Nothing is known, which is not stored.
    case unknown
    /// The condition did not hold at the last reading. Stored only where the kind needs it.
    case notMet
    /// The condition has held since a location, not yet for long enough.
    case pending(since: Timestamp)
    /// The condition holds and was reported.
    case active(since: Timestamp)

    /// A location that comes later than this after the one before says nothing about the time between, in milliseconds,
    /// unless the rule's own time is longer.
    private static let widestGap: Int64 = 600_000

    /// Continues with the verdict of a location.
    ///
    /// - Parameters:
    ///   - verdict: what the location says.
    ///   - now: its time.
    ///   - last: the time of the location before; `nil` for the first one.
    ///   - rule: the rule.
    /// - Returns: since when the condition has held and whether it began or ended, if that is to be reported.
    mutating func take(
        _ verdict: AlertReading.Verdict, at now: Timestamp, after last: Timestamp?, _ rule: AlertRule
    ) -> (state: Alert.State, since: Timestamp)? {
        switch (verdict, self) {
        case (.unknown, _), (.between, .active), (.met, .active): return nil
        case (.between, .unknown): return nil
        case (.between, .notMet), (.between, .pending), (.notMet, .unknown), (.notMet, .notMet), (.notMet, .pending):
            self = .notMet
            return nil
        case (.notMet, .active(let since)):
            self = .notMet
            return rule.condition.kind == .jump ? nil : (.ended, since)
        case (.met, .unknown) where rule.condition.kind == .unplugged:
            // A device that never had external power did not lose it.
            return nil
        case (.met, .unknown), (.met, .notMet): return begin(at: now, since: now, rule)
        case (.met, .pending(let since)):
            let gap = last.map { now.milliseconds - $0.milliseconds } ?? 0
            return begin(at: now, since: gap > max(Self.widestGap, rule.hold.milliseconds) ? now : since, rule)
        }
    }

    private mutating func begin(
        at now: Timestamp, since: Timestamp, _ rule: AlertRule
    ) -> (state: Alert.State, since: Timestamp)? {
        guard now.milliseconds - since.milliseconds >= rule.hold.milliseconds else {
            self = .pending(since: since)
            return nil
        }
        self = .active(since: since)
        return (.started, since)
    }

    /// Whether the phase must be stored for a kind of rule.
    func isStored(for kind: Alert.Kind) -> Bool {
        switch self {
        case .unknown: false
        case .notMet: kind == .unplugged
        case .pending, .active: true
        }
    }
}
