import FencepostHTTP
import FencepostJSON
public import FencepostService
import Glibc
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import Synchronization

/// The downloads of reports for the service itself: what `GET` gives, byte for byte.
///
/// A request of the process goes through the same stages as one of a client, and in a cluster over all partitions.
public final class ReportDownloads: ReportSource {
    typealias Answer = @Sendable (_ target: String, _ channel: any Channel) async -> Response

    /// The most bytes of a file.
    private static let limit = 256_000_000

    private let answer = Mutex<Answer?>(nil)
    private let isAttached = EventSignal()

    /// Downloads that wait until a server answers them.
    public init() {}

    /// Lets a server answer.
    func attach(_ answer: @escaping Answer) {
        self.answer.withLock { $0 = answer }
        isAttached.raise()
    }

    /// The file that a `GET` of this path and query downloads.
    public func file(at target: String) async -> ReportOutcome {
        if isAttached.generation == 0 { await isAttached.wait(since: 0) }
        guard let answer = answer.withLock({ $0 }) else { return .unavailable("The service ends.") }
        do {
            return try await withOwnChannel { channel in
                try await Self.outcome(of: await answer(target, channel))
            }
        } catch {
            return .unavailable("The report could not be read.")
        }
    }

    private static func outcome(of response: Response) async throws -> ReportOutcome {
        let (status, headers) = (response.status, response.headers)
        let bytes = try await response.body.collected(limit: limit)
        guard status == .ok else {
            let problem = try? JSONDocument(parsing: bytes).root["detail"]?.string
            let detail = problem ?? "The service answered \(status.code)."
            return status.kind == .clientError && status != .tooManyRequests ? .refused(detail) : .unavailable(detail)
        }
        let name = headers[.contentDisposition]?.split(separator: "\"").dropFirst().first.map(String.init)
        return .file(
            ReportFile(
                name: name ?? "report", type: headers[.contentType] ?? "application/octet-stream", bytes: bytes))
    }

    /// Calls the body with one end of a connection of this process, whose other end nobody reads: requests name a connection.
    private func withOwnChannel<Value: Sendable>(_ body: (any Channel) async throws -> Value) async throws -> Value {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw IOError(errnoCode: errno, reason: "socketpair")
        }
        let other = ends[1]
        defer { close(other) }
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .withConnectedSocket(ends[0]).get()
        do {
            let value = try await body(channel)
            try? await channel.close()
            return value
        } catch {
            try? await channel.close()
            throw error
        }
    }
}
