import FencepostJSON
import FencepostModel
import FencepostService
import FencepostStore
import NIOHTTP1
import Testing

@Suite("Names and colours of devices over HTTP") struct ProfileRouteTests {
    @Test("are given, listed, changed and taken away") func give() async throws {
        try await TestServer.run { server in
            let path = "/v1/devices/jane%2Fphone/profile"
            let given = try await server.put(path, ##"{"name":"Jane","color":"#B5179E"}"##)
            #expect(given.status == 200)
            #expect(given.text == ##"{"id":"jane/phone","name":"Jane","color":"#b5179e"}"##)
            #expect(try await server.put("/v1/devices/van/profile", #"{"name":"Van"}"#).status == 200)
            #expect(try await server.get("/v1/profiles").json["data"]?.count == 2)
            #expect(try await server.put(path, #"{"color":null,"name":""}"#).status == 200)
            let stored = try await server.store.profiles()
            #expect(stored == [DeviceProfile(deviceID: DeviceID("van"), name: "Van")])
        }
    }

    @Test("are refused with the reason") func refused() async throws {
        try await TestServer.run { server in
            for (body, pointer) in [
                (#"{"name":7}"#, "/name"), (#"{"name":"a\nb"}"#, "/name"), (#"{"name":"a\u0007"}"#, "/name"),
                ("{\"name\":\"\(String(repeating: "é", count: 65))\"}", "/name"), (#"{"color":"red"}"#, "/color"),
                (##"{"color":"#12345g"}"##, "/color"),
            ] {
                let refused = try await server.put("/v1/devices/van/profile", body)
                #expect(refused.status == 422 && refused.code == "invalid_profile", "\(body)")
                #expect(try refused.json["errors"]?[0]?["pointer"]?.string == pointer)
            }
            let stored = try await server.store.profiles()
            #expect(stored.isEmpty)
        }
    }

    @Test("are those of devices that the caller may see") func visibility() async throws {
        try await TestServer.run { server in
            for device in ["jane%2Fphone", "van"] {
                #expect(try await server.put("/v1/devices/\(device)/profile", #"{"name":"A"}"#).status == 200)
            }
            let bound = try await server.issue(["read", "write"], device: "jane/phone")
            let seen = try await server.get("/v1/profiles", token: bound).json["data"]
            #expect(seen?.count == 1 && seen?[0]?["id"]?.string == "jane/phone")
            let body = Array(#"{"name":"B"}"#.utf8)
            let other = try await server.send(
                .PUT, "/v1/devices/van/profile", body: body, type: "application/json", token: bound)
            #expect(other.status == 404 || other.status == 403)
            let own = try await server.send(
                .PUT, "/v1/devices/jane%2Fphone/profile", body: body, type: "application/json", token: bound)
            #expect(own.status == 200)
            let names = try await server.store.profiles().map(\.name)
            #expect(names == ["B", "A"])
        }
    }

    @Test("are erased with the device") func erase() async throws {
        try await TestServer.run { server in
            #expect(try await server.put("/v1/devices/van/profile", #"{"name":"Van"}"#).status == 200)
            _ = try await server.send(.DELETE, "/v1/devices/van?erase=true")
            let stored = try await server.store.profiles()
            #expect(stored.isEmpty)
        }
    }
}
