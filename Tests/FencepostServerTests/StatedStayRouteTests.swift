import FencepostJSON
import Testing

@Suite("Stays that an imported file states") struct StatedStayRouteTests {
    /// Google's timeline: a ride to work, four days there if `hasStay`, and the ride back.
    private static func timeline(hasStay: Bool) -> String {
        func segment(_ start: String, _ end: String, _ content: String) -> String {
            #"{"startTime":"2026-01-\#(start):00.000Z","endTime":"2026-01-\#(end):00.000Z",\#(content)}"#
        }
        func ride(_ from: String, _ to: String) -> String {
            #""activity":{"start":{"latLng":"\#(from)"},"end":{"latLng":"\#(to)"},"topCandidate":{"type":"WALKING"}}"#
        }
        let (home, work) = ("50.1°, 10.005°", "50.005°, 10.005°")
        let stay = #""visit":{"topCandidate":{"placeId":"x","placeLocation":{"latLng":"\#(work)"}}}"#
        let segments =
            [segment("02T08:00", "02T08:30", ride(home, work))]
            + (hasStay ? [segment("02T08:30", "06T17:00", stay)] : [])
            + [segment("06T17:00", "06T17:30", ride(work, home))]
        return #"{"semanticSegments":[\#(segments.joined(separator: ","))]}"#
    }

    @Test("count as time in regions, as in a report of the file", arguments: [true, false])
    func counts(hasStay: Bool) async throws {
        try await TestServer.run { server in
            _ = try await server.put("/v1/regions/office", TestServer.office)
            let made = try await server.post(
                "/v1/imports?file=Timeline.json&deviceId=jane", Self.timeline(hasStay: hasStay))
            #expect(made.status == 200, "\(String(decoding: made.body, as: UTF8.self))")
            func office(_ from: String, _ to: String) async throws -> Double {
                let path = "/v1/timeline?deviceId=jane&from=2026-01-\(from)Z&to=2026-01-\(to)Z"
                let stays = try await server.get(path).json["stays"]?.array.map { Array($0) } ?? []
                return stays.filter { $0["regionId"]?.string == "office" }.reduce(0) {
                    $0 + ($1["seconds"]?.double ?? 0)
                }
            }
            let whole = try await office("01T00:00:00", "08T00:00:00")
            #expect(hasStay ? (whole - 104.5 * 3600).magnitude <= 1800 : whole < 1800, "\(whole)")
            // A day in the middle has no location at all.
            #expect(try await office("04T00:00:00", "05T00:00:00") == (hasStay ? 86_400 : 0))
        }
    }
}
