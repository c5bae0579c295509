import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import FencepostServiceTesting
import NIOHTTP1
import Testing

@Suite("Plans over HTTP") struct PlanRouteTests {
    private static let json = "application/json"
    private static let places = [50.0, 50.02]

    /// Two regions, `gate` and `hall`.
    private static func addRegions(_ server: TestServer) async throws {
        for (name, latitude) in zip(["gate", "hall"], places) {
            let body =
                #"{"type":"Feature","id":"\#(name)","properties":{"name":"The \#(name)","radius":150},"#
                + #""geometry":{"type":"Point","coordinates":[10,\#(latitude)]}}"#
            #expect(try await server.put("/v1/regions/\(name)", body).status < 300)
        }
    }

    private static func submit(_ server: TestServer, at latitude: Double, after seconds: Int = 60) async throws {
        server.time.advance(by: .seconds(seconds))
        let time = server.clock.now()
        #expect(try await send(server, at: latitude, time).json["accepted"]?.int == 1)
    }

    private static func send(
        _ server: TestServer, at latitude: Double, _ time: Timestamp
    ) async throws -> TestServer.Reply {
        try await server.post(
            "/v1/locations",
            "{\"locations\":[{\"deviceId\":\"guard\",\"timestamp\":\"\(time.rfc3339)\",\"latitude\":\(latitude),"
                + "\"longitude\":10,\"horizontalAccuracy\":5}]}")
    }

    /// A time of day in UTC so many minutes from the next whole minute on, in the notation of plans.
    private static func clock(_ server: TestServer, _ minutes: Int64) -> String {
        let minute = server.clock.now().milliseconds / 60_000 % 1440 + minutes
        let (ofDay, suffix) = minute < 1440 ? (minute, "") : (minute - 1440, "+1")
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(ofDay / 60)):\(two(ofDay % 60))\(suffix)"
    }

    private static func plan(_ server: TestServer, stay: Int = 0) -> String {
        #"{"name":"Night","timeZone":"UTC","ordered":true,"devices":["guard"],"places":["#
            + #"{"region":"gate","from":"\#(clock(server, 5))","to":"\#(clock(server, 15))"},"#
            + #"{"region":"hall","from":"\#(clock(server, 20))","to":"\#(clock(server, 30))","stay":\#(stay)}]}"#
    }

    private static func types(_ server: TestServer) async throws -> [String] {
        try #require(try await server.get("/v1/events?type=plan.*").json["data"]?.array).map { event in
            [event["type"]?.string, event["region"]?["id"]?.string].compactMap(\.self).joined(separator: " ")
        }
    }

    private static func states(_ response: TestServer.Reply) throws -> [String] {
        try #require(try response.json["data"]?[0]?["places"]?.array).compactMap { $0["state"]?.string }
    }

    private static func waitUntil(_ condition: () async throws -> Bool) async throws {
        for _ in 0..<500 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("it did not happen")
    }

    @Test("are added, walked, shown by date, replaced and ended") func lifecycle() async throws {
        try await TestServer.run { server in
            try await Self.addRegions(server)
            try await Self.submit(server, at: 51)
            let made = try await server.post("/v1/plans", Self.plan(server))
            #expect(made.status == 201)
            let id = try #require(try made.json["id"]?.string)
            #expect(id.hasPrefix("pln_") && made["Location"] == "/v1/plans/\(id)")
            #expect(try made.json["grace"]?.int == 1800 && made.json["days"]?.string == "Mon,Tue,Wed,Thu,Fri,Sat,Sun")
            #expect(try await server.get("/v1/plans/\(id)").text == made.text)
            #expect(try await server.get("/v1/plans").json["data"]?.array?.count == 1)
            let date = Timestamp.date(day: Int(server.clock.now().milliseconds / 86_400_000))
            let rounds = "/v1/plans/\(id)/rounds?from=\(date)"
            #expect(try Self.states(try await server.get(rounds)) == ["upcoming", "upcoming"])
            for _ in 0..<8 { try await Self.submit(server, at: 51) }
            for _ in 0..<3 { try await Self.submit(server, at: Self.places[0]) }
            #expect(try await Self.types(server) == ["plan.visited gate"])
            #expect(try Self.states(try await server.get(rounds)) == ["visited", "upcoming"])
            for _ in 0..<20 { try await Self.submit(server, at: 51) }
            #expect(try await Self.types(server) == ["plan.visited gate", "plan.missed hall"])
            for _ in 0..<3 { try await Self.submit(server, at: Self.places[1]) }
            #expect(
                try await Self.types(server) == [
                    "plan.visited gate", "plan.missed hall", "plan.late hall", "plan.completed",
                ])
            let over = try await server.get(rounds)
            #expect(try Self.states(over) == ["visited", "late"])
            let round = try #require(try over.json["data"]?[0])
            #expect(round["state"]?.string == "completed" && round["inOrder"]?.bool == true)
            #expect(round["visited"]?.int == 1 && round["late"]?.int == 1 && round["missed"]?.int == 0)
            let event = try #require(try await server.get("/v1/events?type=plan.late&explain=true").json["data"]?[0])
            #expect(event["plan"]?["place"]?.int == 2 && event["plan"]?["name"]?.string == "Night")
            #expect(event["why"]?["rule"]?.string == "visit_after_window")
            let missed = try #require(try await server.get("/v1/events?type=plan.missed&explain=true").json["data"]?[0])
            #expect(missed["why"]?["rule"]?.string == "no_visit_in_window" && missed["confidence"]?.double ?? 0 > 0.9)

            // Files.
            let csv = try await server.get(rounds + "&format=csv")
            #expect(csv.status == 200 && csv["Content-Type"] == "text/csv")
            let lines = csv.text.split(separator: "\n")
            #expect(lines.count == 3 && lines[0].hasPrefix("planId,date,deviceId,round,place,regionId,from,to,state"))
            #expect(lines[1].contains(",gate,") && lines[1].contains(",visited,") && lines[2].contains(",late,"))
            let workbook = try await server.get(rounds + "&format=xlsx&timeZone=Europe/Lisbon")
            #expect(workbook.status == 200 && workbook.body.starts(with: Array("PK".utf8)))

            // A change keeps the rounds until now, and an end too.
            let tag = try #require(made["ETag"])
            let changed = try await server.send(
                .PUT, "/v1/plans/\(id)", body: Array(Self.plan(server, stay: 60).utf8), type: Self.json,
                headers: [("If-Match", tag)])
            #expect(try changed.status == 200 && changed.json["places"]?[1]?["stay"]?.int == 60)
            #expect(try changed.json["timeZone"]?.string == "UTC")
            #expect(try await server.send(.DELETE, "/v1/plans/\(id)").status == 204)
            #expect(try await server.get("/v1/plans/\(id)").status == 404)
            #expect(try await server.send(.DELETE, "/v1/plans/\(id)").status == 404)
            #expect(try Self.states(try await server.get(rounds)) == ["visited", "late"])
            // What was read can be sent back.
            #expect(try await server.put("/v1/plans/\(id)", changed.text).status == 201)
        }
    }

    @Test("are missed in silence within a minute, and late data makes a visit of that") func lateData() async throws {
        try await TestServer.run { server in
            try await Self.addRegions(server)
            // 5.5 km away: it may have come unseen.
            try await Self.submit(server, at: 50.05)
            let start = server.clock.now()
            #expect(try await server.post("/v1/plans", Self.plan(server)).status == 201)
            // The window of the gate ends after 15 minutes at the latest.
            server.time.advance(by: .seconds(15 * 60 + 55))
            try await Self.waitUntil { try await Self.types(server) == ["plan.missed gate"] }
            let missed = try #require(try await server.get("/v1/events?type=plan.missed").json["data"]?[0])
            #expect(missed["confidence"]?.double ?? 1 < 0.8)
            // What the phone had recorded.
            for seconds in stride(from: 360, through: 500, by: 20) {
                _ = try await Self.send(server, at: Self.places[0], start + .seconds(seconds))
            }
            try await Self.waitUntil { try await Self.types(server) == ["plan.visited gate"] }
            let all = try await server.get("/v1/events?history=all&type=plan.*,event.retracted").json["data"]?.array
            #expect(all?.contains { $0["type"]?.string == "event.retracted" } == true)
        }
    }

    @Test("are refused with where it is and how to mend it") func refusals() async throws {
        try await TestServer.run { server in
            try await Self.addRegions(server)
            func place(_ members: String) -> String { #"{"devices":["a"],"places":[{\#(members)}]}"# }
            let gate = #""region":"gate","from":"10:00","to":"11:00""#
            let many = [String](repeating: "{\(gate)}", count: 101).joined(separator: ",")
            for (body, code, pointer) in [
                ("[]", "invalid_value", ""), (#"{"devices":["a"]}"#, "missing_member", "/places"),
                (#"{"devices":["a"],"places":[\#(many)]}"#, "too_many_places", "/places"),
                (#"{"places":[{\#(gate)}]}"#, "missing_member", "/devices"),
                (place(#""region":"nowhere","from":"10:00","to":"11:00""#), "unknown_region", "/places/0/region"),
                (
                    place(#""region":"gate","from":"22:00","to":"06:00""#), "window_ends_before_it_begins",
                    "/places/0/to"
                ),
                (place(#""region":"gate","from":"10:00","to":"10:30+1""#), "window_too_long", "/places/0/to"),
                (place(#""region":"gate","from":"10","to":"11:00""#), "invalid_value", "/places/0/from"),
                (place(gate + #","stay":3601"#), "stay_too_long", "/places/0/stay"),
                (place(gate + #","radius":5"#), "unknown_key", "/places/0/radius"),
                (#"{"devices":["a"],"places":[{\#(gate)},{\#(gate)}]}"#, "windows_overlap", "/places/1/from"),
                (#"{"devices":["a"],"places":[{\#(gate)}],"timeZone":"Atlantis"}"#, "unknown_time_zone", "/timeZone"),
                (#"{"devices":["a"],"places":[{\#(gate)}],"last":"2020-01-01"}"#, "plan_in_past", ""),
                (#"{"devices":["a"],"places":[{\#(gate)}],"dates":["2020-01-01"]}"#, "plan_in_past", ""),
                (#"{"devices":["a"],"places":[{\#(gate)}],"days":"Mon-Foo"}"#, "invalid_value", "/days"),
                (#"{"devices":["a"],"places":[{\#(gate)}],"except":["2020-13-01"]}"#, "invalid_value", "/except/0"),
                (#"{"groups":["nobody"],"places":[{\#(gate)}]}"#, "unknown_group", "/groups/0"),
                (#"{"devices":["a"],"places":[{\#(gate)}],"grace":50000}"#, "invalid_value", "/grace"),
            ] {
                let response = try await server.post("/v1/plans", body)
                #expect(response.status == 422, "\(body)")
                #expect(try response.json["errors"]?[0]?["code"]?.string == code, "\(body)")
                #expect(try response.json["errors"]?[0]?["pointer"]?.string == pointer, "\(body)")
            }
            #expect(try await server.get("/v1/plans").json["data"]?.array?.count == 0)
            for (query, name) in [
                ("from=today", "from"), ("from=2026-01-01&to=2026-12-31", "from"),
                ("to=2020-01-01&from=2021-01-01", "from"),
            ] {
                #expect(try await server.put("/v1/plans/p", place(gate)).status < 300)
                let response = try await server.get("/v1/plans/p/rounds?\(query)")
                #expect(response.status == 400, "\(query)")
                #expect(try response.json["errors"]?[0]?["parameter"]?.string == name, "\(query)")
            }
        }
    }

    @Test("are made of an iCalendar file, whose regions are found by name, or refused by line") func calendar()
        async throws
    {
        try await TestServer.run { server in
            try await Self.addRegions(server)
            let path = "/v1/plans/import?devices=guard-1,guard-2&ordered=true&stay=60"
            func send(_ events: String...) async throws -> TestServer.Reply {
                let text = "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Rounds\r\n\(events.joined())END:VCALENDAR\r\n"
                return try await server.send(.POST, path, body: Array(text.utf8), type: "text/calendar")
            }
            func event(_ start: String, _ more: String) -> String {
                "BEGIN:VEVENT\r\nDTSTART;TZID=Europe/Lisbon:\(start)\r\nRRULE:FREQ=WEEKLY;BYDAY=MO,WE\r\n\(more)\r\nEND:VEVENT\r\n"
            }
            let good = try await send(
                event("20990302T221500", "DURATION:PT30M\r\nSUMMARY:Hall check\r\nLOCATION:the HALL"),
                event("20990302T213000", "DTEND;TZID=Europe/Lisbon:20990302T220000\r\nSUMMARY:gate"))
            #expect(good.status == 201)
            let plan = try #require(try good.json["data"]?[0])
            #expect(try good.json["data"]?.array?.count == 1 && good.json["warnings"]?.array?.count == 0)
            #expect(
                plan["name"]?.string == "Rounds" && plan["ordered"]?.bool == true && plan["days"]?.string == "Mon,Wed")
            #expect(plan["places"]?[0]?["region"]?.string == "gate" && plan["places"]?[0]?["from"]?.string == "21:30")
            #expect(plan["places"]?[1]?["region"]?.string == "hall" && plan["places"]?[1]?["to"]?.string == "22:45")
            #expect(plan["first"]?.string == "2099-03-02" && plan["devices"]?[1]?.string == "guard-2")
            let bad = try await send(
                event("20990302T221500", "DURATION:PT30M\r\nSUMMARY:Cellar"),
                event("20990302T221500", "DURATION:PT0M\r\nSUMMARY:gate"))
            #expect(bad.status == 422)
            let errors = try #require(try bad.json["errors"]?.array)
            #expect(errors.map { $0["code"]?.string } == ["unknown_region", "window_ends_before_it_begins"])
            #expect(errors.map { $0["line"]?.int } == [7, 12])
            // As over the API, one visit cannot count for two places; two windows that only touch are two visits.
            let double = try await send(
                event("20990302T221500", "DURATION:PT30M\r\nSUMMARY:gate"),
                event("20990302T224400", "DURATION:PT30M\r\nSUMMARY:gate"))
            #expect(double.status == 422)
            let overlap = try #require(try double.json["errors"]?.array)
            #expect(overlap.map { $0["code"]?.string } == ["windows_overlap"] && overlap.map { $0["line"]?.int } == [9])
            #expect(try await server.get("/v1/plans").json["data"]?.array?.count == 1)
            let after = try await send(
                event("20990302T221500", "DURATION:PT30M\r\nSUMMARY:gate"),
                event("20990302T224500", "DURATION:PT30M\r\nSUMMARY:gate"))
            #expect(try after.status == 201 && after.json["data"]?[0]?["places"]?.array?.count == 2)
            #expect(try await server.get("/v1/plans").json["data"]?.array?.count == 2)
        }
    }
}
