import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostTesting
import NIOHTTP1
import Testing

@Suite("History over HTTP") struct HistoryTests {
    @Test("lists events in pages that stay the same while events arrive") func events() async throws {
        try await TestServer.run { server in
            try await server.walkIn("jane/phone")
            try await server.walkIn("bob")
            let all = try await server.get("/v1/events").json
            let ids = all["data"]?.array?.compactMap { $0["id"]?.string } ?? []
            #expect(ids.count >= 2)
            let first = try await server.get("/v1/events?limit=1")
            #expect(try first.json["data"]?[0]?["id"]?.string == ids.first)
            let cursor = try #require(try first.json["nextCursor"]?.string)
            #expect(first["Link"] == "</v1/events?limit=1&cursor=\(cursor)>; rel=\"next\"")
            try await server.walkIn("carol")
            let second = try await server.get("/v1/events?limit=1&cursor=\(cursor)").json
            #expect(second["data"]?[0]?["id"]?.string == ids[1])
            let entered = try await server.get("/v1/events?type=region.*&regionId=office&deviceId=bob&explain=true")
                .json
            #expect(entered["data"]?.count == 1)
            let event = try #require(entered["data"]?[0])
            #expect(event["type"]?.string == "region.entered" && event["why"]?["rule"]?.string != nil)
            #expect(event["region"]?["id"]?.string == "office")
            let one = try await server.get("/v1/events/\(event["id"]?.string ?? "")").json
            #expect(one["why"] == nil && one["sequence"]?.int == event["sequence"]?.int)
            #expect(try await server.get("/v1/events?type=visit.*").json["data"]?.count == 0)
            #expect(try await server.get("/v1/events?from=2026-03-02T00:00:00Z").json["data"]?.count == 0)
            #expect(try await server.get("/v1/events?from=2026-02-28T00:00:00%2B02:00").json["data"]?.count == 3)
            // The last cursor is "m-9223372036854775808.0": a time whose magnitude no number holds.
            for bad in [
                "from=yesterday", "cursor=abc", "explain=perhaps", "deviceId=%00",
                "cursor=bS05MjIzMzcyMDM2ODU0Nzc1ODA4LjA",
            ] {
                #expect(try await server.get("/v1/events?\(bad)").status == 400, "\(bad)")
            }
            #expect(try await server.get("/v1/events?type=%27").status == 422)
            #expect(try await server.get("/v1/regions/office/devices").json["data"]?.count == 3)
        }
    }

    @Test("lists locations with the same time in pages") func locations() async throws {
        try await TestServer.run { server in
            let same = (0..<7).map { TestServer.location("a", 5, Double($0), 2) }.joined(separator: ",")
            _ = try await server.post("/v1/locations", "{\"locations\":[\(same),\(TestServer.location("a", 6, 9, 2))]}")
            var (path, seen) = (String?.some("/v1/locations?deviceId=a&limit=3"), [Double]())
            while let next = path {
                let page = try await server.get(next).json
                seen += page["data"]?.array?.compactMap { $0["latitude"]?.double } ?? []
                path = page["nextCursor"]?.string.map { "/v1/locations?deviceId=a&limit=3&cursor=\($0)" }
            }
            #expect(seen.sorted() == [0, 1, 2, 3, 4, 5, 6, 9])
            let missing = try await server.get("/v1/locations")
            #expect(missing.status == 400 && missing.code == "missing_parameter")
        }
    }

    @Test("exports a device in three formats, and erases it") func privacy() async throws {
        try await TestServer.run { server in
            try await server.walkIn("jane/phone")
            let path = "/v1/devices/jane%2Fphone"
            let json = try await server.get("\(path)/export").json
            #expect(json["locations"]?.count == 7 && json["events"]?.count == 1)
            #expect(json["deviceId"]?.string == "jane/phone")
            let gpx = try await server.get("\(path)/export?format=gpx")
            #expect(gpx.text.split(separator: "<trkpt").count == 8 && gpx["Content-Type"] == "application/gpx+xml")
            let geojson = try await server.get("\(path)/export?format=geojson").json
            #expect(geojson["features"]?.count == 7)
            let device = try await server.get(path)
            let tag = try #require(device["ETag"])
            #expect(try await server.get(path, headers: [("If-None-Match", tag)]).status == 304)
            #expect(
                try await server.send(.DELETE, "\(path)?erase=true", headers: [("If-Match", "\"x\"")]).status == 412)
            #expect(try await server.send(.DELETE, "\(path)?erase=true", headers: [("If-Match", tag)]).status == 204)
            #expect(try await server.get(path).status == 404)
            #expect(try await server.get("\(path)/export").status == 404)
            #expect(try await server.get("/v1/events?deviceId=jane/phone").json["data"]?.count == 0)
            #expect(try await server.send(.DELETE, "\(path)?erase=true").status == 404)
        }
    }

    @Test("lists reports of phones separately") func reports() async throws {
        try await TestServer.run { server in
            let transition =
                #"{"_type":"transition","event":"enter","desc":"Home","tst":1772352000,"wtst":1772350000,"#
                + #""lat":1,"lon":2,"acc":5,"t":"c"}"#
            #expect(try await server.post("/pub?u=a&d=b", transition).status == 200)
            let report = try await server.get("/v1/reports?deviceId=a/b&kind=transition").json["data"]?[0]
            #expect(report?["event"]?.string == "enter" && report?["region"]?.string == "Home")
            #expect(try await server.get("/v1/reports?kind=visit").json["data"]?.count == 0)
            #expect(try await server.get("/v1/reports?kind=other").status == 422)
            #expect(try await server.get("/v1/events").json["data"]?.count == 0)
        }
    }
}
