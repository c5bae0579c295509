import ArgumentParser

/// Questions about what is stored.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Answers questions about stored locations.",
        discussion: """
            Example:
              fencepost query presences --center 38.7124,-9.144 --radius 100 --from 2026-03-06T00:00:00Z --to 2026-03-07T00:00:00Z

            While a service runs on the database, it gives the answer.
            """,
        subcommands: [PresencesCommand.self])
}
