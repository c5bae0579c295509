package import HTTPTypes
package import Hummingbird
import NIOHTTP1

/// Reads request bodies up to their limits.
package enum BodyReader {
    /// Reads a body.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: maximum bytes as sent.
    ///   - inflatedLimit: maximum bytes after decompression.
    /// - Returns: the body without its content encoding.
    /// - Throws: a `Problem` for a body that is too large, incomplete, damaged or of an unknown encoding.
    nonisolated(nonsending) package static func read(
        _ request: Request, limit: Int, inflatedLimit: Int
    ) async throws -> [UInt8] {
        let isEncoded = try isEncoded(request.headers)
        let body = try await collect(request, limit: limit)
        return isEncoded ? try await decoded(body, limit: inflatedLimit) : body
    }

    /// Whether a body has a content encoding.
    ///
    /// - Throws: a `Problem` for an unknown one.
    package static func isEncoded(_ headers: HTTPFields) throws(Problem) -> Bool {
        let encoding = headers[.contentEncoding]?.lowercased() ?? "identity"
        guard ["identity", "gzip", "x-gzip", "deflate"].contains(encoding) else { throw Problem.unsupportedEncoding }
        return encoding != "identity"
    }

    /// A body without its content encoding.
    ///
    /// - Throws: a `Problem` for a body that is damaged, or too large without its encoding.
    package static func decoded(_ body: [UInt8], limit: Int) async throws -> [UInt8] {
        guard !body.isEmpty else { return body }
        // Decompression can produce much more data, so it does not run on the connection's thread.
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { [body] in
            try await inflate(body, limit: limit)
        }
    }

    /// Reads a body as it was sent, with its content encoding.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: maximum bytes.
    ///   - reserve: called with the number of bytes before they are kept.
    /// - Returns: the body.
    /// - Throws: a `Problem` for a body that is too large or incomplete, and what `reserve` throws.
    nonisolated(nonsending) package static func collect(
        _ request: Request, limit: Int, reserve: (Int) throws(Problem) -> Void = { _ in }
    ) async throws -> [UInt8] {
        let announced = request.headers[.contentLength].flatMap { Int($0) }
        if let announced, announced > limit { throw Problem.tooLarge(limit) }
        let body = try await bytes(of: request.body, announced: announced, limit: limit, reserve)
        // A closed connection looks like the end of the body.
        if let announced, body.count != announced { throw Problem.incompleteBody }
        return body
    }

    /// Reads the body as sent.
    ///
    /// A connection that fails, or bytes that are not framed as HTTP says, are the sender's: a phone that loses its
    /// network is no error of the server (rule L7).
    nonisolated(nonsending) private static func bytes(
        of connection: RequestBody, announced: Int?, limit: Int, _ reserve: (Int) throws(Problem) -> Void
    ) async throws -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(min(announced ?? 0, limit))
        do {
            for try await buffer in connection {
                guard body.count + buffer.readableBytes <= limit else { throw Problem.tooLarge(limit) }
                try reserve(buffer.readableBytes)
                body.append(contentsOf: buffer.readableBytesView)
            }
        } catch let problem as Problem {
            throw problem
        } catch let error as HTTPParserError {
            throw error == .invalidEOFState ? Problem.incompleteBody : Problem.invalidFraming
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw Problem.incompleteBody
        }
        return body
    }

    private static func inflate(_ body: [UInt8], limit: Int) async throws -> [UInt8] {
        do throws(Inflater.Failure) {
            return try Inflater.inflate(body, limit: limit)
        } catch {
            switch error {
            case .tooLarge: throw Problem.tooLarge(limit, inflated: true)
            case .corrupt: throw Problem.unreadable("invalid_encoding", "The body cannot be decompressed.")
            }
        }
    }
}
