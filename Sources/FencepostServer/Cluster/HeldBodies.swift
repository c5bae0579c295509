import FencepostHTTP
import Hummingbird
import Synchronization

/// Buffers the bodies of requests that wait for a leader, up to a total limit, so that each can be sent again.
///
/// A body is also read whole because only one task may read from a connection: a response that came before its end would
/// leave a second one reading.
final class HeldBodies: Sendable {
    /// A body, whose bytes are counted as long as it exists.
    final class Body: Sendable {
        let bytes: [UInt8]
        private let release: @Sendable () -> Void

        fileprivate init(_ bytes: [UInt8], release: @escaping @Sendable () -> Void) {
            (self.bytes, self.release) = (bytes, release)
        }

        deinit { release() }
    }

    private struct Count {
        /// Bytes of bodies up to `smallSize`, and of larger ones.
        var small = 0
        var large = 0
    }

    /// Small bodies do not wait for large ones.
    private static let smallSize = 1 << 20
    private static let smallLimit = 128 << 20

    private let limit: Int
    private let count = Mutex(Count())

    /// - Parameter limit: the largest body, and all bodies above 1 MiB together, in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Reads the body of a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: the largest body in bytes; `nil` for the largest of all.
    /// - Returns: the body.
    /// - Throws: a `Problem` for a body that is too large or incomplete, or when too many are held.
    func read(_ request: Request, limit: Int? = nil) async throws -> Body {
        var size = 0
        do {
            let bytes = try await BodyReader.collect(request, limit: limit ?? self.limit) { more throws(Problem) in
                try grow(size, by: more)
                size += more
            }
            return Body(bytes) { [self, size] in release(size) }
        } catch {
            release(size)
            throw error
        }
    }

    private func grow(_ size: Int, by more: Int) throws(Problem) {
        let isTooMuch = count.withLock { count in
            let isSmall = size + more <= Self.smallSize
            // A body that becomes a large one is counted there as a whole.
            let bytes = isSmall || size > Self.smallSize ? more : size + more
            guard isSmall ? count.small + bytes <= Self.smallLimit : count.large + bytes <= limit else { return true }
            if isSmall {
                count.small += bytes
            } else {
                if size <= Self.smallSize { count.small -= size }
                count.large += bytes
            }
            return false
        }
        if isTooMuch { throw .notLeading("Too many requests wait for a node that leads. Send it again later.") }
    }

    private func release(_ size: Int) {
        count.withLock { count in
            if size <= Self.smallSize { count.small -= size } else { count.large -= size }
        }
    }
}
