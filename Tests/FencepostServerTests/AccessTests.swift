import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostServiceTesting
import FencepostTesting
import Foundation
import NIOHTTP1
import Testing

@Suite("Access") struct AccessTests {
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
