import Testing

@testable import FencepostNATS

/// A connection goes on to the next server when the servers store nothing that it writes.
@Suite(.enabled(if: NATSServers.program != nil))
struct ServerChangeTests {
    private let servers: NATSServers
    private let connection: NATSConnection
    private let start = ContinuousClock.now

    init() async throws {
        servers = try NATSServers(count: 3)
        connection = try await servers.connect()
    }

    /// The address of the connected server, once it is another one than before; `nil` after 500 ms.
    private func changedServer(from before: String?) async throws -> String? {
        for _ in 0..<50 {
            if connection.isConnected, let server = connection.server, server != before { return server }
            try await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    private func fail(after seconds: Double) {
        connection.noteWrite(false, at: start + .seconds(seconds))
    }

    @Test func writesThatFailForSomeSecondsChangeTheServer() async throws {
        var server = try #require(connection.server)
        for round in 0..<2 {
            let begin = Double(100 * round)
            for second in [0, 2, 3.9] { fail(after: begin + second) }
            #expect(try await changedServer(from: server) == nil)
            fail(after: begin + 4)
            server = try #require(try await changedServer(from: server))
        }
        #expect(try await connection.apiLevel() != nil)
    }

    @Test func aWriteThatSucceedsBeginsAnew() async throws {
        let server = connection.server
        fail(after: 0)
        connection.noteWrite(true, at: start + .seconds(3))
        fail(after: 5)
        fail(after: 8)
        #expect(try await changedServer(from: server) == nil)
    }

    @Test func otherConnectionsOfTheProcessStayOpen() async throws {
        let other = try await servers.connect()
        let server = other.server
        connection.leaveServer()
        _ = try await changedServer(from: nil)
        #expect(other.isConnected)
        #expect(other.server == server)
        #expect(try await other.apiLevel() != nil)
    }
}
