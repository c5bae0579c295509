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

    // MARK: Real phones

    /// A phone that stays, walks 1.7 km to the north for 20 minutes, and stays; and one that lies still.
    private static func phones(in folder: URL) throws {
        let start = 1_772_353_800
        func fixes(isCarried: Bool) -> String {
            let fixes = (0...120).map { minute in
                let meters = isCarried ? 84 * min(max(minute - 40, 0), 20) : 0
                return "[\(start + 60 * minute), \(45 + Double(meters) / 111_195), 7, 5]"
            }
            return "[\(fixes.joined(separator: ", "))]"
        }
        func interval(_ kind: String, _ from: Int, _ until: Int) -> String {
            let mode = kind == "move" ? "\"walking\"" : "null"
            return
                #"{"kind": "\#(kind)", "start": \#(start + 60 * from), "end": \#(start + 60 * until), "mode": \#(mode)}"#
        }
        let day = [interval("stay", 0, 40), interval("move", 40, 60), interval("stay", 60, 120)]
        let cases = [
            #"{"device": "day", "set": "days", "os": "ios", "fixes": \#(fixes(isCarried: true)), "#
                + #""intervals": [\#(day.joined(separator: ", "))]}"#,
            #"{"device": "still", "set": "still", "os": "ios", "fixes": \#(fixes(isCarried: false)), "#
                + #""intervals": [\#(interval("stay", 0, 120))]}"#,
        ]
        try Data("[\(cases.joined(separator: ", "))]".utf8).write(to: folder.appending(path: "cases.json"))
    }

    private func words(_ result: Program.Result) -> [[Substring]] {
        result.lines.map { $0.split(separator: " ").filter { $0 != "|" } }
    }

    @Test("scores a folder of phones, without generated benchmarks, and says what the folder lacks")
    func phones() throws {
        let folder = try TemporaryFolder()
        try Self.phones(in: folder.url)
        let result = try Program.run(["score", "--phones", folder.url.path], input: Data())
        #expect(result.status == 0)
        let words = words(result)
        #expect(words.contains { $0.starts(with: ["Fencepost", "1", "2", "1.000", "0", "0", "0"]) })
        #expect(words.contains { $0.starts(with: ["·", "ios", "1", "2", "1.000"]) })
        #expect(words.contains { $0.starts(with: ["one", "fix", "in", "300", "s", "1", "2", "1.000"]) })
        #expect(words.contains { $0.starts(with: ["Fencepost", "1", "1", "of", "1", "0", "0"]) })
        #expect(!result.output.contains("Crossings") && !result.output.contains("Modes of legs"))
        #expect(
            result.errors == """
                fencepost: \(folder.url.path) has no legs.json: the tables of legs are left out
                fencepost: \(folder.url.path) has no places.json: the table of presences is left out

                """)
    }

    @Test("scores the stays of another detector instead")
    func otherStays() throws {
        let folder = try TemporaryFolder()
        try Self.phones(in: folder.url)
        let file = folder.url.appending(path: "other.json")
        try Data(#"{"day": [[null, 1772356300, 45, 7], [1772356400, 1772357000]], "still": []}"#.utf8).write(to: file)
        let result = try Program.run(["score", "--phones", folder.url.path, "--stays", file.path], input: Data())
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        // Of two required stays one is found, and the other reported stay lies in a way.
        #expect(words(result).contains { $0.starts(with: ["other", "1", "2", "0.500", "1", "1", "0"]) })
        #expect(words(result).contains { $0.starts(with: ["other", "1", "0", "of", "1"]) })
        #expect(!result.output.contains("fewer fixes") && !result.output.contains("whole days"))
        #expect(try Program.run(["score", "--stays", file.path], input: Data()).status == 64)
    }

    @Test("refuses a folder without cases, and cases that are wrong, also compressed ones")
    func wrongPhones() throws {
        let folder = try TemporaryFolder()
        let missing = try Program.run(["score", "--phones", folder.url.path], input: Data())
        #expect(missing.status == 66)
        #expect(missing.errors.contains("has no cases.json.gz and no cases.json"))
        // [{"device": "a"}]
        let compressed = try #require(
            Data(base64Encoded: "H4sIAAAAAAACA4uuVkpJLctMTlWyUlBKVKqNBQC0Xh7lEQAAAA=="))
        let file = folder.url.appending(path: "cases.json.gz")
        try compressed.write(to: file)
        let wrong = try Program.run(["score", "--phones", folder.url.path], input: Data())
        #expect(wrong.status == 65)
        #expect(wrong.errors == "fencepost: \(file.path): case 0, device a: \"set\" is missing\n")
        try compressed.dropLast(9).write(to: file)
        let damaged = try Program.run(["score", "--phones", folder.url.path], input: Data())
        #expect(damaged.status == 65)
        #expect(damaged.errors == "fencepost: \(file.path): the gzip file is damaged\n")
    }
}
