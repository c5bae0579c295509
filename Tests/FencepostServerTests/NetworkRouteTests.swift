import FencepostJSON
import FencepostService
import FencepostStore
import NIOHTTP1
import Synchronization
import Testing

@Suite("Private networks over HTTP") struct NetworkRouteTests {
    @Test("are named to administrators, allowed, listed and revoked") func allow() async throws {
        try await TestServer.run { server in
            let body = #"{"url":"http://homeassistant.local:8123/hook"}"#
            let refused = try await server.post("/v1/endpoints", body)
            #expect(refused.status == 422 && refused.code == "network_not_allowed")
            let fault = try #require(try refused.json["errors"]?[0])
            #expect(fault["network"]?.string == "192.168.1.0/24" && fault["pointer"]?.string == "/url")
            #expect(try refused.json["detail"]?.string == "It is 192.168.1.20.")

            let writer = try await server.issue(["write"])
            let hidden = try await server.post("/v1/endpoints", body, token: writer)
            #expect(hidden.status == 422 && hidden.code == "network_not_allowed" && !hidden.text.contains("192.168"))

            let made = try await server.post("/v1/networks", #"{"network":"192.168.1.0/24"}"#)
            #expect(made.status == 201)
            let id = try #require(try made.json["id"]?.string)
            #expect(made["Location"] == "/v1/networks/\(id)")
            #expect(server.sender.networks.withLock { $0 } == ["192.168.1.0/24"])
            let again = try await server.post("/v1/networks", #"{"network":"192.168.1.0/24"}"#)
            #expect(again.status == 409 && again.code == "network_exists")
            #expect(try await server.get("/v1/networks").json["data"]?.count == 1)
            #expect(try await server.post("/v1/endpoints", body, token: writer).status == 201)

            #expect(try await server.send(.DELETE, "/v1/networks/\(id)").status == 204)
            #expect(server.sender.networks.withLock { $0 }.isEmpty)
            #expect(try await server.send(.DELETE, "/v1/networks/\(id)").status == 404)
            #expect(try await server.post("/v1/endpoints", body).status == 422)
        }
    }

    @Test("are refused with the reason when they are not private") func refused() async throws {
        try await TestServer.run { server in
            for body in [#"{"network":"8.8.8.0/24"}"#, #"{}"#, #"{"network":7}"#] {
                let refused = try await server.post("/v1/networks", body)
                #expect(refused.status == 422 && refused.code == "invalid_network")
                #expect(try refused.json["errors"]?[0]?["pointer"]?.string == "/network")
            }
            #expect(try await server.store.allowedNetworks().isEmpty)
        }
    }

    @Test("are checked when the URL changes, and not when another member does") func changes() async throws {
        try await TestServer.run { server in
            let made = try await server.post("/v1/endpoints", #"{"url":"https://example.org/a"}"#)
            let id = try #require(try made.json["id"]?.string)
            func patch(_ body: String) async throws -> Int {
                try await server.send(.PATCH, "/v1/endpoints/\(id)", body: Array(body.utf8), type: "application/json")
                    .status
            }
            #expect(try await patch(#"{"url":"http://home.local/a"}"#) == 422)
            let network = try await server.post("/v1/networks", #"{"network":"192.168.1.0/24"}"#)
            #expect(try await patch(#"{"url":"http://home.local/a"}"#) == 200)
            let networkID = try #require(try network.json["id"]?.string)
            #expect(try await server.send(.DELETE, "/v1/networks/\(networkID)").status == 204)
            #expect(try await patch(#"{"description":"Home"}"#) == 200)
        }
    }
}
