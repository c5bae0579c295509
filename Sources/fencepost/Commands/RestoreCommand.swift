import ArgumentParser
import FencepostAppCommands
import FencepostFiles
import FencepostModel
import FencepostOperation
import FencepostStore
import Foundation

/// Replaces the database by a backup.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replaces the database by a backup. The old database is kept under another name.",
        discussion: """
            Example:
              fencepost restore --config fencepost.json fencepost-backup.sqlite

            The service must not run. A damaged backup, or one of a newer version of Fencepost, is rejected without \
            any change.
            """)

    @OptionGroup var storage: StorageArguments

    @Argument(help: "The backup to read.", completion: .file())
    var file: String

    func run() throws {
        let path = try storage.path()
        guard FileManager.default.fileExists(atPath: file) else {
            Console.say("The file \(file) does not exist.")
            throw ExitStatus.noInput.exit
        }
        // The configuration may name one of its own files as the database by mistake; the database itself is moved aside.
        try OutputArguments.run { try storage.filesInUse(withDatabase: false).refuse(path) }
        let now = WallClock.now
        let old: String?
        do {
            old = try OutputArguments.run { try Backup.restore(file, to: path, at: now) }
        } catch let error as StoreError {
            Console.say("fencepost: \(error.message)")
            if error.code == .locked { Console.say("Stop the service, restore, and start it again.") }
            throw error.exitStatus.exit
        }
        Console.say("\(path) was replaced by \(file).")
        if let old { Console.say("The old database is \(old).") }
    }
}
