import FencepostJSON
import FencepostModel
import NIOHTTP1
import Testing

@Suite("Parameters and values at their ends over HTTP") struct ValueEndTests {
    @Test("are refused as times by every route") func times() async throws {
        try await TestServer.run { server in
            try await server.walkIn("jane")
            let app = #"{"id":"jane","given":{"grant":"always"},"devices":["*"],"services":[{"service":"visits"}]}"#
            #expect(try await server.post("/v1/apps", app).status < 300)
            let stop = #"{"region":"office","from":"09:00","to":"09:30"}"#
            let plan = "{\"timeZone\":\"UTC\",\"devices\":[\"jane\"],\"places\":[\(stop)]}"
            let planID = try #require(try await server.post("/v1/plans", plan).json["id"]?.string)
            let paths = try #require(try await server.get("/openapi.json").json["paths"]?.object)
            var asked = 0
            for path in paths {
                for parameter in path.value["get"]?["parameters"]?.array.map(Array.init) ?? [] {
                    guard let name = parameter["name"]?.string, ["from", "to"].contains(name) else { continue }
                    for value in [
                        "-9223372036854775808", "9223372036854775807", "253402300800", "-62135596801", "1e18", "NaN",
                    ] {
                        let id = path.name.hasPrefix("/v1/plans/") ? planID : "jane"
                        let path = path.name.replacing("{id}", with: id)
                        let reply = try await server.get("\(path)?deviceId=jane&\(name)=\(value)")
                        #expect(reply.status == 400, "\(path) \(name)=\(value): \(reply.status) \(reply.text)")
                        asked += 1
                    }
                }
            }
            #expect(asked >= 60)
        }
    }

    @Test("begin a stream after any event") func streams() async throws {
        try await TestServer.run { server in
            for id in ["9223372036854775807", "9223372036854775806"] {
                try await RawConnection.open(server.port) { inbound, outbound in
                    try await outbound.write(
                        "GET /v1/stream HTTP/1.1\r\nHost: a\r\nLast-Event-ID: \(id)\r\n"
                            + "Authorization: Bearer \(server.token)\r\n\r\n")
                    #expect(try await inbound.read(until: "event: gap").contains("event: gap"))
                }
            }
            #expect(try await server.get("/v1/stream?lastEventId=9223372036854775808").status == 400)
        }
    }

    @Test("are dropped and named in the answer, and nothing that reads them fails") func values() async throws {
        try await TestServer.run { server in
            let fix = TestServer.location("jane", 0, 50, 10, extra: #","altitude":-9223372036854775808,"speed":1e300"#)
            let reply = try await server.post("/v1/locations", "[\(fix)]")
            #expect(reply.text == #"{"accepted":1,"duplicates":0,"rejected":[],"dropped":{"altitude":1,"speed":1}}"#)
            #expect(try await server.get("/v1/devices").status == 200)
            #expect(try await server.get("/v1/locations?deviceId=jane").json["data"]?.count == 1)
            #expect(reply.headers.first(name: "Fencepost-Dropped") == "altitude=1, speed=1")
            let file = "device,timestamp,lat,lon,accuracy\na,2026-03-01T08:30:00Z,48.8,2.2,1e155\n"
            let report = try await server.post("/v1/imports?file=a.csv", file, type: "text/csv")
            #expect(try report.json["dropped"]?["horizontalAccuracy"]?.int == 1, "\(report.text)")
        }
    }

    @Test("are named in a header of the answers to phone apps, whose bodies do not change") func phoneApps()
        async throws
    {
        try await TestServer.run { server in
            let feature =
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,48]},"properties":"#
                + #"{"device_id":"a","timestamp":"2026-03-01T08:30:00Z","altitude":1e19,"speed":1e300}}"#
            let parameters = "id=a&lat=48&lon=2&altitude=1e19&speed=1e300&alt=1e19&spd=1e300&time=2026-03-01T08:30:00Z"
            let answers = [
                try await server.post(
                    "/pub?u=a&d=b", #"{"_type":"location","lat":48,"lon":2,"tst":1772353800,"alt":1e19,"vel":1e300}"#),
                try await server.post("/ingest/overland", "{\"locations\":[\(feature)]}"),
                try await server.get("/ingest/osmand?timestamp=1772353800&\(parameters)"),
                try await server.get("/ingest/gpslogger?\(parameters)"),
            ]
            #expect(answers.map(\.text) == ["[]", #"{"result":"ok"}"#, "", ""])
            for answer in answers {
                #expect(answer.status == 200)
                #expect(answer.headers.first(name: "Fencepost-Dropped") == "altitude=1, speed=1")
            }
            let usual = try await server.get("/ingest/osmand?id=a&lat=48&lon=2&timestamp=1772353900")
            #expect(usual.headers.first(name: "Fencepost-Dropped") == nil)
        }
    }

    @Test("are named in an import that takes long") func imports() async throws {
        try await TestServer.run { server in
            let lines = (0..<51_000).map { "a,\(1_772_000_000 + $0),48.8,2.2,\($0 % 50 == 0 ? "1e155" : "5")\n" }
            let file = "device,timestamp,lat,lon,accuracy\n" + lines.joined()
            let answer = try await server.post("/v1/imports?file=a.csv", file, type: "text/csv")
            #expect(answer.status == 202)
            #expect(try answer.json["dropped"]?["horizontalAccuracy"]?.int == 1020, "\(answer.text)")
            let path = try #require(answer.headers.first(name: "Location"))
            let job = try await server.get(path).json
            #expect(job["dropped"]?["horizontalAccuracy"]?.int == 1020)
        }
    }
}
