/// Types of events about the service itself, without a device.
public enum ServiceEventType: String, Hashable, Sendable, CaseIterable {
    /// The service has disabled an endpoint.
    case endpointDisabled = "endpoint.disabled"
    /// The last attempt of a delivery has failed.
    case deliveryExhausted = "delivery.exhausted"
    /// A test that a user requested.
    case webhookTest = "webhook.test"
    /// The report of a schedule is ready.
    case reportReady = "report.ready"
}
