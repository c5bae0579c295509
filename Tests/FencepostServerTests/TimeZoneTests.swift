import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import Foundation
import NIOHTTP1
import Testing

@Suite("Time zones of the service and of users") struct TimeZoneTests {
    private static let kolkata = "Asia/Kolkata"

    private static func run(
        _ zone: ServiceZone, _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run {
            $0.zone = zone
        } _: {
            try await body($0)
        }
    }

    private static func zone(_ name: String) -> TimeZone? { TimeZone(identifier: name) }

    @Test("a user chooses a zone, whatever its role, and the page reads it with the service's at sign-in")
    func own() async throws {
        try await Self.run(ServiceZone(Self.zone(Self.kolkata))) { server in
            let sam = try await SignedInBrowser.signIn(server, "sam", role: "viewer", limits: #","devices":["van-*"]"#)
            let before = try await sam.get("/v1/access").json
            #expect(before["timeZone"]?.string == Self.kolkata && before["user"]?["timeZone"] == nil)
            let path = "/v1/sessions/current/user"
            let changed = try await sam.send(.PATCH, path, #"{"timeZone":"America/St_Johns"}"#)
            #expect(changed.status == 200, "\(changed.text)")
            #expect(try changed.json["timeZone"]?.string == "America/St_Johns")
            let after = try await sam.get("/v1/access").json
            #expect(after["user"]?["timeZone"]?.string == "America/St_Johns")
            #expect(after["timeZone"]?.string == Self.kolkata)
            #expect(
                try await sam.get("/v1/sessions/current").json["user"]?["timeZone"]?.string == "America/St_Johns")
            // The own zone, and nothing else of the user.
            for (json, pointer) in [
                (#"{"timeZone":"Mars/Olympus"}"#, "/timeZone"), (#"{"timeZone":7}"#, "/timeZone"),
                (#"{"timeZone":""}"#, "/timeZone"), (#"{"role":"admin"}"#, nil), ("{}", nil),
            ] {
                let refused = try await sam.send(.PATCH, path, json)
                #expect(refused.status == 422, "\(json)")
                if let pointer {
                    #expect(try refused.json["errors"]?[0]?["pointer"]?.string == pointer)
                    #expect(refused.text.contains("Europe/Lisbon"))
                }
            }
            #expect(try await sam.send(.PATCH, path, #"{"timeZone":null}"#).status == 200)
            #expect(try await sam.get("/v1/access").json["user"]?["timeZone"] == nil)
            #expect(try await server.send(.PATCH, path, body: Array("{}".utf8), type: "application/json").status == 409)
            // Nobody learns anything without a session or a token.
            let nobody = try await server.send(.GET, "/v1/access", token: .some(nil))
            #expect(try nobody.json["timeZone"] == nil)
            #expect(try await server.get("/v1/access").json["timeZone"]?.string == Self.kolkata)
        }
    }

    @Test("administrators set the zone of a user") func administrators() async throws {
        try await TestServer.run { server in
            let user = #"{"name":"jane","password":"12345678","role":"viewer","timeZone":"Asia/Kathmandu"}"#
            let added = try await server.post("/v1/users", user)
            #expect(added.status == 201)
            #expect(try added.json["timeZone"]?.string == "Asia/Kathmandu")
            let path = "/v1/users/\(try #require(try added.json["id"]?.string))"
            func patch(_ json: String) async throws -> TestServer.Reply {
                try await server.send(.PATCH, path, body: Array(json.utf8), type: "application/json")
            }
            #expect(try await patch(#"{"timeZone":"Nowhere"}"#).status == 422)
            // Another change keeps it.
            #expect(try await patch(#"{"role":"editor"}"#).json["timeZone"]?.string == "Asia/Kathmandu")
            #expect(try await patch(#"{"timeZone":null}"#).json["timeZone"] == nil)
            #expect(try await server.get("/v1/access").json["timeZone"] == nil)
        }
    }

    @Test("what names no zone has that of the service, also after a reload; what names one keeps it")
    func defaults() async throws {
        let service = ServiceZone()
        try await Self.run(service) { server in
            #expect(try await server.post("/v1/regions", TestServer.office, type: "application/geo+json").status == 201)
            try await server.walkIn("jane/phone")
            let mail =
                #"{"id":"mail","kind":"email","url":"https://m.example.com","from":"a@example.com","to":["b@example.com"]}"#
            #expect(try await server.post("/v1/endpoints", mail).status == 201)
            let rule = #"{"type":"absent","region":"office","by":"08:15"}"#
            #expect(try await server.get("/v1/summaries").json["timeZone"]?.string == "GMT")
            let refused = try await server.post("/v1/alert-rules", rule)
            #expect(refused.status == 422 && refused.text.contains("Europe/Berlin"), "\(refused.text)")

            service.current = Self.zone(Self.kolkata)
            func zone(_ path: String) async throws -> String? { try await server.get(path).json["timeZone"]?.string }
            #expect(try await zone("/v1/summaries") == Self.kolkata)
            #expect(try await zone("/v1/summaries?timeZone=Europe/Lisbon") == "Europe/Lisbon")
            let made = try await server.post("/v1/alert-rules", rule)
            #expect(made.status == 201, "\(made.text)")
            #expect(try made.json["timeZone"]?.string == Self.kolkata)
            let own = rule.replacing("\"by\"", with: "\"timeZone\":\"Europe/Lisbon\",\"by\"")
            #expect(try await server.post("/v1/alert-rules", own).json["timeZone"]?.string == "Europe/Lisbon")
            let schedule = #"{"name":"Vans","frequency":"daily","endpoints":["mail"]}"#
            let report = try await server.post("/v1/report-schedules", schedule).json
            #expect(report["timeZone"]?.string == Self.kolkata)
            // 07:00 in a zone of half an hour.
            #expect(report["nextRun"]?.string == "2026-03-02T01:30:00Z")
            let quiet = #"{"kind":"ntfy","url":"https://ntfy.example.com/t","quietHours":"22:00-07:00"}"#
            let endpoint = try await server.post("/v1/endpoints", quiet).json
            #expect(endpoint["quietHours"]?["timeZone"]?.string == Self.kolkata)
            let named = quiet.replacing("\"kind\"", with: "\"timeZone\":\"Europe/Lisbon\",\"kind\"")
            #expect(
                try await server.post("/v1/endpoints", named).json["quietHours"]?["timeZone"]?.string
                    == "Europe/Lisbon")

            // The rule is stored with its zone, so that it means what its maker has seen.
            service.current = Self.zone("America/St_Johns")
            #expect(try await zone("/v1/summaries") == "America/St_Johns")
            let id = try #require(try made.json["id"]?.string)
            #expect(try await zone("/v1/alert-rules/\(id)") == Self.kolkata)
        }
    }

    /// A zone with the date of a day around which clocks change, or do not, the moment at which it begins, and its minutes.
    private static let days: [(zone: String, date: String, begins: String, minutes: Int)] = [
        ("Asia/Kolkata", "2025-10-26", "2025-10-25T18:30:00Z", 1440),
        ("Asia/Kathmandu", "2025-10-26", "2025-10-25T18:15:00Z", 1440),
        ("America/St_Johns", "2025-11-02", "2025-11-02T02:30:00Z", 1500),
        // Clocks go by half an hour.
        ("Australia/Lord_Howe", "2025-10-05", "2025-10-04T13:30:00Z", 1410),
        ("Australia/Lord_Howe", "2025-04-06", "2025-04-05T13:00:00Z", 1470),
        ("Europe/Lisbon", "2025-03-30", "2025-03-30T00:00:00Z", 1380),
        // The hour from midnight is there twice.
        ("Atlantic/Azores", "2025-10-26", "2025-10-26T00:00:00Z", 1500),
        // There is no midnight.
        ("Asia/Beirut", "2025-03-30", "2025-03-29T22:00:00Z", 1380),
        ("America/Santiago", "2025-09-07", "2025-09-07T04:00:00Z", 1380),
    ]

    @Test("days of summaries are those of the service's zone, with all their time", arguments: days.indices)
    func dayBoundaries(index: Int) async throws {
        let (name, date, begins, minutes) = Self.days[index]
        let start = try #require(Timestamp(rfc3339: begins))
        try await Self.run(ServiceZone(Self.zone(name))) { server in
            let first = start - .seconds(2 * 86_400)
            let lines = (0..<120).map { hour in
                "{\"deviceId\":\"jane\",\"timestamp\":\"\((first + .seconds(hour * 3600)).rfc3339)\","
                    + "\"latitude\":50.005,\"longitude\":10.005,\"horizontalAccuracy\":8}"
            }
            let sent = try await server.post(
                "/v1/locations", lines.joined(separator: "\n"), type: "application/x-ndjson")
            #expect(sent.status == 200)
            let query = "from=\(first.rfc3339)&to=\((start + .seconds(2 * 86_400)).rfc3339)&deviceId=jane"
            let summary = try await server.get("/v1/summaries?\(query)").json
            #expect(summary["timeZone"]?.string == name)
            let rows = summary["data"]?.array.map(Array.init) ?? []
            let times = rows.compactMap { row in
                row["from"]?.string.flatMap { Timestamp(rfc3339: $0) }.flatMap { from in
                    row["to"]?.string.flatMap { Timestamp(rfc3339: $0) }.map { (from, $0) }
                }
            }
            #expect(rows.count >= 4 && times.count == rows.count)
            for (one, next) in zip(times, times.dropFirst()) { #expect(one.1 == next.0) }
            let day = try #require(rows.firstIndex { $0["date"]?.string == date })
            #expect(times[day].0 == start)
            #expect(times[day].1 - times[day].0 == .seconds(minutes * 60))
            let seconds = ["secondsKnown", "secondsUnknown"].compactMap { rows[day][$0]?.double }
            #expect(seconds.count == 2 && seconds.reduce(0, +) == Double(minutes * 60))
            // The page asks for the same days by name.
            let asked = try await server.get("/v1/summaries?\(query)&timeZone=\(name)").json
            #expect(asked["data"]?.array?.map { $0["date"]?.string } == rows.map { $0["date"]?.string })
        }
    }
}
