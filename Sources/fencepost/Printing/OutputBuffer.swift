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
        try bytes.span.bytes.withUnsafeBytes { bytes throws(OutputError) in try Self.write(bytes, to: descriptor) }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes all bytes at once.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(OutputError) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Foundation.write(descriptor, start, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno != EINTR {
                throw OutputError(code: errno)
            }
        }
    }
}

/// Writing to standard output failed.
struct OutputError: Error {
    let code: Int32

    /// The reader has closed the pipe, as `head` does.
    var isClosedPipe: Bool { code == EPIPE }
}
