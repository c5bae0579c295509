import ArgumentParser
import FencepostModel
import FencepostStore
import Foundation

/// Puts a backup in the place of the database.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Puts a backup in the place of the database, which is kept beside it.",
        discussion: """
            Example:
              fencepost restore --config fencepost.json fencepost-backup.sqlite

            The service must not run. A damaged backup, or one of a newer Fencepost, is refused and changes nothing.
            """)

    @OptionGroup var storage: StorageArguments

    @Argument(help: "The backup to read.", completion: .file())
    var file: String

    func run() throws {
        let path = try storage.path()
        guard FileManager.default.fileExists(atPath: file) else {
            Console.say("There is no file \(file).")
            throw ExitStatus.noInput.exit
        }
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let old = try StorageArguments.run { try Backup.restore(file, to: path, at: now) }
        Console.say("\(path) is now what \(file) holds.")
        if let old { Console.say("The database that was there is \(old).") }
    }
}
