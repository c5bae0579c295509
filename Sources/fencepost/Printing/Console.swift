import FencepostModel
import Foundation

/// Words for people, on standard error.
enum Console {
    static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
    static let isErrorTerminal = isatty(STDERR_FILENO) == 1

    static func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    static func report(_ diagnostics: some Sequence<Diagnostic>) {
        for diagnostic in diagnostics { say(diagnostic.description) }
    }

    /// Whether a stream may be coloured: a terminal, and nobody asked for plain text.
    static func mayColor(terminal: Bool, noColor: Bool) -> Bool {
        let environment = ProcessInfo.processInfo.environment
        return terminal && !noColor && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
}

/// Standard output or a file, written in large pieces.
struct OutputBuffer: ~Copyable {
    var bytes: [UInt8] = []
    private let descriptor: Int32

    init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
        bytes.reserveCapacity(1 << 17)
    }

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Writes when enough has come together.
    mutating func flushIfLarge() throws(OutputError) {
        if bytes.count >= 1 << 16 { try flush() }
    }

    mutating func flush() throws(OutputError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, $0.count - written) }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw OutputError(code: errno)
            }
        }
        bytes.removeAll(keepingCapacity: true)
    }
}

/// Standard output could not be written.
struct OutputError: Error {
    let code: Int32

    /// Whoever read the output has seen enough, as `head` does.
    var isClosedPipe: Bool { code == EPIPE }
}
