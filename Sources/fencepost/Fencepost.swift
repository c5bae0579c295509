import ArgumentParser

@main
struct Fencepost: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fencepost",
        abstract: "Watches places: who entered, left and dwelled where, when, and how sure that is.",
        discussion: """
            Example:
              fencepost watch --regions Regions Regions/tracks/day.ndjson

            The documentation is under docs/ in the repository.
            """,
        version: "0.1.0",
        subcommands: [Watch.self, Locate.self, Check.self, Diff.self, Report.self])
}
