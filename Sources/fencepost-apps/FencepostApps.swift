import ArgumentParser
import FencepostAppCommands
import FencepostModel

/// The commands about Core Location alone, for the CI of app teams: they need no service.
@main
struct FencepostApps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fencepost-apps",
        abstract: "Simulates and checks how an app uses Core Location.",
        discussion: """
            Example:
              fencepost-apps lint App

            The commands are those of the program fencepost, without its service.
            """,
        version: FencepostVersion.current,
        subcommands: [Simulate.self, Explain.self, Advise.self, Matrix.self, Rules.self, Lint.self])

    static func main() async { await ProgramEntry.run(Self.self) }
}
