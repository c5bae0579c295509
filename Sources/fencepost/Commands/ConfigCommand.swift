import ArgumentParser
import FencepostAppCommands
import FencepostJSON
import FencepostModel
import FencepostService

/// Shows or checks the configuration.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the effective configuration, or checks a configuration file.",
        discussion: """
            Example:
              fencepost config show --origin

            Flags override the environment, the environment overrides the file, and the file overrides the defaults.
            """,
        subcommands: [Show.self, CheckConfig.self])

    /// Shows the values and their origins.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows all settings. Secrets are masked.",
            discussion: """
                Example:
                  fencepost config show --origin
                """)

        @Option(name: .long, help: "The configuration file.", completion: .file(extensions: ["json"]))
        var config: String?

        @Flag(name: .long, help: "Print the origin of each value.")
        var origin = false

        @Flag(name: .long, help: "Print one JSON object per setting.")
        var json = false

        func run() throws {
            var buffer = OutputBuffer()
            for (pointer, value, from) in try ConfigurationLayers.read(file: config).shown() {
                guard json else {
                    let key = pointer.dropFirst().replacing("/", with: ".")
                    buffer.append(origin ? "\(key) = \(value)  (\(from))\n" : "\(key) = \(value)\n")
                    continue
                }
                var writer = JSONWriter()
                writer.beginObject()
                writer.name("key")
                writer.value(pointer)
                writer.name("value")
                writer.raw(value)
                writer.name("origin")
                writer.value(from)
                writer.endObject()
                writer.newline()
                buffer.bytes += writer.bytes
            }
            try buffer.flush()
        }
    }

    /// Checks a configuration file and the environment.
    struct CheckConfig: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Checks a configuration file and the environment, and lists all problems.",
            discussion: """
                Example:
                  fencepost config check fencepost.json

                The exit code is 1 when there are problems.
                """)

        @Argument(help: "The configuration file.", completion: .file(extensions: ["json"]))
        var file: String?

        func run() throws {
            let (_, problems) = try ConfigurationLayers.readWithProblems(file: file)
            var buffer = OutputBuffer()
            for problem in problems { buffer.append(problem.description + "\n") }
            try buffer.flush()
            Console.say(Prose.count(problems.count, "problem"))
            if problems.contains(where: { $0.severity == .error }) { throw ExitStatus.problems.exit }
        }
    }
}
