import FencepostJSON
import Foundation
import Testing

@Suite("fencepost query presences", .serialized) struct PresencesCommandTests {
    private static let day = ["--from", "2026-03-06T00:00:00Z", "--to", "2026-03-07T00:00:00Z"]
    private static let cafe = ["--center", "38.7124,-9.144", "--radius", "100"]

    /// A folder with a database of the sample day.
    private func database(in folder: ServiceFolder) throws -> String {
        let storage = folder.url.appending(path: "fencepost.sqlite").path
        let track = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Regions/tracks/day.ndjson").standardizedFileURL.path
        let run = try CommandRun.run(["import", "--storage", storage, track], input: "")
        try #require(run.status == 0, "\(run.errors)")
        return storage
    }

    private func query(_ arguments: [String]) throws -> CommandRun.Result {
        try CommandRun.run(["query", "presences"] + arguments, input: "")
    }

    @Test("has the entries and exits that watch gives for a region with the same shape, in each format")
    func equalsWatch() throws {
        let folder = try ServiceFolder()
        let storage = try database(in: folder)
        let area = folder.url.appending(path: "area.geojson")
        let shape =
            #"{"type":"Feature","id":"here","properties":{"radius":100},"#
            + #""geometry":{"type":"Point","coordinates":[-9.144,38.7124]}}"#
        try shape.write(to: area, atomically: true, encoding: .utf8)
        let track = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Regions/tracks/day.ndjson").standardizedFileURL.path
        let watched = try CommandRun.run(
            ["watch", "--output", "ndjson", "--regions", area.path, track], input: "")
        #expect(watched.status == 0, "\(watched.errors)")
        let events = try watched.output.split(separator: "\n").map { try JSONDocument(parsing: String($0)).root }
            .filter { $0["region"] != nil }.map { "\($0["deviceId"]?.string ?? "") \($0["timestamp"]?.string ?? "")" }
        let found = try query(["--storage", storage, "--output", "ndjson"] + Self.cafe + Self.day)
        #expect(found.status == 0, "\(found.errors)")
        let rows = try found.output.split(separator: "\n").map { try JSONDocument(parsing: String($0)).root }
        let times = rows.flatMap { row in
            [row["arrival"]?.string, row["departure"]?.string].compactMap { $0 }.map {
                "\(row["deviceId"]?.string ?? "") \($0)"
            }
        }
        #expect(times.sorted() == events.sorted() && times.count >= 2)
        let byFile = try query(["--storage", storage, "--output", "ndjson", "--area", area.path] + Self.day)
        #expect(byFile.output == found.output, "\(byFile.errors)")
        let csv = try query(["--storage", storage, "--output", "csv"] + Self.cafe + Self.day)
        #expect(csv.output.split(separator: "\n").count == rows.count + 1)
        let text = try query(
            ["--storage", storage, "--output", "text", "--time-zone", "Europe/Lisbon"] + Self.cafe + Self.day)
        #expect(text.output.contains("jane/phone") && text.output.contains("% sure"))
        let none = try query(["--storage", storage, "--output", "text", "--device", "van-*"] + Self.cafe + Self.day)
        #expect(none.output.hasSuffix("  none\n"))
    }

    @Test("refuses what is no area, and says why") func invalid() throws {
        let folder = try ServiceFolder()
        let storage = try database(in: folder)
        for (arguments, status, words) in [
            (["--center", "1,2"], Int32(64), "--radius"), (["--center", "1;2", "--radius", "5"], 64, "--center"),
            (["--center", "1,2", "--radius", "0"], 64, "--radius"), ([], 64, "--area"),
            (["--center", "1,2", "--radius", "900000"], 65, "100000 km²"), (["--area", "none.geojson"], 66, "none"),
        ] {
            let run = try query(["--storage", storage] + arguments + Self.day)
            #expect(run.status == status && run.errors.contains(words), "\(arguments) \(run.errors)")
        }
        let area = folder.url.appending(path: "crossed.geojson")
        let crossed = #"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#
        try crossed.write(to: area, atomically: true, encoding: .utf8)
        let run = try query(["--storage", storage, "--area", area.path] + Self.day)
        #expect(run.status == 65 && run.errors.contains("/geometry/coordinates"), "\(run.errors)")
        let reversed = try query(
            ["--storage", storage, "--from", "2026-03-07T00:00:00Z", "--to", "2026-03-06T00:00:00Z"] + Self.cafe)
        #expect(reversed.status == 64)
    }
}
