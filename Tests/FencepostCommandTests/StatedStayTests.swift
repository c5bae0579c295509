import Testing

@Suite("Stays that a file states") struct StatedStayTests {
    private static let regions = #"""
        {"type":"FeatureCollection","features":[
        {"type":"Feature","id":"work","properties":{"radius":150},"geometry":{"type":"Point","coordinates":[13.4,52.52]}},
        {"type":"Feature","id":"home","properties":{"radius":150},"geometry":{"type":"Point","coordinates":[13.3,52.5]}}]}
        """#

    private static func segment(_ start: String, _ end: String, _ content: String) -> String {
        #"{"startTime":"2026-03-\#(start):00.000Z","endTime":"2026-03-\#(end):00.000Z",\#(content)}"#
    }

    private static func ride(_ from: String, _ to: String) -> String {
        #""activity":{"start":{"latLng":"\#(from)"},"end":{"latLng":"\#(to)"},"topCandidate":{"type":"IN_PASSENGER_VEHICLE"}}"#
    }

    /// Google's timeline: from home to work, the stay there, and home again on another day.
    private static func timeline(leaving: String, hasStay: Bool = true) -> String {
        let (home, work) = ("52.50°, 13.30°", "52.52°, 13.40°")
        let stay = #""visit":{"topCandidate":{"placeId":"x","placeLocation":{"latLng":"\#(work)"}}}"#
        let segments =
            [segment("02T08:00", "02T08:30", ride(home, work))]
            + (hasStay ? [segment("02T08:30", "\(leaving)T17:00", stay)] : [])
            + [segment("\(leaving)T17:00", "\(leaving)T17:30", ride(work, home))]
        return #"{"semanticSegments":[\#(segments.joined(separator: ","))]}"#
    }

    /// The seconds at work, and those of which nothing is known.
    private static func seconds(_ timeline: String) throws -> (work: Double, unknown: Double) {
        let folder = try TemporaryFolder()
        let regions = try folder.file("regions.geojson", regions)
        let file = try folder.file("timeline.json", timeline)
        let report = try Program.run(
            "report", "--regions", regions, "--time-zone", "UTC", "--output", "csv", file, input: "")
        #expect(report.status == 0, "\(report.errors)")
        var (work, unknown) = (0.0, 0.0)
        for line in report.output.split(separator: "\n").dropFirst() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            if cells[2] == "work" { work += Double(cells[3]) ?? 0 }
            if cells[5] == "unknown" { unknown += Double(cells[3]) ?? 0 }
        }
        return (work, unknown)
    }

    @Test("count as time in regions in a report, however long they are", arguments: [("02", 8.5), ("06", 104.5)])
    func counts(leaving: String, hours: Double) throws {
        let (work, unknown) = try Self.seconds(Self.timeline(leaving: leaving))
        #expect((work - hours * 3600).magnitude <= 1800, "\(work)")
        #expect(unknown <= 3600, "\(unknown)")
    }

    @Test("are not made of a silence that no file states to be one")
    func silence() throws {
        let (work, unknown) = try Self.seconds(Self.timeline(leaving: "06", hasStay: false))
        #expect(work < 1200, "\(work)")
        #expect(unknown > 100 * 3600, "\(unknown)")
    }
}
