import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import NIOHTTP1
import Testing

@Suite("Fences over HTTP") struct FenceRouteTests {
    private static let json = "application/json"
    private static let path = "/v1/devices/van/fence"

    /// A location so many millionths of a degree north of the place.
    private static func submit(
        _ server: TestServer, _ device: String = "van", north: Int = 0, accuracy: Int = 8, after seconds: Int = 60
    ) async throws {
        server.time.advance(by: .seconds(seconds))
        let body =
            "{\"locations\":[{\"deviceId\":\"\(device)\",\"timestamp\":\"\(server.clock.now().rfc3339)\","
            + "\"latitude\":\(50 + Double(north) / 1e6),\"longitude\":10,\"horizontalAccuracy\":\(accuracy)}]}"
        #expect(try await server.post("/v1/locations", body).json["accepted"]?.int == 1)
    }

    private static func park(_ server: TestServer) async throws {
        for index in 0..<20 { try await submit(server, north: index % 3 * 10) }
    }

    private static func types(_ server: TestServer) async throws -> [String] {
        try #require(try await server.get("/v1/events?deviceId=van&type=fence.*").json["data"]?.array).map { event in
            [event["type"]?.string, event["reason"]?.string].compactMap(\.self).joined(separator: " ")
        }
    }

    private static func code(_ server: TestServer, _ body: String) async throws -> String {
        let response = try await server.put(path, body)
        return "\(response.status) \(try response.json["code"]?.string ?? "")"
    }

    @Test("are armed where the device stands, shown, broken once, and disarmed") func lifecycle() async throws {
        try await TestServer.run { server in
            #expect(try await server.get(Self.path).status == 404)
            try await Self.park(server)
            let armed = try await server.put(Self.path, #"{"radius":60}"#)
            #expect(armed.status == 200)
            #expect(try armed.json["state"]?.string == "armed" && armed.json["armedBy"]?.string == "caller")
            #expect(try abs((armed.json["latitude"]?.double ?? 0) - 50.00001) < 0.00002)
            #expect(try await server.get(Self.path).text == armed.text)
            #expect(try await server.get("/v1/devices/van").json["fence"]?["radius"]?.int == 60)
            try await Self.submit(server)
            try await Self.submit(server, north: 5000)
            #expect(try await Self.types(server) == ["fence.armed"])
            try await Self.submit(server, north: 9000)
            try await Self.submit(server, north: 15_000)
            #expect(try await Self.types(server) == ["fence.armed", "fence.broken"])
            let alarm = try #require(try await server.get("/v1/events?type=fence.broken").json["data"]?[0])
            #expect(alarm["fence"]?["distance"]?.int == 1000 && alarm["location"]?["latitude"]?.double == 50.009)
            #expect(alarm["confidence"]?.double ?? 0 > 0.99)
            #expect(try await server.get(Self.path).json["state"]?.string == "broken")
            #expect(try await server.send(.DELETE, Self.path).status == 204)
            #expect(try await Self.types(server).last == "fence.disarmed caller")
            #expect(try await server.get(Self.path).status == 404)
            #expect(try await server.send(.DELETE, Self.path).status == 404)
        }
    }

    @Test("are refused with the reason and what to do") func refusals() async throws {
        try await TestServer.run { server in
            #expect(try await Self.code(server, "{}") == "404 not_found")
            try await Self.park(server)
            for (body, pointer) in [
                (#"{"radius":5}"#, "/radius"), (#"{"radius":"far"}"#, "/radius"), (#"{"owner":""}"#, "/owner"),
                (#"{"owner":"van"}"#, "/owner"), (#"{"owner":"nobody"}"#, "/owner"),
                (#"{"until":"2020-01-01T00:00:00Z"}"#, "/until"), (#"{"until":"soon"}"#, "/until"),
                (#"{"schedule":"at night"}"#, "/schedule"), (#"{"schedule":{"days":"Mon"}}"#, "/schedule"),
                (#"{"schedule":{"weekly":["22:00-06:00"],"zone":"UTC"}}"#, "/schedule"), (#"{"now":false}"#, "/now"),
                (#"{"now":1}"#, "/now"),
                (#"{"schedule":"22:00-06:00","until":"2099-01-01T00:00:00Z"}"#, "/until"),
                (#"{"radios":50}"#, "/radios"),
            ] {
                let response = try await server.put(Self.path, body)
                #expect(response.status == 422, "\(body)")
                #expect(try response.json["errors"]?[0]?["pointer"]?.string == pointer, "\(body)")
            }
            for north in stride(from: 0, through: 40_000, by: 8000) { try await Self.submit(server, north: north) }
            #expect(try await Self.code(server, "{}") == "409 fence_moving")
            for index in 0..<4 { try await Self.submit(server, "tower", north: index, accuracy: 900) }
            let coarse = try await server.put("/v1/devices/tower/fence", "{}")
            #expect(try coarse.status == 409 && coarse.json["code"]?.string == "fence_inaccurate")
            server.time.advance(by: .seconds(90_000))
            #expect(try await Self.code(server, "{}") == "409 fence_stale")
            #expect(try await Self.types(server) == [])
        }
    }

    @Test("are armed by a schedule in its zone, which stays when it is asked to") func schedule() async throws {
        try await TestServer.run { server in
            try await Self.park(server)
            // An hour from now, for an hour.
            let now = server.clock.now().milliseconds / 60_000 % 1440
            func clock(_ minutes: Int64) -> String {
                let minute = (now + minutes) % 1440
                return "\(minute / 60 < 10 ? "0" : "")\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)"
            }
            let body =
                #"{"radius":80,"schedule":{"timeZone":"UTC","from":"\#(clock(60))","to":"\#(clock(120))"}}"#
            let set = try await server.put(Self.path, body)
            #expect(set.status == 200)
            #expect(try set.json["state"]?.string == "scheduled")
            #expect(try set.json["schedule"]?["weekly"]?[0]?.string == "\(clock(60))-\(clock(120))")
            for _ in 0..<62 { try await Self.submit(server) }
            #expect(try await server.get(Self.path).json["armedBy"]?.string == "schedule")
            #expect(try await server.send(.DELETE, Self.path + "?keepSchedule=true").status == 204)
            #expect(try await server.get(Self.path).json["state"]?.string == "scheduled")
            for _ in 0..<70 { try await Self.submit(server) }
            #expect(try await Self.types(server) == ["fence.armed", "fence.disarmed caller"])
            let now2 = try await server.put(Self.path, body.replacing("{\"radius\"", with: "{\"now\":true,\"radius\""))
            #expect(try now2.json["state"]?.string == "armed" && now2.json["schedule"] != nil)
            #expect(try await server.send(.DELETE, Self.path).status == 204)
            #expect(try await server.get(Self.path).status == 404)
        }
    }

    @Test("are disarmed by the device of the owner, when it comes from elsewhere") func owner() async throws {
        try await TestServer.run { server in
            try await Self.park(server)
            try await Self.submit(server, "phone")
            #expect(try await server.put(Self.path, #"{"owner":"phone"}"#).status == 200)
            // Next to it when it was armed.
            try await Self.submit(server, "phone")
            #expect(try await Self.types(server) == ["fence.armed"])
            try await Self.submit(server, "phone", north: 4000)
            // Inaccurate, so it may be anywhere.
            try await Self.submit(server, "phone", north: 100, accuracy: 200)
            #expect(try await Self.types(server) == ["fence.armed"])
            try await Self.submit(server, "phone", north: 100, accuracy: 20)
            #expect(try await Self.types(server) == ["fence.armed", "fence.disarmed owner"])
            try await Self.submit(server, north: 5000)
            try await Self.submit(server, north: 9000)
            #expect(try await Self.types(server).count == 2)
            // The phone that was away before it was armed, and has sent nothing since.
            try await Self.submit(server, "phone", north: 30_000)
            for _ in 0..<20 { try await Self.submit(server, north: 9000) }
            #expect(try await server.put(Self.path, #"{"owner":"phone"}"#).status == 200)
            try await Self.submit(server, "phone", north: 9000)
            #expect(try await Self.types(server).last == "fence.disarmed owner")
        }
    }

    @Test("refuse a device of an owner that another partition of the cluster has") func partitions() async throws {
        let partitions = Partitioning(count: 4)
        let own = partitions.part(of: DeviceID("van"))
        let phones = (0..<99).map { "phone\($0)" }
        let near = try #require(phones.first { partitions.part(of: DeviceID($0)) == own })
        let far = try #require(phones.first { partitions.part(of: DeviceID($0)) != own })
        try await TestServer.run({ $0.partition = (partitions, own) }) { server in
            try await Self.park(server)
            try await Self.submit(server, near)
            let refused = try await server.put(Self.path, "{\"owner\":\"\(far)\"}")
            #expect(refused.status == 422)
            #expect(try refused.json["code"]?.string == "owner_in_other_partition")
            #expect(try refused.json["errors"]?[0]?["pointer"]?.string == "/owner")
            #expect(try await Self.types(server) == [])
            #expect(try await server.put(Self.path, "{\"owner\":\"\(near)\"}").status == 200)
        }
    }
}
