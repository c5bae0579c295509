import Foundation
import Testing

/// The commands of the README and of the documents can be typed as they stand.
@Suite("Documented commands") struct DocumentedCommandTests {
    /// Commands that are not run here, by how they begin, and why.
    private static let others: [(start: String, reason: String)] = [
        ("fencepost serve", "runs until it is stopped; the tests of the program start it"),
        ("fencepost token", "needs the database of a service; tested in FencepostProgramTests"),
        ("fencepost import ", "needs the database of a service; tested in FencepostProgramTests"),
        ("fencepost replay", "needs the database of a service; tested in FencepostProgramTests"),
        ("fencepost quarantine", "needs the database of a service; tested in FencepostProgramTests"),
        ("fencepost doctor", "needs the database of a service; tested in FencepostProgramTests"),
        ("fencepost backup", "needs the database of a service; tested in FencepostProgramTests"),
        ("fencepost restore", "needs the database of a service; tested in FencepostProgramTests"),
        ("fencepost webhook", "needs a receiver, or a message with its headers; tested in WebhookCommandTests"),
        ("fencepost score", "takes minutes; `make quality` runs it"),
        ("fencepost scenario record location-recording", "needs the files of a phone"),
        ("fencepost simulate walk.json", "needs what the command above records"),
        ("fencepost cluster", "needs NATS servers; `make cluster` runs it"),
    ]

    /// Files that the documents name as a user's, and what stands in for them.
    private static let files = [
        "my.geojson": "Regions/city.geojson",
        "new-regions.geojson": "Regions/city.geojson",
        "points.csv": "Tests/FencepostFormatsTests/Fixtures/comma.csv",
        "live.ndjson": "Regions/tracks/day.ndjson",
        "takeout.zip": "Tests/FencepostFormatsTests/Fixtures/owntracks-store.zip",
        "Info.plist": "docs/examples/GeofenceApp/Info.plist",
        "scenarios": "docs/examples/GeofenceApp/Scenarios",
        "Regions": "Regions", "docs": "docs", "Tests": "Tests",
    ]

    struct Command: Hashable, CustomStringConvertible {
        var text: String
        var page: String

        var description: String { "\(page): \(text)" }
    }

    /// The README and all documents.
    private static func pages() throws -> [String] {
        let documents = try #require(
            FileManager.default.enumerator(at: Program.root.appending(path: "docs"), includingPropertiesForKeys: nil))
        let pages = documents.compactMap { ($0 as? URL)?.path }.filter { $0.hasSuffix(".md") }.sorted()
        return [Program.root.appending(path: "README.md").path] + pages
    }

    /// The commands of all documents in their order, each once.
    static func commands() throws -> [Command] {
        let pages = try pages()
        var known: Set<String> = []
        var commands: [Command] = []
        for page in pages {
            let name = String(page.dropFirst(Program.root.path.count + 1))
            var isFenced = false
            var open: String?
            for line in try String(contentsOfFile: page, encoding: .utf8).components(separatedBy: "\n") {
                if line.hasPrefix("```") { isFenced.toggle() }
                let text = line.trimmingCharacters(in: .whitespaces)
                let isCode = isFenced || line.hasPrefix("    ")
                guard open != nil || isCode && text.prefixMatch(of: /fencepost [a-z]+( |$)/) != nil else { continue }
                let whole = (open.map { $0 + " " } ?? "") + text
                open = nil
                if whole.hasSuffix("\\") {
                    open = String(whole.dropLast())
                } else {
                    let command = whole.replacing(/\s+# .*$/, with: "")
                    if known.insert(command).inserted { commands.append(Command(text: command, page: name)) }
                }
            }
        }
        return commands
    }

    @Test("name targets of the makefile") func targets() throws {
        let makefile = try String(contentsOf: Program.root.appending(path: "Makefile"), encoding: .utf8)
        var count = 0
        for page in try Self.pages() {
            let text = try String(contentsOfFile: page, encoding: .utf8)
            for match in text.matches(of: /(?:^    |`)make ([a-z-]+)/.anchorsMatchLineEndings()) {
                let target = String(match.output.1)
                #expect(makefile.contains("\n\(target):"), "\(page): make \(target)")
                count += 1
            }
        }
        #expect(count > 30)
    }

    @Test("are run, or say why not") func run() throws {
        let folder = try TemporaryFolder()
        for (name, source) in Self.files {
            try FileManager.default.createSymbolicLink(
                at: folder.url.appending(path: name), withDestinationURL: Program.root.appending(path: source))
        }
        _ = try folder.file("fencepost.json", #"{"regions":["Regions"]}"#)
        // What `fencepost export` reads: the database that the others find where none is named.
        let track = folder.url.appending(path: "Regions/tracks/day.ndjson").path
        #expect(try Self.run("fencepost import '\(track)'", in: folder).status == 0)
        let commands = try Self.commands()
        #expect(commands.count > 40)
        var count = 0
        for command in commands where !Self.others.contains(where: { command.text.hasPrefix($0.start) }) {
            let (status, errors) = try Self.run(command.text, in: folder)
            #expect(status == 0, "\(command)\n\(errors.prefix(500))")
            count += 1
        }
        #expect(count > 25)
        for other in Self.others {
            let isThere = commands.contains { $0.text.hasPrefix(other.start) }
            #expect(isThere || other.start == "fencepost cluster", "no document has \(other.start) any more")
        }
    }
    /// Runs a command of the shell.
    private static func run(_ command: String, in folder: TemporaryFolder) throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = folder.url
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = "\(Program.folder.path):\(environment["PATH"] ?? "/usr/bin:/bin")"
        process.environment = environment
        let errors = folder.url.appending(path: "errors")
        try Data().write(to: errors)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOf: errors, encoding: .utf8))
    }
}
