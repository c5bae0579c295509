import FencepostFormats
public import FencepostModel

/// Submits fixes again whose time was refused, when the clock accepts their time (rule I55).
public enum QuarantineRelease {
    /// The number of fixes that were submitted, and of those whose time is still out of range.
    public struct Result: Hashable, Sendable {
        /// Submitted fixes, duplicates included. They are no longer in the quarantine.
        public var released = 0
        /// Fixes that stay in the quarantine.
        public var kept = 0

        /// No fixes.
        public init() {}
    }

    private static let pageSize = 1000

    /// Submits all fixes whose time is accepted now, and then removes them from the quarantine.
    ///
    /// After an interruption some are submitted again the next time; they count as duplicates then.
    ///
    /// - Throws: a `MonitorFailure`, or an error of the store.
    public static func run(
        from store: any HistoryStore, to monitor: any Monitoring, now: Timestamp
    ) async throws -> Result {
        let rules = FixRules(now: now)
        var result = Result()
        var cursor: Int64 = 0
        while true {
            let page = try await store.quarantinedFixes(after: cursor, limit: pageSize)
            guard let last = page.last else { return result }
            cursor = last.number
            let accepted = page.filter { rules.accepts($0.fix.timestamp) }
            for (format, rows) in Dictionary(grouping: accepted, by: \.format).sorted(by: { $0.key < $1.key }) {
                var submission = Submission(format: format)
                submission.locations = rows.map(\.fix)
                _ = try await monitor.submit(submission)
            }
            try await store.removeQuarantined(accepted.map(\.number))
            result.released += accepted.count
            result.kept += page.count - accepted.count
        }
    }
}
