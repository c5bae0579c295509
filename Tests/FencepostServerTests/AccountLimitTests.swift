import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTesting
import NIOHTTP1
import Testing

@testable import FencepostServer

@Suite("Limits of accounts") struct AccountLimitTests {
    /// One character to a reader, whose composition takes time that grows with the square of its length.
    private static func marks(bytes: Int) -> String {
        "e" + String(repeating: "\u{301}\u{316}", count: (bytes - 1) / 4)
    }

    private static let routes: [(HTTPMethod, String, String)] = [
        (.POST, "/v1/sessions", #"{"user":"jane","password":"TEXT"}"#),
        (.POST, "/v1/sessions", #"{"user":"TEXT","password":"12345678"}"#),
        (.POST, "/v1/users", #"{"name":"x","password":"TEXT","role":"viewer"}"#),
        (.POST, "/v1/users", #"{"name":"TEXT","password":"12345678","role":"viewer"}"#),
        (.POST, "/v1/users", #"{"name":"x","password":"12345678","role":"viewer","tags":["TEXT"]}"#),
        (.PATCH, "/v1/users/USER", #"{"password":"TEXT"}"#), (.PATCH, "/v1/users/USER", #"{"devices":["TEXT"]}"#),
        (.POST, "/v1/tokens", #"{"name":"TEXT","scopes":["read"]}"#),
        (.POST, "/v1/tokens", #"{"name":"x","scopes":["read"],"deviceId":"TEXT"}"#),
        (.POST, "/v1/shares", #"{"devices":["TEXT"],"expires":"2026-03-01T12:00:00Z"}"#),
        (.POST, "/v1/shares", #"{"name":"TEXT","devices":["a"],"expires":"2026-03-01T12:00:00Z"}"#),
        (.PUT, "/v1/groups/family", #"{"devices":["TEXT"]}"#), (.PUT, "/v1/groups/TEXT", #"{"devices":["a"]}"#),
        (.PUT, "/v1/devices/jane/profile", #"{"name":"TEXT"}"#),
        (.POST, "/v1/sessions/current/password", #"{"password":"TEXT","newPassword":"12345678"}"#),
        (.POST, "/v1/sessions/current/password", #"{"password":"12345678","newPassword":"TEXT"}"#),
    ]

    /// Without the limits one of the longer texts takes minutes.
    @Test("refuse long texts before anything is done with them", .timeLimit(.minutes(1))) func marks() async throws {
        try await TestServer.run { server in
            let jane = try await SignedInBrowser.signIn(server, "jane", role: "viewer")
            let user = try #require(try await server.store.user(named: "jane")).id
            for (method, path, body) in Self.routes {
                for bytes in [1100, 3000, 200_000] {
                    // The request line has a limit of its own.
                    if path.contains("TEXT"), bytes > 3000 { continue }
                    let text = Self.marks(bytes: bytes)
                    let target = path.replacing("USER", with: user).replacing("TEXT", with: text.percentEncoded)
                    let json = body.replacing("TEXT", with: text)
                    let reply =
                        if path.contains("current") {
                            try await jane.send(method, target, json)
                        } else {
                            try await server.send(method, target, body: Array(json.utf8), type: "application/json")
                        }
                    #expect([400, 413, 422].contains(reply.status), "\(path), \(bytes): \(reply.status)")
                    let isOfAccounts = ["/v1/sessions", "/v1/users", "/v1/tokens"].contains { path.hasPrefix($0) }
                    if bytes > 4096, isOfAccounts { #expect(reply.status == 413, "\(path)") }
                }
            }
            // What a phone sends as the name of its device.
            let headers = [("X-Limit-U", Self.marks(bytes: 2000).percentEncoded), ("X-Limit-D", "phone")]
            let fix = #"{"_type":"location","lat":1,"lon":2,"tst":1772352000,"tid":"ab"}"#
            #expect(try await server.post("/pub", fix, headers: headers).status >= 400)
            // Members that nobody knows are ignored, whatever their names are.
            let member = ",\"\(Self.marks(bytes: 200_000))\":1"
            let odd = "{\"locations\":[\(TestServer.location("odd", 0, 1, 2, extra: member))]}"
            #expect(try await server.post("/v1/locations", odd).status == 200)
            let logger = "{\"lat\":1,\"lon\":2,\"id\":\"odd\"\(member)}"
            #expect(try await server.post("/ingest/gpslogger", logger).status == 200)
            let line = TestServer.location("odd", 1, 1, 2, extra: ",\"\(Self.marks(bytes: 60_000))\":1")
            let lines = Array(repeating: line, count: 60).joined(separator: "\n")
            #expect(try await server.post("/v1/locations", lines, type: "application/x-ndjson").status == 200)
            let locations = "{\"locations\":[\(TestServer.location(Self.marks(bytes: 200_000), 0, 1, 2))]}"
            #expect(try await server.post("/v1/locations", locations).text.contains("invalid_device_id"))
        }
    }

    @Test("count code points: names, tags and passwords of many code points are too long") func codePoints()
        async throws
    {
        try await TestServer.run { server in
            func add(_ name: String, _ password: String = "12345678") async throws -> Int {
                try await server.post(
                    "/v1/users", "{\"name\":\"\(name)\",\"password\":\"\(password)\",\"role\":\"viewer\"}"
                ).status
            }
            let family = "👨‍👩‍👧‍👦"
            #expect(family.unicodeScalars.count == 7)
            let longest = try await add(String(repeating: family, count: 9))
            #expect(longest == 201)
            #expect(try await add(String(repeating: family, count: 10)) == 422)
            #expect(try await add("x", String(repeating: family, count: 36)) == 201)
            #expect(try await add("y", String(repeating: family, count: 37)) == 422)
            #expect(try await add("z", family + "x") == 201, "eight code points")
        }
    }

    @Test("keep no names of failed sign-ins, and a bounded number of them") func attempts() throws {
        let limiter = SignInLimiter()
        var now = Timestamp(seconds: 1_772_000_000)
        for number in 0..<40_000 {
            now = now + .milliseconds(1)
            try? limiter.begin(
                "name\(number)", from: "10.\(number >> 16).\(number >> 8 & 255).\(number & 255)", now: now)
        }
        #expect(limiter.count <= SignInLimiter.capacity + 3)
        let name = "a name that nobody shall find in the memory of the process"
        try limiter.begin(name, from: "192.0.2.1", now: now)
        var text = ""
        dump(limiter, to: &text)
        #expect(!text.contains(name))
    }

    @Test("show what 2,500 patterns of groups include") func manyPatterns() async throws {
        try await TestServer.run { server in
            for device in ["van-7-499", "bob"] { try await server.walkIn(device) }
            for group in 5...9 {
                let patterns = (0..<500).map { "\"van-\(group)-\($0)\"" }.joined(separator: ",")
                #expect(try await server.put("/v1/groups/g\(group)", "{\"devices\":[\(patterns)]}").status == 200)
            }
            let sam = try await SignedInBrowser.signIn(
                server, "sam", role: "viewer", limits: #","tags":["g5","g6","g7","g8","g9"]"#)
            for path in ["/v1/devices", "/v1/events", "/v1/visits", "/v1/trips", "/v1/reports", "/v1/quarantine"] {
                let reply = try await sam.get(path)
                #expect(reply.status == 200, "\(path): \(reply.text)")
                #expect(!reply.text.contains("\"bob\""), "\(path)")
            }
            #expect(try await sam.list("/v1/devices", "id") == ["van-7-499"])
            #expect(try await sam.list("/v1/events", "deviceId") == ["van-7-499"])
            #expect(try await sam.get("/v1/summaries?by=device").status == 200)
            #expect(try await sam.get("/v1/places").status == 200)
        }
    }
}
