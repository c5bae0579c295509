import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTesting
import NIOCore
import NIOHTTP1
import Testing

@Suite("Rights that have ended") struct EndedRightsTests {
    private static func request(_ token: String, _ query: String = "") -> String {
        "GET /v1/stream\(query) HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer \(token)\r\n\r\n"
    }

    private static func tokenID(_ server: TestServer, _ name: String) async throws -> String {
        let tokens = try await server.get("/v1/tokens").json["data"]?.array
        return try #require(tokens?.first { $0["name"]?.string == name }?["id"]?.string)
    }

    @Test(
        "end an open stream within 15 seconds, also one without events", .timeLimit(.minutes(1)),
        arguments: [true, false])
    func streams(isRevoked: Bool) async throws {
        try await TestServer.run { server in
            let expires = (TestServer.now + .seconds(60)).rfc3339
            let made = try await server.post(
                "/v1/tokens", "{\"name\":\"kiosk\",\"scopes\":[\"read\"],\"expires\":\"\(expires)\"}")
            let token = try #require(try made.json["token"]?.string)
            try await RawConnection.open(server.port) { inbound, outbound in
                // Nothing passes its filter, so that only the clock can end it.
                try await outbound.write(Self.request(token, "?deviceId=nobody"))
                _ = try await inbound.read(until: "retry: 3000")
                if isRevoked {
                    let id = try await Self.tokenID(server, "kiosk")
                    #expect(try await server.send(.DELETE, "/v1/tokens/\(id)").status == 204)
                } else {
                    server.time.advance(by: .seconds(60))
                }
                // Events that the filter leaves out wake it again and again.
                let beat = Task {
                    var number = 0
                    while !Task.isCancelled {
                        server.time.advance(by: .seconds(5))
                        try await server.walkIn("device\(number)")
                        number += 1
                    }
                }
                let rest = try await inbound.readToEnd()
                beat.cancel()
                #expect(!rest.contains("device"))
            }
        }
    }

    @Test("end an open stream before the next event", .timeLimit(.minutes(1))) func nextEvent() async throws {
        try await TestServer.run { server in
            let token = try await server.issue(["read"], name: "kiosk")
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(Self.request(token))
                _ = try await inbound.read(until: "retry: 3000")
                try await server.walkIn("before")
                _ = try await inbound.read(until: "\"deviceId\":\"before\"")
                let id = try await Self.tokenID(server, "kiosk")
                #expect(try await server.send(.DELETE, "/v1/tokens/\(id)").status == 204)
                try await server.walkIn("after")
                let rest = try await inbound.readToEnd()
                #expect(!rest.contains("after"))
            }
        }
    }

    @Test("end an export between two of its pages") func export() async throws {
        let gate = StoreGate()
        try await TestServer.run(gate: gate) { _ in
        } _: { server in
            try await server.walkIn("jane/phone")
            let token = try await server.issue(["admin"], name: "kiosk")
            let id = try await Self.tokenID(server, "kiosk")
            let path = "/v1/devices/jane%2Fphone/export"
            #expect(try await server.get(path, token: token).text.contains("\"locations\":[{"))
            gate.arm(after: 0)
            let export = Task { try await server.get(path, token: token) }
            #expect(await gate.untilHeld(), "the first page")
            #expect(try await server.send(.DELETE, "/v1/tokens/\(id)").status == 204)
            gate.release()
            let result = await export.result
            #expect(throws: (any Error).self, "the response breaks off") { try result.get() }
        }
    }

    @Test("end tickets that were issued before") func tickets() async throws {
        try await TestServer.run { server in
            let token = try await server.issue(["read"], name: "kiosk")
            let byToken = try await server.post("/v1/stream/tickets", "", token: token).json["ticket"]?.string ?? ""
            let sam = try await SignedInBrowser.signIn(server, "sam", role: "viewer")
            let bySam = try await sam.send(.POST, "/v1/stream/tickets").json["ticket"]?.string ?? ""
            let id = try await Self.tokenID(server, "kiosk")
            #expect(try await server.send(.DELETE, "/v1/tokens/\(id)").status == 204)
            #expect(try await sam.send(.DELETE, "/v1/sessions/current").status == 204)
            for ticket in [byToken, bySam] {
                #expect(try await server.get("/v1/stream?ticket=\(ticket)", token: .some(nil)).status == 401)
            }
        }
    }

    @Test("end share links: role, group and expiry of their maker") func shares() async throws {
        try await TestServer.run { server in
            try await server.walkIn("jane/phone")
            #expect(try await server.put("/v1/groups/family", #"{"devices":["jane/*"]}"#).status == 200)
            let sam = try await SignedInBrowser.signIn(server, "sam", role: "editor", limits: #","tags":["family"]"#)
            let user = try #require(try await server.store.user(named: "sam")).id
            let expires = (TestServer.now + .seconds(60)).rfc3339
            let made = try await server.post(
                "/v1/tokens", "{\"name\":\"kiosk\",\"scopes\":[\"write\"],\"expires\":\"\(expires)\"}")
            let token = try #require(try made.json["token"]?.string)
            let share = #"{"devices":["jane/phone"],"expires":"2026-03-01T12:00:00Z"}"#
            let bySam = try #require(try await sam.send(.POST, "/v1/shares", share).json["secret"]?.string)
            let byToken = try #require(try await server.post("/v1/shares", share, token: token).json["secret"]?.string)
            let byAdmin = try #require(try await server.post("/v1/shares", share).json["secret"]?.string)
            func status(_ secret: String) async throws -> Int {
                try await server.get("/v1/shared", token: secret).status
            }
            func patch(_ json: String) async throws {
                let reply = try await server.send(
                    .PATCH, "/v1/users/\(user)", body: Array(json.utf8), type: "application/json")
                #expect(reply.status == 200)
            }
            #expect(try await status(bySam) == 200)
            try await patch(#"{"role":"viewer"}"#)
            #expect(try await status(bySam) == 401)
            try await patch(#"{"role":"editor"}"#)
            #expect(try await status(bySam) == 200)
            #expect(try await server.put("/v1/groups/family", #"{"devices":["bob"]}"#).status == 200)
            #expect(try await status(bySam) == 401)
            #expect(try await server.get("/v1/shares").json["data"]?.count == 2)
            #expect(try await status(byToken) == 200)
            server.time.advance(by: .seconds(60))
            #expect(try await status(byToken) == 401)
            #expect(try await status(byAdmin) == 200)
        }
    }

    @Test("never are those of a bound administrator over the sessions of others") func boundAdministrator() async throws
    {
        try await TestServer.run { server in
            _ = try await SignedInBrowser.signIn(server, "sam", role: "viewer")
            let user = try #require(try await server.store.user(named: "sam")).id
            let session = try #require(try await server.store.sessions(of: user).first).id
            let bound = try await server.issue(["admin"], device: "jane/phone")
            #expect(try await server.get("/v1/sessions?userId=\(user)", token: bound).status == 404)
            #expect(try await server.send(.DELETE, "/v1/sessions/\(session)", token: bound).status == 404)
            #expect(try await server.get("/v1/sessions?userId=\(user)").json["data"]?.count == 1)
        }
    }
}
