import ArgumentParser
package import Foundation

/// Reads whole files.
package enum InputFile {
    /// Says on standard error what a command waits for, when its standard input is a terminal.
    package static func announceTerminal(_ text: String) {
        if isatty(STDIN_FILENO) == 1 { Console.say(text) }
    }

    package static func bytes(of path: String) throws -> Data {
        do {
            if path == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            Console.say("fencepost: \(path) cannot be read: \(error.localizedDescription)")
            throw ExitStatus.noInput.exit
        }
    }
}
