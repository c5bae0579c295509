package import FencepostModel
import Foundation

/// Messages for people on standard error.
package enum Console {
    package static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
    package static let isErrorTerminal = isatty(STDERR_FILENO) == 1

    /// Columns of the terminal that standard output is; `nil` for a file or a pipe.
    package static var outputWidth: Int? {
        var size = winsize()
        guard isOutputTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else {
            return nil
        }
        return Int(size.ws_col)
    }

    package static func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Says text that has parts of somebody else's file: control characters, which could change the terminal, become
    /// U+FFFD.
    package static func sayForeign(_ text: String) {
        var safe = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
            safe.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
        }
        say(safe)
    }

    package static func report(_ diagnostics: some Sequence<Diagnostic>) {
        for diagnostic in diagnostics { say(diagnostic.description) }
    }

    /// Whether output to a stream is coloured: on a terminal, unless flags or environment ask for plain text.
    package static func mayColor(terminal: Bool, noColor: Bool) -> Bool {
        let environment = ProcessInfo.processInfo.environment
        return terminal && !noColor && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
}
