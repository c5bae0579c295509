import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostServiceTesting
import FencepostTesting
import Foundation
import NIOHTTP1
import Testing

@Suite("Reports over HTTP") struct HistoryReportTests {
    /// A morning: half an hour at the office, a walk of 1.1 km to the north, and half an hour there, once a minute.
    static func morning(_ device: String, day: Int, from start: Int = 8 * 3600) -> String {
        let base = Int(TestServer.now.milliseconds / 1000) - 9 * 3600 + day * 86_400 + start
        var latitudes = [Double](repeating: 50.005, count: 30)
        latitudes += (1...14).map { 50.005 + Double($0) * 0.01 / 14 }
        latitudes += [Double](repeating: 50.015, count: 30)
        return latitudes.enumerated().map { index, latitude in
            "{\"deviceId\":\"\(device)\",\"timestamp\":\(base + index * 60),\"latitude\":\(latitude),"
                + "\"longitude\":10.005,\"horizontalAccuracy\":8}"
        }.joined(separator: "\n")
    }

    private static func withHistory(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            #expect(try await server.post("/v1/regions", TestServer.office, type: "application/geo+json").status == 201)
            for day in -4...(-1) {
                let reply = try await server.post(
                    "/v1/locations", morning("jane/phone", day: day), type: "application/x-ndjson")
                #expect(reply.status == 200)
            }
            try await body(server)
        }
    }

    @Test("a timeline ends with what is known, and has the unknown time") func timeline() async throws {
        try await Self.withHistory { server in
            let query = "deviceId=jane/phone&from=2026-02-28T00:00:00Z&to=2026-03-01T00:00:00Z"
            let timeline = try await server.get("/v1/timeline?\(query)").json
            let unknown = timeline["unknown"]?.array.map(Array.init) ?? []
            // From the last location of the day before it was at a visit, which lasts until the way to where it is seen.
            #expect(unknown.count == 2)
            #expect(try #require(unknown.first?["from"]?.string) > "2026-02-28T07:40:00Z")
            #expect(try #require(unknown.first?["to"]?.string) <= "2026-02-28T08:00:00Z")
            #expect(unknown.last?["from"]?.string == "2026-02-28T09:13:00Z")
            #expect(unknown.last?["to"]?.string == "2026-03-01T00:00:00Z")
            let stays = timeline["stays"]?.array.map(Array.init) ?? []
            #expect(!stays.isEmpty)
            // The entry is estimated to be in the evening before, but the first location inside is of the morning.
            for stay in stays { #expect(stay["seconds"]?.double ?? 0 < 3600) }
            #expect(timeline["hours"]?.count == 168)
            let other = try await server.get("/v1/timeline")
            #expect(other.status == 400 && other.code == "missing_parameter")
            #expect(try await server.get("/v1/timeline?deviceId=a&from=2026-03-02T00:00:00Z").status == 400)
            #expect(try await server.get("/v1/timeline?deviceId=a&timeZone=Nowhere").status == 400)
            // A device without locations is unknown all the time.
            let none = try await server.get("/v1/timeline?deviceId=nobody").json
            #expect(none["unknown"]?.array?.count == 1 && none["stays"]?.array?.isEmpty == true)
        }
    }

    @Test("a stay ends at one time, also in a period that ends before the estimate of its exit")
    func silence() async throws {
        try await TestServer.run { server in
            try await server.walkIn("van")
            // Heard inside until 08:06, and 8 hours later elsewhere.
            let later = (486...506).map { TestServer.location("van", $0, 51, 11) }.joined(separator: ",")
            server.time.advance(by: .seconds(36_000))
            #expect(try await server.post("/v1/locations", "{\"locations\":[\(later)]}").status == 200)
            let exits = try await server.get("/v1/events?type=region.exited").json["data"]
            #expect(exits?[0]?["earliest"]?.string == "2026-03-01T08:06:00Z")
            let exit = try #require(exits?[0]?["timestamp"]?.string)
            var ends: [String] = []
            for end in [exit, "2026-03-01T17:00:00Z"] {
                let timeline = try await server.get(
                    "/v1/timeline?deviceId=van&from=2026-03-01T08:00:00Z&to=\(end)"
                ).json
                ends.append(try #require(timeline["stays"]?[0]?["to"]?.string))
            }
            // The departure of the visit there, which is an estimate of its own.
            #expect(ends[0] > "2026-03-01T08:30:00Z" && ends[0] < exit && ends[0] == ends[1])
        }
    }

    @Test("trips lead from a visit to the next") func trips() async throws {
        try await Self.withHistory { server in
            let query = "deviceId=jane/phone&from=2026-02-25T00:00:00Z&to=2026-03-01T00:00:00Z"
            let trips = try await server.get("/v1/trips?\(query)").json["data"]?.array.map(Array.init) ?? []
            #expect(trips.count >= 4)
            let walk = try #require(trips.first)
            #expect(walk["mode"]?.string == "walking")
            #expect(abs((walk["distance"]?.double ?? 0) - 1112) < 150, "\(walk["distance"]?.double ?? 0)")
            #expect(walk["start"]?["regions"]?[0]?.string == "office")
            #expect(walk["line"]?.array.map { $0.count >= 2 } == true)
            let csv = try await server.get("/v1/trips?\(query)&format=csv")
            #expect(csv["Content-Type"] == "text/csv" && csv.text.split(separator: "\n").count == trips.count + 1)
            let geojson = try await server.get("/v1/trips?\(query)&format=geojson").json
            #expect(geojson["features"]?.count == trips.count)
            // Each trip is in the period in which it begins: days add up to the whole.
            var byDay = 0
            for day in 25...28 {
                let next = day == 28 ? "2026-03-01" : "2026-02-\(day + 1)"
                let part = "deviceId=jane/phone&from=2026-02-\(day)T00:00:00Z&to=\(next)T00:00:00Z"
                byDay += try await server.get("/v1/trips?\(part)").json["data"]?.count ?? 0
            }
            #expect(byDay == trips.count)
        }
    }

    @Test("summaries of days add up to those of weeks and months, in three formats") func summaries() async throws {
        try await Self.withHistory { server in
            let query = "from=2026-02-25T00:00:00Z&to=2026-03-01T00:00:00Z&timeZone=Europe/Lisbon"
            for grouping in ["device", "region"] {
                var totals: [[Double]] = []
                for period in ["day", "week", "month"] {
                    let summary = try await server.get("/v1/summaries?\(query)&by=\(grouping)&period=\(period)").json
                    let rows = summary["data"]?.array.map(Array.init) ?? []
                    totals.append(
                        ["secondsInside", "trips", "distance"].map { name in
                            rows.reduce(0) { $0 + ($1[name]?.double ?? 0) }
                        })
                }
                #expect(totals[0][0] > 0 && (totals[0][1] > 0 || grouping == "region"))
                for total in totals { #expect(zip(total, totals[0]).allSatisfy { abs($0 - $1) <= 4 }, "\(totals)") }
            }
            let csv = try await server.get("/v1/summaries?\(query)&format=csv")
            #expect(
                csv.text.hasPrefix(
                    "deviceId,date,secondsInside,visits,trips,distance,movingTime,secondsKnown,secondsUnknown\n"))
            let xlsx = try await server.get("/v1/summaries?\(query)&format=xlsx")
            #expect(xlsx.body.starts(with: Array("PK".utf8)))
            #expect(xlsx["Content-Disposition"] == "attachment; filename=\"summary.xlsx\"")
            #expect(try await server.get("/v1/summaries?by=people").status == 422)
            #expect(try await server.get("/v1/summaries?from=2000-01-01T00:00:00Z").status == 400)
        }
    }

    @Test("the summary of a group is the sum of its devices") func groups() async throws {
        try await Self.withHistory { server in
            for device in ["van-1", "van-2"] {
                let body = Self.morning(device, day: -1)
                #expect(try await server.post("/v1/locations", body, type: "application/x-ndjson").status == 200)
            }
            for (group, devices) in [("vans", #""van-*""#), ("all", #""*""#), ("empty", #""none/*""#)] {
                #expect(try await server.put("/v1/groups/\(group)", #"{"devices":[\#(devices)]}"#).status < 300)
            }
            let query = "from=2026-02-25T00:00:00Z&to=2026-03-01T00:00:00Z&period=week"
            func sums(_ query: String, _ name: String) async throws -> [String: [Double]] {
                let rows = try await server.get("/v1/summaries?\(query)").json["data"]?.array.map(Array.init) ?? []
                return rows.reduce(into: [:]) { sums, row in
                    let figures = ["secondsInside", "visits", "trips", "distance", "secondsKnown", "secondsUnknown"]
                        .map { row[$0]?.double ?? -1 }
                    let group = row[name]?.string ?? ""
                    sums[group] = sums[group].map { zip($0, figures).map(+) } ?? figures
                }
            }
            let devices = try await sums(query, "deviceId")
            let groups = try await sums(query + "&by=group", "group")
            #expect(groups.keys.sorted() == ["all", "vans"])
            for (group, members) in [("all", ["jane/phone", "van-1", "van-2"]), ("vans", ["van-1", "van-2"])] {
                let expected = members.compactMap { devices[$0] }.reduce([0, 0, 0, 0, 0, 0]) { zip($0, $1).map(+) }
                let found = try #require(groups[group])
                let isSum = zip(found, expected).allSatisfy { abs($0 - $1) <= 3 }
                #expect(expected[0] > 0 && isSum, "\(found) \(expected)")
            }
            // Of the groups of its devices, only the one that is asked for.
            #expect(try await sums(query + "&by=group&group=vans", "group").keys.sorted() == ["vans"])
            let csv = try await server.get("/v1/summaries?\(query)&by=group&format=csv").text
            #expect(csv.hasPrefix("group,date,") && csv.contains("\nvans,"))
            let viewer = try await SignedInBrowser.signIn(server, "v", role: "viewer", limits: #","tags":["vans"]"#)
            #expect(try await viewer.get("/v1/summaries?\(query)&by=group").text.contains("\"all\"") == false)
            for path in ["by=group&tag=Lisbon", "by=group&regionId=office", "by=group&group=none"] {
                #expect(try await [400, 404].contains(server.get("/v1/summaries?\(path)").status), "\(path)")
            }
        }
    }

    @Test("units and the zone of trips are for workbooks") func workbooks() async throws {
        try await Self.withHistory { server in
            let query = "from=2026-02-25T00:00:00Z&to=2026-03-01T00:00:00Z"
            for list in ["summaries", "trips"] {
                let metric = try await server.get("/v1/\(list)?\(query)&format=xlsx")
                let imperial = try await server.get(
                    "/v1/\(list)?\(query)&format=xlsx&units=imperial&timeZone=Asia/Tokyo")
                #expect(metric.status == 200 && imperial.status == 200 && metric.body != imperial.body)
                for format in ["", "&format=csv"] {
                    let refused = try await server.get("/v1/\(list)?\(query)\(format)&units=imperial")
                    #expect(refused.status == 400 && refused.text.contains("format=xlsx"), "\(list) \(format)")
                }
                #expect(try await server.get("/v1/\(list)?\(query)&format=xlsx&units=furlongs").status == 422)
            }
            #expect(try await server.get("/v1/trips?\(query)&format=csv&timeZone=Asia/Tokyo").status == 400)
        }
    }

    @Test("a token of a device sees only that device") func boundTokens() async throws {
        try await Self.withHistory { server in
            let bob = try await server.issue(["read"], device: "bob")
            let query = "from=2026-02-25T00:00:00Z&to=2026-03-01T00:00:00Z"
            #expect(try await server.get("/v1/trips?\(query)", token: bob).json["data"]?.count == 0)
            #expect(try await server.get("/v1/summaries?\(query)&by=region", token: bob).json["data"]?.count == 0)
            #expect(try await server.get("/v1/places", token: bob).json["data"]?.count == 0)
            #expect(try await server.get("/v1/timeline?deviceId=jane/phone", token: bob).status == 404)
        }
    }

    @Test("a frequent place can be made a region") func places() async throws {
        try await Self.withHistory { server in
            let places = try await server.get("/v1/places").json["data"]?.array.map(Array.init) ?? []
            let new = try #require(places.first { $0["regions"]?.array?.isEmpty == true })
            #expect(new["visits"]?.int ?? 0 >= 3)
            #expect(abs((new["latitude"]?.double ?? 0) - 50.015) < 0.0005)
            #expect(new["lastMonth"]?["entered"]?.int ?? 0 >= 3)
            let id = try #require(new["id"]?.string)
            #expect(try await server.get("/v1/places").json["data"]?.array?.contains { $0["id"]?.string == id } == true)
            let made = try await server.post("/v1/places/\(id)/region", #"{"name":"Park","tags":["out"]}"#)
            #expect(made.status == 201 && made["Location"] == "/v1/regions/\(id)")
            #expect(try made.json["properties"]?["name"]?.string == "Park")
            #expect(try await server.post("/v1/places/\(id)/region", "{}").status == 409)
            #expect(try await server.post("/v1/places/plc_none/region", "{}").status == 404)
            #expect(try await server.post("/v1/places/\(id)/region", "1").status == 422)
        }
    }
}
