import FencepostModel
import FencepostService

extension Endpoint {
    /// Whether a message is older than the endpoint accepts.
    ///
    /// Events of the service itself have no age: they report the present state of an endpoint.
    func isTooOld(_ delivery: PendingDelivery, at now: Timestamp) -> Bool {
        guard let maximumAge, let timestamp = delivery.eventTimestamp, delivery.deviceID != nil else { return false }
        return now - timestamp > maximumAge
    }
}
