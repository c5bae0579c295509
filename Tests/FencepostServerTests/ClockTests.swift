import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import NIOHTTP1
import Testing

@Suite("The service's clock, over HTTP") struct ClockTests {
    private static let day = Duration.seconds(86_400)

    @Test(
        "that is not set makes ingest answer 503 until it is, and nothing is lost",
        .enabled(if: !TestServer.isClustered))
    func notSet() async throws {
        let present = TestServer.now + Self.day * 400
        try await TestServer.run(notBefore: present - Self.day) { server in
            let body = "{\"deviceId\":\"d\",\"timestamp\":\"\(present.rfc3339)\",\"latitude\":1,\"longitude\":2}"
            for path in ["/v1/locations"] {
                let refused = try await server.post(path, "{\"locations\":[\(body)]}")
                #expect(refused.status == 503 && refused["Retry-After"] != nil)
            }
            #expect(try await server.get("/ingest/osmand?id=d&lat=1&lon=2").status == 503)
            let ready = try await server.get("/readyz", token: .some(nil))
            #expect(ready.status == 503)
            #expect(try ready.json["checks"]?["clock"]?["detail"]?.string?.contains("not set") == true)
            #expect(try await server.get("/v1/quarantine").json["data"]?.array?.count == 0)

            server.time.jump(by: Self.day * 400)
            let accepted = try await server.post("/v1/locations", "{\"locations\":[\(body)]}")
            #expect(try accepted.status == 200 && accepted.json["accepted"]?.int == 1)
            #expect(try await server.get("/readyz", token: .some(nil)).status == 200)
        }
    }

    @Test("that is behind keeps refused locations, which are released when it is right")
    func release() async throws {
        try await TestServer.run { server in
            let future = TestServer.now + Self.day * 3
            let old = Timestamp(seconds: 0)
            let bodies = [future, old].map {
                "{\"deviceId\":\"d\",\"timestamp\":\"\($0.rfc3339)\",\"latitude\":1,\"longitude\":2}"
            }
            let reply = try await server.post("/v1/locations", "{\"locations\":[\(bodies.joined(separator: ","))]}")
            #expect(try reply.status == 422 && reply.json["rejected"]?.array?.count == 2)
            let listed = try await server.get("/v1/quarantine").json["data"]?.array
            #expect(listed?.map { $0["location"]?["latitude"]?.double }.first == 1)
            #expect(try await server.send(.POST, "/v1/quarantine/release").text == "{\"released\":0,\"kept\":2}")
            // Set forward: the service's own time follows slowly, but the locations are of the present.
            server.time.jump(by: Self.day * 3)
            #expect(try await server.send(.POST, "/v1/quarantine/release").text == "{\"released\":1,\"kept\":1}")
            let found = try await server.get("/v1/locations?deviceId=d").json["data"]?.array
            #expect(found?.count == 1 && found?.map({ $0["timestamp"]?.string }) == [future.rfc3339])
            #expect(try await server.get("/v1/quarantine").json["data"]?.array?.count == 1)
        }
    }

    @Test("that was set does not refuse locations of the present")
    func jump() async throws {
        try await TestServer.run { server in
            server.time.jump(by: Self.day * 30)
            let present = TestServer.now + Self.day * 30
            let reply = try await server.post(
                "/v1/locations",
                "{\"locations\":[{\"deviceId\":\"d\",\"timestamp\":\"\(present.rfc3339)\",\"latitude\":1,\"longitude\":2}]}"
            )
            #expect(try reply.json["accepted"]?.int == 1)
        }
    }

    @Test(
        "is reported with the broker without making the service unready", .enabled(if: !TestServer.isClustered))
    func optionalChecks() async throws {
        try await TestServer.run({
            $0.checks = { [HealthCheck("mqtt", problem: "away", isRequired: false)] }
        }) { server in
            let ready = try await server.get("/readyz", token: .some(nil))
            #expect(try ready.status == 200 && ready.json["checks"]?["mqtt"]?["status"]?.string == "failing")
        }
    }
}
