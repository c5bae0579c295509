internal import FencepostGeometry
public import FencepostModel

/// Decides from which time retention counts, so that a wrong clock deletes nothing (rule P5).
///
/// A clock that is ahead makes everything look expired. Nothing but the stored fixes contradicts it: fixes arrive all the
/// time, and a fix has the time of its sender. So without fixes of the present, retention counts from the newest fix, and
/// from the clock only when no fix has arrived for `longestSilence`.
public struct RetentionGuard: Hashable, Sendable {
    /// How far the clock may be ahead of the newest fix before they disagree.
    public static let margin = Duration.seconds(86_400)
    /// Running time without a new fix after which the clock is trusted against the newest fix.
    public static let longestSilence = Duration.seconds(7 * 86_400)
    /// The largest part of the stored time span that one run removes, as a fraction of it.
    public static let largestPart = 0.1
    /// The time span that every run may remove, however small a part of the stored one it is.
    public static let smallestSpan = Duration.seconds(86_400)

    /// What to do in a run.
    public enum Decision: Hashable, Sendable {
        /// Remove what expired at this time.
        case run(at: Timestamp)
        /// Remove what had expired a day after the newest fix, because the clock is far ahead of it.
        case runBehind(at: Timestamp, clock: Timestamp)
        /// Remove nothing, because the clock is not believable.
        case skip
    }

    private struct Disagreement: Hashable {
        var newestFix: Timestamp
        var since: Duration
    }

    private var disagreement: Disagreement?

    /// A guard that has seen no run.
    public init() {}

    /// Decides from which time retention counts in this run.
    ///
    /// - Parameters:
    ///   - now: the service's time.
    ///   - isBelievable: whether the clock was set.
    ///   - newestFix: the newest stored fix; `nil` without fixes.
    ///   - uptime: time since the start by the steady clock.
    /// - Returns: whether to remove, and as of which time.
    public mutating func decide(
        now: Timestamp, isBelievable: Bool, newestFix: Timestamp?, uptime: Duration
    ) -> Decision {
        guard isBelievable else { return .skip }
        guard let newestFix, now - newestFix > Self.margin else {
            disagreement = nil
            return .run(at: now)
        }
        if disagreement?.newestFix != newestFix { disagreement = Disagreement(newestFix: newestFix, since: uptime) }
        if let disagreement, uptime - disagreement.since >= Self.longestSilence { return .run(at: now) }
        return .runBehind(at: newestFix + Self.margin, clock: now)
    }

    /// The time before which one run removes rows.
    ///
    /// - Parameters:
    ///   - end: rows before it are expired.
    ///   - oldest: the oldest row of the kind; `nil` without rows.
    ///   - newest: the newest row of the kind; `nil` without rows.
    /// - Returns: `end`, or an earlier time if that would remove more than `largestPart` and more than `smallestSpan`.
    public static func limit(_ end: Timestamp, oldest: Timestamp?, newest: Timestamp?) -> Timestamp {
        guard let oldest, let newest else { return end }
        let span = max((newest - oldest).milliseconds, 0)
        let most = max(Int64(clamped: Double(span) * largestPart), smallestSpan.milliseconds)
        return min(end, oldest + .milliseconds(most))
    }
}
