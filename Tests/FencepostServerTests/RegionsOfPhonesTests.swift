import FencepostJSON
import FencepostServiceTesting
import Testing

@Suite("Regions of OwnTracks phones") struct RegionsOfPhonesTests {
    private static func fix(_ minute: Int, latitude: Double = 48.85) -> String {
        #"{"_type":"location","lat":\#(latitude),"lon":2.3,"tst":\#(1_772_352_000 + minute * 60),"acc":12}"#
    }

    private func addRegions(_ server: TestServer) async throws {
        for number in 0..<25 {
            let reply = try await server.put(
                "/v1/regions/r\(number)",
                #"{"type":"Feature","properties":{"name":"Place \#(number)","radius":150},"#
                    + #""geometry":{"type":"Point","coordinates":[2.3,\#(48.85 + Double(number) * 0.02)]}}"#)
            #expect(reply.status == 201 || reply.status == 200, "\(reply.text)")
        }
    }

    private func issue(_ server: TestServer, _ regions: String) async throws -> String {
        let reply = try await server.post(
            "/v1/tokens", #"{"name":"jane","scopes":["ingest"],"deviceId":"jane/phone","regions":\#(regions)}"#)
        #expect(reply.status == 201)
        return try #require(try reply.json["token"]?.string)
    }

    /// The names of the waypoints that an answer sets, and how many it removes.
    private func waypoints(_ answer: JSONElement) -> (set: Set<String>, removed: Int) {
        let all = answer[0]?["waypoints"]?["waypoints"]?.array.map(Array.init) ?? []
        let set = all.filter { $0["rad"]?.int != 0 }.compactMap { $0["desc"]?.string?.split(separator: " (").first }
        return (Set(set.map(String.init)), all.count - set.count)
    }

    @Test("are the nearest ones, and others ten minutes later where the phone has left its circle")
    func answer() async throws {
        try await TestServer.run { server in
            try await addRegions(server)
            let jane = try await issue(server, "4")
            let other = try await server.issue(["ingest"], device: "bob/phone")
            #expect(try await server.post("/pub", Self.fix(0), token: other).text == "[]")
            let first = try await server.post("/pub", Self.fix(0), token: jane).json
            #expect(first.count == 1 && first[0]?["_type"]?.string == "cmd")
            #expect(first[0]?["action"]?.string == "setWaypoints")
            #expect(waypoints(first).set == ["Nearby", "Place 0", "Place 1", "Place 2"])
            #expect(waypoints(first).removed == 16)
            #expect(try await server.post("/pub", Self.fix(5, latitude: 49.25), token: jane).text == "[]")
            server.time.advance(by: .seconds(599))
            #expect(try await server.post("/pub", Self.fix(6, latitude: 49.25), token: jane).text == "[]")
            server.time.advance(by: .seconds(1))
            let second = try await server.post("/pub", Self.fix(7, latitude: 49.25), token: jane).json
            #expect(waypoints(second).set == ["Nearby", "Place 19", "Place 20", "Place 21"])
            #expect(waypoints(second).removed == 0)
            #expect(try await server.get("/v1/tokens").json["data"]?.array?.compactMap { $0["regions"]?.int } == [4])
        }
    }

    @Test("are 2 to 20") func refused() async throws {
        try await TestServer.run { server in
            for regions in ["1", "21", "2.5", "true", #""4""#] {
                let reply = try await server.post(
                    "/v1/tokens", #"{"name":"a","scopes":["ingest"],"regions":\#(regions)}"#)
                #expect(reply.status == 422, "\(regions)")
                #expect(try reply.json["errors"]?[0]?["pointer"]?.string == "/regions")
            }
            let none = try await server.post("/v1/tokens", #"{"name":"a","scopes":["ingest"],"regions":null}"#)
            #expect(none.status == 201)
            #expect(try none.json["regions"] == nil)
        }
    }
}
