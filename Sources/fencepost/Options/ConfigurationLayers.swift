import FencepostAppCommands
import FencepostModel
import FencepostNode
import FencepostService
import Foundation

/// The configuration of a command: defaults, file, environment and flags; later layers override earlier ones (rule O1).
enum ConfigurationLayers {
    /// Reads all layers, and ends the command when one contains an error. `flags` has the JSON Pointers of keys, their
    /// values, and the names of the flags.
    static func read(
        file: String?, flags: [(pointer: String, value: String?, flag: String)] = []
    ) throws -> ConfigurationReader {
        let (reader, problems) = try readWithProblems(file: file, flags: flags)
        Console.report(problems)
        guard !problems.contains(where: { $0.severity == .error }) else { throw ExitStatus.configuration.exit }
        return reader
    }

    /// Reads all layers and returns their problems.
    static func readWithProblems(
        file: String?, flags: [(pointer: String, value: String?, flag: String)] = []
    ) throws -> (ConfigurationReader, [Diagnostic]) {
        let environment = ProcessInfo.processInfo.environment
        let text: (String) -> String? = { try? String(contentsOfFile: $0, encoding: .utf8) }
        var reader = ConfigurationReader(below: environment, file: text)
        if let file = file ?? environment["FENCEPOST_CONFIG"] {
            reader.read(try InputFile.bytes(of: file), file: file)
        }
        reader.read(environment: environment, file: text)
        for (pointer, value, flag) in flags {
            if let value { reader.set(pointer, value, origin: flag) }
        }
        if let cluster = reader.configuration.cluster {
            let path = database(in: reader.configuration.storage.path)
            // Where the cluster has several parts, the folder has a database for each of them.
            let configuration = cluster.partitioning.configuration
            reader.setDatabase(PartitionFile.path(of: configuration, in: cluster.partitioning, path))
        }
        return (reader, reader.diagnostics)
    }

    /// The database of a cluster's node, whose `storage.path` may be the folder that it is in.
    private static func database(in path: String) -> String {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        let name = (path as NSString).lastPathComponent
        guard exists ? isFolder.boolValue : path.hasSuffix("/") || !name.contains(".") else { return path }
        return (path as NSString).appendingPathComponent(PartitionFile.single)
    }
}
