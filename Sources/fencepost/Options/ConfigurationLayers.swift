import FencepostModel
import FencepostService
import Foundation

/// The configuration of a command: defaults, the file, the environment, flags, each over the one before (rule O1).
enum ConfigurationLayers {
    /// Reads everything, and ends the command when something is wrong.
    ///
    /// - Parameter flags: JSON Pointers of keys, what is said for them, and the flag that says it.
    static func read(
        file: String?, flags: [(pointer: String, value: String?, flag: String)] = []
    ) throws -> ConfigurationReader {
        let (reader, problems) = try attempt(file: file, flags: flags)
        Console.report(problems)
        guard !problems.contains(where: { $0.severity == .error }) else { throw ExitStatus.configuration.exit }
        return reader
    }

    /// Reads the same, and leaves what is wrong to the caller.
    static func attempt(
        file: String?, flags: [(pointer: String, value: String?, flag: String)] = []
    ) throws -> (ConfigurationReader, [Diagnostic]) {
        var reader = ConfigurationReader()
        let environment = ProcessInfo.processInfo.environment
        if let file = file ?? environment["FENCEPOST_CONFIG"] {
            reader.read(try InputFile.bytes(of: file), file: file)
        }
        reader.read(environment: environment) { try? String(contentsOfFile: $0, encoding: .utf8) }
        for (pointer, value, flag) in flags {
            if let value { reader.set(pointer, value, origin: flag) }
        }
        return (reader, reader.diagnostics)
    }
}
