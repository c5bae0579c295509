import ArgumentParser
package import FencepostFiles
import Foundation

/// Options of the commands that write files (rule O11).
package struct OutputArguments: ParsableArguments {
    package init() {}

    @Flag(name: .long, help: "Replace an existing file. A file in use is never replaced.")
    package var force = false

    /// Checks that a file may be written, before the work for it is done. Prints the reason if it may not.
    package func file(_ path: String, inUse: FilesInUse) throws -> OutputFile {
        try Self.run { try OutputFile(path, inUse: inUse, replacesExisting: force) }
    }

    /// Runs a closure. Prints an error of an output file on standard error and exits with its exit code.
    package static func run<T>(_ body: () throws -> T) throws -> T {
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
    package var exitStatus: ExitStatus {
        switch code {
        case .inUse, .exists, .cannotCreate: .cannotCreate
        case .full, .inputOutput: .inputOutput
        }
    }
}
