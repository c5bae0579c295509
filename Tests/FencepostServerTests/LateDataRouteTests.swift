import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostTesting
import NIOHTTP1
import Testing

@Suite("Late data over HTTP") struct LateDataRouteTests {
    /// Waits until the history of a device is evaluated.
    private func settle(_ server: TestServer, _ device: String) async throws {
        for _ in 0..<400 {
            if try await server.get("/v1/devices/\(device)/evaluations").json["data"]?.count == 0 { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        Issue.record("the evaluation of \(device) does not end")
    }

    @Test("corrects the events that hold, and keeps what they were") func corrections() async throws {
        try await TestServer.run { server in
            try await server.walkIn("jane")
            let before = try #require(try await server.get("/v1/events?deviceId=jane").json["data"]?[0])
            // Between the fixes around the entry, so that it is earlier.
            let late = [("08:01:15", 50.0097), ("08:01:30", 50.0090), ("08:01:45", 50.0085)].map { time, latitude in
                "{\"deviceId\":\"jane\",\"timestamp\":\"2026-03-01T\(time)Z\",\"latitude\":\(latitude),"
                    + "\"longitude\":10.005,\"horizontalAccuracy\":5}"
            }.joined(separator: ",")
            let reply = try await server.post("/v1/locations", "{\"locations\":[\(late)]}")
            #expect(try reply.json["accepted"]?.int == 3)
            try await settle(server, "jane")
            let now = try await server.get("/v1/events?deviceId=jane").json["data"]
            #expect(now?[0]?["type"]?.string == "region.entered")
            #expect(now?[0]?["revision"]?.int == 2 && now?[0]?["supersedes"]?.string == before["id"]?.string)
            #expect(
                now?[0]?["receivedAt"]?.string != nil && now?[0]?["timestamp"]?.string != before["timestamp"]?.string)
            let all = try #require(try await server.get("/v1/events?deviceId=jane&history=all").json["data"]?.array)
            let old = try #require(all.first { $0["id"]?.string == before["id"]?.string })
            #expect(all.contains { $0["id"]?.string == old["superseded"]?.string })
            #expect(Set(all.compactMap { $0["sequence"]?.int }) == Set(1...all.count))
            let one = try await server.get("/v1/events/\(before["id"]?.string ?? "")").json
            #expect(one["superseded"]?.string == old["superseded"]?.string)
            #expect(try await server.get("/v1/devices/jane").json["regions"]?[0]?.string == "office")
            #expect(try await server.get("/v1/events?history=some").status == 422)
        }
    }

    @Test("is a fix after a silence that retracts the visit that was sent in it") func refutedVisit() async throws {
        try await TestServer.run { server in
            func send(north: Double) async throws {
                let time = server.clock.now().rfc3339
                let body =
                    "{\"locations\":[{\"deviceId\":\"train\",\"timestamp\":\"\(time)\",\"latitude\":\(50 + north),"
                    + "\"longitude\":10,\"horizontalAccuracy\":10}]}"
                let reply = try await server.post("/v1/locations", body)
                #expect(try reply.json["accepted"]?.int == 1 && reply.json["late"]?.int ?? 0 == 0)
            }
            func types(_ query: String = "") async throws -> [String] {
                let events = try await server.get("/v1/events?deviceId=train&type=*\(query)").json["data"]?.array
                return events.map { $0.compactMap { $0["type"]?.string } } ?? []
            }
            // It runs at 17 m/s, stops for two minutes, and is silent in a tunnel.
            for minute in 0..<6 {
                try await send(north: 0.01 * Double(min(minute, 3)))
                server.time.advance(by: .seconds(60))
            }
            for _ in 0..<200 where try await types().isEmpty {
                server.time.advance(by: .seconds(15))
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await types() == ["visit.arrived"])
            let sent = try await server.get("/v1/events?deviceId=train").json["data"]?[0]
            let arrival = try #require(sent?["id"]?.string)
            // 40 km on, where it goes on.
            for step in 0..<4 {
                server.time.advance(by: .seconds(30))
                try await send(north: 0.4 + 0.01 * Double(step))
            }
            try await settle(server, "train")
            #expect(try await types().filter { $0.hasPrefix("visit.") } == [])
            #expect(try await server.get("/v1/visits?deviceId=train").json["data"]?.count == 0)
            let all = try await server.get("/v1/events?deviceId=train&history=all").json["data"]?.array.map(Array.init)
            let retraction = try #require(all?.first { $0["retracts"]?.string == arrival })
            #expect(retraction["type"]?.string == "event.retracted")
            #expect(retraction["retractedType"]?.string == "visit.arrived")
        }
    }

    @Test("is no fix whose time is ahead of its arrival: it is kept with its reason, and moves nothing")
    func aheadOfArrival() async throws {
        try await TestServer.run { server in
            _ = try await server.put("/v1/regions/office", TestServer.office)
            let start = server.clock.now()
            func send(_ seconds: Int64, north: Double) async throws {
                let body =
                    "{\"locations\":[{\"deviceId\":\"jane\",\"timestamp\":\"\(start.after(seconds * 1000).rfc3339)\","
                    + "\"latitude\":\(50.005 + north),\"longitude\":10.005,\"horizontalAccuracy\":8}]}"
                #expect(try await server.post("/v1/locations", body).json["accepted"]?.int == 1)
            }
            for minute in 0..<4 {
                try await send(Int64(minute) * 60, north: 0)
                server.time.advance(by: .seconds(60))
            }
            try await send(40_000, north: 0.3)
            try await send(240, north: 0)
            let device = try await server.get("/v1/devices/jane").json
            #expect(device["lastLocation"]?["timestamp"]?.string == start.after(240_000).rfc3339)
            #expect(device["regions"]?[0]?.string == "office" && device["clockOffset"] == nil)
            let rows = try await server.get("/v1/locations?deviceId=jane").json["data"]?.array.map(Array.init) ?? []
            #expect(rows.count == 6 && rows.last?["untrusted"]?.string == "clock_ahead")
            #expect(rows.count { $0["untrusted"] != nil || $0["late"] != nil } == 1)
            // The same again is a duplicate, and an evaluation of the history leaves it out.
            let again = try await server.post(
                "/v1/locations",
                "{\"locations\":[{\"deviceId\":\"jane\",\"timestamp\":\"\(start.after(40_000_000).rfc3339)\","
                    + "\"latitude\":50.305,\"longitude\":10.005,\"horizontalAccuracy\":8}]}")
            #expect(try again.json["duplicates"]?.int == 1)
            try await send(-30, north: 0)
            try await settle(server, "jane")
            let events = try await server.get("/v1/events?deviceId=jane").json["data"]?.array.map(Array.init) ?? []
            #expect(!events.isEmpty && !events.contains { $0["type"]?.string == "region.exited" })
        }
    }

    @Test("is no fix whose time is 1024 weeks before its arrival: it is rejected, and the others are kept")
    func weekRollover() async throws {
        try await TestServer.run { server in
            let now = server.clock.now()
            func location(_ time: Timestamp) -> String {
                "{\"deviceId\":\"old\",\"timestamp\":\"\(time.rfc3339)\",\"latitude\":50,\"longitude\":10}"
            }
            let week: Int64 = 7 * 86_400_000
            let times = [0, -1024 * week, -1024 * week + 72_000_000, -1020 * week, -1028 * week].map { now.after($0) }
            let body = "{\"locations\":[\(times.map(location).joined(separator: ","))]}"
            let reply = try await server.post("/v1/locations", body).json
            #expect(reply["accepted"]?.int == 3)
            #expect(reply["rejected"]?.array.map { $0.compactMap { $0["index"]?.int } } == [1, 2])
            #expect(reply["rejected"]?[0]?["code"]?.string == "week_rollover")
            // A file is of any time.
            let track = "deviceId,timestamp,latitude,longitude\nfile,\(times[1].rfc3339),50,10\n"
            #expect(try await server.post("/v1/imports", track, type: "text/csv").json["stored"]?.int == 1)
        }
    }

    @Test("of two phones under one id is told from that of one") func secondPhone() async throws {
        try await TestServer.run { server in
            for step in 0..<9 {
                let time = server.clock.now().rfc3339
                for (device, latitude) in [("both", 50 + 0.1 * Double(step % 2)), ("one", 50 + 0.001 * Double(step))] {
                    let body =
                        "{\"locations\":[{\"deviceId\":\"\(device)\",\"timestamp\":\"\(time)\",\"latitude\":\(latitude),"
                        + "\"longitude\":10,\"horizontalAccuracy\":8}]}"
                    #expect(try await server.post("/v1/locations", body).json["accepted"]?.int == 1)
                }
                server.time.advance(by: .seconds(90))
            }
            let both = try await server.get("/v1/devices/both").json
            let other = both["secondPhone"]
            #expect((other?["latitude"]?.double ?? 0) > 50 && other?["longitude"]?.double == 10)
            #expect(try await server.get("/v1/devices/one").json["secondPhone"] == nil)
            let listed = try await server.get("/v1/devices").json["data"]?.array.map(Array.init) ?? []
            #expect(listed.filter { $0["secondPhone"] != nil }.compactMap { $0["id"]?.string } == ["both"])
        }
    }

    @Test("of a file is evaluated once, and the dry run counts its events") func imports() async throws {
        try await TestServer.run { server in
            _ = try await server.put("/v1/regions/office", TestServer.office)
            let latitudes = [50.02, 50.0115, 50.0104, 50.0093, 50.0082, 50.0071, 50.006, 50.005, 50.0049]
            let rows = latitudes.enumerated().map { "file,2026-02-01T08:0\($0):00Z,\($1),10.005\n" }
            let track = "deviceId,timestamp,latitude,longitude\n" + rows.joined()
            func send(_ query: String = "", _ file: String? = nil) async throws -> JSONElement {
                let reply = try await server.post("/v1/imports\(query)", file ?? track, type: "text/csv")
                #expect(reply.status == 200)
                return try reply.json
            }
            let preview = try await send("?dryRun=true")
            #expect(preview["stored"]?.int == 9 && preview["events"]?["region.entered"]?.int == 1)
            #expect(preview["repeated"]?.int == 0)
            let twice = try await send("?dryRun=true", track + rows[2] + rows[5])
            #expect(twice["stored"]?.int == 9 && twice["duplicates"]?.int == 2 && twice["repeated"]?.int == 2)
            #expect(try await server.get("/v1/events").json["data"]?.count == 0)
            let report = try await send()
            #expect(report["stored"]?.int == 9 && report["events"]?["region.entered"]?.int == 1)
            #expect(try await server.get("/v1/events?deviceId=file").json["data"]?.count == 1)
            let again = try await send()
            #expect(
                again["stored"]?.int == 0 && again["duplicates"]?.int == 9 && again["events"]?.object?.isEmpty == true)
            let known = try await send("?dryRun=true", track + rows[2])
            #expect(known["duplicates"]?.int == 10 && known["repeated"]?.int == 0)
            #expect(try await server.get("/v1/events?deviceId=file&history=all").json["data"]?.count == 1)
            #expect(try await server.get("/v1/devices/file").json["regions"]?[0]?.string == "office")
        }
    }

    @Test("of a large file continues in the background, and can be cancelled") func jobs() async throws {
        try await TestServer.run { server in
            func file(_ device: String) -> String {
                (0..<60_000).reduce(into: "deviceId,timestamp,latitude,longitude\n") { csv, index in
                    csv += "\(device),\(1_700_000_000 + index * 10),50.\(100_000 + index),10.5\n"
                }
            }
            let reply = try await server.post("/v1/imports?file=big.csv", file("a"), type: "text/csv")
            #expect(reply.status == 202)
            let path = try #require(reply["Location"])
            #expect(path == "/v1/imports/\(try reply.json["id"]?.string ?? "")")
            var job = try await server.get(path).json
            for _ in 0..<600 where job["state"]?.string != "done" {
                try await Task.sleep(for: .milliseconds(50))
                job = try await server.get(path).json
            }
            #expect(job["state"]?.string == "done" && job["progress"]?.double == 1)
            #expect(job["stored"]?.int == 60_000 && job["file"]?.string == "big.csv")
            // The status of the device follows the commit that ends the import, as it does in all evaluations of history.
            var device = try await server.get("/v1/devices/a").json
            for _ in 0..<400 where device["lastLocation"] == nil {
                try await Task.sleep(for: .milliseconds(25))
                device = try await server.get("/v1/devices/a").json
            }
            #expect(device["lastLocation"] != nil)
            let bound = try await server.issue(["ingest"], device: "b")
            #expect(try await server.get(path, token: bound).status == 404)

            let other = try await server.post("/v1/imports", file("b"), type: "text/csv")
            let second = try #require(other["Location"])
            #expect(try await server.send(.DELETE, second).status == 204)
            #expect(try await server.get(second).json["state"]?.string == "cancelled")
            try await settle(server, "b")
            #expect(try await server.send(.DELETE, second).status == 204)
            #expect(try await server.get("/v1/imports/imp_none").status == 404)
        }
    }

    @Test("is evaluated again on request") func evaluations() async throws {
        try await TestServer.run { server in
            try await server.walkIn("jane")
            let events = try await server.get("/v1/events?history=all").text
            func post(_ body: String, device: String = "jane") async throws -> Int {
                try await server.post("/v1/devices/\(device)/evaluations", body).status
            }
            #expect(try await post("{}") == 202)
            try await settle(server, "jane")
            #expect(try await server.get("/v1/events?history=all").text == events)
            #expect(try await post(#"{"from":"2026-03-01T00:00:00Z","regions":"today"}"#) == 202)
            try await settle(server, "jane")
            for bad in [#"{"from":"yesterday"}"#, #"{"regions":"old"}"#, #"{"form":null}"#, "[]"] {
                #expect(try await post(bad) == 422, "\(bad)")
            }
            #expect(try await post("{}", device: "nobody") == 404)
        }
    }
}
