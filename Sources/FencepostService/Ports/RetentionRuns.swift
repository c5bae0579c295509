import FencepostModel

/// Removes expired rows once an hour, as far as the clock can be trusted (rule P5).
public struct RetentionRuns: Sendable {
    /// Running time between two runs.
    public static let interval = Duration.seconds(3600)

    /// A run.
    public struct Outcome: Sendable {
        /// From which time retention counted.
        public var decision: RetentionGuard.Decision
        /// The number of removed rows by kind; empty for `skip`.
        public var removed: [String: Int]
    }

    private var retentionGuard = RetentionGuard()
    private var last: Duration?

    /// No run yet; the first one is due at once.
    public init() {}

    /// Runs when a run is due.
    ///
    /// - Parameters:
    ///   - store: the rows.
    ///   - retention: how long rows of each kind are kept.
    ///   - clock: the service's clock.
    ///   - uptime: running time, because a clock that is set is no reason to remove something.
    /// - Returns: what was done; `nil` when no run is due.
    /// - Throws: when the store cannot read or write; the next call tries again, unless rows were being removed.
    public mutating func runIfDue(
        in store: some HistoryStore, _ retention: Retention, clock: ServiceClock, uptime: Duration
    ) async throws -> Outcome? {
        if let last, uptime - last < Self.interval { return nil }
        let newestFix = try await store.newestFix()
        let decision = retentionGuard.decide(
            now: clock.now(), isBelievable: clock.status().isBelievable, newestFix: newestFix, uptime: uptime)
        let time: Timestamp
        switch decision {
        // Without a clock it is tried again soon.
        case .skip: return Outcome(decision: decision, removed: [:])
        case .run(let now): time = now
        case .runBehind(let now, _): time = now
        }
        last = uptime
        if case .run(let now) = decision, newestFix != nil {
            // As far as the clock may have been ahead without a disagreement.
            try await store.remember(trustedTime: now - RetentionGuard.margin)
        }
        return Outcome(
            decision: decision, removed: try await store.removeExpired(retention, now: time, isGuarded: true))
    }
}
