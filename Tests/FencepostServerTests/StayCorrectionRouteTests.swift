import FencepostJSON
import FencepostServer
import FencepostServiceTesting
import FencepostTesting
import NIOHTTP1
import Testing

@Suite("Stays that users state, over HTTP") struct StayCorrectionRouteTests {
    private static let path = "/v1/devices/jane%2Fphone/stay-corrections"
    private static let day = "from=2026-02-28T00:00:00Z&to=2026-03-01T00:00:00Z"

    private static func withMorning(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            #expect(try await server.post("/v1/regions", TestServer.office, type: "application/geo+json").status == 201)
            for day in -2...(-1) {
                let fixes = HistoryReportTests.morning("jane/phone", day: day)
                #expect(try await server.post("/v1/locations", fixes, type: "application/x-ndjson").status == 200)
            }
            try await body(server)
        }
    }

    /// The visits of the day as name, start and end.
    private static func visits(_ server: TestServer) async throws -> [String] {
        let timeline = try await server.get("/v1/timeline?deviceId=jane/phone&\(day)").json
        return (timeline["visits"]?.array.map(Array.init) ?? []).map { visit in
            let name = visit["name"]?.string ?? (visit["corrected"]?.bool == true ? "corrected" : "-")
            return
                "\(name) \(visit["from"]?.string?.dropFirst(11).prefix(5) ?? "") \(visit["to"]?.string?.dropFirst(11).prefix(5) ?? "")"
        }
    }

    private static func state(_ server: TestServer, _ body: String, from: String, to: String) async throws
        -> JSONElement
    {
        let times = "\"arrival\":\"2026-02-28T\(from):00Z\",\"departure\":\"2026-02-28T\(to):00Z\""
        let reply = try await server.post(path, "{\(times)\(body.isEmpty ? "" : ",\(body)")}")
        #expect(reply.status == 201, "\(reply.text)")
        return try reply.json
    }

    @Test("are in the timeline, trips and summaries, and stay there when the device is evaluated again")
    func views() async throws {
        try await Self.withMorning { server in
            let before = try await Self.visits(server)
            let former = try await server.get("/v1/summaries?deviceId=jane/phone&\(Self.day)").text
            #expect(before.count == 3)
            // The first one is of the day before, until the walk of 8:30.
            let bakery = try await Self.state(server, #""name":"Bakery""#, from: "08:05", to: "08:20")
            #expect(bakery["stay"]?.bool == true && bakery["regions"]?[0]?.string == "office")
            _ = try await Self.state(
                server, #""name":"Park","latitude":50.02,"longitude":10.005"#, from: "08:45", to: "09:10")
            let named = try await Self.visits(server)
            #expect(named.contains("Bakery 08:05 08:20") && named.contains("Park 08:45 09:10"))
            // Cut into what is before and after.
            #expect(named.contains { $0.hasSuffix(" 08:05") } && named.contains { $0.hasPrefix("- 08:20") })

            let request = try await server.post(
                "/v1/devices/jane%2Fphone/evaluations", #"{"from":"2026-02-27T00:00:00Z"}"#)
            #expect(request.status == 202)
            let late = HistoryReportTests.morning("jane/phone", day: -3)
            #expect(try await server.post("/v1/locations", late, type: "application/x-ndjson").status == 200)
            #expect(try await Self.visits(server) == named)
            let trips = try await server.get("/v1/trips?deviceId=jane/phone&\(Self.day)").json["data"]
            #expect(trips?.array?.contains { $0["end"]?["visitId"]?.string?.hasPrefix("cor_") == true } == true)

            // A newer correction cuts an older one, and none of both is left where there was no stay.
            _ = try await Self.state(server, #""stay":false"#, from: "08:10", to: "09:30")
            let cut = try await Self.visits(server)
            #expect(cut.contains("Bakery 08:05 08:10") && !cut.contains { $0.hasPrefix("Park") })
            let list = try await server.get(Self.path).json["data"]
            #expect(list?.array?.map { $0["stay"]?.bool } == [true, false])
            let export = try await server.get("/v1/devices/jane%2Fphone/export").json
            #expect(export["stayCorrections"]?.count == 2)

            for correction in list?.array.map(Array.init) ?? [] {
                let id = correction["id"]?.string ?? ""
                #expect(try await server.send(.DELETE, "\(Self.path)/\(id)").status == 204)
                #expect(try await server.send(.DELETE, "\(Self.path)/\(id)").status == 404)
            }
            #expect(try await Self.visits(server) == before)
            #expect(try await server.get("/v1/summaries?deviceId=jane/phone&\(Self.day)").text == former)
        }
    }

    @Test("have a place, and are erased with the device") func sites() async throws {
        try await Self.withMorning { server in
            let region = try await Self.state(server, #""regionId":"office""#, from: "02:00", to: "03:00")
            #expect(region["regions"]?[0]?.string == "office" && region["latitude"]?.double == 50.004)
            #expect(region["name"] == nil)
            _ = try await server.send(.DELETE, "/v1/devices/jane%2Fphone?erase=true")
            #expect(try await server.get(Self.path).json["data"]?.count == 0)
            // Without any location there is no visit whose place it could have.
            let bare = #"{"arrival":"2026-02-28T02:00:00Z","departure":"2026-02-28T03:00:00Z"}"#
            let refused = try await server.post(Self.path, bare)
            #expect(refused.status == 422)
            #expect(try refused.json["errors"]?[0]?["pointer"]?.string == "/latitude")
        }
    }

    @Test(
        "are refused with the member that is wrong",
        arguments: [
            (#""arrival":"x""#, "/arrival"), (#""departure":"2026-02-28T07:00:00Z""#, "/departure"),
            (#""departure":"2027-01-01T00:00:00Z""#, "/departure"), (#""name":"""#, "/name"),
            (#""name":"a\nb""#, "/name"), (#""name":7"#, "/name"), (#""regionId":"no""#, "/regionId"),
            (#""latitude":91,"longitude":1"#, "/latitude"), (#""latitude":9"#, "/longitude"),
            (#""stay":"no""#, "/stay"), (#""stay":false,"name":"A""#, "/name"), (#""place":1"#, "/place"),
        ])
    func refused(_ given: (members: String, pointer: String)) async throws {
        try await TestServer.run { server in
            var members = ["\"arrival\":\"2026-02-28T08:00:00Z\"", "\"departure\":\"2026-02-28T09:00:00Z\""]
            members.removeAll { member in given.members.hasPrefix(member.prefix { $0 != ":" }) }
            let reply = try await server.post(Self.path, "{\((members + [given.members]).joined(separator: ","))}")
            #expect(reply.status == 422)
            #expect(try reply.json["errors"]?[0]?["pointer"]?.string == given.pointer)
        }
    }
}
