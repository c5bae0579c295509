import FencepostService
import FencepostServiceTesting
import FencepostStore
import NIOHTTP1
import Testing

@Suite("Requests to a service that ends") struct ClosedStoreTests {
    @Test("are to be sent again, since its store is closed") func closed() async throws {
        // The server closes its store at its end, which this test did before.
        let error = await #expect(throws: StoreError.self) {
            try await TestServer.run { server in
                #expect(try await server.get("/v1/profiles").status == 200)
                try server.store.close()
                for path in ["/v1/profiles", "/v1/imports", "/v1/locations?deviceId=van"] {
                    let reply = try await server.get(path)
                    #expect(reply.status == 503 && reply.code == "unavailable", "\(path): \(reply.text)")
                    #expect(reply["retry-after"] != nil)
                }
            }
        }
        #expect(error?.code == .closed)
    }
}
