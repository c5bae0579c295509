import FencepostServer
import Metrics
import Synchronization

/// Whether the MQTT broker is connected, for `/readyz` and the metrics.
final class BrokerMonitor: Sendable {
    private let state = Atomic(false)
    private let gauge = Gauge(label: "fencepost_mqtt_connected")

    /// Set by the gateway. The metric exists from the first change on.
    var isConnected: Bool {
        get { state.load(ordering: .relaxed) }
        set {
            state.store(newValue, ordering: .relaxed)
            gauge.record(newValue ? 1 : 0)
        }
    }

    /// The service is ready without its broker: HTTP works, and the broker keeps messages.
    var check: HealthCheck {
        HealthCheck(
            "mqtt", problem: isConnected ? nil : "The MQTT broker is not connected. The service tries again.",
            isRequired: false)
    }
}
