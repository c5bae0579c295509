import FencepostHTTP
import FencepostJSON
import HTTPTypes
import Hummingbird
import NIOCore

/// The whole answer of a part's leader.
struct PartitionAnswer: Sendable {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var bytes: [UInt8]

    /// The largest answer of a part that is taken together with others, in bytes.
    private static let limit = 1 << 28

    /// Reads an answer to its end.
    ///
    /// - Throws: a `Problem` when it is too large or ends too early.
    init(_ response: Response) async throws {
        do {
            bytes = try await response.body.collected(limit: Self.limit)
        } catch is ResponseBody.TooLarge {
            throw Problem.unavailable("The answer of a part of the cluster is too large. Ask for a shorter period.")
        } catch let error where !(error is CancellationError || error is Problem) {
            throw Problem.notLeading("The leader of a part of the cluster was lost while it answered.")
        }
        (status, headers) = (response.status, response.headers)
    }

    var isSuccess: Bool { status.kind == .successful }

    /// The body as JSON; `nil` for another one.
    var json: JSONElement? { (try? JSONDocument(parsing: bytes))?.root }

    /// The answer as a response.
    var response: Response {
        var headers = headers
        headers[FanOutMark.device] = nil
        guard !bytes.isEmpty else { return Response(status: status, headers: headers) }
        headers[.contentLength] = nil
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The answer with another body, and a value of the `Link` header; `nil` for none.
    func with(_ bytes: [UInt8], link: String? = nil) -> PartitionAnswer {
        var answer = self
        answer.bytes = bytes
        answer.headers[.link] = link
        return answer
    }
}

/// An answer of a partition that is the answer to the whole request.
struct PartitionRefusal: Error {
    let answer: PartitionAnswer
}

extension Response {
    /// Ends a stream that nobody reads.
    func discard() async { try? await body.write(NoReader()) }
}

/// Takes nothing.
private struct NoReader: ResponseBodyWriter {
    func write(_ buffer: ByteBuffer) async throws { throw CancellationError() }
    func finish(_ trailers: HTTPFields?) async throws {}
}
