import ArgumentParser
import Foundation

/// Reads whole files.
enum InputFile {
    static func bytes(of path: String) throws -> Data {
        do {
            if path == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            Console.say("fencepost: \(path) cannot be read: \(error.localizedDescription)")
            throw ExitStatus.noInput.exit
        }
    }
}
