import FencepostStore
import Testing

@Suite("SQLite store as a monitor's store") struct SQLiteMonitorStoreTests {
    private func run(_ body: (MonitorStoreContract<SQLiteStore>) async throws -> Void) async throws {
        try await withStore { try await body(MonitorStoreContract(store: $0)) }
    }

    @Test("keeps commits and gives them back for a replay") func commits() async throws {
        try await run { try await $0.commits() }
    }
    @Test("refuses a commit that does not follow") func gaps() async throws {
        try await run { try await $0.refusesGaps() }
    }
    @Test("keeps the newest state of each device") func states() async throws {
        try await run { try await $0.checkpoints() }
    }
    @Test("changes what is watched in one step") func changes() async throws {
        try await run { try await $0.changes() }
    }
    @Test("writes many regions ahead of their change") func stages() async throws {
        try await run { try await $0.stages() }
    }
    @Test("keeps an event once, with its visit") func events() async throws {
        try await run { try await $0.eventsOnce() }
    }
    @Test("keeps what phones say") func reports() async throws { try await run { try await $0.reports() } }
}

@Suite("SQLite store as an outbox") struct SQLiteOutboxTests {
    private func run(_ body: (OutboxContract<SQLiteStore>) async throws -> Void) async throws {
        try await withStore { try await body(OutboxContract(store: $0)) }
    }

    @Test("offers a message until it was taken") func retries() async throws {
        try await run { try await $0.livesThroughRetries() }
    }
    @Test("adds a message once") func once() async throws { try await run { try await $0.addsOnce() } }
    @Test("keeps the order of a device, for endpoints that want it") func order() async throws {
        try await run { try await $0.keepsOrder() }
    }
    @Test("sends nothing to disabled and removed endpoints") func endpoints() async throws {
        try await run { try await $0.followsTheEndpoint() }
    }
    @Test("sends dead letters again") func revives() async throws { try await run { try await $0.revives() } }
    @Test("lists by endpoint, status and event") func lists() async throws { try await run { try await $0.lists() } }
    @Test("settles together with what follows") func settles() async throws {
        try await run { try await $0.settlesWithWhatFollows() }
    }
}
