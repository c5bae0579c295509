public import ArgumentParser
import FencepostAppCommands
import FencepostFiles
import FencepostModel
import FencepostRecordings
public import FencepostSimulator
import Foundation

/// Makes scenario files.
struct ScenarioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario", abstract: "Makes scenario files from the logs of a device.",
        subcommands: [RecordScenario.self])
}

/// Makes a scenario of the logs of an app and a device.
struct RecordScenario: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Makes a scenario from the log of an app, a sysdiagnose, or the unified log of locationd.",
        discussion: """
            Example:
              fencepost scenario record Tests/FencepostRecordingsTests/Recorded/made-second-prompt.jsonl

            It reads what LocationRecorder.swift writes, the output of log show, lines copied from Console, crash and \
            jetsam reports, and power logs; each alone, in a folder or in a .tar.gz. fencepost simulate then says line \
            by line where the rules and the device disagree.
            """)

    @Option(name: .long, help: "The app's bundle identifier; otherwise that of the recorder's log.")
    var app: String?

    @Option(name: .long, help: "The name of the scenario.")
    var name: String?

    @Option(name: .long, help: "The device's model, such as iPhone14,2.")
    var device: String?

    @Option(name: .long, help: "The version of the system, such as 26.2.1.")
    var system: String?

    @Option(name: .long, help: "What produced the log: device, simulator or made (a simulated device of Fencepost).")
    var kind: RecordingOrigin.Kind?

    @Option(name: .long, help: "Who ended the app, where the logs do not say it: user, system, crash or reboot.")
    var terminatedBy: Termination?

    @Option(
        name: .long,
        help: "An event that the app did not get: SERVICE:KIND[:IDENTIFIER]@TIME. Repeatable.")
    var missed: [String] = []

    @Option(name: .long, help: "The day of lines copied from Console, which have a time only: 2026-09-14.")
    var date: String?

    @Option(name: .long, help: "Write the scenario to this file.", completion: .file(extensions: ["json"]))
    var output: String?

    @OptionGroup var outputs: OutputArguments

    @Argument(help: "Logs, folders and archives; - for a text log on standard input.", completion: .file())
    var logs: [String]

    func run() throws {
        let missed = try missed.map(Self.event)
        if let date, Timestamp(rfc3339: "\(date)T00:00:00Z") == nil {
            throw ValidationError("--date has to be a day such as 2026-09-14.")
        }
        if let system, !system.split(separator: " ").contains(where: { OSVersion(String($0)) != nil }) {
            throw ValidationError("--system has to be a version such as 26.2.1.")
        }
        var inUse = FilesInUse()
        for path in logs where path != "-" { inUse.add(path, as: "a log that is read") }
        let file = try output.map { try outputs.file($0, inUse: inUse) }
        var files = LogFiles()
        for path in logs {
            if path == "-" {
                files.add(text: [UInt8](try InputFile.bytes(of: path)))
            } else if !files.add(path) {
                Console.say("fencepost: \(path) does not exist or cannot be read")
                throw ExitStatus.noInput.exit
            }
        }
        let (contents, app) = files.read(app: app, day: date)
        for problem in contents.problems { Console.sayForeign("fencepost: \(problem)") }
        guard !contents.entries.isEmpty || !missed.isEmpty else {
            Console.say(Self.explanation(of: contents, app: app))
            throw ExitStatus.badData.exit
        }
        var options = ScenarioComposer.Options()
        (options.name, options.kind, options.device, options.system) = (name ?? "", kind, device, system)
        (options.terminatedBy, options.missed) = (terminatedBy, missed)
        let made = ScenarioComposer(options).compose(contents)
        if let file {
            try OutputArguments.run { try file.write(made.json.utf8) }
        } else {
            print(made.json, terminator: "")
        }
        for note in made.notes { Console.sayForeign("note: \(note)") }
        let unknown = contents.unknownLines
        Console.say(
            "\(Prose.count(contents.lines, "line")), \(Prose.count(contents.entries.count, "entry", "entries")), "
                + "\(unknown) not understood, \(Prose.count(made.steps, "step"))")
    }

    private static func explanation(of contents: LogContents, app: String?) -> String {
        guard app != nil || contents.lines == 0 else {
            return "fencepost: none of the \(contents.lines) lines names an app. Give its bundle identifier with --app."
        }
        let name = app.map { " about \($0)" } ?? ""
        return
            "fencepost: none of \(Prose.count(contents.lines, "line")) says anything\(name). Readable are the lines of "
            + "LocationRecorder.swift and those of locationd: log show --style ndjson --predicate "
            + "'process == \"locationd\"' ARCHIVE"
    }

    /// Reads SERVICE:KIND[:IDENTIFIER]@TIME.
    private static func event(_ text: String) throws -> ServiceEvent {
        let halves = text.split(separator: "@", maxSplits: 1).map(String.init)
        let parts = halves.first?.split(separator: ":", maxSplits: 2).map(String.init) ?? []
        guard halves.count == 2, let at = Timestamp(rfc3339: halves[1]), parts.count >= 2,
            let service = AppleName.value(of: parts[0], Service.self),
            let kind = AppleName.value(of: parts[1], ServiceEvent.Kind.self)
        else {
            throw ValidationError(
                "--missed \(text) has to be SERVICE:KIND[:IDENTIFIER]@TIME, such as "
                    + "regionCircular:exit:office@2026-09-14T10:00:00Z.")
        }
        guard service.kinds.contains(kind) else {
            let kinds = service.kinds.map(\.rawValue).joined(separator: " and ")
            throw ValidationError("--missed \(text): \(service.rawValue) has the kinds \(kinds).")
        }
        return ServiceEvent(service, kind, identifier: parts.count > 2 ? parts[2] : nil, at: at)
    }
}

extension RecordingOrigin.Kind: ExpressibleByArgument {}
