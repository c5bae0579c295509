import FencepostJSON
import FencepostServer
import NIOHTTP1
import Testing

@Suite("A request that cannot mean what it says") struct StrictnessTests {
    @Test(
        "is refused when a parameter is empty",
        arguments: ["/v1/events?cursor=", "/v1/events?limit=", "/v1/events?from=", "/v1/locations?deviceId=a&to="])
    func emptyParameters(path: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.get(path)
            #expect(reply.status == 400, "\(path)")
        }
    }

    @Test(
        "is refused when a member of an app has another type",
        arguments: [
            #"{"id":7,"services":[{"service":"visits"}]}"#, #"{"id":"a","name":7,"services":[{"service":"visits"}]}"#,
            #"{"id":"a","devices":7,"services":[{"service":"visits"}]}"#,
            #"{"id":"a","devices":{"x":1},"services":[{"service":"visits"}]}"#,
            #"{"id":"a","given":7,"services":[{"service":"visits"}]}"#, #"{"id":"a","services":"visits"}"#,
            #"{"id":"a","devices":null,"services":[{"service":"visits"}]}"#,
            #"{"id":"a","name":null,"services":[{"service":"visits"}]}"#,
            #"{"id":"a","given":{"managers":"2"},"services":[{"service":"visits"}]}"#,
            #"{"id":"a","given":{"appClip":"no"},"services":[{"service":"visits"}]}"#,
            #"{"id":"a","services":[{"service":"visits","notifyOnEntry":"no"}]}"#,
            #"{"id":"a","services":[{"service":"visits","identifier":3}]}"#,
            #"{"id":"a","given":{"grant":3},"services":[{"service":"visits"}]}"#,
            #"{"id":"a","given":{"osVersion":[]},"services":[{"service":"visits"}]}"#,
            #"{"id":"a","given":{"infoPlist":[1]},"services":[{"service":"visits"}]}"#,
            #"{"id":"a","given":{"extensions":"x"},"services":[{"service":"visits"}]}"#,
            #"{"id":"a","given":{"sessions":[7]},"services":[{"service":"visits"}]}"#,
            #"{"id":"a","given":{"locationNotifications":true},"services":[{"service":"visits"}]}"#,
            #"{"id":"a","given":{"maximumRegionMonitoringDistance":"x"},"services":[{"service":"visits"}]}"#,
            #"{"id":"a","services":[{"service":"regionCircular","center":"x","radius":5}]}"#,
            #"{"id":"a","services":[{"service":"regionCircular","radius":"x"}]}"#,
            #"{"id":"a","services":[{"service":"visits","stopped":1}]}"#,
            #"{"id":"a","services":[{"service":"visits","distanceFilter":"a"}]}"#,
            #"{"id":"a","services":[{"service":7}]}"#, #"{"id":"a","services":[7]}"#,
            #"{"id":["a"],"services":[{"service":"visits"}]}"#,
        ])
    func appTypes(app: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.post("/v1/apps", app)
            #expect(reply.status == 422, "\(app)")
        }
    }

    @Test("is refused in the location that names a member twice, and only there")
    func duplicates() async throws {
        try await TestServer.run { server in
            let twice = #"{"deviceId":"a","timestamp":"2026-03-01T08:00:00Z","latitude":1,"latitude":2,"longitude":3}"#
            let null =
                #"{"deviceId":"a","timestamp":"2026-03-01T08:00:00Z","latitude":null,"latitude":2,"longitude":3}"#
            let good = TestServer.location("a", 1, 1, 2)
            for (body, type) in [
                ("{\"locations\":[\(twice),\(good),\(null)]}", "application/json"),
                ("\(twice)\n\(good)\n\(null)\n", "application/x-ndjson"),
            ] {
                let reply = try await server.post("/v1/locations", body, type: type)
                #expect(reply.status == 200)
                let rejected = try reply.json["rejected"]?.array.map(Array.init) ?? []
                #expect(rejected.map { $0["index"]?.int } == [0, 2], "\(type)")
                #expect(rejected.allSatisfy { $0["code"]?.string == "invalid_shape" })
                #expect(rejected.allSatisfy { $0["detail"]?.string?.contains("latitude") == true })
            }
        }
    }

    @Test("loses the text that every event would repeat, and says so")
    func longTexts() async throws {
        try await TestServer.run { server in
            func fix(_ minute: Int, _ length: Int) -> String {
                TestServer.location(
                    "a", minute, 1, 2, extra: ",\"trigger\":\"\(String(repeating: "x", count: length))\"")
            }
            for (index, type) in ["application/json", "application/x-ndjson"].enumerated() {
                let lines = [fix(2 * index + 1, 256), fix(2 * index + 2, 257)]
                let body =
                    type == "application/json"
                    ? "{\"locations\":[\(lines.joined(separator: ","))]}" : lines.joined(separator: "\n")
                let reply = try await server.post("/v1/locations", body, type: type)
                #expect(
                    try reply.json["accepted"]?.int == 2 && reply.json["rejected"]?.array?.isEmpty == true, "\(type)")
                #expect(try reply.json["dropped"]?["trigger"]?.int == 1, "\(type)")
            }
            let name = "a" + String(repeating: "%CC%81", count: 200)
            #expect(try await server.get("/v1/locations?deviceId=\(name)").status == 400)
        }
    }

    @Test("has no part in a GPSLogger request whose token names the device") func gpsLogger() async throws {
        try await TestServer.run { server in
            let jane = try await server.issue(["ingest"], device: "jane/phone")
            let query = try await server.get(
                "/ingest/gpslogger?lat=1&lon=2&timestamp=1772352000&tid=JD&aid=x&token=\(jane)", token: .some(nil))
            #expect(query.status == 200)
            let json = #"{"_type":"location","tid":"JD","lat":1.5,"lon":2,"tst":1772352060}"#
            #expect(try await server.post("/ingest/gpslogger", json, token: jane).status == 200)
            let stored = try await server.get("/v1/locations?deviceId=jane%2Fphone").json["data"]?.array?.count
            #expect(stored == 2)
            // A device that the user wrote into the URL is not the token's.
            let other = try await server.get(
                "/ingest/gpslogger?lat=1&lon=2&timestamp=1772352000&id=bob&token=\(jane)", token: .some(nil))
            #expect(other.status == 403)
        }
    }

    @Test("is refused for one app or endpoint more than an event can be multiplied by") func numbers() async throws {
        try await TestServer.run { server in
            for (path, code, body) in [
                ("/v1/apps", "too_many_apps", { #"{"id":"a\#($0)","services":[{"service":"visits"}]}"# }),
                ("/v1/endpoints", "too_many_endpoints", { #"{"id":"e\#($0)","url":"https://example.org/"}"# }),
            ] as [(String, String, (Int) -> String)] {
                for index in 0..<128 { #expect(try await server.post(path, body(index)).status == 201) }
                let refused = try await server.post(path, body(128))
                #expect(refused.status == 422 && refused.code == code)
                #expect(try await server.put("\(path)/new", body(7).replacing(/"id":"[^"]*",/, with: "")).code == code)
                // Replacing one of them is no addition.
                let name = path == "/v1/apps" ? "a7" : "e7"
                #expect(try await server.put("\(path)/\(name)", body(7)).status == 200)
            }
        }
    }

    @Test("is refused beyond the limits of a region, and the OpenAPI document says them") func limits() async throws {
        try await TestServer.run { server in
            func region(_ properties: String) -> String {
                #"{"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[1,2]},"#
                    + #""properties":{"radius":5,\#(properties)}}"#
            }
            let tags = (0..<65).map { "\"t\($0)\"" }.joined(separator: ",")
            let dwells = (1...33).map(String.init).joined(separator: ",")
            for properties in ["\"tags\":[\(tags)]", "\"dwell\":[\(dwells)]"] {
                let reply = try await server.post("/v1/regions", region(properties))
                #expect(reply.status == 422 && reply.code == "too_many_values")
            }
            let document = try await server.get("/openapi.json").text
            for limit in ["\"maxItems\":64", "\"maxItems\":32", "\"maxLength\":64"] {
                #expect(document.contains(limit), "\(limit)")
            }
        }
    }
}

@Suite("A speed of -1") struct UnknownSpeedTests {
    @Test("is no speed: in lists, in exports, and in the events of a replay") func isAbsent() async throws {
        try await TestServer.run { server in
            let fixes = (0..<3).map {
                TestServer.location("minus", $0, 50 + Double($0) / 1000, 10, extra: ",\"speed\":-1")
            }
            #expect(
                try await server.post("/v1/locations", "{\"locations\":[\(fixes.joined(separator: ","))]}").status
                    == 200)
            let list = try await server.get("/v1/locations?deviceId=minus")
            let export = try await server.get("/v1/devices/minus/export?format=json")
            let geojson = try await server.get("/v1/devices/minus/export?format=geojson")
            for reply in [list, export, geojson] {
                #expect(reply.status == 200 && !reply.text.contains("\"speed\""))
            }
            #expect(
                try list.json["data"]?.array.map { $0.map(\.text) }
                    == export.json["locations"]?.array.map { $0.map(\.text) })
        }
    }
}
