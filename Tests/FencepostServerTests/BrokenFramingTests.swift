import FencepostServer
import Synchronization
import Testing

@Suite("A request with broken framing", .enabled(if: !TestServer.isClustered)) struct BrokenFramingTests {
    /// The header of a POST with the token; the body's framing is up to the caller.
    private static func head(_ server: TestServer, _ fields: String, host: String = "host: x\r\n") -> String {
        "POST /v1/locations HTTP/1.1\r\n\(host)authorization: Bearer \(server.token)\r\n"
            + "content-type: application/json\r\n\(fields)\r\n"
    }

    private static let chunked = "transfer-encoding: chunked\r\n"

    /// Sends bytes and returns what comes back until the connection ends.
    private func answer(_ server: TestServer, _ request: String) async throws -> String {
        let answers = Answers()
        try await RawConnection.open(server.port) { inbound, outbound in
            try await outbound.write(request)
            answers.text = try await inbound.readToEnd()
        }
        return answers.text
    }

    private func expectNoServerError(_ server: TestServer) {
        let lines = server.log.lines.withLock { $0 }
        let wrong = lines.filter { $0.hasPrefix("error") || $0.hasPrefix("warning") || $0.contains("\"status\": 5") }
        #expect(wrong.isEmpty, "\(wrong)")
    }

    @Test(
        "gets 400 and a line at info with the route and the cause",
        arguments: [
            (chunked, "zz\r\n{}\r\n0\r\n\r\n", "invalid_framing"),
            (chunked, "2\r\n{}XX0\r\n\r\n", "invalid_framing"),
            (chunked, "FFFFFFFFFFFFFFFFFF\r\n{}", "invalid_framing"),
            (chunked, "0\r\n" + (0..<5000).map { "t\($0): x\r\n" }.joined() + "\r\n", "trailers"),
        ])
    func brokenBody(fields: String, body: String, cause: String) async throws {
        try await TestServer.run { server in
            let answer = try await answer(server, Self.head(server, fields) + body)
            #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(200))")
            expectNoServerError(server)
            let lines = server.log.lines.withLock { $0 }
            #expect(lines.contains { $0.hasPrefix("info") && $0.contains("/v1/locations") })
            #expect(try await server.get("/healthz").status == 200)
        }
    }

    @Test("gets 400 for an unknown transfer coding", arguments: ["gzip", "gzip, chunked", "xyz", "identity"])
    func unknownCoding(coding: String) async throws {
        try await TestServer.run { server in
            let answer = try await answer(
                server, Self.head(server, "transfer-encoding: \(coding)\r\n") + "2\r\n{}\r\n0\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer.prefix(200))")
            expectNoServerError(server)
        }
    }

    /// Its end must not come after the answers to the requests before it.
    @Test("behind other requests of a connection is not handled", arguments: ["", "host: a\r\nhost: b\r\n"])
    func pipelined(host: String) async throws {
        try await TestServer.run { server in
            let good = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
            let answer = try await answer(
                server, good + good + Self.head(server, "content-length: 2\r\n", host: host) + "{}" + good)
            #expect(!answer.contains("HTTP/1.1 202") && answer.split(separator: "HTTP/1.1 200").count <= 3)
            expectNoServerError(server)
            #expect(try await server.get("/healthz").status == 200)
        }
    }

    @Test("that ends in mid-body is no error of the server", arguments: ["content-length: 100\r\n", chunked])
    func lostNetwork(fields: String) async throws {
        try await TestServer.run { server in
            try await RawConnection.open(server.port) { _, outbound in
                try await outbound.write(Self.head(server, fields) + (fields == Self.chunked ? "64\r\n{" : "{"))
            }
            // The line is written when the server has noticed the end. A line of the start, at debug, has all routes.
            while !server.log.lines.withLock({
                $0.contains { !$0.hasPrefix("debug") && $0.contains("/v1/locations") }
            }) { await Task.yield() }
            expectNoServerError(server)
            let lines = server.log.lines.withLock { $0 }
            #expect(lines.contains { $0.hasPrefix("info") && $0.contains("incomplete_body") })
        }
    }

    @Test("gets 400 without a host, and with two", arguments: ["", "host: a\r\nhost: b\r\n", "host: a\r\nhost: a\r\n"])
    func hosts(host: String) async throws {
        try await TestServer.run { server in
            let answer = try await answer(server, "GET /healthz HTTP/1.1\r\n\(host)connection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer.prefix(200))")
            #expect(answer.contains("invalid_host"))
            let old = try await self.answer(server, "GET /healthz HTTP/1.0\r\nconnection: close\r\n\r\n")
            #expect(old.hasPrefix("HTTP/1.1 200") || old.hasPrefix("HTTP/1.0 200"), "\(old.prefix(100))")
            expectNoServerError(server)
        }
    }
}

/// What a test read.
private final class Answers: Sendable {
    private let mutex = Mutex("")
    var text: String {
        get { mutex.withLock { $0 } }
        set { mutex.withLock { $0 = newValue } }
    }
}
