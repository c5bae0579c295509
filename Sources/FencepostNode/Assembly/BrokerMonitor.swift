import FencepostModel
import FencepostServer
import FencepostService
import Metrics
import Synchronization

/// What the connections to the brokers do: for the API, for `/readyz` and the metrics.
final class BrokerMonitor: Sendable {
    /// One of the two connections.
    final class Link: Sendable {
        private let state = Mutex(BrokerStatus.Link())
        private let now: @Sendable () -> Timestamp

        init(_ now: @escaping @Sendable () -> Timestamp) { self.now = now }

        var value: BrokerStatus.Link { state.withLock { $0 } }

        func connected(_ isConnected: Bool) {
            let time = now()
            state.withLock { $0.connectedSince = isConnected ? $0.connectedSince ?? time : nil }
        }

        func failed(_ failure: BrokerFailure) {
            let time = now()
            state.withLock { $0.lastFailure = (failure, time) }
        }

        func count(_ messages: Int) { state.withLock { $0.messages += messages } }
    }

    let receiving, publishing: Link
    private let gauge = Gauge(label: "fencepost_mqtt_connected")

    /// - Parameter now: the time of changes.
    init(_ now: @escaping @Sendable () -> Timestamp) { (receiving, publishing) = (Link(now), Link(now)) }

    /// Set by the gateway. The metric exists from the first change on.
    func isReceiving(_ isConnected: Bool) {
        receiving.connected(isConnected)
        gauge.record(isConnected ? 1 : 0)
    }

    /// Ends the metric: there is no broker any more, which is not the same as one that cannot be reached.
    func end() { gauge.destroy() }

    /// The service is ready without its broker: HTTP works, and the broker keeps messages.
    var check: HealthCheck {
        HealthCheck(
            "mqtt",
            problem: receiving.value.connectedSince != nil
                ? nil : "The MQTT broker is not connected. The service tries again.",
            isRequired: false)
    }
}
