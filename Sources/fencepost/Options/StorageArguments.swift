import ArgumentParser
import FencepostAppCommands
import FencepostFiles
import FencepostService
import FencepostStore
import Foundation

/// Options of the commands that use the database: the same as those of `serve`, with the same default (rule M15).
struct StorageArguments: ParsableArguments {
    @Option(
        name: .long, help: "The configuration file, as that of serve.", completion: .file(extensions: ["json"]))
    var config: String?

    @Option(
        name: .long, help: "The SQLite database; by default that of the configuration, else fencepost.sqlite.",
        completion: .file())
    var storage: String?

    /// The configuration from its file, the environment and `--storage`.
    func configuration() throws -> Configuration {
        try ConfigurationLayers.read(file: config, flags: [("/storage/path", storage, "--storage")]).configuration
    }

    /// The path of the database.
    func path() throws -> String { try configuration().storage.path }

    /// The path of a database that exists. Prints a message and ends the command when there is none, because no command
    /// creates a database to read it.
    func existingPath() throws -> String {
        let path = try path()
        guard FileManager.default.fileExists(atPath: path) else {
            Console.say(
                "The database \(path) does not exist. Name it with --storage, or its configuration with --config.")
            throw ExitStatus.noInput.exit
        }
        return path
    }

    /// The service that uses the database or that `--server` names; `nil` when none runs.
    func connection(_ service: ServiceArguments) throws -> ServiceConnection? {
        if let connection = try service.connection() { return connection }
        let socket = LocalSocket.path(of: try path())
        switch LocalSocket.state(of: socket) {
        case .listening: return ServiceConnection(socket: socket)
        case .absent: return nil
        case .unusable(let reason):
            Console.say(
                """
                fencepost: the service that uses the database cannot be used over \(socket): \(reason). \
                Run the command as the user of the service, or with --server and --token.
                """)
            throw ExitStatus.noPermission.exit
        }
    }

    /// The files that the command must not overwrite, with the database if `withDatabase` is set.
    func filesInUse(withDatabase: Bool = true) throws -> FilesInUse {
        FilesInUse(try configuration(), file: config, withDatabase: withDatabase)
    }

    /// Runs a closure. Prints an error of the store on standard error and exits with its exit code.
    static func run<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StoreError {
            throw exit(after: error)
        }
    }

    /// Prints an error of the store, with what helps against a locked database.
    ///
    /// - Returns: the exit code.
    static func exit(after error: StoreError) -> ExitCode {
        Console.say("fencepost: \(error.message)")
        if error.code == .locked {
            Console.say("If a service has it open, use the service: --server URL and --token, or stop it.")
        }
        return error.exitStatus.exit
    }
}
