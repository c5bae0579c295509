import Foundation
import Testing

@Suite("The score command") struct ScoreCommandTests {
    /// A device that enters a circle of 100 m and stays, with a location every minute.
    private static func benchmark(in folder: URL) throws {
        let day = "2026-03-02T08:0"
        let locations = [0.01, 0.01, 0.01, 0, 0, 0].enumerated().map { minute, latitude in
            #"{"device":"d","timestamp":"\#(day)\#(minute):00Z","lat":\#(latitude),"lon":0,"accuracy":10}"#
        }
        let crossing =
            #"{"kind":"crossing","device":"d","region":"r","type":"enter","timestamp":"\#(day)2:30Z","required":true,"#
            + #""why":"clear","earliest":"\#(day)2:00Z","until":null,"clear":"\#(day)3:00Z","due":"\#(day)4:00Z","#
            + #""fixesAfter":[60,120]}"#
        let truth = [#"{"kind":"stream","device":"d","interval":60,"field":"honest","outliers":0}"#, crossing]
        let regions =
            #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"r","properties":{"radius":100},"#
            + #""geometry":{"type":"Point","coordinates":[0,0]}}]}"#
        let files = [
            ("locations.ndjson", locations.joined(separator: "\n")), ("truth.ndjson", truth.joined(separator: "\n")),
            ("regions.geojson", regions),
        ]
        for (name, text) in files { try Data((text + "\n").utf8).write(to: folder.appending(path: name)) }
    }

    private func score(_ folder: URL, _ arguments: String...) throws -> Program.Result {
        try Program.run(
            ["score", "--seeds", "none", "--benchmark", folder.path] + arguments, input: Data())
    }

    @Test("prints the cells of a plain benchmark, which it knows by its truth")
    func plain() throws {
        let folder = try TemporaryFolder()
        try Self.benchmark(in: folder.url)
        let result = try score(folder.url, "--cells")
        #expect(result.status == 0)
        #expect(result.output.contains("Plain crossings, "))
        let words = result.lines.map { $0.split(separator: " ").filter { $0 != "|" } }
        #expect(words.contains { $0.starts(with: ["confirmed", "1", "1", "1.000", "1"]) })
        #expect(words.contains { $0.starts(with: ["interval=60", "1", "1", "1.000", "1"]) })
    }

    @Test("fails when a score is lower than in a file of figures")
    func figures() throws {
        let folder = try TemporaryFolder()
        try Self.benchmark(in: folder.url)
        let file = folder.url.appending(path: "figures.txt")
        #expect(try score(folder.url, "--figures", file.path).status == 66)
        #expect(try score(folder.url, "--figures", file.path, "--update-figures").status == 0)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text == "plain at first clear fix 1.0000\nplain dominance 1.0000\nplain score 1.0000\n")
        #expect(try score(folder.url, "--figures", file.path).status == 0)

        try Data((text + "plain interval=60 0.9000\n").utf8).write(to: file)
        let lower = try score(folder.url, "--figures", file.path)
        #expect(lower.status == 1)
        #expect(lower.errors == "lower by more than 0.02: plain interval=60: no figure, was 0.900\n")
        try Data("plain\n".utf8).write(to: file)
        #expect(try score(folder.url, "--figures", file.path).status == 65)
        #expect(try score(folder.url, "--update-figures").status == 64)
    }
}
