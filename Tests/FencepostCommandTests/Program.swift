import Foundation
import Testing

/// Runs the program that was built with the tests.
struct Program {
    struct Result {
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The root of the repository, in which the README's commands run.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folder of the program.
    static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

    private static let executable = folder.appending(path: "fencepost")

    /// Starts the program. `prepared` can connect its input and output before.
    static func start(_ arguments: [String], input: Any?, output: Any?, errors: Any?) throws -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = root
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        return process
    }

    /// Runs the program to its end. Input and output are files, so no pipe can fill up.
    static func run(_ arguments: String..., input: String = "") throws -> Result {
        try run(arguments, input: Data(input.utf8))
    }

    static func run(_ arguments: [String], input: Data) throws -> Result {
        let folder = try TemporaryFolder()
        let names = ["in", "out", "err"].map { folder.url.appending(path: $0) }
        try input.write(to: names[0])
        for name in names.dropFirst() { try Data().write(to: name) }
        let process = try start(
            arguments, input: try FileHandle(forReadingFrom: names[0]),
            output: try FileHandle(forWritingTo: names[1]), errors: try FileHandle(forWritingTo: names[2]))
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: try String(contentsOf: names[1], encoding: .utf8),
            errors: try String(contentsOf: names[2], encoding: .utf8))
    }
}

/// A temporary folder that is removed with its owner.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "fencepost-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Writes a file.
    ///
    /// - Returns: its path.
    func file(_ name: String, _ text: String) throws -> String {
        let file = url.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
