import FencepostModel
import FencepostService

/// Collects what has to be written to the outbox, so that one transaction serves many attempts.
///
/// One batch is written at a time. What is added meanwhile goes into the next one.
struct DispatchJournal: Sendable {
    struct Batch: Sendable {
        var settlements: [Settlement] = []
        var events: [NewEvent] = []
        var deliveries: [NewDelivery] = []
        var updates: [(endpoint: Endpoint, health: EndpointHealth)] = []
        /// Messages that get rows, and positions of endpoints.
        var direct = DirectProgress()
        /// Ids of the settled deliveries by endpoint.
        var settled: [String: [String]] = [:]

        var hasDeliveries: Bool { !settlements.isEmpty || !events.isEmpty || !direct.isEmpty }
    }

    /// How much of a batch is on disk.
    enum Extent: Hashable, Sendable {
        case nothing
        /// All but the updates of endpoints.
        case deliveries
        case everything
    }

    private enum State: Sendable {
        case idle
        /// The batch is being written, after this many failures in a row.
        case writing(Batch, failures: Int)
        case failed(Batch, failures: Int, retryAt: Timestamp)
    }

    private var state = State.idle
    private var settlements: [Settlement] = []
    private var events: [NewEvent] = []
    private var deliveries: [NewDelivery] = []
    private var updates: [String: (endpoint: Endpoint, health: EndpointHealth)] = [:]
    private var messages: [DirectMessage] = []
    private var settled: [String: [String]] = [:]

    /// When a batch whose write failed is written again; `nil` when none failed.
    var retryAt: Timestamp? {
        switch state {
        case .idle, .writing: nil
        case .failed(_, _, let retryAt): retryAt
        }
    }

    /// Whether everything that was added is on disk.
    var isEmpty: Bool {
        switch state {
        case .idle: !hasMore
        case .writing, .failed: false
        }
    }

    /// Whether something was added since the last batch.
    var hasMore: Bool { !settlements.isEmpty || !events.isEmpty || !updates.isEmpty || !messages.isEmpty }

    mutating func settle(_ settlement: Settlement, of endpoint: String) {
        settlements.append(settlement)
        settled[endpoint, default: []].append(settlement.deliveryID)
    }

    mutating func add(_ event: NewEvent, _ messages: [NewDelivery]) {
        events.append(event)
        deliveries += messages
    }

    /// Gives messages rows.
    mutating func store(_ messages: [DirectMessage]) { self.messages += messages }

    /// Replaces an earlier update of the same endpoint.
    mutating func update(_ endpoint: Endpoint, health: EndpointHealth) {
        updates[endpoint.id] = (endpoint, health)
    }

    /// Whether nothing is being written, so that a batch has all that was added.
    var isIdle: Bool { if case .idle = state { true } else { false } }

    /// The batch to write now; `nil` while one is being written, before `retryAt`, or when there is nothing to write.
    ///
    /// `positions`: those of endpoints if all that was added is written.
    mutating func nextBatch(now: Timestamp, positions: [String: Int64?] = [:]) -> Batch? {
        switch state {
        case .writing: return nil
        case .failed(let batch, let failures, let retryAt):
            guard now >= retryAt else { return nil }
            state = .writing(batch, failures: failures)
            return batch
        case .idle:
            guard hasMore || !positions.isEmpty else { return nil }
            var batch = Batch(
                settlements: settlements, events: events, deliveries: deliveries, updates: Array(updates.values),
                settled: settled)
            batch.direct.messages = messages
            batch.direct.positions = positions
            (settlements, events, deliveries, messages, updates, settled) = ([], [], [], [], [:], [:])
            state = .writing(batch, failures: 0)
            return batch
        }
    }

    /// Records how much of the batch is on disk. The rest is written again after 1 s, and after twice as long each time
    /// up to 30 s.
    ///
    /// - Returns: the batch, when its deliveries have reached the disk with this write.
    mutating func written(_ extent: Extent, now: Timestamp) -> Batch? {
        guard case .writing(let batch, let failures) = state else { preconditionFailure("no batch is being written") }
        let delay = min(Duration.seconds(1 << min(failures, 5)), .seconds(30))
        switch extent {
        case .everything:
            state = .idle
            return batch
        case .deliveries:
            state = .failed(Batch(updates: batch.updates), failures: failures + 1, retryAt: now + delay)
            return batch
        case .nothing:
            state = .failed(batch, failures: failures + 1, retryAt: now + delay)
            return nil
        }
    }
}
