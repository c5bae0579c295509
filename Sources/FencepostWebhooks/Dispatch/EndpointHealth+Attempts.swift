import FencepostModel
import FencepostService

extension EndpointHealth {
    /// An endpoint is disabled after failing for this long (rule W7).
    static let maximumOutage = Duration.seconds(5 * 86_400)
    /// Minimum time between the first and the last but one failure of such an outage.
    ///
    /// Without it, two failures at the ends of a week without other attempts would disable an endpoint.
    static let minimumFailureSpan = Duration.seconds(12 * 3600)

    mutating func noteSuccess(at now: Timestamp) {
        consecutiveFailures = 0
        firstFailure = nil
        lastSuccess = now
    }

    /// A gap between two failures counts as at most this long, the longest delay between two attempts of a message.
    ///
    /// A clock that is set right in the middle of an outage, or a month without messages, does not make it longer.
    static let maximumGap = Duration.seconds(86_400)

    /// Counts a failure. `firstFailure` moves by what a gap is longer than `maximumGap`, and by what a clock was set back.
    ///
    /// - Parameter now: the time of the failure.
    /// - Returns: whether the outage has reached `maximumOutage`, so that the endpoint has to be disabled.
    mutating func noteFailure(at now: Timestamp) -> Bool {
        consecutiveFailures += 1
        guard let first = firstFailure, let last = lastFailure else {
            (firstFailure, lastFailure) = (now, now)
            return false
        }
        let gap = now - last
        let start = first + (gap - min(max(gap, .zero), Self.maximumGap))
        (firstFailure, lastFailure) = (start, now)
        return now - start >= Self.maximumOutage && last - first >= Self.minimumFailureSpan
    }

    /// Whether the change since `before` has to survive a crash. Successes in a row are written once a minute.
    func isWorthWriting(after before: EndpointHealth?) -> Bool {
        guard let before, lastMessages == before.lastMessages, sentFacts == before.sentFacts else { return true }
        if (consecutiveFailures == 0) != (before.consecutiveFailures == 0) || consecutiveFailures > 0 { return true }
        guard let last = lastSuccess, let previous = before.lastSuccess else {
            return lastSuccess != before.lastSuccess
        }
        return last.milliseconds / 60_000 != previous.milliseconds / 60_000
    }
}
