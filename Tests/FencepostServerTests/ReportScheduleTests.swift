import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostStore
import Foundation
import NIOHTTP1
import Testing

@Suite("Report schedules over HTTP") struct ReportScheduleTests {
    private static let path = "/v1/report-schedules"
    private static let mail =
        #"{"id":"mail","kind":"email","url":"https://mail.example.com","from":"a@example.com","to":["b@example.com"]}"#

    private static func withMail(
        _ reports: ReportDownloads = ReportDownloads(), _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run { dependencies in
            dependencies.reports = reports
        } _: { server in
            #expect(try await server.post("/v1/endpoints", mail).status == 201)
            try await body(server)
        }
    }

    private static func change(
        _ server: TestServer, _ method: HTTPMethod, _ json: String, _ headers: [(String, String)] = []
    ) async throws -> TestServer.Reply {
        try await server.send(
            method, "\(path)/vans", body: Array(json.utf8), type: "application/json", headers: headers)
    }

    @Test("are made, changed by their ETag, and removed") func life() async throws {
        try await Self.withMail { server in
            let made = try await server.post(
                Self.path, #"{"id":"vans","name":"Vans","frequency":"weekly","endpoints":["mail"],"deviceId":"van/*"}"#)
            #expect(made.status == 201 && made["Location"] == "/v1/report-schedules/vans", "\(made.text)")
            let json = try made.json
            // 1 March 2026 is a Sunday.
            #expect(json["nextRun"]?.string == "2026-03-02T07:00:00Z" && json["lastRun"] == nil)
            #expect(json["report"]?.string == "summaries" && json["format"]?.string == "xlsx")
            #expect(json["firstDay"]?.string == "monday" && json["at"]?.string == "07:00")
            #expect(json["timeZone"]?.string == "GMT" && json["state"]?.string == "active")
            let again = try await server.post(
                Self.path, #"{"id":"vans","name":"Vans","frequency":"daily","endpoints":["mail"]}"#)
            #expect(again.status == 409)
            let tag = try #require(made["ETag"])
            #expect(try await server.get("\(Self.path)/vans")["ETag"] == tag)

            let patch = #"{"frequency":"monthly","firstDay":null,"timeZone":"Europe/Lisbon","deviceId":null}"#
            let wrong = try await Self.change(server, .PATCH, patch, [("If-Match", "\"0\"")])
            #expect(wrong.status == 412)
            let changed = try await Self.change(server, .PATCH, patch, [("If-Match", tag)])
            #expect(changed.status == 200 && changed["ETag"] != tag, "\(changed.text)")
            #expect(try changed.json["deviceId"] == nil && changed.json["firstDay"] == nil)
            #expect(try changed.json["nextRun"]?.string == "2026-04-01T06:00:00Z")
            let paused = try await Self.change(server, .PATCH, #"{"state":"disabled"}"#)
            #expect(try paused.json["state"]?.string == "disabled" && paused.json["nextRun"] == nil)

            let replaced = try await Self.change(
                server, .PUT, #"{"name":"Trips","report":"trips","frequency":"daily","endpoints":["mail"]}"#)
            #expect(try replaced.status == 200 && replaced.json["state"]?.string == "active")
            #expect(try replaced.json["createdAt"]?.string == json["createdAt"]?.string)
            #expect(try await server.get(Self.path).json["data"]?.count == 1)
            #expect(try await server.send(.DELETE, "\(Self.path)/vans").status == 204)
            #expect(try await server.get("\(Self.path)/vans").status == 404)
            #expect(try await Self.change(server, .PATCH, "{}").status == 404)
            #expect(try await server.send(.DELETE, "\(Self.path)/vans").status == 404)
        }
    }

    @Test(
        "faults are refused with their place and a sentence",
        arguments: [
            (#""frequency":"hourly""#, "/frequency", "daily, weekly, monthly"),
            (#""frequency":"daily","firstDay":"monday""#, "/firstDay", "Only a weekly report"),
            (#""frequency":"daily","at":"24:00""#, "/at", "00:00 to 23:59"),
            (#""frequency":"daily","at":"03:00","dayStartsAt":"04:00""#, "/at", "before dayStartsAt"),
            (#""frequency":"daily","timeZone":"Lisbon""#, "/timeZone", "IANA name"),
            (#""frequency":"daily","regionId":"office""#, "/regionId", #"needs "by":"region""#),
            (#""frequency":"daily","report":"trips","by":"device""#, "/by", "has no"),
            (#""frequency":"daily","report":"visits","units":"metric""#, "/units", "has no"),
            (#""frequency":"daily","report":"places""#, "/report", "summaries, trips, visits"),
            (#""frequency":"daily","group":"vans""#, "/group", "no group"),
            (#""frequency":"daily","format":"pdf""#, "/format", "csv, xlsx"),
            (#""frequency":"daily","units":"feet""#, "/units", "metric, imperial"),
            (#""frequency":"daily","units":"imperial","format":"csv""#, "/units", "xlsx"),
            (#""frequency":"daily","by":"group","tag":"a""#, "/tag", "groups have none"),
            (#""frequency":"daily","endpoints":["nobody"]"#, "/endpoints/0", "no endpoint"),
            (#""frequency":"daily","endpoints":["channel"]"#, "/endpoints/0", "takes no files"),
            (#""frequency":"daily","endpoints":[]"#, "/endpoints", "1 to 16"),
            (#""frequency":"daily","name":"""#, "/name", "1 to 256"),
        ])
    func faults(_ members: String, _ pointer: String, _ words: String) async throws {
        try await Self.withMail { server in
            let channel = #"{"id":"channel","kind":"gotify","url":"https://push.example.com","token":"A1"}"#
            #expect(try await server.post("/v1/endpoints", channel).status == 201)
            let rest =
                (members.contains("endpoints") ? "" : #","endpoints":["mail"]"#)
                + (members.contains(#""name""#) ? "" : #","name":"Vans""#)
            let reply = try await server.post(Self.path, "{\(members)\(rest)}")
            #expect(reply.status == 422)
            let faults = try reply.json["errors"]?.array.map(Array.init) ?? []
            #expect(faults.map { $0["pointer"]?.string } == [pointer], "\(reply.text)")
            #expect(faults.first?["detail"]?.string?.contains(words) == true, "\(reply.text)")
        }
    }

    @Test("an unknown member is refused with the nearest one") func unknown() async throws {
        try await Self.withMail { server in
            let reply = try await server.post(
                Self.path, #"{"name":"Vans","frequenzy":"daily","frequency":"daily","endpoints":["mail"]}"#)
            #expect(reply.status == 422 && reply.text.contains("did you mean \\\"frequency\\\"?"), "\(reply.text)")
        }
    }

    @Test("send puts the report of the last period into the outbox, each time") func send() async throws {
        try await Self.withMail { server in
            _ = try await server.post(
                Self.path, #"{"id":"vans","name":"Vans","frequency":"weekly","endpoints":["mail"]}"#)
            for count in 1...2 {
                server.time.advance(by: .seconds(1))
                let sent = try await server.post("\(Self.path)/vans/send", "")
                #expect(sent.status == 200, "\(sent.text)")
                #expect(try sent.json["from"]?.string == "2026-02-16T00:00:00Z")
                #expect(try sent.json["to"]?.string == "2026-02-23T00:00:00Z")
                #expect(try await server.get("/v1/deliveries?endpointId=mail").json["data"]?.count == count)
            }
            // A test does not count as the report of its week.
            #expect(try await server.get("\(Self.path)/vans").json["lastRun"] == nil)
            #expect(try await server.post("\(Self.path)/none/send", "").status == 404)
        }
    }

    @Test("what the API accepts as a schedule has a file, and what it refuses has none") func parameters() async throws
    {
        try await Self.withMail { server in
            #expect(try await server.put("/v1/groups/vans", #"{"devices":["van/*"]}"#).status < 300)
            var (accepted, refused) = (0, 0)
            for report in ["summaries", "trips", "visits"] {
                for format in ["xlsx", "csv"] {
                    for parameters in [
                        [:], ["units": "imperial"], ["units": "metric", "deviceId": "van/*"], ["by": "group"],
                        ["by": "region", "tag": "a"], ["by": "group", "regionId": "a"], ["group": "vans"],
                        ["by": "tag", "period": "week", "dayStartsAt": "04:00"],
                    ] {
                        let members = parameters.map { ",\"\($0)\":\"\($1)\"" }.joined()
                        let json =
                            #"{"name":"R","frequency":"daily","endpoints":["mail"],"timeZone":"Asia/Tokyo","report":"\#(report)","#
                            + #""format":"\#(format)"\#(members)}"#
                        let reply = try await server.post(Self.path, json)
                        guard reply.status == 201 else {
                            // The route of the list says no too, or does not know the parameter.
                            let query = parameters.map { "&\($0)=\($1)" }.joined()
                            #expect(
                                try await server.get("/v1/\(report)?format=\(format)\(query)").status == 400, "\(json)")
                            refused += 1
                            continue
                        }
                        accepted += 1
                        let id = try #require(try reply.json["id"]?.string)
                        let schedule = try #require(try await server.store.reportSchedules().first { $0.id == id })
                        let target = schedule.target(of: schedule.timing.latest(at: TestServer.now))
                        let file = try await server.get(target)
                        #expect(file.status == 200 && file["Content-Disposition"] != nil, "\(target) \(file.text)")
                    }
                }
            }
            #expect(accepted >= 18 && refused >= 16, "\(accepted) \(refused)")
        }
    }

    @Test("the file is that of a download, byte for byte") func bytes() async throws {
        let reports = ReportDownloads()
        try await Self.withMail(reports) { server in
            #expect(try await server.post("/v1/regions", TestServer.office, type: "application/geo+json").status == 201)
            for day in -3...(-1) {
                let body = HistoryReportTests.morning("van/1", day: day)
                #expect(try await server.post("/v1/locations", body, type: "application/x-ndjson").status == 200)
            }
            let period = "from=2026-02-25T00:00:00Z&to=2026-03-01T00:00:00Z"
            for (target, name) in [
                ("/v1/summaries?\(period)&format=xlsx&deviceId=van%2F%2A", "summary.xlsx"),
                ("/v1/summaries?\(period)&format=csv&by=region", "summary.csv"),
                ("/v1/trips?\(period)&format=csv", "trips.csv"), ("/v1/trips?\(period)&format=xlsx", "trips.xlsx"),
                ("/v1/visits?\(period)&format=csv", "visits.csv"),
                ("/v1/visits?\(period)&format=xlsx&regionId=office&timeZone=Asia%2FTokyo", "visits.xlsx"),
            ] {
                let download = try await server.get(target)
                #expect(download.status == 200 && download.body.count > 100)
                let file = ReportFile(name: name, type: try #require(download["Content-Type"]), bytes: download.body)
                #expect(await reports.file(at: target) == .file(file))
            }
            guard case .refused(let reason) = await reports.file(at: "/v1/summaries?group=none") else {
                Issue.record("a group that does not exist has a report")
                return
            }
            #expect(reason == "The group does not exist.")
        }
    }
}
