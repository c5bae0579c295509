import FencepostModel
import FencepostService

extension EndpointHealth {
    /// For how long an endpoint may fail before it is disabled, and how far apart its failures have to be (rule W7).
    static let patience = (silence: Duration.seconds(5 * 86_400), spread: Duration.seconds(12 * 3600))

    mutating func noteSuccess(at now: Timestamp) {
        consecutiveFailures = 0
        firstFailure = nil
        lastSuccess = now
    }

    /// - Returns: whether the endpoint has now failed for so long that it is to be disabled.
    ///
    ///   Two failures at the ends of a quiet week are not enough: before this one, the others have to be some time apart.
    mutating func noteFailure(at now: Timestamp) -> Bool {
        let first = firstFailure ?? now
        let spread = firstFailure == nil ? .zero : (lastFailure ?? first) - first
        consecutiveFailures += 1
        firstFailure = first
        lastFailure = now
        return now - first >= EndpointHealth.patience.silence && spread >= EndpointHealth.patience.spread
    }
}
