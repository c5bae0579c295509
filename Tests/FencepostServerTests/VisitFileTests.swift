import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostServiceTesting
import Foundation
import Testing

@testable import FencepostServer

@Suite("Files of visits over HTTP") struct VisitFileTests {
    private static let week = "from=2026-02-22T00:00:00Z&to=2026-03-01T00:00:00Z"

    private static func withHistory(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            let office = TestServer.office.replacing("\"colour\":\"red\"", with: #""tags":["work"]"#)
            #expect(try await server.post("/v1/regions", office, type: "application/geo+json").status == 201)
            for (index, device) in ["jane/phone", "van-1", "van-2"].enumerated() {
                for day in -4...(-1) {
                    let body = HistoryReportTests.morning(device, day: day, from: 8 * 3600 + index * 7)
                    let reply = try await server.post("/v1/locations", body, type: "application/x-ndjson")
                    #expect(reply.status == 200)
                }
            }
            #expect(try await server.put("/v1/devices/van-1/profile", #"{"name":"Vän \"1\""}"#).status == 200)
            #expect(try await server.put("/v1/groups/vans", #"{"devices":["van-*"]}"#).status < 300)
            try await body(server)
        }
    }

    /// The ids of the visits in the lines of a file.
    private static func ids(_ csv: String) -> [String] {
        csv.split(separator: "\n").dropFirst().compactMap { $0.split(separator: ",").first.map(String.init) }
    }

    @Test("CSV has the visits of the list, by device, group, region and all, in both orders") func csv() async throws {
        try await Self.withHistory { server in
            for filter in [
                "", "&order=desc", "&deviceId=jane/phone", "&deviceId=van-*", "&group=vans", "&name=V%C3%84N",
                "&regionId=office", "&tag=work&order=desc",
            ] {
                let list = try await server.get("/v1/visits?limit=500&\(Self.week)\(filter)").json["data"]
                let wanted = list?.array?.compactMap { $0["id"]?.string } ?? []
                let file = try await server.get("/v1/visits?format=csv&\(Self.week)\(filter)")
                #expect(file.status == 200 && file["Content-Type"] == "text/csv", "\(filter)")
                #expect(file["Content-Disposition"] == "attachment; filename=\"visits.csv\"")
                #expect(wanted.count >= 3 && Self.ids(file.text) == wanted, "\(filter)")
            }
            let first = try #require(try await server.get("/v1/visits?\(Self.week)&regionId=office").json["data"]?[0])
            let text = try await server.get("/v1/visits?format=csv&\(Self.week)&regionId=office").text
            let cells = try #require(text.split(separator: "\n").dropFirst().first).split(
                separator: ",", omittingEmptySubsequences: false)
            #expect(cells.count == 13 && cells[7] == "office")
            for (index, name) in [(0, "id"), (1, "deviceId"), (2, "arrival"), (3, "departure")] {
                #expect(String(cells[index]) == (first[name]?.string ?? ""), "\(name)")
            }
        }
    }

    @Test("the period is the last 31 days by default, and at most 400 days") func period() async throws {
        try await TestServer.run { server in
            for day in [-40, -39, -2, -1] {
                let body = HistoryReportTests.morning("van-1", day: day)
                #expect(try await server.post("/v1/locations", body, type: "application/x-ndjson").status == 200)
            }
            let all = try await server.get("/v1/visits?limit=500&deviceId=van-1").json["data"]?.count ?? 0
            let recent = Self.ids(try await server.get("/v1/visits?format=csv&deviceId=van-1").text)
            let from = "from=2026-01-01T00:00:00Z"
            let since = Self.ids(try await server.get("/v1/visits?format=csv&deviceId=van-1&\(from)").text)
            #expect(since.count == all && recent.count < all && recent.count >= 2, "\(recent.count) \(all)")
            let early = try await server.get("/v1/visits?format=csv&from=2000-01-01T00:00:00Z")
            #expect(early.status == 400 && early.text.contains("at most 400 days"))
            // The list in JSON has pages, and no limit.
            #expect(try await server.get("/v1/visits?from=2000-01-01T00:00:00Z").status == 200)
            #expect(try await server.get("/v1/visits?format=csv&from=2026-03-02T00:00:00Z").status == 400)
        }
    }

    @Test("what has no effect on a file, or on a page, is refused") func parameters() async throws {
        try await Self.withHistory { server in
            for (query, words) in [
                ("format=csv&timeZone=Asia/Tokyo", "format=xlsx"), ("timeZone=Asia/Tokyo", "format=xlsx"),
                ("format=csv&limit=5", "format=json"), ("format=xlsx&cursor=abc", "format=json"),
                ("format=xlsx&addresses=true", "format=json"), ("format=xlsx&timeZone=Nowhere", "IANA"),
                ("format=xlsx&units=metric", "the route has"), ("format=csv&from=yesterday", "RFC 3339"),
            ] {
                let reply = try await server.get("/v1/visits?\(query)")
                #expect(reply.status == 400 && reply.text.contains(words), "\(query) \(reply.text)")
            }
            #expect(try await server.get("/v1/visits?format=pdf").status == 422)
            #expect(try await server.get("/v1/visits?format=csv&group=none").status == 404)
            #expect(try await server.get("/v1/visits?format=json&limit=1").json["data"]?.count == 1)
        }
    }

    @Test("a workbook has the times of its zone, and names") func workbook() async throws {
        try await Self.withHistory { server in
            let here = try await server.get("/v1/visits?format=xlsx&\(Self.week)")
            let there = try await server.get("/v1/visits?format=xlsx&\(Self.week)&timeZone=Asia/Tokyo")
            #expect(here.status == 200 && there.status == 200 && here.body != there.body)
            #expect(here.body.starts(with: Array("PK".utf8)))
            #expect(here["Content-Disposition"] == "attachment; filename=\"visits.xlsx\"")
            #expect(try await server.put("/v1/devices/van-1/profile", #"{"name":"Other"}"#).status == 200)
            let renamed = try await server.get("/v1/visits?format=xlsx&\(Self.week)")
            #expect(renamed.body != here.body)
            // CSV has ids only.
            #expect(try await server.get("/v1/visits?format=csv&\(Self.week)").text.contains("Other") == false)
        }
    }

    @Test("a file is read to its end, however many visits have one time") func pages() async throws {
        try await TestServer.run { server in
            // The file is read in pages of 2000 visits.
            let devices = 4100
            let start = Int(TestServer.now.milliseconds / 1000) - 86_400
            for first in stride(from: 0, to: devices, by: 820) {
                let lines = (first..<first + 820).flatMap { device in
                    [0, 400, 800].map {
                        "{\"deviceId\":\"van-\(device)\",\"timestamp\":\(start + $0),\"latitude\":50.005,"
                            + "\"longitude\":10.005,\"horizontalAccuracy\":8}"
                    }
                }
                let reply = try await server.post(
                    "/v1/locations", lines.joined(separator: "\n"), type: "application/x-ndjson")
                #expect(reply.status == 200)
            }
            var listed: [String] = []
            var cursor: String?
            repeat {
                let page = try await server.get("/v1/visits?limit=500" + (cursor.map { "&cursor=\($0)" } ?? "")).json
                listed += try #require(page["data"]?.array).compactMap { $0["id"]?.string }
                cursor = page["nextCursor"]?.string
            } while cursor != nil
            #expect(Set(listed).count == devices && listed.count == devices)
            #expect(Self.ids(try await server.get("/v1/visits?format=csv").text) == listed)
            #expect(Self.ids(try await server.get("/v1/visits?format=csv&order=desc").text) == listed.reversed())
        }
    }

    @Test("more visits than a file can have are refused with what narrows them") func limit() throws {
        #expect(throws: Never.self) { try VisitTexts.check(VisitTexts.limit) }
        let problem = #expect(throws: Problem.self) { try VisitTexts.check(VisitTexts.limit + 1) }
        #expect(problem?.detail.contains("more than 250000 visits") == true)
        let texts = Array(repeating: "a\n", count: VisitTexts.limit + 1)
        #expect(throws: Problem.self) { _ = try VisitTexts.file(texts, .csv) }
    }

    @Test("a token of a device, and a user of a group, see no others") func callers() async throws {
        try await Self.withHistory { server in
            let bound = try await server.issue(["read"], device: "van-2")
            let own = try await server.get("/v1/visits?format=csv&\(Self.week)", token: bound)
            #expect(own.text.contains(",van-2,") && !own.text.contains(",van-1,"))
            let viewer = try await SignedInBrowser.signIn(server, "v", role: "viewer", limits: #","tags":["vans"]"#)
            let vans = try await viewer.get("/v1/visits?format=csv&\(Self.week)")
            #expect(vans.text.contains(",van-1,") && !vans.text.contains("jane/phone"))
        }
    }
}
