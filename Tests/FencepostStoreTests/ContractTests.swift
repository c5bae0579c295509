import FencepostServiceTesting
import FencepostStore
import Testing

/// The part of a contract that a test runs, with its name.
private struct Clause<Contract>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable (Contract) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (Contract) async throws -> Void) {
        (testDescription, self.run) = (name, run)
    }
}

extension MonitorStoreContract {
    fileprivate static var clauses: [Clause<Self>] {
        [
            Clause("returns commits for a replay") { try await $0.commits() },
            Clause("refuses a commit out of order") { try await $0.refusesGaps() },
            Clause("keeps the newest checkpoint of each device") { try await $0.checkpoints() },
            Clause("applies a change atomically") { try await $0.changes() },
            Clause("removes the live position of a removed device") { try await $0.removesLivePositions() },
            Clause("finds stored fixes") { try await $0.findsStoredFixes() },
            Clause("stages regions before their change") { try await $0.stages() },
            Clause("stores an event once, with its visit") { try await $0.eventsOnce() },
            Clause("stores reports of phones") { try await $0.reports() },
        ]
    }
}

extension OutboxContract {
    fileprivate static var clauses: [Clause<Self>] {
        [
            Clause("returns a message until it is delivered") { try await $0.livesThroughRetries() },
            Clause("adds a message once") { try await $0.addsOnce() },
            Clause("keeps the order of a device for ordered endpoints") { try await $0.keepsOrder() },
            Clause("returns nothing for disabled and removed endpoints") { try await $0.followsTheEndpoint() },
            Clause("settles together with events") { try await $0.settlesWithWhatFollows() },
            Clause("settles attempts after the end of a delivery") { try await $0.settlesLateAttempts() },
        ]
    }
}

@Suite("SQLite store") struct SQLiteContractTests {
    @Test("as a monitor's store", arguments: MonitorStoreContract<SQLiteStore>.clauses)
    fileprivate func monitorStore(_ clause: Clause<MonitorStoreContract<SQLiteStore>>) async throws {
        try await withStore { try await clause.run(MonitorStoreContract(store: $0)) }
    }

    @Test("as an outbox", arguments: OutboxContract<SQLiteStore>.clauses)
    fileprivate func outbox(_ clause: Clause<OutboxContract<SQLiteStore>>) async throws {
        try await withStore { try await clause.run(OutboxContract(store: $0)) }
    }

    private func endpoints(_ body: (EndpointStoreContract<SQLiteStore>) async throws -> Void) async throws {
        try await withStore { try await body(EndpointStoreContract(store: $0)) }
    }

    @Test("replaces and removes only what is as it was read") func replaces() async throws {
        try await endpoints { try await $0.replaces() }
    }
    @Test("enqueues a message once") func enqueues() async throws {
        try await endpoints { try await $0.enqueuesOnce() }
    }
    @Test("retries dead letters in order") func retries() async throws {
        try await endpoints { try await $0.retriesInOrder() }
    }
    @Test("stores events of the service") func appends() async throws { try await endpoints { try await $0.appends() } }
    @Test("retries all dead letters") func revives() async throws { try await endpoints { try await $0.revives() } }
    @Test("lists deliveries by endpoint, status and event") func lists() async throws {
        try await endpoints { try await $0.lists() }
    }
    @Test("numbers events") func numbers() async throws {
        try await withStore { try await HistoryStoreContract(store: $0).numbersEvents() }
    }
    @Test("filters reports of phones") func reports() async throws {
        try await withStore { try await HistoryStoreContract(store: $0).filtersReports() }
    }
}

/// The doubles behave as SQLite, so tests that use them prove something about the service.
@Suite("Stores in memory") struct MemoryContractTests {
    @Test("as a monitor's store", arguments: MonitorStoreContract<MemoryMonitorStore>.clauses)
    fileprivate func monitorStore(_ clause: Clause<MonitorStoreContract<MemoryMonitorStore>>) async throws {
        try await clause.run(MonitorStoreContract(store: MemoryMonitorStore()))
    }

    @Test("as an outbox", arguments: OutboxContract<MemoryOutbox>.clauses)
    fileprivate func outbox(_ clause: Clause<OutboxContract<MemoryOutbox>>) async throws {
        try await clause.run(OutboxContract(store: MemoryOutbox()))
    }
}
