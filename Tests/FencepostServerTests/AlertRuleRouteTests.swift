import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostService
import FencepostServiceTesting
import FencepostStore
import NIOHTTP1
import Testing

@Suite("Alert rules over HTTP") struct AlertRuleRouteTests {
    private static let json = "application/json"

    private static func submit(_ server: TestServer, _ device: String, speed: Double) async throws {
        let time = server.clock.now().rfc3339
        let body =
            "{\"locations\":[{\"deviceId\":\"\(device)\",\"timestamp\":\"\(time)\",\"latitude\":50,\"longitude\":10,"
            + "\"horizontalAccuracy\":5,\"speed\":\(speed)}]}"
        #expect(try await server.post("/v1/locations", body).json["accepted"]?.int == 1)
        server.time.advance(by: .seconds(5))
    }

    private static func alerts(_ server: TestServer) async throws -> [String] {
        try #require(try await server.get("/v1/events?type=alert.*").json["data"]?.array).map {
            [$0["deviceId"]?.string, $0["alert"]?["rule"]?.string, $0["alert"]?["state"]?.string].compactMap(\.self)
                .joined(separator: " ")
        }
    }

    @Test("are made, read, replaced, changed and removed, each with its tag, and apply at once") func lifecycle()
        async throws
    {
        try await TestServer.run { server in
            let made = try await server.post("/v1/alert-rules", #"{"type":"speed","above":"90 km/h","for":0}"#)
            #expect(made.status == 201)
            let id = try #require(try made.json["id"]?.string)
            #expect(id.hasPrefix("alr_") && made["Location"] == "/v1/alert-rules/\(id)")
            #expect(try made.json["source"]?.string == "api" && made.json["above"]?.string == "90 km/h")
            try await Self.submit(server, "van", speed: 30)
            #expect(try await Self.alerts(server) == ["van \(id) started"])
            let status = try await server.get("/v1/devices/van").json["alerts"]?[0]
            #expect(status?["rule"]?.string == id && status?["since"]?.string != nil)

            let path = "/v1/alert-rules/\(id)"
            let read = try await server.get(path)
            let tag = try #require(read["ETag"])
            #expect(read.text == made.text && made["ETag"] == tag)
            #expect(
                try await server.send(
                    .PATCH, path, body: Array(#"{"above":200}"#.utf8), type: Self.json, headers: [("If-Match", "\"x\"")]
                ).status == 412)
            let patched = try await server.send(
                .PATCH, path, body: Array(#"{"above":200}"#.utf8), type: Self.json, headers: [("If-Match", tag)])
            #expect(try patched.status == 200 && patched.json["above"]?.string == "200 km/h")
            #expect(try patched.json["for"]?.double == 0, "what is not named stays")
            try await Self.submit(server, "van", speed: 30)
            #expect(try await Self.alerts(server).last == "van \(id) ended")

            // What was read can be sent back.
            #expect(try await server.put(path, try await server.get(path).text).status == 200)
            #expect(try await server.get(path).text == patched.text)
            let named = try await server.put("/v1/alert-rules/a%2Fb", #"{"type":"battery"}"#)
            #expect(named.status == 201 && named["Location"] == "/v1/alert-rules/a%2Fb")
            let listed = try await server.get("/v1/alert-rules?limit=1")
            #expect(try listed.json["data"]?[0]?["id"]?.string == "a/b")
            let cursor = try #require(try listed.json["nextCursor"]?.string)
            let rest = try await server.get("/v1/alert-rules?limit=1&cursor=\(cursor)").json
            #expect(rest["data"]?[0]?["id"]?.string == id && rest["nextCursor"]?.isNull == true)

            #expect(try await server.send(.DELETE, path, headers: [("If-Match", tag)]).status == 412)
            #expect(try await server.send(.DELETE, path).status == 204)
            #expect(try await server.send(.DELETE, path).status == 404)
            #expect(try await server.get(path).status == 404)
        }
    }

    @Test("name groups, whose devices are watched as soon as the group has them") func groups() async throws {
        try await TestServer.run { server in
            let rule = #"{"id":"fast","type":"speed","above":50,"for":0,"groups":["vans"]}"#
            let unknown = try await server.post("/v1/alert-rules", rule)
            #expect(unknown.status == 422)
            #expect(try unknown.json["errors"]?[0]?["pointer"]?.string == "/groups/0")
            #expect(try await server.put("/v1/groups/vans", #"{"devices":["a"]}"#).status == 200)
            #expect(try await server.post("/v1/alert-rules", rule).status == 201)
            for device in ["a", "b"] { try await Self.submit(server, device, speed: 30) }
            #expect(try await Self.alerts(server) == ["a fast started"])
            #expect(try await server.put("/v1/groups/vans", #"{"devices":["b"]}"#).status == 200)
            #expect(try await server.get("/v1/devices/a").json["alerts"] == nil)
            for device in ["a", "b"] { try await Self.submit(server, device, speed: 30) }
            #expect(try await Self.alerts(server) == ["a fast started", "b fast started"])
            #expect(try await server.send(.DELETE, "/v1/groups/vans").status == 204)
            #expect(try await server.get("/v1/devices/b").json["alerts"] == nil)
            // The group that the rule names already is not asked for again.
            let patch = Array(#"{"above":60}"#.utf8)
            #expect(try await server.send(.PATCH, "/v1/alert-rules/fast", body: patch, type: Self.json).status == 200)
        }
    }

    @Test(
        "that are wrong are refused with the place and the cure",
        arguments: [
            (#"{"type":"fast"}"#, "/type", "\"silent\""), (#"{"type":"speed"}"#, "/above", "120 km/h"),
            (#"{"type":"speed","above":"quick"}"#, "/above", "km/h"),
            (#"{"type":"speed","above":50,"tolerance":"x"}"#, "/tolerance", "3 km/h"),
            (#"{"type":"battery","below":3}"#, "/below", "from 0 to 1"),
            (#"{"type":"battery","for":-1}"#, "/for", "seconds"),
            (#"{"type":"battery","limit":3}"#, "/limit", "has no \"limit\""),
            (#"{"type":"battery","devices":["a",3]}"#, "/devices/1", "pattern"),
            (#"{"type":"battery","groups":[""]}"#, "/groups/0", "group"),
            (#"{"type":"battery","region":"nowhere"}"#, "/region", "There is no region \"nowhere\""),
            (#"{"type":"jump","region":"depot"}"#, "/region", "from one place to another"),
            (#"{"type":"silent","region":"depot"}"#, "/region", "nobody knows"),
            (#"{"type":"absent","region":"depot","by":"8:15","timeZone":"GMT"}"#, "/by", "23:59"),
            (#"{"type":"absent","region":"depot","by":"08:15","timeZone":"Moon"}"#, "/timeZone", "Europe/Berlin"),
            (#"{"type":"absent","region":"depot","by":"08:15","timeZone":"GMT","days":"x"}"#, "/days", "Mon-Fri"),
            (#"{"id":"speedLimit","type":"battery"}"#, "/id", "speedLimit"),
        ])
    func refused(body: String, pointer: String, part: String) async throws {
        try await TestServer.run { server in
            let depot = Region(
                id: RegionID("depot"),
                shape: .circle(Circle(center: Coordinate(latitude: 50, longitude: 10), radius: 100)))
            _ = try await server.worker.editRegions { _ in RegionEdit(changed: [depot]) }
            let reply = try await server.post("/v1/alert-rules", body)
            #expect(reply.status == 422)
            let fault = try #require(try reply.json["errors"]?[0])
            #expect(fault["pointer"]?.string == pointer)
            #expect(fault["detail"]?.string?.contains(part) == true, "\(reply.text)")
            #expect(try await server.store.rules(AlertRule.self).isEmpty)
        }
    }

    @Test("are at most 100, and their ids do not clash") func limit() async throws {
        try await TestServer.run { server in
            for number in 0..<100 {
                let made = try await server.put("/v1/alert-rules/r\(number)", #"{"type":"battery"}"#)
                #expect(made.status == 201)
            }
            let full = try await server.post("/v1/alert-rules", #"{"type":"battery"}"#)
            #expect(full.status == 422 && full.code == "too_many_alert_rules")
            #expect(try await server.put("/v1/alert-rules/one", #"{"type":"battery"}"#).status == 422)
            #expect(try await server.put("/v1/alert-rules/r7", #"{"type":"jump"}"#).status == 200)
            let clash = try await server.post("/v1/alert-rules", #"{"id":"r7","type":"battery"}"#)
            #expect(clash.status == 409 && clash.code == "alert_rule_exists")
            let other = try await server.put("/v1/alert-rules/r7", #"{"id":"r8","type":"battery"}"#)
            #expect(other.status == 422 && other.code == "id_mismatch")
        }
    }

    @Test("need rights for all devices, and write to be changed") func access() async throws {
        try await TestServer.run { server in
            let (reader, writer) = (try await server.issue(["read"]), try await server.issue(["write"]))
            let body = #"{"id":"low","type":"battery"}"#
            #expect(try await server.post("/v1/alert-rules", body, token: reader).status == 403)
            #expect(try await server.post("/v1/alert-rules", body, token: writer).status == 201)
            #expect(try await server.get("/v1/alert-rules", token: reader).json["data"]?.count == 1)
        }
    }
}
