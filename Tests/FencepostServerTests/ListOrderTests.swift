import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostServiceTesting
import FencepostTesting
import NIOHTTP1
import Testing

@Suite("Lists in both orders") struct ListOrderTests {
    /// All rows of a list, page by page.
    static func rows(
        _ server: TestServer, _ target: String, limit: Int, between: () async throws -> Void = {}
    ) async throws -> [String] {
        var (rows, cursor): ([String], String?) = ([], nil)
        repeat {
            let path = target + (target.contains("?") ? "&" : "?") + "limit=\(limit)"
            let reply = try await server.get(path + (cursor.map { "&cursor=\($0)" } ?? ""))
            #expect(reply.status == 200, "\(path): \(reply.text)")
            let page = try reply.json
            let found = page["data"]?.array.map { $0.map(\.text) } ?? []
            #expect(found.count <= limit)
            rows += found
            cursor = page["nextCursor"]?.string
            #expect((reply["Link"]?.contains("cursor=\(cursor ?? "~")") ?? false) == (cursor != nil))
            if cursor != nil { try await between() }
        } while cursor != nil
        return rows
    }

    /// Sends locations that make events of several devices, some of the same times.
    private static func fill(_ server: TestServer) async throws {
        let office = TestServer.office.replacing("\"colour\":\"red\"", with: #""tags":["work"]"#)
        _ = try await server.put("/v1/regions/office", office)
        for device in ["a", "b", "van/1", "van/2"] {
            let latitudes = [50.02, 50.005, 50.005, 50.005, 50.02, 50.03, 50.04, 50.005, 50.005, 50.02, 50.03]
            let fixes = latitudes.enumerated().map { TestServer.location(device, 4 * $0.offset, $0.element, 10.005) }
            // Two phones with one id: several positions of one time.
            let same = (0..<4).map { TestServer.location(device, 44, 50.03 + Double($0) / 1000, 10.005) }
            let all = (fixes + same).joined(separator: ",")
            #expect(try await server.post("/v1/locations", "{\"locations\":[\(all)]}").status == 200)
            server.time.advance(by: .seconds(1))
        }
    }

    @Test("are the reverse of each other through all pages, with each filter") func reverse() async throws {
        try await TestServer.run { server in
            try await Self.fill(server)
            for (target, least) in [
                ("/v1/events?history=all", 8), ("/v1/events?type=region.entered", 4), ("/v1/events?deviceId=a", 2),
                ("/v1/events?deviceId=van/*", 4), ("/v1/events?regionId=office", 8), ("/v1/events?tag=work", 8),
                ("/v1/events?from=2026-03-01T08:05:00Z&to=2026-03-01T08:33:00Z", 4), ("/v1/events?name=VAN", 4),
                ("/v1/visits", 0), ("/v1/visits?tag=work", 0), ("/v1/locations?deviceId=a", 15),
                ("/v1/locations?deviceId=b&from=2026-03-01T08:05:00Z&to=2026-03-01T08:45:00Z", 13),
                ("/v1/locations?deviceId=v*", 30),
            ] {
                let join = target.contains("?") ? "&" : "?"
                let rising = try await Self.rows(server, target, limit: 500)
                #expect(rising.count >= least && Set(rising).count == rising.count, "\(target) \(rising.count)")
                for limit in [1, 2, 3, 7, 500] {
                    let again = try await Self.rows(server, "\(target)\(join)order=asc", limit: limit)
                    #expect(again == rising, "\(target) \(limit)")
                    let falling = try await Self.rows(server, "\(target)\(join)order=desc", limit: limit)
                    #expect(falling == rising.reversed(), "\(target) \(limit)")
                }
            }
            let trips = try await server.get("/v1/trips").json["data"]?.array.map { $0.map(\.text) } ?? []
            let reversed = try await server.get("/v1/trips?order=desc").json["data"]?.array.map { $0.map(\.text) } ?? []
            #expect(reversed == trips.reversed() && trips.count >= 4)
        }
    }

    @Test("leave out nothing that was there when the first page was read", arguments: 0..<6)
    func arrivals(seed: UInt64) async throws {
        try await TestServer.run { server in
            try await Self.fill(server)
            for target in [
                "/v1/events?order=desc", "/v1/locations?deviceId=a&order=desc", "/v1/locations?deviceId=*&order=desc",
            ] {
                var random = SeededGenerator(seed: seed)
                let before = try await Self.rows(server, target, limit: 500)
                let limit = Int.random(in: 1...5, using: &random)
                var count = 0
                let rows = try await Self.rows(server, target, limit: limit) {
                    count += 1
                    guard count < 12 else { return }
                    // Of a time that is on a page already, of one that is to come, and of one after all.
                    for minute in [44, Int.random(in: 0...43, using: &random), 45 + count] {
                        let fix = TestServer.location(
                            "a", minute, Double.random(in: 49...51, using: &random), 10.005)
                        let sent = try await server.post("/v1/locations", "{\"locations\":[\(fix)]}")
                        #expect(sent.status == 200)
                    }
                }
                #expect(Set(rows).count == rows.count, "\(target)")
                // A late location withdraws events; those that hold are all there.
                let now = Set(try await Self.rows(server, target, limit: 500))
                #expect(Set(before).intersection(now).isSubset(of: rows), "\(target)")
                let kept = rows.filter(Set(before).contains)
                #expect(kept == before.filter(Set(kept).contains), "\(target)")
            }
        }
    }

    @Test("refuse a cursor of the other order, and a word that is none") func refusals() async throws {
        try await TestServer.run { server in
            try await Self.fill(server)
            for list in ["/v1/events?", "/v1/locations?deviceId=a&", "/v1/locations?deviceId=van*&"] {
                for (order, other) in [("asc", "desc"), ("desc", "asc")] {
                    let page = try await server.get("\(list)limit=1&order=\(order)").json
                    let cursor = try #require(page["nextCursor"]?.string)
                    let reply = try await server.get("\(list)order=\(other)&cursor=\(cursor)")
                    #expect(reply.status == 400 && reply.code == "invalid_cursor", "\(list) \(order)")
                }
                let reply = try await server.get("\(list)order=newest")
                #expect(reply.status == 422 && reply.code == "unknown_value", "\(list)")
            }
        }
    }
}
