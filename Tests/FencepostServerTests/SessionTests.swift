import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTesting
import Foundation
import NIOHTTP1
import Synchronization
import Testing

@Suite("Sessions") struct SessionTests {
    @Test("sign a user in and out by a cookie that scripts and other sites cannot use") func signInAndOut() async throws
    {
        try await TestServer.run { server in
            var jane = try await SignedInBrowser.signIn(server, "Jane", role: "editor")
            let again = try await jane.signIn("JANE")
            let cookie = try #require(again["Set-Cookie"])
            #expect(
                cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict") && cookie.contains("; Path=/"))
            #expect(!cookie.contains("Secure"))
            #expect(try await jane.get("/v1/devices").status == 200)
            #expect(try await jane.get("/v1/sessions/current").json["user"]?["name"]?.string == "Jane")
            let access = try await jane.get("/v1/access").json
            #expect(access["scopes"]?.array?.map(\.string) == ["ingest", "read", "write"])
            #expect(try await jane.send(.DELETE, "/v1/sessions/current").status == 204)
            #expect(try await jane.get("/v1/devices").status == 401)
            #expect(try await server.get("/v1/access", token: .some(nil)).json["scopes"]?.count == 0)
        }
    }

    @Test("have Secure cookies when a trusted proxy says that the client uses TLS, and only then") func secure()
        async throws
    {
        for (proxies, expected) in [(["127.0.0.1"], true), (["10.0.0.0/8"], false)] {
            try await TestServer.run({ dependencies in
                dependencies.settings.trustedProxies = proxies.compactMap(NetworkRange.init)
            }) { server in
                var jane = try await SignedInBrowser.signIn(server, "jane", role: "viewer")
                let reply = try await jane.signIn("jane", headers: [("X-Forwarded-Proto", "https")])
                #expect(reply["Set-Cookie"]?.contains("; Secure") == expected)
            }
        }
    }

    @Test("never take their secret from the client, and end when it signs in again") func fixation() async throws {
        try await TestServer.run { server in
            var jane = try await SignedInBrowser.signIn(server, "jane", role: "viewer")
            let first = try #require(jane.cookie)
            var generator = SystemRandomNumberGenerator()
            let planted = "fencepost_session=fps_" + TokenText.make(using: &generator).dropFirst(3)
            #expect(try await SignedInBrowser(server: server, cookie: planted).get("/v1/devices").status == 401)
            jane.cookie = "\(planted); \(first)"
            #expect(try await jane.get("/v1/devices").status == 401, "two different cookies are none")
            jane.cookie = first
            _ = try await jane.signIn("jane")
            #expect(jane.cookie != first && jane.cookie != planted)
            #expect(try await jane.get("/v1/devices").status == 200)
            #expect(try await SignedInBrowser(server: server, cookie: first).get("/v1/devices").status == 401)
        }
    }

    @Test(
        "refuse changes that another site asks for",
        arguments: [
            ([("Sec-Fetch-Site", "cross-site")], 403), ([("Sec-Fetch-Site", "same-site")], 403),
            ([("Sec-Fetch-Site", "same-origin")], 204), ([("Sec-Fetch-Site", "none")], 204),
            ([("Origin", "https://evil.example")], 403), ([("Origin", "null")], 403), ([], 204),
            ([("Origin", "http://fencepost.home"), ("X-Forwarded-Host", "fencepost.home")], 204),
            ([("Origin", "http://evil.example"), ("X-Forwarded-Host", "fencepost.home")], 403),
        ] as [([(String, String)], Int)])
    func crossSite(headers: [(String, String)], status: Int) async throws {
        try await TestServer.run { server in
            var jane = try await SignedInBrowser.signIn(server, "jane", role: "viewer")
            jane.headers = headers
            let reply = try await jane.send(.DELETE, "/v1/sessions/current")
            #expect(reply.status == status)
            #expect(status == 204 || reply.code == "cross_origin")
            // Reading is harmless, because the other site cannot see the answer.
            #expect(try await jane.get("/v1/devices").status == (status == 204 ? 401 : 200))
            // And a stranger cannot sign somebody in as himself.
            let signIn = try await jane.signIn("jane")
            #expect(signIn.status == (status == 204 ? 201 : 403))
        }
    }

    @Test("count for no ingest route that any page can call with GET") func noIngest() async throws {
        try await TestServer.run { server in
            let jane = try await SignedInBrowser.signIn(server, "jane", role: "admin")
            for path in ["/ingest/osmand?id=x&lat=1&lon=2", "/ingest/gpslogger?id=x&lat=1&lon=2"] {
                #expect(try await jane.get(path).status == 401)
            }
        }
    }

    @Test("slow down guesses by name and address, and do not say which names exist") func bruteForce() async throws {
        try await TestServer.run { server in
            let first = try await SignedInBrowser.signIn(server, "jane", role: "viewer")
            for name in ["jane", "nobody"] {
                var browser = SignedInBrowser(server: server)
                var statuses: [Int] = []
                for _ in 0..<8 { statuses.append(try await browser.signIn(name, password: "a wrong guess").status) }
                #expect(statuses == [401, 401, 401, 401, 401, 429, 429, 429], "\(name)")
                let refused = try await browser.signIn(name, password: SignedInBrowser.password)
                #expect(refused.status == 429 && refused.code == "too_many_sign_ins" && refused["Retry-After"] == "1")
                // Each failure doubles the wait.
                for wait in [1, 2, 4, 8] {
                    server.time.advance(by: .seconds(wait))
                    #expect(try await browser.signIn(name, password: "a wrong guess").status == 401)
                    #expect(try await browser.signIn(name, password: "a wrong guess")["Retry-After"] == "\(wait * 2)")
                }
            }
            // Who is signed in stays so.
            #expect(try await first.get("/v1/devices").status == 200)
            server.time.advance(by: .seconds(16))
            var jane = SignedInBrowser(server: server)
            #expect(try await jane.signIn("jane").status == 201)
            #expect(try await jane.signIn("jane", password: "a wrong guess").status == 401)
        }
    }

    @Test("count guesses of many names from one address, as a trusted proxy reports it") func spraying() async throws {
        try await TestServer.run { server in
            var browser = SignedInBrowser(server: server)
            var statuses: [Int] = []
            for number in 0..<25 {
                let client = [("X-Forwarded-For", "203.0.113.\(number), 198.51.100.7")]
                statuses.append(
                    try await browser.signIn("user\(number)", password: "a wrong guess", headers: client).status)
            }
            #expect(statuses.filter { $0 == 401 }.count == 20)
            let other = try await browser.signIn(
                "user99", password: "a wrong guess", headers: [("X-Forwarded-For", "198.51.100.8")])
            #expect(other.status == 401)
        }
    }

    @Test("take the same time for names that do not exist") func enumeration() async throws {
        try await TestServer.run { server in
            _ = try await SignedInBrowser.signIn(server, "jane", role: "viewer")
            var times: [String: [Duration]] = [:]
            for round in 0..<9 {
                for name in ["jane", "nobody\(round)"] {
                    var browser = SignedInBrowser(server: server)
                    let start = ContinuousClock.now
                    let reply = try await browser.signIn(
                        name, password: "a wrong guess", headers: [("X-Forwarded-For", "198.51.100.\(round)")])
                    times[name == "jane" ? name : "nobody", default: []].append(.now - start)
                    #expect(reply.status == 401)
                    server.time.advance(by: .seconds(60))
                }
            }
            // The shortest times depend least on other work of the machine. Without a hash one would be 100 times longer.
            let (known, unknown) = (times["jane"]?.min() ?? .zero, times["nobody"]?.min() ?? .zero)
            #expect(known / unknown < 2 && unknown / known < 2, "\(known) and \(unknown)")
        }
    }

    @Test("last 30 days after their last use, and can be listed and ended one by one") func lifetime() async throws {
        try await TestServer.run { server in
            var jane = try await SignedInBrowser.signIn(server, "jane", role: "viewer")
            let phone = jane
            jane.cookie = nil
            _ = try await jane.signIn("jane", headers: [("User-Agent", "Laptop")])
            let sessions = try #require(try await jane.get("/v1/sessions").json["data"]?.array)
            #expect(sessions.count == 2)
            let other = try #require(sessions.first { $0["isCurrent"]?.bool == false }?["id"]?.string)
            #expect(sessions.first { $0["isCurrent"]?.bool == true }?["client"]?.string == "Laptop")
            let stranger = try await SignedInBrowser.signIn(server, "sam", role: "editor")
            #expect(try await stranger.send(.DELETE, "/v1/sessions/\(other)").status == 404)
            #expect(try await phone.get("/v1/devices").status == 200)
            #expect(try await jane.send(.DELETE, "/v1/sessions/\(other)").status == 204)
            #expect(try await phone.get("/v1/devices").status == 401)

            server.time.advance(by: .seconds(29 * 86_400))
            #expect(try await jane.get("/v1/devices").status == 200)
            server.time.advance(by: .seconds(29 * 86_400))
            #expect(try await jane.get("/v1/devices").status == 200)
            server.time.advance(by: .seconds(31 * 86_400))
            #expect(try await jane.get("/v1/devices").status == 401)
        }
    }

    @Test("end with a new password, except the one that changed it") func password() async throws {
        try await TestServer.run { server in
            let jane = try await SignedInBrowser.signIn(server, "jane", role: "viewer")
            var phone = SignedInBrowser(server: server)
            _ = try await phone.signIn("jane")
            func change(_ old: String, _ new: String) async throws -> TestServer.Reply {
                try await jane.send(
                    .POST, "/v1/sessions/current/password", "{\"password\":\"\(old)\",\"newPassword\":\"\(new)\"}")
            }
            let wrong = try await change("a wrong guess", "another long one")
            #expect(wrong.status == 403 && wrong.code == "wrong_password")
            #expect(try await change(SignedInBrowser.password, "short").status == 422)
            #expect(try await change(SignedInBrowser.password, "another long one").status == 204)
            #expect(try await jane.get("/v1/devices").status == 200)
            #expect(try await phone.get("/v1/devices").status == 401)
            #expect(try await phone.signIn("jane").status == 401)
            #expect(try await phone.signIn("jane", password: "another long one").status == 201)
        }
    }

    @Test("are stored as hashes, as passwords are") func storage() async throws {
        try await TestServer.run { server in
            let jane = try await SignedInBrowser.signIn(server, "jane", role: "viewer")
            let user = try #require(try await server.store.user(named: "jane"))
            #expect(user.passwordHash.hasPrefix("$argon2id$v=19$m=65536,t=2,p=1$"))
            let secret = try #require(jane.cookie?.split(separator: "=").last)
            let sessions = try await server.store.sessions(of: user.id)
            #expect(sessions.map(\.hash) == [TokenText.hash(String(secret))])
            #expect(!server.log.lines.withLock { $0.joined() }.contains(SignedInBrowser.password))
        }
    }
}
