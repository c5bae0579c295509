import FencepostModel
import FencepostService
import FencepostStore
import Testing

@Suite("Stored private networks") struct NetworkStoreTests {
    @Test("are kept across a restart, once each, until they are removed") func networks() async throws {
        let scratch = try Scratch()
        let home = AllowedNetwork(
            id: "net_1", network: "192.168.1.0/24", createdAt: Timestamp(milliseconds: 1_772_000_000_000))
        var other = home
        other.id = "net_2"
        try await withStore(scratch) { store in
            let added = (first: try await store.add(home), second: try await store.add(other))
            #expect(added.first && !added.second)
        }
        try await withStore(scratch) { store in
            let stored = try await store.allowedNetworks()
            #expect(stored == [home])
            let removed = (try await store.removeNetwork(id: "net_2"), try await store.removeNetwork(id: "net_1"))
            #expect(removed.0 == nil && removed.1 == home)
            #expect(try await store.allowedNetworks().isEmpty)
        }
    }
}
