import FencepostNATS
import Testing

@Suite("Monitoring of a NATS server") struct ServerStorageTests {
    @Test(
        "says what the server does with what it stores",
        arguments: [
            (#"{"config":{"max_storage":1,"sync_always":true}}"#, ServerStorage.synced),
            (#"{"config":{"max_storage":1}}"#, .unsynced),
            // As NATS 2.15 answers after its disk was full.
            (#"{"reserved_storage":0,"disabled":true,"config":{"max_memory":0,"max_storage":0},"streams":0}"#, .off),
        ])
    func storage(_ body: String, _ storage: ServerStorage) {
        #expect(ServerStorage(monitoring: Array(body.utf8)) == storage)
    }

    @Test("is nothing in another body", arguments: ["", "{}", "[]", "not found"]) func other(_ body: String) {
        #expect(ServerStorage(monitoring: Array(body.utf8)) == nil)
    }
}
