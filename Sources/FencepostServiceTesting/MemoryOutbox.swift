public import FencepostModel
public import FencepostService
import Synchronization

/// An outbox in memory, whose writes fail on demand.
///
/// It behaves as `SQLiteStore`; the contract suites of the store's tests run on both.
public final class MemoryOutbox: Outbox {
    /// A write that failed.
    public enum WriteFailure: Error, Hashable {
        /// `failWrites` was called.
        case requested
        /// A delivery belongs to an event that is not stored.
        case unknownEvent
    }

    fileprivate struct Row {
        var record: DeliveryRecord
        var isOrdered: Bool
        var number: Int
    }

    fileprivate struct State {
        var endpoints: [String: (endpoint: Endpoint, health: EndpointHealth)] = [:]
        var rows: [String: Row] = [:]
        /// Pending deliveries by endpoint, in the order in which they were added.
        var pending: [String: [String]] = [:]
        var events: [NewEvent] = []
        /// Event types by event, with those of `add`.
        var types: [String: String] = [:]
        var writesFail = false
        var settleCalls = 0
        var dueCalls = 0
    }

    private let state = Mutex(State())

    /// An outbox without endpoints.
    public init() {}

    // MARK: Outbox

    /// All endpoints, sorted by id.
    public func endpoints() async throws -> [Endpoint] {
        state.withLock { state in state.endpoints.values.map(\.endpoint).sorted { $0.id < $1.id } }
    }

    /// The health of an endpoint; good health for an unknown one.
    public func health(of endpoint: String) async throws -> EndpointHealth {
        state.withLock { $0.endpoints[endpoint]?.health ?? EndpointHealth() }
    }

    /// Due deliveries by due time.
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

    /// The earliest due time; `nil` without a delivery that can be sent.
    public func nextDue(for endpoint: String, excluding: Set<String>) async throws -> Timestamp? {
        state.withLock { state in
            state.sendable(for: endpoint).map(\.record.pending).filter { !excluding.contains($0.id) }.map(\.due).min()
        }
    }

    /// Stores results, events and deliveries at once; fails while writes are set to fail. All messages have rows here.
    public func settle(
        _ settlements: [Settlement], events: [NewEvent], deliveries: [NewDelivery], direct: DirectProgress
    ) async throws {
        try state.withLock { state in
            guard !state.writesFail else { throw WriteFailure.requested }
            state.settleCalls += 1
            for delivery in deliveries where state.types[delivery.eventID] == nil {
                guard events.contains(where: { $0.id == delivery.eventID }) else { throw WriteFailure.unknownEvent }
            }
            for settlement in settlements { state.settle(settlement) }
            let latest = events.map(\.timestamp).max() ?? settlements.compactMap(\.attempt?.startedAt).max()
            let new = events.filter { state.types[$0.id] == nil }
            for event in new {
                state.events.append(event)
                state.types[event.id] = event.type
            }
            for delivery in deliveries {
                let event = events.first { $0.id == delivery.eventID }
                // The messages of an event that was stored before were stored with it.
                if event != nil, !new.contains(where: { $0.id == delivery.eventID }) { continue }
                state.add(delivery, at: event?.timestamp ?? latest ?? Timestamp(milliseconds: 0))
            }
        }
    }

    /// Stores the health of an endpoint; fails while writes are set to fail.
    public func update(_ endpoint: Endpoint, health: EndpointHealth) async throws {
        try state.withLock { state in
            guard !state.writesFail else { throw WriteFailure.requested }
            guard state.endpoints[endpoint.id]?.endpoint.isDefined(as: endpoint) ?? false else { return }
            if !endpoint.isActive { state.endpoints[endpoint.id]?.endpoint.state = endpoint.state }
            state.endpoints[endpoint.id]?.health = health
        }
    }

    /// The number of pending deliveries, and the creation time of the oldest.
    public func backlog() async throws -> (pending: Int, oldest: Timestamp?) {
        state.withLock { state in
            let pending = state.rows.values.filter { $0.record.status == .pending }
            return (pending.count, pending.map(\.record.pending.createdAt).min())
        }
    }

    // MARK: For tests

    /// Adds or replaces an endpoint. Its health stays unless a new one is given.
    public func save(_ endpoint: Endpoint, health: EndpointHealth? = nil) {
        state.withLock { state in
            let health = health ?? state.endpoints[endpoint.id]?.health ?? EndpointHealth()
            state.endpoints[endpoint.id] = (endpoint, health)
        }
    }

    /// Removes an endpoint and cancels its pending deliveries.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func remove(endpoint id: String) -> Bool {
        state.withLock { state in
            defer { state.endpoints[id] = nil }
            for delivery in state.pending.removeValue(forKey: id) ?? [] {
                state.rows[delivery]?.record.status = .cancelled
            }
            return state.endpoints[id] != nil
        }
    }

    /// Adds deliveries, as a commit of the monitor does with new events.
    ///
    /// - Parameters:
    ///   - deliveries: the messages.
    ///   - type: the type of their events.
    ///   - now: the time of their creation.
    /// - Returns: their ids.
    @discardableResult
    public func add(_ deliveries: [NewDelivery], type: String = "region.entered", at now: Timestamp) -> [String] {
        state.withLock { state in
            deliveries.map { delivery in
                state.types[delivery.eventID] = state.types[delivery.eventID] ?? type
                return state.add(delivery, at: now)
            }
        }
    }

    /// Adds events with their deliveries, as a commit of the monitor does. Events that are stored are ignored.
    public func add(_ events: [NewEvent], _ deliveries: [NewDelivery], at now: Timestamp) {
        state.withLock { state in
            let known = Set(events.map(\.id).filter { state.types[$0] != nil })
            for event in events where !known.contains(event.id) {
                state.events.append(event)
                state.types[event.id] = event.type
            }
            for delivery in deliveries where !known.contains(delivery.eventID) { state.add(delivery, at: now) }
        }
    }

    /// Changes the due time of a delivery, for example to one that a wrong wall clock gave.
    public func setDue(_ id: String, to due: Timestamp) {
        state.withLock { $0.rows[id]?.record.pending.due = due }
    }

    /// Whether writing fails from now on.
    public func failWrites(_ fails: Bool) { state.withLock { $0.writesFail = fails } }

    /// All deliveries, in the order in which they were added.
    public var records: [DeliveryRecord] {
        state.withLock { state in state.rows.values.sorted { $0.number < $1.number }.map(\.record) }
    }

    /// A delivery; `nil` when there is none.
    public func record(_ id: String) -> DeliveryRecord? { state.withLock { $0.rows[id]?.record } }
    /// An endpoint with its health; `nil` when there is none.
    public func endpoint(_ id: String) -> (endpoint: Endpoint, health: EndpointHealth)? {
        state.withLock { $0.endpoints[id] }
    }
    /// Stored events, except those of `add(_:type:at:)`.
    public var events: [NewEvent] { state.withLock { $0.events } }
    /// Number of calls of `settle` and `due`.
    public var calls: (settle: Int, due: Int) { state.withLock { ($0.settleCalls, $0.dueCalls) } }
}

extension MemoryOutbox.State {
    /// The pending deliveries of an active endpoint that no earlier delivery blocks.
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
        guard var row = rows[settlement.deliveryID] else { return }
        if let attempt = settlement.attempt {
            row.record.attempts.append(attempt)
            row.record.pending.attempts += 1
        }
        // A delivery that is finished stays so, unless an attempt that was under way has succeeded.
        let isPending = row.record.status == .pending
        switch settlement.result {
        case .delivered: row.record.status = .delivered
        case .retry(let due): if isPending { row.record.pending.due = due }
        case .exhausted: if isPending { row.record.status = .exhausted }
        case .cancelled: if isPending { row.record.status = .cancelled }
        case .expired: if isPending { row.record.status = .expired }
        case .suppressed: if isPending { row.record.status = .suppressed }
        }
        rows[settlement.deliveryID] = row
        if row.record.status != .pending {
            pending[row.record.pending.endpointID]?.removeAll { $0 == settlement.deliveryID }
        }
    }

    @discardableResult
    fileprivate mutating func add(_ delivery: NewDelivery, at now: Timestamp) -> String {
        var identity = Identity()
        identity.add(delivery.endpointID)
        identity.add(delivery.eventID)
        let id = identity.text(prefix: "dlv_")
        guard rows[id] == nil else { return id }
        let pending = PendingDelivery(
            id: id, endpointID: delivery.endpointID, eventID: delivery.eventID,
            eventType: types[delivery.eventID] ?? "",
            deviceID: delivery.deviceID, body: delivery.body, headers: delivery.headers, attempts: 0, createdAt: now,
            due: now)
        let isKnown = endpoints[delivery.endpointID] != nil
        rows[id] = MemoryOutbox.Row(
            record: DeliveryRecord(pending, status: isKnown ? .pending : .cancelled, attempts: []),
            isOrdered: delivery.isOrdered, number: rows.count)
        if isKnown { self.pending[delivery.endpointID, default: []].append(id) }
        return id
    }
}
