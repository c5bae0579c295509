import ArgumentParser
import FencepostFiles
import FencepostService
import FencepostStore

/// Options of the commands that use the database.
struct StorageArguments: ParsableArguments {
    @Option(
        name: .long, help: "A configuration file; without one the database is fencepost.sqlite in the current folder.",
        completion: .file(extensions: ["json"]))
    var config: String?

    /// The path of the database from configuration file and environment.
    func path() throws -> String {
        try ConfigurationLayers.read(file: config).configuration.storage.path
    }

    /// The files that the command must not overwrite, with the database if `withDatabase` is set.
    func filesInUse(withDatabase: Bool = true) throws -> FilesInUse {
        FilesInUse(
            try ConfigurationLayers.read(file: config).configuration, file: config, withDatabase: withDatabase)
    }

    /// Runs a closure. Prints an error of the store on standard error and exits with its exit code.
    static func run<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StoreError {
            Console.say(error.message)
            throw error.exitStatus.exit
        }
    }
}
