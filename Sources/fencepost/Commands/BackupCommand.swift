import ArgumentParser
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
            like the database. An existing file of this name is replaced after the new copy was checked.
            """)

    @OptionGroup var storage: StorageArguments

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    func run() throws {
        let path = try storage.path()
        guard FileManager.default.fileExists(atPath: path) else {
            Console.say("The database \(path) does not exist.")
            throw ExitStatus.noInput.exit
        }
        try StorageArguments.run { try Backup.make(of: path, to: file) }
        let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size]) as? Int ?? 0
        Console.say("\(path) was copied to \(file), \(Prose.count(size, "byte")).")
    }
}
