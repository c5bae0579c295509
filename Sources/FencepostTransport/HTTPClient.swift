import CCurl
import Foundation
import Synchronization

/// An HTTP/1.1 client over libcurl, whose transfers share one thread and its connections.
///
/// A connection is used again for the same host and route while it was idle for at most 4 s: shorter than the idle
/// timeout of common servers (5 s and more), otherwise a request can meet a connection that the server is closing.
public final class HTTPClient: Sendable {
    /// Why a client cannot be made.
    public struct InvalidAuthorities: Error, Hashable, Sendable, CustomStringConvertible {
        /// The file.
        public let path: String

        /// What is wrong, for people.
        public var description: String { "\(path): not a readable PEM file with a certificate" }
    }

    /// A client that lives as long as the process.
    public static let shared = HTTPClient()

    private let loop: TransferLoop

    /// A client that trusts the authorities of the system.
    public init() {
        loop = TransferLoop(authorities: nil)
    }

    /// A client that trusts the authorities of a file besides those of the system.
    ///
    /// - Parameter authorities: a PEM file; `nil` for none.
    /// - Throws: `InvalidAuthorities`.
    public init(authorities: String?) throws(InvalidAuthorities) {
        if let authorities {
            let text = (try? String(contentsOfFile: authorities, encoding: .utf8)) ?? ""
            guard text.contains("-----BEGIN CERTIFICATE-----") else { throw InvalidAuthorities(path: authorities) }
        }
        loop = TransferLoop(authorities: authorities)
    }

    deinit { loop.stop() }

    /// Sends a request. It ends early when the task is cancelled.
    ///
    /// - Returns: the response, also where only its header and a part of its body arrived in time.
    public func send(_ request: HTTPClientRequest) async -> HTTPClientResult {
        let transfer = Transfer(request)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { loop.add(transfer, continuation: $0) }
        } onCancel: {
            loop.cancel(transfer)
        }
    }

    /// Sends a request and waits for its whole response.
    ///
    /// - Throws: why there is no complete response.
    public func response(to request: HTTPClientRequest) async throws(TransportFailure) -> HTTPClientResponse {
        try await send(request).complete()
    }

    /// Closes idle connections now, and the others when their transfer has ended. Later requests fail.
    public func shutdown() {
        loop.stop()
    }
}
