import FencepostFormats
import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostStore

/// A monitor's store whose contents a contract can read.
protocol InspectableMonitorStore: MonitorStore {
    func storedLocations(of device: String) async throws -> [StoredLocation]
    func storedEvents() async throws -> [NewEvent]
    func storedVisits() async throws -> [NewVisit]
    func storedDecisions(of app: String) async throws -> [NewDecision]
    func storedQuarantine() async throws -> [QuarantineEntry]
    func storedReports() async throws -> [PhoneReport]
}

extension SQLiteStore: InspectableMonitorStore {
    func storedLocations(of device: String) async throws -> [StoredLocation] {
        try await locations(of: DeviceID(device), from: nil, to: nil, after: nil, limit: 99)
    }
    func storedEvents() async throws -> [NewEvent] {
        try await events(HistoryFilter(), after: 0, limit: 99).map(\.event)
    }
    func storedVisits() async throws -> [NewVisit] {
        try await visits(HistoryFilter(), after: 0, limit: 99).map(\.visit)
    }
    func storedDecisions(of app: String) async throws -> [NewDecision] {
        try await decisions(of: app, HistoryFilter(), after: 0, limit: 99).map(\.decision)
    }
    func storedQuarantine() async throws -> [QuarantineEntry] {
        try await quarantine(HistoryFilter(), after: 0, limit: 99).map(\.entry)
    }
    func storedReports() async throws -> [PhoneReport] {
        try await reports(HistoryFilter(), kind: nil, after: 0, limit: 99).map(\.report)
    }
}

extension MemoryMonitorStore: InspectableMonitorStore {
    func storedLocations(of device: String) async throws -> [StoredLocation] {
        contents.locations.filter { $0.location.deviceID == DeviceID(device) }
    }
    func storedEvents() async throws -> [NewEvent] {
        // A visit is stored once, with the event that is stored last.
        contents.events
    }
    func storedVisits() async throws -> [NewVisit] { contents.visits }
    func storedDecisions(of app: String) async throws -> [NewDecision] {
        contents.decisions.filter { $0.appID == app }
    }
    func storedQuarantine() async throws -> [QuarantineEntry] { contents.quarantined }
    func storedReports() async throws -> [PhoneReport] { contents.reports }
}

/// An outbox that a contract can fill and read.
protocol InspectableOutbox: Outbox {
    func put(_ endpoint: Endpoint) async throws
    /// - Returns: whether there was one.
    func take(endpoint id: String) async throws -> Bool
    /// Stores events with their deliveries, as a commit does.
    func put(_ events: [NewEvent], _ deliveries: [NewDelivery], at now: Timestamp) async throws
    func storedDelivery(_ id: String) async throws -> DeliveryRecord?
    /// In the order in which they were added.
    func storedDeliveries(to endpoint: String) async throws -> [DeliveryRecord]
    func storedEndpoint(_ id: String) async throws -> (endpoint: Endpoint, health: EndpointHealth)?
    func storedEvent(_ id: String) async throws -> NewEvent?
}

extension SQLiteStore: InspectableOutbox {
    func put(_ endpoint: Endpoint) async throws { try await save(endpoint) }
    func take(endpoint id: String) async throws -> Bool { try await removeEndpoint(id: id) }
    func put(_ events: [NewEvent], _ deliveries: [NewDelivery], at now: Timestamp) async throws {
        var commit = Commit(position: try await load().position + 1, receivedAt: now)
        (commit.events, commit.deliveries) = (events, deliveries)
        try await self.commit(commit)
    }
    func storedDelivery(_ id: String) async throws -> DeliveryRecord? { try await delivery(id: id) }
    func storedDeliveries(to endpoint: String) async throws -> [DeliveryRecord] {
        try await deliveries(endpoint: endpoint, status: nil, event: nil, after: 0, limit: 99).map(\.record)
    }
    func storedEndpoint(_ id: String) async throws -> (endpoint: Endpoint, health: EndpointHealth)? {
        try await endpoint(id: id)
    }
    func storedEvent(_ id: String) async throws -> NewEvent? { try await event(id: id)?.event }
}

extension MemoryOutbox: InspectableOutbox {
    func put(_ endpoint: Endpoint) async throws { save(endpoint) }
    func take(endpoint id: String) async throws -> Bool { remove(endpoint: id) }
    func put(_ events: [NewEvent], _ deliveries: [NewDelivery], at now: Timestamp) async throws {
        add(events, deliveries, at: now)
    }
    func storedDelivery(_ id: String) async throws -> DeliveryRecord? { record(id) }
    func storedDeliveries(to endpoint: String) async throws -> [DeliveryRecord] {
        records.filter { $0.pending.endpointID == endpoint }
    }
    func storedEndpoint(_ id: String) async throws -> (endpoint: Endpoint, health: EndpointHealth)? { endpoint(id) }
    func storedEvent(_ id: String) async throws -> NewEvent? { events.first { $0.id == id } }
}
