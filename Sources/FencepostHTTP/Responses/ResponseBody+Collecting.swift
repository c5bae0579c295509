import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization

extension ResponseBody {
    /// A body is larger than expected.
    package struct TooLarge: Error {}

    /// Reads the whole body.
    ///
    /// - Parameter limit: the largest number of bytes.
    /// - Returns: its bytes.
    /// - Throws: `TooLarge`, or what the body throws while it is read.
    package consuming func collected(limit: Int) async throws -> [UInt8] {
        let bytes = CollectedBytes(limit: limit)
        try await write(BytesWriter(bytes: bytes))
        return bytes.content.withLock { $0 }
    }
}

private final class CollectedBytes: Sendable {
    let limit: Int
    let content = Mutex<[UInt8]>([])

    init(limit: Int) {
        self.limit = limit
    }
}

private struct BytesWriter: ResponseBodyWriter {
    let bytes: CollectedBytes

    mutating func write(_ buffer: ByteBuffer) async throws {
        try bytes.content.withLock { content in
            guard content.count + buffer.readableBytes <= bytes.limit else { throw ResponseBody.TooLarge() }
            content += buffer.readableBytesView
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
