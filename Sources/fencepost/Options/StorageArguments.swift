import ArgumentParser
import FencepostService
import FencepostStore

/// Which database a command is about.
struct StorageArguments: ParsableArguments {
    @Option(
        name: .long, help: "A config file; without one, fencepost.sqlite in the current folder.",
        completion: .file(extensions: ["json"]))
    var config: String?

    /// The path of the config, with the environment over it.
    func path() throws -> String {
        try ConfigurationLayers.read(file: config).configuration.storage.path
    }

    /// Runs a body, says on standard error why the store did not do it, and ends with the code for that.
    static func run<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StoreError {
            Console.say(error.message)
            throw error.exitStatus.exit
        }
    }
}
