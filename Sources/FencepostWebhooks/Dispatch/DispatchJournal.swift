import FencepostModel
import FencepostService

/// What is to be written to the outbox, collected so that one transaction serves many attempts.
struct DispatchJournal: Sendable {
    struct Batch: Sendable {
        var settlements: [Settlement] = []
        var events: [NewEvent] = []
        var deliveries: [NewDelivery] = []
        var updates: [(endpoint: Endpoint, health: EndpointHealth)] = []
        /// The settled deliveries by endpoint.
        var settled: [String: [String]] = [:]

        var isEmptyOfDeliveries: Bool { settlements.isEmpty && events.isEmpty }
    }

    private var settlements: [Settlement] = []
    private var events: [NewEvent] = []
    private var deliveries: [NewDelivery] = []
    private var updates: [String: (endpoint: Endpoint, health: EndpointHealth)] = [:]
    private var settled: [String: [String]] = [:]
    private var writing: Batch?
    private var failures = 0
    /// When a batch that failed is tried again; `nil` when none did.
    private(set) var retryAt: Timestamp?

    var isEmpty: Bool { writing == nil && !hasMore }

    private var hasMore: Bool { !settlements.isEmpty || !events.isEmpty || !updates.isEmpty }

    mutating func settle(_ settlement: Settlement, of endpoint: String) {
        settlements.append(settlement)
        settled[endpoint, default: []].append(settlement.deliveryID)
    }

    mutating func add(_ event: NewEvent, _ messages: [NewDelivery]) {
        events.append(event)
        deliveries += messages
    }

    /// The last one of an endpoint counts.
    mutating func update(_ endpoint: Endpoint, health: EndpointHealth) {
        updates[endpoint.id] = (endpoint, health)
    }

    /// What to write now; `nil` while something is being written or there is nothing.
    mutating func nextBatch(now: Timestamp) -> Batch? {
        if let retryAt {
            guard now >= retryAt else { return nil }
            self.retryAt = nil
            return writing
        }
        guard writing == nil, hasMore else { return nil }
        let batch = Batch(
            settlements: settlements, events: events, deliveries: deliveries, updates: Array(updates.values),
            settled: settled)
        (settlements, events, deliveries, updates, settled) = ([], [], [], [:], [:])
        writing = batch
        return batch
    }

    enum Result: Hashable, Sendable {
        case nothing
        /// What became of the endpoints is missing.
        case deliveries
        case everything
    }

    /// Takes how much of the batch is on disk; the rest is tried again, after a second at first and half a minute at most.
    ///
    /// - Returns: the batch, when its deliveries are on disk for the first time.
    mutating func written(_ result: Result, now: Timestamp) -> Batch? {
        let batch = writing
        switch result {
        case .everything:
            (failures, writing) = (0, nil)
            return batch
        case .deliveries:
            var rest = Batch()
            rest.updates = batch?.updates ?? []
            writing = rest
        case .nothing: break
        }
        retryAt = now + min(.seconds(1 << min(failures, 5)), .seconds(30))
        failures += 1
        return result == .nothing ? nil : batch
    }
}
