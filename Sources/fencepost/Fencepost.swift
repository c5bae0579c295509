import ArgumentParser
import FencepostJSON
import FencepostModel
import Foundation

@main
struct Fencepost: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fencepost",
        abstract: "Geofence and visit monitor: detects entries, exits, dwells and visits in location data.",
        discussion: """
            Example:
              fencepost watch --regions Regions Regions/tracks/day.ndjson

            The documentation is under docs/ in the repository.
            """,
        version: FencepostVersion.current,
        subcommands: [
            Watch.self, Serve.self, Import.self, Locate.self, Index.self, Check.self, Diff.self, Report.self,
            Trips.self,
            Suggest.self, Score.self, Notify.self, Simulate.self, ScenarioCommand.self, Explain.self, Advise.self,
            Matrix.self, Rules.self,
            Lint.self, Config.self, Health.self, Replay.self, BackupCommand.self, RestoreCommand.self,
            DoctorCommand.self, QuarantineCommand.self, TokenCommand.self, UserCommand.self, WebhookCommand.self,
            ClusterCommand.self,
        ])
}

extension Fencepost {
    static func main() async {
        if let misspelt = misspeltCommand(CommandLine.arguments.dropFirst()) {
            Console.say(misspelt)
            exit(withError: ExitStatus.usage.exit)
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            guard exitCode(for: error) == .success, let (example, rest) = exampleFirst(fullMessage(for: error)) else {
                exit(withError: error)
            }
            print(example + "\n" + rest)
        }
    }

    /// What to say when the first words name no command; `nil` when they do, or when there are none.
    private static func misspeltCommand(_ arguments: ArraySlice<String>) -> String? {
        var commands: [any ParsableCommand.Type] = configuration.subcommands
        var path = "fencepost"
        for word in arguments {
            let names = commands.map { $0.name } + (path == "fencepost" ? ["help"] : [])
            guard !commands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            guard let command = commands.first(where: { $0.name == word }) else {
                let hint =
                    nearest(to: word, in: names).map { "Did you mean '\(path) \($0)'?" }
                    ?? "Known are \(names.sorted().joined(separator: ", "))."
                return "Error: There is no command '\(path) \(word)'. \(hint)"
            }
            (commands, path) = (command.configuration.subcommands, "\(path) \(word)")
        }
        return nil
    }

    /// Moves the example of a help text to its start; `nil` for a text without one, such as the version.
    private static func exampleFirst(_ help: String) -> (example: String, rest: String)? {
        let paragraphs = help.components(separatedBy: "\n\n")
        guard let index = paragraphs.firstIndex(where: { $0.hasPrefix("Example:") }) else { return nil }
        var rest = paragraphs
        let example = rest.remove(at: index)
        return (example + "\n", rest.joined(separator: "\n\n"))
    }
}

extension ParsableCommand {
    /// The word by which the command is called.
    fileprivate static var name: String { _commandName }
}
