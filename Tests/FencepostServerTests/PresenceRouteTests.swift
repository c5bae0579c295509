import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostStore
import Foundation
import HTTPTypes
import NIOHTTP1
import Testing

@testable import FencepostServer

@Suite("Who was in an area, over HTTP") struct PresenceRouteTests {
    private static let square =
        #""geometry":{"type":"Polygon","coordinates":[[[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]]}"#
    private static let week = #""from":"2026-02-22T00:00:00Z","to":"2026-03-01T00:00:00Z""#
    private static let path = "/v1/query/presences"

    private static func withHistory(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            #expect(try await server.post("/v1/regions", TestServer.office, type: "application/geo+json").status == 201)
            for (index, device) in ["jane/phone", "van-1", "van-2"].enumerated() {
                for day in -4...(-1) {
                    let body = HistoryReportTests.morning(device, day: day, from: 8 * 3600 + index * 7)
                    let reply = try await server.post("/v1/locations", body, type: "application/x-ndjson")
                    #expect(reply.status == 200)
                }
            }
            #expect(try await server.put("/v1/groups/vans", #"{"devices":["van-*"]}"#).status < 300)
            #expect(try await server.put("/v1/devices/van-1/profile", #"{"name":"Vän"}"#).status == 200)
            try await body(server)
        }
    }

    private static func rows(_ server: TestServer, _ query: String = "", _ body: String) async throws -> [JSONElement] {
        let reply = try await server.post(path + query, "{\(body)}")
        #expect(reply.status == 200, "\(reply.text)")
        return try reply.json["data"]?.array.map(Array.init) ?? []
    }

    @Test("has the times of the events of a region with the same shape") func events() async throws {
        try await Self.withHistory { server in
            let rows = try await Self.rows(server, "?limit=500", "\(Self.square),\(Self.week)")
            var times: [String: [String]] = [:]
            for row in rows {
                let device = try #require(row["deviceId"]?.string)
                times[device, default: []] += [row["arrival"]?.string, row["departure"]?.string].compactMap { $0 }
            }
            var events: [String: [String]] = [:]
            for event in try await server.get("/v1/events?limit=500&regionId=office&type=region.*").json["data"]?.array
                .map(Array.init) ?? []
            {
                events[event["deviceId"]?.string ?? "", default: []].append(event["timestamp"]?.string ?? "")
            }
            #expect(times == events && times.count == 3 && rows.count == 12)
            #expect(rows.map { $0["deviceId"]?.string ?? "" } == rows.map { $0["deviceId"]?.string ?? "" }.sorted())
            #expect(rows.allSatisfy { $0["arrivalConfidence"]?.double ?? 0 > 0.5 })
        }
    }

    @Test("takes circles, parts of the time, and devices by id, pattern, group and name") func filters() async throws {
        try await Self.withHistory { server in
            let circle = #""center":{"latitude":50.005,"longitude":10.005},"radius":400"#
            let point = #""geometry":{"type":"Point","coordinates":[10.005,50.005]},"radius":400"#
            let found = try await Self.rows(server, "?limit=500", "\(circle),\(Self.week)")
            #expect(found.count == 12)
            #expect(try await Self.rows(server, "?limit=500", "\(point),\(Self.week)").map(\.text) == found.map(\.text))
            for (filter, count) in [
                ("deviceId=van-1", 4), ("deviceId=van-*", 8), ("group=vans", 8), ("name=V%C3%84N", 4),
                ("deviceId=jane/phone", 4), ("deviceId=none", 0),
            ] {
                #expect(try await Self.rows(server, "?\(filter)", "\(circle),\(Self.week)").count == count, "\(filter)")
            }
            #expect(try await server.post(Self.path + "?group=none", "{\(circle),\(Self.week)}").status == 404)
            let far = #""center":{"latitude":-50.005,"longitude":10.005},"radius":400"#
            #expect(try await Self.rows(server, "", "\(far),\(Self.week)").isEmpty)
            // Within a presence, and between two.
            for (span, count) in [
                (#""from":"2026-02-28T08:10:00Z","to":"2026-02-28T08:11:00Z""#, 3),
                (#""from":"2026-02-28T14:00:00Z","to":"2026-02-28T15:00:00+00:00""#, 0),
            ] {
                #expect(try await Self.rows(server, "", "\(circle),\(span)").count == count, "\(span)")
            }
        }
    }

    @Test("has pages, and files with the same rows") func pages() async throws {
        try await Self.withHistory { server in
            let body = "{\(Self.square),\(Self.week)}"
            let all = try await server.post(Self.path + "?limit=500", body).json["data"]?.array.map { $0.map(\.text) }
            var (rows, cursor, pages) = ([String](), String?.none, 0)
            repeat {
                let path = Self.path + "?limit=5" + (cursor.map { "&cursor=\($0)" } ?? "")
                let reply = try await server.post(path, body)
                rows += try reply.json["data"]?.array.map { $0.map(\.text) } ?? []
                cursor = try reply.json["nextCursor"]?.string
                #expect(cursor == nil || reply["Link"]?.contains("rel=\"next\"") == true)
                pages += 1
            } while cursor != nil
            #expect(rows == all && pages == 3)
            let csv = try await server.post(Self.path + "?format=csv", body)
            #expect(csv.status == 200 && csv["Content-Type"] == "text/csv")
            #expect(csv["Content-Disposition"] == "attachment; filename=\"presences.csv\"")
            let lines = csv.text.split(separator: "\n")
            #expect(lines.count == 13 && lines.first?.hasPrefix("deviceId,arrival,departure,duration,") == true)
            let workbook = try await server.post(Self.path + "?format=xlsx&timeZone=Asia/Tokyo", body)
            #expect(workbook.status == 200 && workbook.body.starts(with: Array("PK".utf8)))
            for (query, words) in [
                ("format=csv&limit=5", "format=json"), ("format=csv&timeZone=Asia/Tokyo", "format=xlsx"),
                ("cursor=abc", "nextCursor"), ("limit=501", "from 1 to 500"), ("from=yesterday", "the route has"),
            ] {
                let reply = try await server.post(Self.path + "?\(query)", body)
                #expect(reply.status == 400 && reply.text.contains(words), "\(query) \(reply.text)")
            }
            #expect(try await server.post(Self.path + "?format=pdf", body).status == 422)
        }
    }

    @Test("is a question, of which no answer is kept") func isNotKept() async throws {
        try await Self.withHistory { server in
            let key = [("Idempotency-Key", "once")]
            for (area, count) in [(Self.square, 12), (#""center":{"latitude":-50,"longitude":10},"radius":400"#, 0)] {
                let reply = try await server.post(Self.path, "{\(area),\(Self.week)}", headers: key)
                #expect(reply.status == 200 && reply["Idempotent-Replayed"] == nil, "\(reply.text)")
                #expect(try reply.json["data"]?.count == count)
            }
        }
    }

    @Test("shows nobody a device that it may not see") func rights() async throws {
        try await Self.withHistory { server in
            let body = "{\(Self.square),\(Self.week)}"
            let (bound, stored) = PartitionServers.issue("jane", [.read], device: DeviceID("jane/phone"))
            try await server.store.save(stored)
            let own = try await server.post(Self.path, body, token: bound)
            #expect(own.status == 200 && own.text.contains("jane/phone") && !own.text.contains("van-"))
            let other = try await server.post(Self.path + "?deviceId=van-1", body, token: bound)
            #expect(other.status == 404)
            let (ingest, sender) = PartitionServers.issue("sender", [.ingest])
            try await server.store.save(sender)
            #expect(try await server.post(Self.path, body, token: ingest).status == 403)
            let sam = try await SignedInBrowser.signIn(server, "sam", role: "viewer", limits: #","tags":["vans"]"#)
            let seen = try await sam.send(.POST, Self.path, body)
            #expect(seen.status == 200 && seen.text.contains("van-2") && !seen.text.contains("jane/phone"))
        }
    }

    @Test(
        "refuses what is no area and no span, and says where",
        arguments: [
            (
                #""geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#,
                "/geometry/coordinates/0"
            ),
            (#""geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0]]]}"#, "/geometry/coordinates/0"),
            (#""geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,95],[0,0]]]}"#, "/geometry/coordinates/0/2"),
            (#""geometry":{"type":"Triangle","coordinates":[]}"#, "/geometry/type"),
            (#""geometry":{"type":"LineString","coordinates":[[0,0],[1,1]]}"#, "/geometry/type"),
            (#""geometry":{"type":"Point","coordinates":[0,0]}"#, "radius"),
            (#""geometry":{"type":"Point","coordinates":[0,0]},"radius":-5"#, "/radius"),
            (
                #""geometry":{"type":"Polygon","coordinates":[[[-170,-80],[170,-80],[170,80],[-170,80],[-170,-80]]]}"#,
                "100000 km²"
            ),
            (#""center":{"latitude":0,"longitude":0},"radius":200000"#, "100000 km²"),
            (#""center":{"latitude":0,"longitude":0},"radius":0"#, "/radius"),
            (#""center":{"latitude":91,"longitude":0},"radius":10"#, "/center/latitude"),
            (#""center":{"latitude":1,"longitude":0,"altitude":5},"radius":10"#, "/center/altitude"),
            (#""center":{"latitude":1,"longitude":0}"#, "/radius"),
            (#""radius":5"#, "geometry"), (#""geometry":5"#, "/geometry"), (#""area":5"#, "/area"),
        ]) func invalid(_ area: (String, String)) async throws
    {
        try await TestServer.run { server in
            let reply = try await server.post(Self.path, "{\(area.0),\(Self.week)}")
            #expect(reply.status == 422 && reply.text.contains(area.1), "\(area.0) \(reply.text)")
            #expect(reply["Content-Type"] == "application/problem+json")
        }
    }

    @Test("refuses a span that is empty, ends before it begins, or is none") func spans() async throws {
        try await TestServer.run { server in
            for (span, pointer) in [
                (#""from":"2026-02-22T00:00:00Z","to":"2026-02-22T00:00:00Z""#, "/to"),
                (#""from":"2026-02-22T00:00:00Z","to":"2026-02-21T00:00:00Z""#, "/to"),
                (#""from":"2026-02-22T00:00:00Z""#, "/to"), (#""to":"2026-02-22T00:00:00Z""#, "/from"),
                (#""from":"yesterday","to":"2026-02-22T00:00:00Z""#, "/from"),
                (#""from":5,"to":"2026-02-22T00:00:00Z""#, "/from"),
            ] {
                let reply = try await server.post(Self.path, "{\(Self.square),\(span)}")
                let faults = try reply.json["errors"]?.array?.compactMap { $0["pointer"]?.string }
                #expect(reply.status == 422 && faults == [pointer], "\(span) \(reply.text)")
            }
            #expect(try await server.post(Self.path, "{").status == 400)
            #expect(try await server.post(Self.path, "[]").status == 422)
        }
    }

    @Test("is the same over partitions as of one server, in pages and files", .timeLimit(.minutes(3)))
    func partitions() async throws {
        try await PartitionServers.run(3) { cluster in
            for day in -3...(-1) {
                for (index, device) in PartitionFanOutTests.devices.enumerated() {
                    let start = 8 * 3600 + index * 7 + 1
                    try await cluster.send(
                        HistoryReportTests.morning(device, day: day, from: start).split(separator: "\n").map(
                            String.init))
                }
            }
            let body = "{\(Self.square),\(Self.week)}"
            for query in ["?limit=500", "?format=csv", "?format=xlsx", "?limit=500&deviceId=*a*"] {
                let merged = try await cluster.answer(.post, Self.path + query, body: body)
                let alone = try await cluster.single.post(Self.path + query, body, token: cluster.token)
                #expect(merged.status == .ok && merged.bytes == alone.body, "\(query)")
            }
            let all = try await cluster.single.post(Self.path + "?limit=500", body, token: cluster.token).json["data"]
            var (rows, cursor): ([String], String?) = ([], nil)
            repeat {
                let path = Self.path + "?limit=4" + (cursor.map { "&cursor=\($0)" } ?? "")
                let answer = try await cluster.answer(.post, path, body: body)
                rows += answer.json?["data"]?.array.map { $0.map(\.text) } ?? []
                cursor = answer.json?["nextCursor"]?.string
            } while cursor != nil
            #expect(rows == all?.array.map { $0.map(\.text) } && rows.count == 24)
            let refused = try await cluster.answer(.post, Self.path, body: "{\(Self.square)}")
            #expect(refused.status == .unprocessableContent)
            let wrong = try await cluster.answer(.post, Self.path + "?cursor=zz", body: body)
            #expect(wrong.status == .badRequest)
        }
    }
}
