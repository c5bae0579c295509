package import ArgumentParser
import FencepostJSON
import Foundation

/// What the programs have in common: hints for misspelt commands, and help that begins with an example.
package enum ProgramEntry {
    /// Runs the command that the process was started with.
    package static func run(_ root: (some ParsableCommand).Type) async {
        if let misspelt = misspeltCommand(root, CommandLine.arguments.dropFirst()) {
            Console.say(misspelt)
            root.exit(withError: ExitStatus.usage.exit)
        }
        do {
            var command = try root.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            guard root.exitCode(for: error) == .success,
                let (example, rest) = exampleFirst(root.fullMessage(for: error), name: root.name)
            else { root.exit(withError: error) }
            print(example + "\n" + rest)
        }
    }

    /// What to say when the first words name no command; `nil` when they do, or when there are none.
    private static func misspeltCommand(_ root: any ParsableCommand.Type, _ arguments: ArraySlice<String>) -> String? {
        let name = root.name
        var commands: [any ParsableCommand.Type] = root.configuration.subcommands
        var path = name
        for word in arguments {
            let names = commands.map { $0.name } + (path == name ? ["help"] : [])
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
    private static func exampleFirst(_ help: String, name: String) -> (example: String, rest: String)? {
        let paragraphs = help.components(separatedBy: "\n\n")
        guard let index = paragraphs.firstIndex(where: { $0.hasPrefix("Example:") }) else { return nil }
        var rest = paragraphs
        // Commands that the programs share name the larger one.
        let example = rest.remove(at: index).replacing("  fencepost ", with: "  \(name) ")
        return (example + "\n", rest.joined(separator: "\n\n"))
    }
}

extension ParsableCommand {
    /// The word by which the command is called.
    fileprivate static var name: String { _commandName }
}
