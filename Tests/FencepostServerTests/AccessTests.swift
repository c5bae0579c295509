import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostServiceTesting
import FencepostTesting
import Foundation
import NIOHTTP1
import Testing

@Suite("Access") struct AccessTests {
    /// Who may use which route: what the server says is held against this list, written by hand.
    static let table: [(route: String, scope: String?, isForBound: Bool)] = [
        ("POST /ingest/owntracks", "ingest", true), ("POST /pub", "ingest", true),
        ("POST /ingest/overland", "ingest", true), ("GET /ingest/osmand", "ingest", true),
        ("POST /ingest/osmand", "ingest", true), ("GET /ingest/gpslogger", "ingest", true),
        ("POST /ingest/gpslogger", "ingest", true), ("POST /v1/locations", "ingest", true),
        ("POST /v1/imports", "ingest", true), ("GET /v1/imports", "ingest", true),
        ("GET /v1/imports/{id}", "ingest", true),
        ("DELETE /v1/imports/{id}", "ingest", true), ("GET /v1/devices/{id}/evaluations", "read", true),
        ("POST /v1/devices/{id}/evaluations", "admin", false),
        ("GET /v1/locations", "read", true), ("GET /v1/quarantine", "read", true), ("GET /v1/reports", "read", true),
        ("GET /v1/regions", "read", true), ("GET /v1/regions/{id}", "read", true),
        ("GET /v1/regions/{id}/devices", "read", true), ("GET /v1/events", "read", true),
        ("GET /v1/events/{id}", "read", true), ("GET /v1/visits", "read", true), ("GET /v1/devices", "read", true),
        ("GET /v1/devices/{id}", "read", true), ("GET /v1/stream", "read", true),
        ("POST /v1/stream/tickets", "read", true), ("POST /v1/explain", "read", true),
        ("GET /v1/timeline", "read", true), ("GET /v1/trips", "read", true), ("GET /v1/summaries", "read", true),
        ("GET /v1/geocode/search", "read", false), ("GET /v1/geocode/reverse", "read", false),
        ("GET /v1/places", "read", true), ("POST /v1/places/{id}/region", "write", false),
        ("GET /v1/apps", "read", false), ("GET /v1/apps/{id}", "read", false),
        ("GET /v1/rules", "read", true),
        ("GET /v1/apps/{id}/decisions", "read", false), ("GET /v1/endpoints", "read", false),
        ("GET /v1/endpoints/{id}", "read", false), ("GET /v1/endpoints/{id}/health", "read", false),
        ("GET /v1/deliveries", "read", false), ("GET /v1/deliveries/{id}", "read", false),
        ("POST /v1/regions", "write", false), ("PUT /v1/regions/{id}", "write", false),
        ("PATCH /v1/regions/{id}", "write", false), ("DELETE /v1/regions/{id}", "write", false),
        ("POST /v1/apps", "write", false), ("PUT /v1/apps/{id}", "write", false),
        ("DELETE /v1/apps/{id}", "write", false), ("POST /v1/apps/{id}/steps", "write", false),
        ("POST /v1/endpoints", "write", false), ("PUT /v1/endpoints/{id}", "write", false),
        ("PATCH /v1/endpoints/{id}", "write", false), ("DELETE /v1/endpoints/{id}", "write", false),
        ("POST /v1/endpoints/{id}/rotate-secret", "write", false), ("POST /v1/endpoints/{id}/recover", "write", false),
        ("POST /v1/endpoints/preview", "write", false), ("POST /v1/endpoints/{id}/test", "write", false),
        ("POST /v1/deliveries/{id}/retry", "write", false),
        ("DELETE /v1/devices/{id}", "admin", true), ("GET /v1/devices/{id}/export", "admin", true),
        ("POST /v1/quarantine/release", "admin", false),
        ("GET /v1/cluster", "admin", false),
        ("GET /v1/tokens", "admin", false), ("GET /v1/tokens/{id}", "admin", false),
        ("POST /v1/tokens", "admin", false), ("DELETE /v1/tokens/{id}", "admin", false),
        ("GET /v1/access", nil, true), ("POST /v1/sessions", nil, true), ("GET /share", nil, true),
        ("GET /tiles/{z}/{x}/{y}", nil, true),
        ("GET /v1/sessions", "any", true), ("GET /v1/sessions/current", "any", true),
        ("DELETE /v1/sessions/current", "any", true), ("DELETE /v1/sessions/{id}", "any", true),
        ("POST /v1/sessions/current/password", "any", true),
        ("GET /v1/users", "admin", false), ("POST /v1/users", "admin", false), ("GET /v1/users/{id}", "admin", false),
        ("PATCH /v1/users/{id}", "admin", false), ("DELETE /v1/users/{id}", "admin", false),
        ("GET /v1/groups", "admin", false), ("PUT /v1/groups/{id}", "admin", false),
        ("DELETE /v1/groups/{id}", "admin", false),
        ("GET /v1/profiles", "read", true), ("PUT /v1/devices/{id}/profile", "write", true),
        ("GET /v1/devices/{id}/face", "read", true), ("PUT /v1/devices/{id}/face", "write", true),
        ("DELETE /v1/devices/{id}/face", "write", true),
        ("GET /v1/map", "admin", false), ("PUT /v1/map", "admin", false), ("PUT /v1/map/file", "admin", false),
        ("DELETE /v1/map/file", "admin", false),
        ("GET /v1/networks", "admin", false), ("POST /v1/networks", "admin", false),
        ("DELETE /v1/networks/{id}", "admin", false),
        ("GET /v1/shares", "write", true), ("POST /v1/shares", "write", true),
        ("DELETE /v1/shares/{id}", "write", true),
        ("GET /v1/shared", "share", true),
        ("GET /healthz", nil, true), ("GET /readyz", nil, true), ("GET /metrics", nil, true),
        ("GET /v1/version", nil, true), ("GET /", nil, true), ("GET /openapi.json", nil, true),
        ("GET /page/{folder}/{file}", nil, true),
    ]

    @Test("equals the table for every route, scope and binding") func table() async throws {
        try await TestServer.run { server in
            #expect(Set(server.server.routeNames) == Set(Self.table.map(\.route)))
            var tokens: [(scope: String, isBound: Bool, text: String)] = []
            for scope in ["ingest", "read", "write", "admin"] {
                tokens.append((scope, false, try await server.issue([scope])))
                tokens.append((scope, true, try await server.issue([scope], device: "jane/phone")))
            }
            // The stream would stay open. Another test checks its access.
            // Only a share link opens its route.
            for row in Self.table where row.route != "GET /v1/stream" && row.scope != "share" {
                let parts = row.route.split(separator: " ")
                let path = String(parts[1]).replacing("{id}", with: "nobody%2Fhere")
                let method = HTTPMethod(rawValue: String(parts[0]))
                let body: [UInt8]? = method == .GET || method == .DELETE ? nil : Array("{}".utf8)
                func status(_ token: String?) async throws -> Int {
                    try await server.send(
                        method, path, body: body, type: body == nil ? nil : "application/json", token: .some(token)
                    ).status
                }
                let anonymous = try await status(nil)
                #expect((anonymous == 401) == (row.scope != nil), "\(row.route) without a token: \(anonymous)")
                for token in tokens {
                    let status = try await status(token.text)
                    let may =
                        row.scope == nil || row.scope == "any"
                        || (token.scope == row.scope || token.scope == "admin") && (row.isForBound || !token.isBound)
                    #expect(
                        (status == 403) == !may, "\(row.route) with \(token.scope), bound \(token.isBound): \(status)")
                    #expect(status != 401 && status < 500, "\(row.route): \(status)")
                }
            }
        }
    }

    @Test("shows only its device to a bound token") func bound() async throws {
        try await TestServer.run { server in
            try await server.walkIn("jane/phone")
            try await server.walkIn("bob")
            let jane = try await server.issue(["read", "ingest"], device: "jane/phone")
            let all = try await server.get("/v1/devices").json
            #expect(all["data"]?.count == 2)
            let seen = try await server.get("/v1/devices", token: jane).json
            #expect(seen["data"]?.array?.map { $0["id"]?.string } == ["jane/phone"])
            #expect(try await server.get("/v1/devices/bob", token: jane).status == 404)
            #expect(try await server.get("/v1/locations?deviceId=bob", token: jane).status == 404)
            #expect(try await server.get("/v1/devices/jane%2Fphone", token: jane).status == 200)
            let inside = try await server.get("/v1/regions/office/devices", token: jane).json
            #expect(inside["data"]?.array?.map { $0["id"]?.string } == ["jane/phone"])
            let events = try await server.get("/v1/events", token: jane).json
            #expect(events["data"]?.array?.allSatisfy { $0["deviceId"]?.string == "jane/phone" } == true)
            #expect((events["data"]?.count ?? 0) > 0)
            let others = try await server.get("/v1/events?deviceId=bob").json
            let id = try #require(others["data"]?[0]?["id"]?.string)
            #expect(try await server.get("/v1/events/\(id)", token: jane).status == 404)
            #expect(try await server.get("/v1/events/\(id)").status == 200)
            let foreign = "{\"locations\":[\(TestServer.location("bob", 50, 1, 1))]}"
            let refused = try await server.post("/v1/locations", foreign, token: jane)
            #expect(refused.status == 403 && refused.code == "other_device")
        }
    }

    @Test("accepts Basic on ingest routes, and ?token= on two routes only") func credentials() async throws {
        try await TestServer.run { server in
            let basic = "Basic " + Data("anyone:\(server.token)".utf8).base64EncodedString()
            let fix = #"{"_type":"location","lat":1,"lon":2,"tst":1772352000,"tid":"ab"}"#
            for (path, status) in [
                ("/pub", 200), ("/ingest/gpslogger?lat=1&lon=2&id=x", 200), ("/ingest/overland", 401),
            ] {
                let reply = try await server.post(
                    path, fix, headers: [("Authorization", basic)], token: .some(nil))
                #expect(reply.status == status, "\(path)")
            }
            for (path, status) in [
                ("/ingest/osmand?id=x&lat=1&lon=2&token=\(server.token)", 200),
                ("/ingest/gpslogger?id=x&lat=1&lon=2&token=\(server.token)", 200),
                ("/v1/devices?token=\(server.token)", 401),
            ] {
                #expect(try await server.get(path, token: .some(nil)).status == status)
            }
            #expect(try await server.post("/pub?token=\(server.token)", fix, token: .some(nil)).status == 401)
            let unauthorized = try await server.get("/v1/devices", token: .some(nil))
            #expect(unauthorized["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
        }
    }

    @Test("limits unknown tokens of one address, but never a token in use") func unknownTokens() async throws {
        try await TestServer.run { server in
            let fresh = try await server.issue(["read"])
            #expect(try await server.get("/v1/devices").status == 200)
            func status(_ token: String) async throws -> Int {
                try await server.get("/v1/devices", token: token).status
            }
            var generator = SystemRandomNumberGenerator()
            let unknown = TokenText.make(using: &generator)
            var statuses: [Int] = []
            for _ in 0..<70 { statuses.append(try await status(unknown)) }
            #expect(statuses == Array(repeating: 401, count: 60) + Array(repeating: 429, count: 10))
            let refused = try await server.get("/v1/devices", token: unknown)
            #expect(refused.code == "too_many_unknown_tokens")
            #expect(refused["Retry-After"] == "1")
            // The token in use is served; one that the database would have to be asked for waits.
            #expect(try await server.get("/v1/devices").status == 200)
            #expect(try await status(fresh) == 429)
            server.time.advance(by: .seconds(1))
            #expect(try await status(fresh) == 200)
            // A token that is known costs no attempt, so one is left.
            #expect(try await status(unknown) == 401)
            #expect(try await status(unknown) == 429)
        }
    }

    @Test("ends when a token expires or is revoked, and records its last use") func lifetime() async throws {
        try await TestServer.run { server in
            let expires = (TestServer.now + .seconds(60)).rfc3339
            let made = try await server.post(
                "/v1/tokens", "{\"name\":\"short\",\"scopes\":[\"read\"],\"expires\":\"\(expires)\"}")
            let short = try #require(try made.json["token"]?.string)
            #expect(made["Location"] == "/v1/tokens/\(try made.json["id"]?.string ?? "")")
            #expect(try await server.get("/v1/devices", token: short).status == 200)
            server.time.advance(by: .seconds(61))
            #expect(try await server.get("/v1/devices", token: short).status == 401)

            let reader = try await server.issue(["read"], name: "reader")
            #expect(try await server.get("/v1/devices", token: reader).status == 200)
            let tokens = try await server.get("/v1/tokens").json
            let id = try #require(tokens["data"]?.array?.first { $0["name"]?.string == "reader" }?["id"]?.string)
            #expect(tokens["data"]?.array?.contains { $0["token"] != nil } == false)
            #expect(try await server.send(.DELETE, "/v1/tokens/\(id)").status == 204)
            #expect(try await server.get("/v1/devices", token: reader).status == 401)
            #expect(try await server.send(.DELETE, "/v1/tokens/\(id)").status == 404)
        }
    }

    @Test(
        "rejects bodies with unknown members",
        arguments: [
            ("/v1/tokens", #"{"name":"x","scopes":["read"],"hash":"00"}"#),
            ("/v1/tokens", #"{"name":"x","scopes":["read"],"id":"tok_mine"}"#),
            ("/v1/endpoints", #"{"url":"https://example.org","state":"disabled"}"#),
            ("/v1/endpoints", #"{"url":"https://example.org","createdAt":"2020-01-01T00:00:00Z"}"#),
            ("/v1/apps", #"{"id":"a","services":[{"service":"visits"}],"steps":[]}"#),
        ])
    func massAssignment(path: String, body: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.post(path, body)
            #expect(reply.status == 422 && reply.code == "unknown_key")
        }
    }
}

@Suite("Token texts") struct TokenTextTests {
    @Test("are well-formed, and not with one character changed") func checksum() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let text = TokenText.make(using: &generator)
            #expect(text.wholeMatch(of: /fp_[0-9A-Za-z]{32,}/) != nil)
            #expect(TokenText.isWellFormed(text))
            let index = text.index(text.startIndex, offsetBy: Int.random(in: 3..<text.count))
            var other = text
            other.replaceSubrange(index...index, with: text[index] == "a" ? "b" : "a")
            #expect(!TokenText.isWellFormed(other))
        }
        #expect(!TokenText.isWellFormed("fp_"))
        #expect(!TokenText.isWellFormed(""))
    }
}
