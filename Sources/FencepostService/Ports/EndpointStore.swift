public import FencepostModel

/// Endpoints and their deliveries, for people and for the API.
public protocol EndpointStore: Sendable {
    func endpoints() async throws -> [Endpoint]
    func endpoint(id: String) async throws -> (endpoint: Endpoint, health: EndpointHealth)?
    /// Adds or replaces.
    func save(_ endpoint: Endpoint) async throws
    /// Removes an endpoint; its pending deliveries are cancelled.
    func removeEndpoint(id: String) async throws -> Bool

    /// Newest last.
    func deliveries(
        endpoint: String?, status: DeliveryRecord.Status?, event: String?, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, record: DeliveryRecord)]
    func delivery(id: String) async throws -> DeliveryRecord?
    /// Makes a delivery due at once, whatever became of it before; false when there is no such one.
    func retry(delivery id: String, at now: Timestamp) async throws -> Bool
    /// Makes every dead letter of the endpoint since then due again.
    ///
    /// - Returns: how many.
    func retryExhausted(endpoint: String, since: Timestamp, at now: Timestamp) async throws -> Int
    /// Adds deliveries for events that the endpoint has none of, as `recover` and replays do.
    ///
    /// - Returns: how many were new.
    func enqueue(_ deliveries: [NewDelivery], at now: Timestamp) async throws -> Int
    /// Writes an event that belongs to no device, such as `webhook.test`, and the messages for it.
    func append(_ event: NewEvent, deliveries: [NewDelivery], at now: Timestamp) async throws
}
