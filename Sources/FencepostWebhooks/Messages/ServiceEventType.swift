/// Types of events about the service itself, without a device.
public enum ServiceEventType: String, Hashable, Sendable, CaseIterable {
    case endpointDisabled = "endpoint.disabled"
    case deliveryExhausted = "delivery.exhausted"
    case webhookTest = "webhook.test"
}
