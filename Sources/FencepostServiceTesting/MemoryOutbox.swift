public import FencepostModel
public import FencepostService
import Synchronization

/// An outbox that forgets everything with its process.
public final class MemoryOutbox: Outbox {
    /// The store does not write.
    public struct WriteFailure: Error {}

    fileprivate struct Row {
        var record: DeliveryRecord
        var isOrdered: Bool
        var number: Int
    }

    fileprivate struct State {
        var endpoints: [String: (endpoint: Endpoint, health: EndpointHealth)] = [:]
        var rows: [String: Row] = [:]
        /// In the order in which they were added.
        var pending: [String: [String]] = [:]
        var events: [NewEvent] = []
        var writesFail = false
        var settleCalls = 0
        var dueCalls = 0
    }

    private let state = Mutex(State())

    public init() {}

    // MARK: Outbox

    public func endpoints() async throws -> [Endpoint] {
        state.withLock { state in state.endpoints.values.map(\.endpoint).sorted { $0.id < $1.id } }
    }

    public func health(of endpoint: String) async throws -> EndpointHealth {
        state.withLock { $0.endpoints[endpoint]?.health ?? EndpointHealth() }
    }

    public func due(
        for endpoint: String, at now: Timestamp, excluding: Set<String>, limit: Int
    ) async throws -> [PendingDelivery] {
        state.withLock { state in
            state.dueCalls += 1
            let rows = state.sendable(for: endpoint).filter {
                $0.record.pending.due <= now && !excluding.contains($0.record.pending.id)
            }
            return rows.sorted { ($0.record.pending.due, $0.number) < ($1.record.pending.due, $1.number) }
                .prefix(limit).map(\.record.pending)
        }
    }

    public func nextDue(for endpoint: String, excluding: Set<String>) async throws -> Timestamp? {
        state.withLock { state in
            state.sendable(for: endpoint).map(\.record.pending).filter { !excluding.contains($0.id) }.map(\.due).min()
        }
    }

    public func settle(_ settlements: [Settlement], events: [NewEvent], deliveries: [NewDelivery]) async throws {
        try state.withLock { state in
            guard !state.writesFail else { throw WriteFailure() }
            state.settleCalls += 1
            for settlement in settlements { state.settle(settlement) }
            for event in events where !state.events.contains(where: { $0.id == event.id }) {
                state.events.append(event)
            }
            let types = Dictionary(events.map { ($0.id, $0) }) { first, _ in first }
            for delivery in deliveries {
                guard let event = types[delivery.eventID] else { continue }
                state.add(delivery, type: event.type, at: event.timestamp)
            }
        }
    }

    public func update(_ endpoint: Endpoint, health: EndpointHealth) async throws {
        try state.withLock { state in
            guard !state.writesFail else { throw WriteFailure() }
            guard state.endpoints[endpoint.id] != nil else { return }
            if !endpoint.isActive { state.endpoints[endpoint.id]?.endpoint.state = endpoint.state }
            state.endpoints[endpoint.id]?.health = health
        }
    }

    public func backlog() async throws -> (pending: Int, oldest: Timestamp?) {
        state.withLock { state in
            let pending = state.rows.values.filter { $0.record.status == .pending }
            return (pending.count, pending.map(\.record.pending.createdAt).min())
        }
    }

    // MARK: What tests do and look at

    /// Adds or replaces an endpoint.
    public func save(_ endpoint: Endpoint, health: EndpointHealth = EndpointHealth()) {
        state.withLock { $0.endpoints[endpoint.id] = (endpoint, health) }
    }

    public func remove(endpoint id: String) {
        state.withLock { state in
            state.endpoints[id] = nil
            for delivery in state.pending.removeValue(forKey: id) ?? [] {
                state.rows[delivery]?.record.status = .cancelled
            }
        }
    }

    /// Adds deliveries as a commit of the monitor does.
    ///
    /// - Returns: their ids.
    @discardableResult
    public func add(_ deliveries: [NewDelivery], type: String = "region.entered", at now: Timestamp) -> [String] {
        state.withLock { state in deliveries.map { state.add($0, type: type, at: now) } }
    }

    /// Makes a delivery due at another time, as a wall clock that was wrong may have done.
    public func setDue(_ id: String, to due: Timestamp) {
        state.withLock { $0.rows[id]?.record.pending.due = due }
    }

    /// Whether writing fails from now on.
    public func failWrites(_ fails: Bool) { state.withLock { $0.writesFail = fails } }

    /// In the order in which they were added.
    public var records: [DeliveryRecord] {
        state.withLock { state in state.rows.values.sorted { $0.number < $1.number }.map(\.record) }
    }

    public func record(_ id: String) -> DeliveryRecord? { state.withLock { $0.rows[id]?.record } }
    public func endpoint(_ id: String) -> (endpoint: Endpoint, health: EndpointHealth)? {
        state.withLock { $0.endpoints[id] }
    }
    public var events: [NewEvent] { state.withLock { $0.events } }
    /// How often it was written to, and asked for what is due.
    public var calls: (settle: Int, due: Int) { state.withLock { ($0.settleCalls, $0.dueCalls) } }
}

extension MemoryOutbox.State {
    /// What may be sent as far as the order goes.
    fileprivate func sendable(for endpoint: String) -> [MemoryOutbox.Row] {
        guard endpoints[endpoint]?.endpoint.isActive == true else { return [] }
        var devices: Set<DeviceID> = []
        return (pending[endpoint] ?? []).compactMap { id in
            guard let row = rows[id] else { return nil }
            guard row.isOrdered, let device = row.record.pending.deviceID else { return row }
            return devices.insert(device).inserted ? row : nil
        }
    }

    fileprivate mutating func settle(_ settlement: Settlement) {
        guard var row = rows[settlement.deliveryID], row.record.status == .pending else { return }
        if let attempt = settlement.attempt {
            row.record.attempts.append(attempt)
            row.record.pending.attempts = attempt.number
        }
        switch settlement.result {
        case .delivered: row.record.status = .delivered
        case .retry(let due): row.record.pending.due = due
        case .exhausted: row.record.status = .exhausted
        case .cancelled: row.record.status = .cancelled
        }
        rows[settlement.deliveryID] = row
        if row.record.status != .pending {
            pending[row.record.pending.endpointID]?.removeAll { $0 == settlement.deliveryID }
        }
    }

    @discardableResult
    fileprivate mutating func add(_ delivery: NewDelivery, type: String, at now: Timestamp) -> String {
        var identity = Identity()
        identity.add(delivery.endpointID)
        identity.add(delivery.eventID)
        let id = identity.text(prefix: "dlv_")
        guard rows[id] == nil else { return id }
        let pending = PendingDelivery(
            id: id, endpointID: delivery.endpointID, eventID: delivery.eventID, eventType: type,
            deviceID: delivery.deviceID, body: delivery.body, headers: delivery.headers, attempts: 0, createdAt: now,
            due: now)
        rows[id] = MemoryOutbox.Row(
            record: DeliveryRecord(pending, status: .pending, attempts: []), isOrdered: delivery.isOrdered,
            number: rows.count)
        self.pending[delivery.endpointID, default: []].append(id)
        return id
    }
}
