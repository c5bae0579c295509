import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostStore
import NIOHTTP1
import Testing

@Suite("Proximity over HTTP") struct ProximityRouteTests {
    private static let json = "application/json"

    /// A location so many metres north of a place.
    private static func body(_ device: String, _ time: Timestamp, north: Double) -> String {
        "{\"locations\":[{\"deviceId\":\"\(device)\",\"timestamp\":\"\(time.rfc3339)\","
            + "\"latitude\":\(50 + north / 111_230),\"longitude\":10,\"horizontalAccuracy\":8}]}"
    }

    /// Jane walks to Rex, stays and goes.
    private static func meet(_ server: TestServer) async throws {
        for step in 0..<90 {
            let north = step < 30 ? Double(step) * 14 : step < 60 ? 420 : 420 - Double(step - 60) * 14
            for (device, metres) in [("jane/phone", north), ("rex", 420.0)] {
                let sent = try await server.post("/v1/locations", body(device, server.clock.now(), north: metres))
                #expect(try sent.json["accepted"]?.int == 1)
                server.time.advance(by: .seconds(5))
            }
        }
    }

    private static func events(_ server: TestServer, _ query: String = "") async throws -> [JSONElement] {
        Array(try #require(try await server.get("/v1/events?type=proximity.*\(query)").json["data"]?.array))
    }

    @Test("has rules that are made, read, changed and removed") func rules() async throws {
        try await TestServer.run { server in
            let made = try await server.post(
                "/v1/proximity-rules", #"{"distance":100,"devices":["jane/*"],"others":["rex"]}"#)
            #expect(made.status == 201)
            let id = try #require(try made.json["id"]?.string)
            #expect(id.hasPrefix("prx_") && made["Location"] == "/v1/proximity-rules/\(id)")
            #expect(try made.json["hysteresis"]?.double == 20 && made.json["source"]?.string == "api")
            let path = "/v1/proximity-rules/\(id)"
            #expect(try await server.get(path).text == made.text)
            let patched = try await server.send(
                .PATCH, path,
                body: Array(#"{"dwell":600,"hours":{"timeZone":"UTC","weekly":["Mon-Fri 08:00-18:00"]}}"#.utf8),
                type: Self.json)
            #expect(try patched.status == 200 && patched.json["dwell"]?.int == 600)
            #expect(try patched.json["hours"]?["weekly"]?[0]?.string != nil)
            #expect(try await server.put(path, try await server.get(path).text).status == 200)
            #expect(try await server.get("/v1/proximity-rules").json["data"]?[0]?["id"]?.string == id)
            #expect(try await server.send(.DELETE, path).status == 204)
            #expect(try await server.get(path).status == 404)
        }
    }

    @Test("refuses rules with the member and what to do") func refusals() async throws {
        try await TestServer.run { server in
            for (body, pointer) in [
                ("{}", "/distance"), (#"{"distance":1}"#, "/distance"), (#"{"distance":"far"}"#, "/distance"),
                (#"{"distance":100,"near":true}"#, "/near"), (#"{"distance":100,"hours":"at night"}"#, "/hours"),
                (#"{"distance":100,"devices":["rex"],"others":["jane","rex"]}"#, "/others/1"),
                (#"{"distance":100,"groups":["nobody"]}"#, "/groups/0"), (#"{"distance":100,"dwell":0}"#, "/dwell"),
            ] {
                let refused = try await server.post("/v1/proximity-rules", body)
                #expect(refused.status == 422 || refused.status == 400, "\(body)")
                #expect(try refused.json["errors"]?[0]?["pointer"]?.string == pointer, "\(body) \(refused.text)")
            }
        }
    }

    @Test("reports a meeting once, with why, the other device and the distance") func meeting() async throws {
        try await TestServer.run { server in
            _ = try await server.post(
                "/v1/proximity-rules",
                #"{"id":"dog","distance":100,"devices":["jane/*"],"others":["rex"],"unaccompanied":true,"dwell":60}"#)
            try await Self.meet(server)
            let events = try await Self.events(server, "&explain=true")
            #expect(
                events.map { $0["type"]?.string ?? "" } == [
                    "proximity.entered", "proximity.dwelled", "proximity.exited", "proximity.unaccompanied",
                ])
            let first = try #require(events.first)
            #expect(first["deviceId"]?.string == "jane/phone" && first["proximity"]?["otherDeviceId"]?.string == "rex")
            #expect(first["proximity"]?["rule"]?.string == "dog" && first["proximity"]?["limit"]?.int == 100)
            #expect(first["proximity"]?["distance"]?.double ?? 999 < 100)
            #expect(first["why"]?["rule"]?.string != nil && first["location"] != nil)
            #expect(events[1]["dwell"]?.int == 60)
            let sequences = events.map { $0["sequence"]?.int ?? 0 }
            #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test("withdraws what a late location refutes, and keeps what it confirms") func corrections() async throws {
        try await TestServer.run { server in
            _ = try await server.post("/v1/proximity-rules", #"{"id":"pair","distance":100}"#)
            let start = server.clock.now()
            func send(_ device: String, _ seconds: Int, _ north: Double) async throws {
                _ = try await server.post("/v1/locations", Self.body(device, start + .seconds(seconds), north: north))
            }
            // B was here, and Jane comes: B is held to be here still.
            for second in stride(from: 0, to: 60, by: 20) { try await send("b", second, 300) }
            server.time.advance(by: .seconds(400))
            for second in stride(from: 0, to: 400, by: 10) {
                try await send("a", second, min(Double(second) * 1.5, 300))
            }
            #expect(try await Self.events(server).map { $0["type"]?.string ?? "" } == ["proximity.entered"])
            // What B sends late says that it had left before.
            for second in stride(from: 50, to: 400, by: 10) {
                try await send("b", second, 300 + Double(second - 40) * 6)
            }
            #expect(try await Self.events(server).isEmpty)
            let all = try await server.get("/v1/events?history=all&type=event.retracted").json["data"]
            #expect(all?[0]?["retractedType"]?.string == "proximity.entered")
        }
    }

    @Test("is erased with either device, the events of the other one included") func erasure() async throws {
        try await TestServer.run { server in
            _ = try await server.post(
                "/v1/proximity-rules", #"{"id":"dog","distance":100,"devices":["jane/*"],"others":["rex"]}"#)
            try await Self.meet(server)
            #expect(try await Self.events(server).count == 2)
            #expect(try await server.send(.DELETE, "/v1/devices/rex?erase=true").status == 204)
            #expect(try await Self.events(server).isEmpty)
        }
    }
}
