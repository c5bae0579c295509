import Foundation

/// A buffer in front of standard output or a file.
package struct OutputBuffer: ~Copyable {
    package var bytes: [UInt8] = []
    private let descriptor: Int32

    package init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
        bytes.reserveCapacity(1 << 17)
    }

    package mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Writes when the buffer has reached its size.
    package mutating func flushIfLarge() throws(OutputError) {
        if bytes.count >= 1 << 16 { try flush() }
    }

    package mutating func flush() throws(OutputError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(OutputError) in try Self.write(bytes, to: descriptor) }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes all bytes at once.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(OutputError) {
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
package struct OutputError: Error {
    package let code: Int32

    /// The reader has closed the pipe, as `head` does.
    package var isClosedPipe: Bool { code == EPIPE }
}
