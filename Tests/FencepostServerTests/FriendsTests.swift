import FencepostJSON
import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostStore
import NIOHTTP1
import Testing

@Suite("Friends of OwnTracks phones") struct FriendsTests {
    private static func fix(_ minute: Int) -> String {
        #"{"_type":"location","lat":48.85833,"lon":2.29513,"tst":\#(1_772_352_000 + minute * 60),"acc":12}"#
    }

    private static let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]

    /// A token of Jane's phone whose app shows these devices.
    private func issue(_ server: TestServer, friends: String) async throws -> String {
        let reply = try await server.post(
            "/v1/tokens",
            #"{"name":"jane","scopes":["ingest"],"deviceId":"jane/phone","friends":\#(friends)}"#)
        #expect(reply.status == 201)
        #expect(try reply.json["friends"]?.count == 2)
        return try #require(try reply.json["token"]?.string)
    }

    @Test("come with their last locations and cards, only to the token that has them") func answer() async throws {
        try await TestServer.run { server in
            let jane = try await issue(server, friends: #"["bob/phone","carol"]"#)
            let own = try await server.issue(["ingest"], device: "bob/phone")
            #expect(try await server.post("/pub", Self.fix(0), token: jane).text == "[]")
            #expect(try await server.post("/pub", Self.fix(1), token: own).text == "[]")
            _ = try await server.put("/v1/devices/bob%2Fphone/profile", #"{"name":"Bob"}"#)

            let answer = try await server.post("/pub", Self.fix(2), token: jane).json
            #expect(answer.count == 2)
            #expect(answer[0]?["_type"]?.string == "card" && answer[0]?["name"]?.string == "Bob")
            #expect(answer[1]?["topic"]?.string == "owntracks/bob/phone" && answer[1]?["tst"]?.int == 1_772_352_060)
            #expect(answer[0]?["tid"]?.string == answer[1]?["tid"]?.string)
            // Everywhere else the token sees its own device only.
            #expect(try await server.get("/v1/devices/bob%2Fphone", token: jane).status == 403)
            #expect(try await server.post("/pub", Self.fix(3), token: own).text == "[]")
            let listed = try await server.get("/v1/tokens").json["data"]?.array?.compactMap { $0["friends"]?.count }
            #expect(listed == [2])
        }
    }

    @Test("have a picture once an hour, and when it is another one") func faces() async throws {
        try await TestServer.run { server in
            let jane = try await issue(server, friends: #"["bob","carol"]"#)
            let bob = try await server.issue(["ingest"], device: "bob")
            _ = try await server.post("/pub", Self.fix(0), token: bob)
            func save(_ bytes: [UInt8]) async throws {
                let reply = try await server.send(.PUT, "/v1/devices/bob/face", body: bytes, type: "image/jpeg")
                #expect(reply.status == 204)
            }
            func faces() async throws -> [String?] {
                let answer = try await server.post("/pub", Self.fix(1), token: jane).json
                let elements = answer.array.map(Array.init) ?? []
                #expect(elements.last?["_type"]?.string == "location")
                return elements.filter { $0["_type"]?.string == "card" }.map { $0["face"]?.string }
            }
            #expect(try await faces() == [nil])
            try await save(Self.picture)
            #expect(try await faces() == ["/9j/4AECAw=="])
            #expect(try await faces() == [])
            server.time.advance(by: .seconds(3599))
            #expect(try await faces() == [])
            server.time.advance(by: .seconds(1))
            #expect(try await faces() == ["/9j/4AECAw=="])
            try await save(Self.picture + [4])
            #expect(try await faces() == ["/9j/4AECAwQ="])
            #expect(try await server.send(.DELETE, "/v1/devices/bob/face").status == 204)
            #expect(try await faces() == [nil])
            #expect(try await faces() == [nil])
        }
    }

    @Test("are device ids, at most fifty") func refused() async throws {
        try await TestServer.run { server in
            let many = "[" + (0...AccessToken.mostFriends).map { "\"van-\($0)\"" }.joined(separator: ",") + "]"
            for friends in [#""bob""#, "[7]", #"["\u0001"]"#, many] {
                let reply = try await server.post(
                    "/v1/tokens", #"{"name":"a","scopes":["ingest"],"friends":\#(friends)}"#)
                #expect(reply.status == 422, "\(friends)")
                #expect(try reply.json["errors"]?[0]?["pointer"]?.string == "/friends")
            }
            let none = try await server.post("/v1/tokens", #"{"name":"a","scopes":["ingest"],"friends":[]}"#)
            #expect(none.status == 201)
            #expect(try none.json["friends"] == nil)
        }
    }

    @Test("have PNG and JPEG pictures of at most 64 KiB, which others than readers do not get")
    func pictures() async throws {
        try await TestServer.run { server in
            let path = "/v1/devices/jane%2Fphone/face"
            #expect(try await server.get(path).status == 404)
            #expect(try await server.send(.PUT, path, body: Self.picture, type: "image/jpeg").status == 204)
            let reply = try await server.get(path)
            #expect(reply.status == 200 && reply.body == Self.picture)
            #expect(reply["content-type"] == "image/jpeg")
            #expect(try await server.get("/v1/profiles").json["data"]?[0]?["hasFace"]?.bool == true)
            // A name leaves the picture, and a picture leaves the name.
            let named = try await server.put("/v1/devices/jane%2Fphone/profile", #"{"name":"Jane"}"#)
            #expect(named.text == #"{"id":"jane/phone","name":"Jane","hasFace":true}"#)
            let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]
            #expect(try await server.send(.PUT, path, body: png, type: "image/png").status == 204)
            #expect(try await server.get(path)["content-type"] == "image/png")
            for body in [[], Array("<svg/>".utf8), Self.picture + [UInt8](repeating: 0, count: Face.largest)] {
                let refused = try await server.send(.PUT, path, body: body, type: "image/png")
                #expect(refused.status == 422 || refused.status == 400, "\(body.count)")
            }
            #expect(try await server.get(path).body == png)
            #expect(try await server.get(path, token: try await server.issue(["read"], device: "bob")).status == 404)
            #expect(try await server.get(path, token: try await server.issue(["ingest"])).status == 403)
            #expect(try await server.send(.DELETE, path).status == 204)
            #expect(try await server.get(path).status == 404)
            let left = try await server.store.profiles()
            #expect(left == [DeviceProfile(deviceID: DeviceID("jane/phone"), name: "Jane")])
            _ = try await server.send(.DELETE, "/v1/devices/jane%2Fphone?erase=true")
            let erased = try await server.store.profiles()
            #expect(erased.isEmpty)
        }
    }
}
