import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTesting
import NIOHTTP1
import Testing

@Suite("Unknown tokens") struct UnknownTokenTests {
    private static func unknown(_ count: Int) -> [String] {
        var generator = SeededGenerator(seed: 7)
        return (0..<count).map { _ in TokenText.make(using: &generator) }
    }

    @Test("wait after 60 at once, and never for them a token that exists") func waits() async throws {
        try await TestServer.run { server in
            let fresh = try await server.issue(["read"])
            func status(_ token: String) async throws -> Int {
                try await server.get("/v1/devices", token: token).status
            }
            let unknown = Self.unknown(1)[0]
            var statuses: [Int] = []
            for _ in 0..<70 { statuses.append(try await status(unknown)) }
            #expect(statuses == Array(repeating: 401, count: 60) + Array(repeating: 429, count: 10))
            let refused = try await server.get("/v1/devices", token: unknown)
            #expect(refused.code == "too_many_unknown_tokens")
            #expect(refused["Retry-After"] == "1")
            // One that the database has to be asked for, and costs no attempt.
            #expect(try await status(fresh) == 200)
            server.time.advance(by: .seconds(1))
            #expect(try await status(unknown) == 401)
            #expect(try await status(unknown) == 429)
        }
    }

    @Test("are counted for the client that a trusted proxy names") func client() async throws {
        try await TestServer.run { server in
            let unknown = Self.unknown(1)[0]
            func status(_ client: String) async throws -> Int {
                try await server.get("/v1/devices", headers: [("X-Forwarded-For", client)], token: unknown).status
            }
            for number in 0..<61 {
                #expect(try await status("203.0.113.\(number), 198.51.100.7") == (number < 60 ? 401 : 429))
            }
            let other = try await status("198.51.100.8")
            #expect(other == 401)
            // A subscriber has 64 bits of an IPv6 address to himself.
            for number in 0..<61 {
                #expect(try await status("2001:db8:0:1::\(number + 1)") == (number < 60 ? 401 : 429))
            }
            #expect(try await status("2001:db8:0:2::1") == 401)
        }
        try await TestServer.run({ dependencies in
            dependencies.settings.trustedProxies = ["10.0.0.0/8"].compactMap(NetworkRange.init)
        }) { server in
            let unknown = Self.unknown(1)[0]
            for number in 0..<61 {
                let reply = try await server.get(
                    "/v1/devices", headers: [("X-Forwarded-For", "203.0.113.\(number)")], token: unknown)
                #expect(reply.status == (number < 60 ? 401 : 429), "the proxy is not trusted")
            }
        }
    }

    /// All come from one address, as behind a proxy that nobody has configured, and after a token was revoked the server
    /// knows none by heart.
    @Test("never keep valid phones out, 1,000 of them in parallel with 99 phones") func flood() async throws {
        try await TestServer.run { server in
            var phones: [(device: String, token: String)] = []
            for number in 0..<100 {
                let device = "phone\(number)"
                phones.append((device, try await server.issue(["ingest"], device: device)))
            }
            let tokens = try await server.get("/v1/tokens?limit=500").json["data"]?.array
            let revoked = try #require(tokens?.first { $0["deviceId"]?.string == "phone99" }?["id"]?.string)
            let known = Array(phones.prefix(99))
            for round in 0..<2 {
                let statuses = try await Self.flood(server, known, round)
                // No time passes, so that exactly the first 60 are answered, in both rounds together.
                #expect(statuses.count { $0 == 401 } == (round == 0 ? 60 : 0))
                #expect(statuses.count { $0 == 429 } == (round == 0 ? 940 : 1000))
                if round == 0 { #expect(try await server.send(.DELETE, "/v1/tokens/\(revoked)").status == 204) }
            }
            server.time.advance(by: .seconds(1))
            #expect(try await server.get("/v1/devices", token: phones[99].token).status == 401)
        }
    }

    /// Sends unknown tokens and locations of phones at the same time.
    ///
    /// - Returns: the statuses of the unknown tokens.
    private static func flood(
        _ server: TestServer, _ phones: [(device: String, token: String)], _ round: Int
    ) async throws -> [Int] {
        let unknown = unknown(1000)
        return try await withThrowingTaskGroup(of: [Int].self) { group in
            for sender in 0..<20 {
                group.addTask {
                    var statuses: [Int] = []
                    for number in stride(from: sender, to: unknown.count, by: 20) {
                        statuses.append(try await server.get("/v1/devices", token: unknown[number]).status)
                    }
                    return statuses
                }
                group.addTask {
                    for number in stride(from: sender, to: phones.count, by: 20) {
                        let phone = phones[number]
                        let fix = TestServer.location(phone.device, round, 1, 2)
                        let reply = try await server.post(
                            "/v1/locations", "{\"locations\":[\(fix)]}", token: phone.token)
                        #expect(reply.status == 200, "\(phone.device) in round \(round): \(reply.text)")
                    }
                    return []
                }
            }
            var statuses: [Int] = []
            for try await some in group { statuses += some }
            return statuses
        }
    }
}
