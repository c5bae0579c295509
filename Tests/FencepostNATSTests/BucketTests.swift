import Testing

@testable import FencepostNATS

/// Buckets while the servers cannot answer: all but one of three are stopped.
@Suite("Buckets without a majority", .enabled(if: NATSServers.program != nil))
struct BucketTests {
    @Test("fail with an error each time, and succeed when the servers are back", .timeLimit(.minutes(2)))
    func withoutMajority() async throws {
        let servers = try NATSServers(count: 3)
        servers.stop(1)
        servers.stop(2)
        for _ in 0..<6 {
            // The server that is left answers later than that on a busy machine.
            var connected: NATSConnection?
            while connected == nil {
                connected = try? await NATSConnection.connect(
                    NATSSettings(servers: servers.urls, name: "test", timeout: .milliseconds(300)))
            }
            let connection = try #require(connected)
            do {
                _ = try await NATSKeyValue.existing("test", on: connection)
                Issue.record("a bucket without a majority")
            } catch { #expect("\(error)" != "") }
            do {
                _ = try await NATSKeyValue.open("test", on: connection, replicas: 3)
                Issue.record("a bucket without a majority")
            } catch { #expect("\(error)" != "") }
        }
        try servers.start(1)
        try servers.start(2)
        let connection = try await servers.connect()
        var bucket: NATSKeyValue?
        while bucket == nil {
            bucket = try? await NATSKeyValue.open("test", on: connection, replicas: 3)
        }
        #expect(try await NATSKeyValue.existing("test", on: connection) != nil)
    }
}
