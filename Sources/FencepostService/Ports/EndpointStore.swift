public import FencepostModel

/// Stores endpoints and their deliveries, for the API.
public protocol EndpointStore: Sendable {
    /// All endpoints.
    func endpoints() async throws -> [Endpoint]
    /// An endpoint with its health; `nil` when there is none.
    func endpoint(id: String) async throws -> (endpoint: Endpoint, health: EndpointHealth)?
    /// Adds or replaces an endpoint, whatever is stored: for copies of a configuration that is kept elsewhere.
    func save(_ endpoint: Endpoint) async throws
    /// Adds an endpoint.
    ///
    /// - Returns: `false` when one with its id exists; nothing is stored then.
    func add(_ endpoint: Endpoint) async throws -> Bool
    /// Replaces an endpoint, whose health stays.
    ///
    /// - Parameters:
    ///   - former: the endpoint that the change was made from.
    ///   - endpoint: the changed endpoint, with the same id.
    /// - Returns: `false` when the stored one differs from `former` or was removed; nothing is stored then.
    /// - Throws: when the store cannot write.
    func replace(_ former: Endpoint, with endpoint: Endpoint) async throws -> Bool
    /// Removes an endpoint and cancels its pending deliveries.
    ///
    /// - Returns: whether there was one.
    func removeEndpoint(id: String) async throws -> Bool
    /// Removes an endpoint and cancels its pending deliveries, unless the stored one differs.
    ///
    /// - Returns: `false` when it differs or was removed; nothing happens then.
    func removeEndpoint(_ former: Endpoint) async throws -> Bool

    /// Deliveries in the order of their creation; filters that are `nil` match all.
    ///
    /// - Parameters:
    ///   - endpoint: the id of the recipient.
    ///   - status: the state of the delivery.
    ///   - event: the id of the event.
    ///   - cursor: the last number of the page before; 0 for the first page.
    ///   - limit: the largest number of deliveries to return.
    /// - Returns: the deliveries with their attempts; empty at the end.
    /// - Throws: when the store cannot read.
    func deliveries(
        endpoint: String?, status: DeliveryRecord.Status?, event: String?, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, record: DeliveryRecord)]
    /// A delivery; `nil` when there is none.
    func delivery(id: String) async throws -> DeliveryRecord?
    /// Makes a delivery due now, in any state.
    ///
    /// - Returns: whether there is one.
    func retry(delivery id: String, at now: Timestamp) async throws -> Bool
    /// Makes the dead letters of an endpoint due now, if they were created since a time.
    ///
    /// - Returns: their number.
    func retryExhausted(endpoint: String, since: Timestamp, at now: Timestamp) async throws -> Int
    /// Adds deliveries, except those that exist, for a recovery or a replay.
    ///
    /// - Returns: the number of new ones.
    func enqueue(_ deliveries: [NewDelivery], at now: Timestamp) async throws -> Int
    /// Stores an event of the service itself, such as `webhook.test`, with its messages.
    func append(_ event: NewEvent, deliveries: [NewDelivery], at now: Timestamp) async throws
}
