import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTesting
import Foundation
import NIOHTTP1
import Testing

@Suite("Users") struct UserTests {
    @Test("with limits see only their devices on every list, stream and page") func visibility() async throws {
        try await TestServer.run { server in
            for device in ["jane/phone", "jane/watch", "van-1", "van-2", "bob"] { try await server.walkIn(device) }
            let tagged = TestServer.office.replacing("\"office\"", with: "\"depot\"")
                .replacing("\"name\":\"Office\"", with: "\"name\":\"Depot\",\"tags\":[\"vans\"]")
            #expect(try await server.put("/v1/regions/depot", tagged).status == 201)
            #expect(try await server.put("/v1/groups/vans", #"{"devices":["van-*"]}"#).status == 200)
            let sam = try await SignedInBrowser.signIn(server, "sam", role: "editor", limits: #","tags":["vans"]"#)
            let jane = try await SignedInBrowser.signIn(
                server, "jane", role: "viewer", limits: #","devices":["jane/*"]"#)

            #expect(try await sam.list("/v1/devices", "id") == ["van-1", "van-2"])
            #expect(try await sam.list("/v1/devices?changedSince=start", "id") == ["van-1", "van-2"])
            #expect(try await sam.list("/v1/devices?limit=1", "id") == ["van-1"])
            #expect(try await jane.list("/v1/devices", "id") == ["jane/phone", "jane/watch"])
            #expect(try await sam.list("/v1/regions", "id") == ["depot"])
            #expect(try await jane.list("/v1/regions", "id") == ["depot", "office"])
            #expect(try await sam.get("/v1/regions/office").status == 404)
            #expect(try await sam.get("/v1/regions/office/devices").status == 404)
            #expect(try await jane.list("/v1/regions/office/devices", "id") == ["jane/phone", "jane/watch"])
            for path in ["/v1/events", "/v1/visits", "/v1/quarantine", "/v1/reports", "/v1/trips"] {
                let separator = path.contains("?") ? "&" : "?"
                for device in ["jane/phone", "bob"] {
                    let name = device.replacing("/", with: "%2F")
                    #expect(try await sam.get("\(path)\(separator)deviceId=\(name)").status == 404, "\(path)")
                }
                for id in try await sam.list(path, "deviceId") { #expect(id?.hasPrefix("van-") == true, "\(path)") }
            }
            #expect(try await sam.list("/v1/events", "deviceId").count == 2)
            #expect(try await server.get("/v1/events").json["data"]?.count == 5)
            let event = try #require(try await server.get("/v1/events?deviceId=bob").json["data"]?[0]?["id"]?.string)
            #expect(try await sam.get("/v1/events/\(event)").status == 404)
            for path in ["/v1/devices/bob", "/v1/locations?deviceId=bob", "/v1/timeline?deviceId=bob"] {
                #expect(try await sam.get(path).status == 404, "\(path)")
                #expect(try await sam.get(path.replacing("bob", with: "van-1")).status == 200, "\(path)")
            }
            let summary = try await sam.get("/v1/summaries?by=device").text
            #expect(!summary.contains("bob") && !summary.contains("jane"))

            let foreign = "{\"locations\":[\(TestServer.location("bob", 50, 1, 1))]}"
            #expect(try await sam.send(.POST, "/v1/locations", foreign).code == "other_device")
            let own = "{\"locations\":[\(TestServer.location("van-1", 50, 1, 1))]}"
            #expect(try await sam.send(.POST, "/v1/locations", own).status == 200)
            let share = { (device: String) in "{\"devices\":[\"\(device)\"],\"expires\":\"2026-03-01T12:00:00Z\"}" }
            #expect(try await sam.send(.POST, "/v1/shares", share("bob")).status == 404)
            #expect(try await sam.send(.POST, "/v1/shares", share("van-1")).status == 201)
            #expect(try await jane.send(.POST, "/v1/shares", share("jane/phone")).status == 403)

            // A change of the group counts at once.
            #expect(try await server.put("/v1/groups/vans", #"{"devices":["van-2","b[o]b","[v]an-1"]}"#).status == 200)
            #expect(try await sam.list("/v1/devices", "id") == ["van-2"])
            #expect(Set(try await sam.list("/v1/events", "deviceId")) == ["van-2"])
        }
    }

    @Test("have unique names, valid passwords and roles") func validity() async throws {
        try await TestServer.run { server in
            func add(_ json: String) async throws -> TestServer.Reply { try await server.post("/v1/users", json) }
            let jane = try await add(#"{"name":"Jane","password":"12345678","role":"admin"}"#)
            #expect(jane.status == 201 && !jane.text.contains("12345678") && !jane.text.contains("argon"))
            let id = try #require(try jane.json["id"]?.string)
            #expect(try await add(#"{"name":"jANE","password":"12345678","role":"viewer"}"#).code == "user_exists")
            for json in [
                #"{"name":"x","password":"1234567","role":"viewer"}"#,
                #"{"name":"","password":"12345678","role":"viewer"}"#,
                #"{"name":"x","password":"12345678","role":"root"}"#, #"{"name":"x","password":"12345678"}"#,
                #"{"name":"x","password":"12345678","role":"admin","devices":["a"]}"#,
                #"{"name":"x","password":"12345678","role":"viewer","devices":["a",1]}"#,
                #"{"name":"x","password":"12345678","role":"viewer","id":"usr_mine"}"#,
            ] {
                #expect(try await add(json).status == 422, "\(json)")
            }
            let changed = try await server.send(
                .PATCH, "/v1/users/\(id)", body: Array(#"{"role":"viewer","devices":["a*"]}"#.utf8),
                type: "application/json")
            #expect(changed.status == 200)
            #expect(try changed.json["devices"]?[0]?.string == "a*")
            #expect(try await server.send(.DELETE, "/v1/users/\(id)").status == 204)
            #expect(try await server.get("/v1/users/\(id)").status == 404)
        }
    }

    @Test("lose their sessions when they are removed, and their rights when their role changes") func changes()
        async throws
    {
        try await TestServer.run { server in
            let jane = try await SignedInBrowser.signIn(server, "jane", role: "editor")
            let user = try #require(try await server.store.user(named: "jane"))
            #expect(try await jane.send(.PUT, "/v1/regions/office", TestServer.office).status == 201)
            _ = try await server.send(
                .PATCH, "/v1/users/\(user.id)", body: Array(#"{"role":"viewer"}"#.utf8), type: "application/json")
            let refused = try await jane.send(.PUT, "/v1/regions/office", TestServer.office)
            #expect(refused.status == 403 && refused.code == "missing_role")
            #expect(try await server.send(.DELETE, "/v1/users/\(user.id)").status == 204)
            #expect(try await jane.get("/v1/devices").status == 401)
        }
    }
}

@Suite("Share links") struct ShareTests {
    @Test("end with the user or the token that made them") func owners() async throws {
        try await TestServer.run { server in
            try await server.walkIn("jane/phone")
            let share = #"{"devices":["jane/phone"],"expires":"2026-03-01T12:00:00Z"}"#
            let sam = try await SignedInBrowser.signIn(server, "sam", role: "editor")
            let bySam = try #require(try await sam.send(.POST, "/v1/shares", share).json["secret"]?.string)
            let token = try await server.post("/v1/tokens", #"{"name":"kiosk","scopes":["write","read"]}"#).json
            let id = try #require(token["id"]?.string)
            let text = try #require(token["token"]?.string)
            let byToken = try #require(try await server.post("/v1/shares", share, token: text).json["secret"]?.string)
            for secret in [bySam, byToken] {
                #expect(try await server.get("/v1/shared", token: secret).status == 200)
            }
            let users = try await server.get("/v1/users").json["data"]?.array
            let user = try #require(users?.first { $0["name"]?.string == "sam" }?["id"]?.string)
            #expect(try await server.send(.DELETE, "/v1/users/\(user)").status == 204)
            #expect(try await server.get("/v1/shared", token: bySam).status == 401)
            #expect(try await server.get("/v1/shared", token: byToken).status == 200)
            #expect(try await server.send(.DELETE, "/v1/tokens/\(id)").status == 204)
            #expect(try await server.get("/v1/shared", token: byToken).status == 401)
        }
    }

    @Test("show the last positions of their devices") func shows() async throws {
        try await TestServer.run { server in
            try await server.walkIn("jane/phone")
            try await server.walkIn("bob")
            let made = try await server.post(
                "/v1/shares", #"{"name":"On my way","devices":["jane/phone"],"expires":"2026-03-01T12:00:00Z"}"#)
            #expect(made.status == 201)
            let secret = try #require(try made.json["secret"]?.string)
            #expect(try made.json["path"]?.string == "/share#\(secret)")
            let shown = try await server.get("/v1/shared", token: secret).json
            #expect(shown["devices"]?.array?.map { $0["id"]?.string } == ["jane/phone"])
            #expect(shown["devices"]?[0]?["latitude"]?.double == 50.005)
            #expect(
                shown["devices"]?[0]?.object?.map(\.name) == [
                    "id", "timestamp", "latitude", "longitude", "horizontalAccuracy",
                ])
            let named = try await server.put(
                "/v1/devices/jane%2Fphone/profile", ##"{"name":"Jane","color":"#aa3300"}"##)
            #expect(named.status == 200)
            let renamed = try await server.get("/v1/shared", token: secret).json
            #expect(renamed["devices"]?[0]?["name"]?.string == "Jane")
            #expect(renamed["devices"]?[0]?["color"]?.string == "#aa3300")
            #expect(try await server.get("/v1/shared").status == 401, "a token is no share link")
            #expect(try await server.get("/v1/shared", token: .some(nil)).status == 401)
            #expect(try await server.get("/v1/shares").text.contains(secret) == false)
        }
    }

    @Test("end at their time, by revocation, and with the erasure of their devices") func ends() async throws {
        try await TestServer.run { server in
            try await server.walkIn("jane/phone")
            func make(_ hour: Int) async throws -> (id: String, secret: String) {
                let json = try await server.post(
                    "/v1/shares", "{\"devices\":[\"jane/phone\"],\"expires\":\"2026-03-01T\(hour):00:00Z\"}"
                ).json
                return (try #require(json["id"]?.string), try #require(json["secret"]?.string))
            }
            let (short, long, erased) = (try await make(10), try await make(20), try await make(21))
            server.time.advance(by: .seconds(3601))
            #expect(try await server.get("/v1/shared", token: short.secret).status == 401)
            #expect(try await server.get("/v1/shared", token: long.secret).status == 200)
            #expect(try await server.send(.DELETE, "/v1/shares/\(long.id)").status == 204)
            #expect(try await server.get("/v1/shared", token: long.secret).status == 401)
            #expect(try await server.send(.DELETE, "/v1/devices/jane%2Fphone?erase=true").status == 204)
            #expect(try await server.get("/v1/shared", token: erased.secret).status == 401)
            let late = #"{"devices":["jane/phone"],"expires":"2026-03-01T09:00:00Z"}"#
            #expect(try await server.post("/v1/shares", late).status == 422)
        }
    }
}
