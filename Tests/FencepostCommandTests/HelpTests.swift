import FencepostJSON
import Foundation
import Testing

@Suite("The help") struct HelpTests {
    @Test(
        "of every command starts with an example that works",
        arguments: [
            "watch", "locate", "index", "check", "simulate", "explain", "matrix", "rules", "lint", "diff", "report",
            "score", "webhook", "trips", "suggest", "notify", "advise", "import-regions",
        ])
    func example(command: String) throws {
        let lines = try Program.run(command, "--help").output.components(separatedBy: "\n")
        #expect(lines.first == "Example:")
        let example = lines.dropFirst().prefix { !$0.isEmpty }.joined(separator: "\n")
        #expect(example.contains("fencepost \(command)"))
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", example]
        process.currentDirectoryURL = Program.root
        process.environment = ["PATH": Program.folder.path + ":/usr/bin:/bin"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}

@Suite("The command line") struct CommandLineTests {
    @Test(
        "suggests a command for a misspelt one",
        arguments: [
            (["wach"], "Did you mean 'fencepost watch'?"),
            (["token", "creat"], "Did you mean 'fencepost token create'?"),
            (["xyzzy"], "Known are "),
        ])
    func misspeltCommands(arguments: [String], hint: String) throws {
        let result = try Program.run(arguments, input: Data())
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.contains(hint))
    }

    @Test("input of which every record was rejected ends with 65, and other input does not")
    func rejectedInput() throws {
        let good = #"{"deviceId":"a","timestamp":"2026-03-01T08:30:00Z","lat":1,"lon":2}"#
        for (input, status) in [("{}\nx\n", 65), (good + "\nx\n", 0), ("", 0)] {
            #expect(try Program.run("watch", "--regions", "Regions", input: input).status == Int32(status))
            #expect(try Program.run("locate", "--regions", "Regions", input: input).status == Int32(status))
        }
    }

    @Test("the text of a report has the names of the regions, its data their ids")
    func reportNames() throws {
        let arguments = ["report", "--regions", "Regions", "Regions/tracks/day.ndjson", "--output"]
        #expect(try Program.run(arguments + ["text"], input: Data()).output.contains("  Home"))
        #expect(try Program.run(arguments + ["csv"], input: Data()).output.contains(",home,"))
    }

    @Test("a rehearsal of messages has names, quiet hours, cooldown and collection, and sends nothing")
    func notify() throws {
        let folder = try TemporaryFolder()
        let config = folder.url.appending(path: "fencepost.json")
        // Nothing listens on the port: an attempt would not stay unnoticed.
        try Data(
            #"""
            {"endpoints":[
              {"id":"family","kind":"ntfy","url":"https://127.0.0.1:1/t","devices":["jane/*"],"events":["region.*"],
               "names":{"jane/phone":"Oma"},"timeZone":"UTC","quietHours":"08:00-12:00","group":60,"cooldown":"PT1H"},
              {"id":"hook","url":"https://127.0.0.1:1/x"}]}
            """#.utf8
        ).write(to: config)
        let result = try Program.run(
            "notify", "--dry-run", "--config", config.path, "--regions", "Regions", "Regions/tracks/day.ndjson",
            "--output", "ndjson")
        #expect(result.status == 0)
        #expect(result.lines.first?.contains(#""title":"Oma is home""#) == true)
        #expect(result.lines.allSatisfy { !$0.contains("hook") })
        let times = result.lines.filter { $0.contains(#""status":"sent""#) }.compactMap { line in
            line.firstRange(of: #""at":""#).map { String(line[$0.upperBound...].prefix(19).suffix(8)) }
        }
        #expect(!times.isEmpty && times.allSatisfy { $0 < "08:00:00" || $0 >= "12:00:00" })
        #expect(times.contains("12:00:00"))
        #expect(result.lines.contains { $0.contains(#""status":"suppressed""#) })
        #expect(try Program.run("notify", "--regions", "Regions", "x").errors.contains("--dry-run"))
    }

    @Test("an endpoint for people that chooses nothing gets a few true sentences about the sample day")
    func notifyByDefault() throws {
        let result = try Program.run(
            "notify", "--dry-run", "--regions", "Regions", "Regions/tracks/day.ndjson", "--output", "ndjson")
        let sent = try result.lines.filter { $0.contains(#""status":"sent""#) }.map { line in
            let message = try JSONDocument(parsing: line).root
            return "\(message["at"]?.string ?? "")  \(message["title"]?.string ?? "")"
        }
        #expect(sent.map { $0.prefix(20) } == ["2026-03-06T07:05:07Z", "2026-03-06T08:10:10Z", "2026-03-06T19:15:39Z"])
        #expect(sent.map { $0.dropFirst(22).prefix(14) } == ["Jane is home", "Jane left home", "Jane came home"])
    }
}
