import FencepostHTTP
import Hummingbird
import NIOCore
import Synchronization

/// The requests that a server makes for a client, in the client's name.
///
/// They go through the same stages as those of the client, and in a cluster over all partitions: nobody reads more so.
final class InnerRequests: Sendable {
    typealias Answer = @Sendable (_ request: Request, _ channel: any Channel, _ isLocal: Bool) async -> Response

    private let answer = Mutex<Answer?>(nil)

    /// Lets a server answer.
    func attach(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - request: the request, with the client's credentials.
    ///   - channel: the client's connection.
    ///   - isLocal: whether the client is a command of this machine.
    /// - Returns: the response; `nil` before the server runs.
    func response(to request: Request, on channel: any Channel, isLocal: Bool) async -> Response? {
        guard let answer = answer.withLock({ $0 }) else { return nil }
        return await answer(request, channel, isLocal)
    }
}
