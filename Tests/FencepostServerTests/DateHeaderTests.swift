import Testing

@Suite("The date of a response") struct DateHeaderTests {
    @Test("is that of the service's clock, in the form of HTTP") func form() async throws {
        try await TestServer.run { server in
            let reply = try await server.get("/healthz")
            #expect(reply["Date"] == "Sun, 01 Mar 2026 09:00:00 GMT")
        }
    }
}
