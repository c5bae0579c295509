import FencepostGeometry
import FencepostModel
import FencepostService
import Metrics

/// The metrics of webhooks (rule O6).
struct WebhookMetrics: Sendable {
    private let attempts: [String: Counter]
    private let duration = Metrics.Timer(label: "fencepost_webhook_attempt_duration_seconds")
    private let expired = Counter(label: "fencepost_webhook_expired_total")
    private let pending: Gauge
    private let oldest: Gauge
    private let active = Gauge(label: "fencepost_endpoints", dimensions: [("state", "active")])
    private let disabled = Gauge(label: "fencepost_endpoints", dimensions: [("state", "disabled")])

    /// - Parameter part: the part of a cluster whose messages are counted; `nil` for all.
    init(part: ClusterPartition?) {
        let labels = part.map { [("part", "\($0)")] } ?? []
        pending = Gauge(label: "fencepost_webhook_pending", dimensions: labels)
        oldest = Gauge(label: "fencepost_webhook_oldest_pending_seconds", dimensions: labels)
        let outcomes = ["delivered"] + DeliveryAttempt.Failure.allCases.map(\.rawValue)
        attempts = Dictionary(
            uniqueKeysWithValues: outcomes.map {
                ($0, Counter(label: "fencepost_webhook_attempts_total", dimensions: [("outcome", $0)]))
            })
    }

    func record(_ result: AttemptResult) {
        attempts[result.failure?.rawValue ?? "delivered"]?.increment()
        duration.recordNanoseconds(result.duration.milliseconds.multipliedClamped(by: 1_000_000))
    }

    /// A message was dropped because its event was too old.
    func recordExpired() { expired.increment() }

    func record(pending count: Int, oldest since: Timestamp?, now: Timestamp) {
        pending.record(count)
        oldest.record(since.map { max((now - $0).seconds, 0) } ?? 0)
    }

    func record(_ endpoints: [Endpoint]) {
        active.record(endpoints.count { $0.isActive })
        disabled.record(endpoints.count { !$0.isActive })
    }
}
