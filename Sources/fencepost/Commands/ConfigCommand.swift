import ArgumentParser
import FencepostJSON
import FencepostModel
import FencepostService

/// Says what the configuration is and what is wrong with it.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the configuration that is in force, or finds what is wrong with it.",
        discussion: """
            Example:
              fencepost config show --origin

            Flags go over the environment, the environment over the file, the file over the defaults.
            """,
        subcommands: [Show.self, CheckConfig.self])

    /// The values and where they are from.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows every setting; secrets are masked.",
            discussion: """
                Example:
                  fencepost config show --origin
                """)

        @Option(name: .long, help: "The config file.", completion: .file(extensions: ["json"]))
        var config: String?

        @Flag(name: .long, help: "Say beside each value where it is from.")
        var origin = false

        @Flag(name: .long, help: "One JSON object a setting.")
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

    /// The same as `check` of one file, together with the environment.
    struct CheckConfig: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Finds every problem of a config file and of the environment.",
            discussion: """
                Example:
                  fencepost config check fencepost.json

                The exit code is 1 when there are problems.
                """)

        @Argument(help: "The config file.", completion: .file(extensions: ["json"]))
        var file: String?

        func run() throws {
            let (_, problems) = try ConfigurationLayers.attempt(file: file)
            var buffer = OutputBuffer()
            for problem in problems { buffer.append(problem.description + "\n") }
            try buffer.flush()
            Console.say(Prose.count(problems.count, "problem"))
            if problems.contains(where: { $0.severity == .error }) { throw ExitStatus.problems.exit }
        }
    }
}
