import FencepostHTTP
import FencepostServer
import Synchronization
import Testing

@Suite("Too many connections", .timeLimit(.minutes(1)), .enabled(if: !TestServer.isClustered))
struct ManyConnectionsTests {
    private static func answer(_ server: TestServer, _ path: String) async throws -> String {
        let text = Mutex("")
        try await RawConnection.open(server.port) { inbound, outbound in
            try await outbound.write("GET \(path) HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            let read = try await inbound.readToEnd()
            text.withLock { $0 = read }
        }
        return text.withLock { $0 }
    }

    @Test("that are silent shut nobody out, and make one line and one metric") func silent() async throws {
        try await TestServer.run({ $0.limits.connections = 20 }) { server in
            let (opened, open) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        try await RawConnection.open(server.port) { inbound, _ in
                            open.yield()
                            _ = try await inbound.readToEnd()
                        }
                    }
                }
                var iterator = opened.makeAsyncIterator()
                for _ in 0..<60 { await iterator.next() }
                for _ in 0..<30 {
                    let answer = try await Self.answer(server, "/healthz")
                    #expect(answer.hasPrefix("HTTP/1.1 200"))
                }
                let lines = server.log.lines.withLock { $0 }
                #expect(lines.count { $0.contains("too many connections") } == 1)
                group.cancelAll()
            }
        }
    }

    @Test("that are busy leave a reserve for the health, and get 503 for everything else") func busy() async throws {
        try await TestServer.run({ ($0.limits.connections, $0.limits.reserve) = (2, 8) }) { server in
            let (streaming, streams) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await RawConnection.open(server.port) { inbound, outbound in
                            try await outbound.write(
                                "GET /v1/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(server.token)\r\n\r\n")
                            _ = try await inbound.read(until: "retry:")
                            streams.yield()
                            _ = try await inbound.readToEnd()
                        }
                    }
                }
                var iterator = streaming.makeAsyncIterator()
                for _ in 0..<2 { await iterator.next() }
                let refused = try await Self.answer(server, "/v1/version")
                #expect(refused.hasPrefix("HTTP/1.1 503"))
                #expect(refused.contains("too_many_connections") && refused.lowercased().contains("retry-after: 5"))
                let health = try await Self.answer(server, "/healthz")
                #expect(health.hasPrefix("HTTP/1.1 200"))
                group.cancelAll()
            }
        }
    }

    @Test("of one token to the stream get 429") func streams() async throws {
        try await TestServer.run({ $0.limits.streamsPerToken = 0 }) { server in
            let reply = try await server.get("/v1/stream")
            #expect(reply.status == 429 && reply.code == "too_many_streams" && reply["Retry-After"] == "5")
        }
    }
}
