import ArgumentParser
import FencepostAppCommands
import FencepostModel

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
            Watch.self, Serve.self, Import.self, ImportRegions.self, Locate.self, Index.self, Check.self, Diff.self,
            Report.self,
            Trips.self, QueryCommand.self, ExportCommand.self,
            Suggest.self, Score.self, Notify.self, Simulate.self, ScenarioCommand.self, Explain.self, Advise.self,
            Matrix.self, Rules.self,
            Lint.self, Config.self, Health.self, Replay.self, BackupCommand.self, RestoreCommand.self,
            DoctorCommand.self, QuarantineCommand.self, TokenCommand.self, UserCommand.self, WebhookCommand.self,
            MCPCommand.self,
            ClusterCommand.self,
        ])
}

extension Fencepost {
    static func main() async { await ProgramEntry.run(Self.self) }
}
