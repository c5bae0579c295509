import FencepostHTTP
import FencepostJSON
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostTesting
import Foundation
import NIOHTTP1
import Synchronization
import Testing

@Suite("Limits") struct LimitTests {
    /// An uncompressed deflate block in gzip format. The checksum at the end is not reached.
    private static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/gzip")
        process.arguments = ["-c"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        Thread.detachNewThread {
            input.fileHandleForWriting.write(Data(bytes))
            try? input.fileHandleForWriting.close()
        }
        let packed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Array(packed)
    }

    @Test("apply to bodies as sent and after decompression") func bodies() async throws {
        try await TestServer.run({ $0.settings.bodyLimit = 100_000 }) { server in
            let fix = TestServer.location("z", 0, 1, 2)
            let padded = "{\"locations\":[\(fix)]" + String(repeating: " ", count: 99_000) + "}"
            let large = "{\"locations\":[\(fix)]" + String(repeating: " ", count: 101_000) + "}"
            #expect(try await server.post("/v1/locations", padded).status == 200)
            let refused = try await server.post("/v1/locations", large)
            #expect(refused.status == 413 && refused.code == "payload_too_large")
            func packed(_ text: String, _ encoding: String = "gzip") async throws -> TestServer.Reply {
                try await server.send(
                    .POST, "/v1/locations", body: try Self.gzip(Array(text.utf8)), type: "application/json",
                    headers: [("Content-Encoding", encoding)])
            }
            #expect(try await packed(large).status == 200)
            let bomb = try await packed("{\"locations\":[" + String(repeating: " ", count: 500_000) + "]}")
            #expect(bomb.status == 413)
            #expect(try await packed("{}", "br").status == 415)
            let garbage = try await server.send(
                .POST, "/v1/locations", body: [1, 2, 3], type: "application/json",
                headers: [("Content-Encoding", "gzip")])
            #expect(garbage.status == 400)
            let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
            #expect(try await server.post("/v1/locations", deep).status == 400)
            // The server still works.
            #expect(try await server.get("/healthz").status == 200)
        }
    }

    @Test("apply to chunked bodies") func chunked() async throws {
        try await TestServer.run({ $0.settings.bodyLimit = 1000 }) { server in
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(
                    "POST /v1/locations HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(server.token)\r\n"
                        + "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
                for _ in 0..<20 { try await outbound.write("64\r\n" + String(repeating: " ", count: 100) + "\r\n") }
                let answer = try await inbound.read(until: "payload_too_large")
                #expect(answer.hasPrefix("HTTP/1.1 413"))
            }
        }
    }

    @Test(
        "apply to headers",
        arguments: [
            "GET / HTTP/1.1\r\nhost: x\r\nx: \(String(repeating: "a", count: 20_000))\r\n\r\n",
            "GET /\(String(repeating: "a", count: 40_000)) HTTP/1.1\r\nhost: x\r\n\r\n",
            "GET / HTTP/1.1\r\n" + (0..<2000).map { "h\($0): aaaaaaaaaa\r\n" }.joined() + "\r\n",
        ])
    func headers(request: String) async throws {
        try await TestServer.run { server in
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(request)
                let answer = try await inbound.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 431") && answer.contains("header_too_large"))
            }
        }
    }

    @Test("close connections that do not send HTTP") func garbage() async throws {
        try await TestServer.run { server in
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write("hello there\r\n\r\n")
                #expect(try await inbound.readToEnd().hasPrefix("HTTP/1.1 400"))
            }
        }
    }

    @Test("close connections with slow headers and bodies", .timeLimit(.minutes(1))) func slowloris() async throws {
        try await TestServer.run({
            $0.limits.headerTime = .milliseconds(300)
            $0.limits.bodyTime = .milliseconds(600)
        }) { server in
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write("GET /healthz HTTP/1.1\r\nhost: x\r\n")
                let answer = try await inbound.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 408") && answer.contains("request_timeout"))
            }
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(
                    "POST /v1/locations HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(server.token)\r\n"
                        + "content-length: 1000\r\n\r\n{")
                let answer = try await inbound.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 408"))
            }
            // Nothing was stored, and a request in time succeeds.
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(
                    "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
                var answers = try await inbound.read(until: "ok\"}")
                if answers.split(separator: "HTTP/1.1 200").count < 2 {
                    answers += try await inbound.read(until: "ok\"}")
                }
                #expect(answers.split(separator: "HTTP/1.1 200").count == 2)
            }
        }
    }

    @Test("of rates are applied and reported in headers") func rates() async throws {
        try await TestServer.run({ $0.settings.apiRate = 3 }) { server in
            for left in [2, 1, 0] {
                let reply = try await server.get("/v1/devices")
                #expect(reply.status == 200)
                #expect(reply["RateLimit-Policy"] == "\"api\";q=3;w=60")
                #expect(reply["RateLimit"]?.hasPrefix("\"api\";r=\(left);t=") == true)
            }
            let refused = try await server.get("/v1/devices")
            #expect(refused.status == 429 && refused["Retry-After"] == "20" && refused["RateLimit"] != nil)
            #expect(try await server.get("/healthz").status == 200)
            server.time.advance(by: .seconds(20))
            #expect(try await server.get("/v1/devices").status == 200)
        }
    }
}

@Suite("Every response") struct ResponseTests {
    @Test("contains the request id and security headers") func headers() async throws {
        try await TestServer.run { server in
            let echoed = try await server.get("/v1/version", headers: [("X-Request-Id", "abc-123")])
            #expect(echoed["X-Request-Id"] == "abc-123" && echoed["X-Content-Type-Options"] == "nosniff")
            #expect(echoed["Cache-Control"] == "no-store")
            #expect(try echoed.json["version"]?.string == "1.2.3")
            let long = String(repeating: "x", count: 65)
            let made = try await server.get("/v1/nothing", headers: [("X-Request-Id", long)])
            #expect(made.status == 404 && made["X-Request-Id"] != long && made["X-Request-Id"]?.isEmpty == false)
            let page = try await server.get("/", token: .some(nil))
            #expect(page["Content-Security-Policy"]?.hasPrefix("default-src 'self'") == true)
            let head = try await server.send(.HEAD, "/v1/version")
            #expect(head.status == 200 && head.body.isEmpty && head["Content-Length"] == String(echoed.body.count))
            let not = try await server.send(.DELETE, "/v1/events")
            #expect(not.status == 405 && not["Allow"] == "GET, HEAD")
            #expect(try await server.send(.OPTIONS, "/v1/regions").status == 405)
            // The client would encode the percent sign.
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(
                    "GET /v1/devices/%ff HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(server.token)\r\n\r\n")
                #expect(try await inbound.read(until: "invalid_path").hasPrefix("HTTP/1.1 400"))
            }
            #expect(try await server.get("/v1/events?type=%ff").status == 400)
            #expect(try await server.get("/v1//events").status == 404)
        }
    }

    @Test("of health routes reports the checks", .enabled(if: !TestServer.isClustered)) func health() async throws {
        try await TestServer.run({ $0.checks = { [HealthCheck("diskSpace", problem: "full")] } }) { server in
            #expect(try await server.get("/healthz", token: .some(nil)).status == 200)
            let ready = try await server.get("/readyz", token: .some(nil))
            #expect(ready.status == 503 && ready["Retry-After"] != nil)
            let checks = try ready.json["checks"]
            #expect(checks?["database"]?["status"]?.string == "ok" && checks?["engine"]?["status"]?.string == "ok")
            #expect(checks?["clock"]?["status"]?.string == "ok" && checks?["diskSpace"]?["detail"]?.string == "full")
        }
    }

    @Test("is logged without private data") func privacy() async throws {
        try await TestServer.run { server in
            let canary = "48.123456789"
            _ = try await server.get(
                "/ingest/osmand?id=secretdevice&lat=\(canary)&lon=2&token=\(server.token)", token: .some(nil))
            _ = try await server.get("/ingest/osmand?id=secretdevice&lat=nan\(canary)&lon=2", token: .some(nil))
            _ = try await server.post(
                "/v1/locations", "{\"locations\":[\(TestServer.location("secretdevice", 0, 1, 2))")
            _ = try await server.get("/v1/devices/secretdevice")
            let lines = server.log.lines.withLock { $0 }
            #expect(lines.contains { $0.contains("/v1/devices/{id}") && $0.contains("200") })
            for secret in [canary, server.token, "secretdevice", "Bearer"] {
                #expect(!lines.contains { $0.contains(secret) }, "\(secret)")
            }
        }
    }

    @Test("is preceded by no log line about the port, which the caller logs") func startsQuietly() async throws {
        try await TestServer.run { server in
            #expect(!server.log.lines.withLock { $0 }.contains { $0.contains("listening") })
        }
    }
}
