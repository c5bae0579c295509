import ArgumentParser
import FencepostAppCommands
import FencepostFiles
import FencepostModel
import FencepostOperation
import FencepostStore
import Foundation

/// Copies the database, also while the service runs.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies the database to a file, also while the service runs.",
        discussion: """
            Example:
              fencepost backup --config fencepost.json fencepost-backup.sqlite

            The copy is a consistent snapshot of the database. It contains positions and signing secrets, so protect it
            like the database. It is checked before it gets its name.
            """)

    @OptionGroup var storage: StorageArguments
    @OptionGroup var output: OutputArguments

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    func run() throws {
        let path = try storage.existingPath()
        let target = try output.file(file, inUse: try storage.filesInUse())
        try StorageArguments.run { try OutputArguments.run { try Backup.make(of: path, to: target) } }
        let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size]) as? Int ?? 0
        do {
            try BackupRecord.note(WallClock.now, of: path)
        } catch {
            Console.say("The time of this backup cannot be recorded for the metrics of the service: \(error)")
        }
        Console.say("\(path) was copied to \(file), \(Prose.count(size, "byte")).")
    }
}
