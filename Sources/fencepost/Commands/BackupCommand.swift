import ArgumentParser
import FencepostStore
import Foundation

/// Copies the database, also while the service runs.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies the database into one file, also while the service runs.",
        discussion: """
            Example:
              fencepost backup --config fencepost.json fencepost-backup.sqlite

            The copy is the database as it is at one moment. It holds positions and signing secrets: keep it as safe as
            the database. An earlier file of that name is replaced once the new one has been checked.
            """)

    @OptionGroup var storage: StorageArguments

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    func run() throws {
        let path = try storage.path()
        guard FileManager.default.fileExists(atPath: path) else {
            Console.say("There is no database \(path).")
            throw ExitStatus.noInput.exit
        }
        try StorageArguments.run { try Backup.make(of: path, to: file) }
        let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size]) as? Int ?? 0
        Console.say("\(path) is copied to \(file), \(Prose.count(size, "byte")).")
    }
}
