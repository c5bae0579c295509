import FencepostJSON
import Testing

@Suite("Large bodies") struct LargeBodyTests {
    @Test("of history files give the same result in slices, and never use the queue of live locations")
    func imports() async throws {
        try await TestServer.run { server in
            var csv = "deviceId,timestamp,latitude,longitude\n"
            for index in 0..<20_000 {
                csv += "a,\(1_772_000_000 + index),50.\(10_000 + index),10.5\n"
            }
            let reply = try await server.post("/v1/imports", csv, type: "text/csv")
            #expect(try reply.json["stored"]?.int == 20_000)
        }
    }
}
