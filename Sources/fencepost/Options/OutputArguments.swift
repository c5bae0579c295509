import ArgumentParser
import FencepostFiles
import FencepostRegionFiles
import FencepostService
import Foundation

/// Options of the commands that write files (rule O11).
struct OutputArguments: ParsableArguments {
    @Flag(name: .long, help: "Replace an existing file. A file in use is never replaced.")
    var force = false

    /// Checks that a file may be written, before the work for it is done. Prints the reason if it may not.
    func file(_ path: String, inUse: FilesInUse) throws -> OutputFile {
        try Self.run { try OutputFile(path, inUse: inUse, replacesExisting: force) }
    }

    /// Runs a closure. Prints an error of an output file on standard error and exits with its exit code.
    static func run<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as OutputFileError {
            Console.say("fencepost: \(error.message)")
            throw error.exitStatus.exit
        }
    }
}

extension OutputFileError {
    /// The exit code of a command that cannot write a file.
    var exitStatus: ExitStatus {
        switch code {
        case .inUse, .exists, .cannotCreate: .cannotCreate
        case .full, .inputOutput: .inputOutput
        }
    }
}

extension FilesInUse {
    /// The files of a configuration: itself, regions, apps, certificates and, if `withDatabase` is set, the database.
    /// `file` is the option `--config`.
    init(_ configuration: Configuration, file: String?, withDatabase: Bool = true) {
        self.init()
        if withDatabase { add(database: configuration.storage.path) }
        let environment = ProcessInfo.processInfo.environment
        if let file = file ?? environment["FENCEPOST_CONFIG"] { add(file, as: "the configuration") }
        for (name, value) in environment where name.hasPrefix("FENCEPOST_") && name.hasSuffix("_FILE") {
            add(value, as: "the file of \(name)")
        }
        for path in configuration.regions { add(pattern: path, as: "a region file in use") }
        for path in configuration.apps { add(pattern: path, as: "an app file in use") }
        for path in [configuration.webhooks.caFile, configuration.mqtt?.caFile] {
            if let path { add(path, as: "a certificate file in use") }
        }
    }

    /// Adds the files of a path, folder or pattern; a pattern without files adds its own name.
    mutating func add(pattern: String, as purpose: String) {
        for file in (try? PathPattern.files(for: pattern)) ?? [pattern] { add(file, as: purpose) }
    }
}
