import ArgumentParser
import FencepostModel
import FencepostPipeline
import FencepostStore
import Foundation

/// Which database a command is about.
struct StorageArguments: ParsableArguments {
    @Option(
        name: .long, help: "A config file; without one, fencepost.sqlite in the current folder.",
        completion: .file(extensions: ["json"]))
    var config: String?

    /// The path of the config, with the environment over it.
    func path() throws -> String {
        var reader = ConfigurationReader()
        if let config { reader.read(try InputFile.bytes(of: config), file: config) }
        reader.read(environment: ProcessInfo.processInfo.environment) { path in
            try? String(contentsOfFile: path, encoding: .utf8)
        }
        Console.report(reader.diagnostics)
        guard !reader.diagnostics.contains(where: { $0.severity == .error }) else {
            throw ExitStatus.configuration.exit
        }
        return reader.configuration.storage.path
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

extension StoreError {
    /// The exit code that says what to do about it (CONVENTIONS O3).
    var exitStatus: ExitStatus {
        switch code {
        case .full, .inputOutput, .closed: .inputOutput
        case .busy, .locked: .tryAgain
        case .corrupt: .badData
        case .newerSchema: .configuration
        case .cannotOpen: .cannotCreate
        case .outOfOrder, .invalid: .software
        }
    }
}
