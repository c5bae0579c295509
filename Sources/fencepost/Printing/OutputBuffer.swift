import Foundation

/// A buffer in front of standard output or a file.
struct OutputBuffer: ~Copyable {
    var bytes: [UInt8] = []
    private let descriptor: Int32

    init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
        bytes.reserveCapacity(1 << 17)
    }

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Writes when the buffer has reached its size.
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

/// Writing to standard output failed.
struct OutputError: Error {
    let code: Int32

    /// The reader has closed the pipe, as `head` does.
    var isClosedPipe: Bool { code == EPIPE }
}
