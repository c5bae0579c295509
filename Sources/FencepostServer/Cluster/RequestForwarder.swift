import AsyncHTTPClient
import FencepostHTTP
import FencepostModel
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Metrics
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Sends requests on to the node that leads, and holds them while no node does.
///
/// A request that was not handled, and one that may be handled twice, is sent again until a node answers it or the time
/// is over.
final class RequestForwarder: Sendable {
    /// Between attempts: the first pause, and the longest.
    private static let pauses = (first: Duration.milliseconds(10), longest: Duration.milliseconds(100))
    /// Between looks whether the node that has a request still leads.
    private static let watchInterval = Duration.milliseconds(250)
    /// Who handles requests at the moment.
    enum Target: Hashable, Sendable {
        /// No node.
        case none
        /// This one.
        case here
        /// Another one, at a URL such as `http://10.0.0.1:8080`.
        case node(String)
    }

    /// The outcome of a request.
    enum Outcome: Sendable {
        case answered(Response)
        /// This node leads now, and has not handled it.
        case handleHere(Request)
    }

    private let client: HTTPClient
    /// Signs what is sent.
    let signer = NodeSigner()
    /// By which the services of this process know what its ports have checked. It is never sent.
    let processKey = NodeSignature.hash(
        Array("\(UInt64.random(in: .min ... .max)) \(UInt64.random(in: .min ... .max))".utf8))
    /// For how long a request is held: longer than a takeover takes.
    private let holdTime: Duration
    /// The bodies of requests that are sent on.
    let bodies: HeldBodies
    private let forwarded = Counter(label: "fencepost_cluster_forwarded_requests_total")
    private let holding = Gauge(label: "fencepost_cluster_held_requests")
    private let waiting = Mutex(0)

    /// - Parameters:
    ///   - holdTime: for how long a request is held.
    ///   - bodyLimit: the largest body, in bytes.
    ///   - tls: the certificates by which nodes know each other; `nil` for plain connections.
    init(holdTime: Duration, bodyLimit: Int, tls: PeerTLS? = nil) {
        self.holdTime = holdTime
        bodies = HeldBodies(limit: bodyLimit)
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        // A long file is read before it is answered. A leader that hangs loses its lease, which ends the request and the
        // event stream before.
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(2), read: .seconds(300))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 512
        configuration.connectionPool.idleTimeout = .seconds(30)
        // Another node may lead by then.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        configuration.tlsConfiguration = tls?.client
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes all connections to other nodes.
    func close() async { try? await client.shutdown() }

    /// A request as it is sent to the leader.
    struct Content: Sendable {
        var request: Request
        /// The path and the query.
        var target: String
        /// The client's address.
        var client: String
        /// Whether doing it twice is the same as doing it once.
        var isRepeatable: Bool
        /// The part of the cluster that it is about; `nil` for the only one.
        var part: ClusterPartition?
        /// With how many nodes it was lost before.
        var losses = 0
        /// Whether its client still waits for the response.
        var hasClient: @Sendable () async -> Bool = { true }
    }

    /// With how many nodes a request may be lost: it may be what ended them.
    private static let maximumLosses = 2

    private enum Attempt {
        case answered(HTTPClientResponse)
        /// The node has not begun to handle it.
        case unhandled
        /// Whether the leader has handled it is not known.
        case lost
    }

    /// Sends a request to the leader, and holds it while there is none.
    ///
    /// - Parameters:
    ///   - content: the request.
    ///   - held: its body.
    ///   - target: who handles requests now.
    /// - Returns: the leader's response, or the request when this node has become the leader.
    /// - Throws: a `Problem` when no node has answered in the time allowed, or the target is not percent-encoded UTF-8.
    func outcome(
        of content: Content, _ held: HeldBodies.Body, target: @escaping @Sendable () -> Target
    ) async throws -> Outcome {
        // Its bytes count until the end.
        defer { withExtendedLifetime(held) {} }
        return try await outcome(of: content, ByteBuffer(bytes: held.bytes), target: target)
    }

    /// Sends a request to the leader, and holds it while there is none.
    ///
    /// - Parameters:
    ///   - content: the request.
    ///   - body: its body.
    ///   - target: who handles requests now.
    /// - Returns: the leader's response, or the request when this node has become the leader.
    /// - Throws: a `Problem` when no node has answered in the time allowed, or the target is not percent-encoded UTF-8.
    func outcome(
        of content: Content, _ body: ByteBuffer, target: @escaping @Sendable () -> Target
    ) async throws -> Outcome {
        try Self.check(content.target)
        let clock = ContinuousClock()
        let end = clock.now + holdTime
        var pause = Self.pauses.first
        var isWaiting = false
        var losses = content.losses
        let message = message(content, body)
        defer { if isWaiting { wait(-1) } }
        while true {
            let current = target()
            switch current {
            case .none: break
            case .here:
                var request = content.request
                request.body = RequestBody(buffer: body)
                return .handleHere(request)
            case .node(let url):
                var outgoing = message
                outgoing.node = url
                let attempt = try await attempt(outgoing) { target() == current || target() == .none }
                if case .lost = attempt { losses += 1 }
                guard losses < Self.maximumLosses else {
                    throw Problem.notLeading(
                        "Two leaders were lost while they handled the request, which may have been done.")
                }
                if let response = try answer(attempt, to: content, while: { [current, .none].contains(target()) }) {
                    return .answered(response)
                }
            }
            guard clock.now < end else { throw Problem.notLeading("No node of the cluster leads at the moment.") }
            if !isWaiting {
                isWaiting = true
                wait(1)
            }
            try await clock.sleep(for: pause)
            pause = min(pause * 2, Self.pauses.longest)
        }
    }

    /// The response after an attempt; `nil` when the request is to be sent again.
    private func answer(
        _ attempt: Attempt, to content: Content, while leads: @escaping @Sendable () -> Bool
    ) throws -> Response? {
        switch attempt {
        case .answered(let response):
            forwarded.increment()
            return Self.response(response, to: content.request.method) {
                if leads() { await content.hasClient() } else { false }
            }
        case .unhandled: return nil
        case .lost:
            guard content.isRepeatable else {
                throw Problem.notLeading("The leader was lost while it handled the request, which may have been done.")
            }
            return nil
        }
    }

    private func wait(_ change: Int) {
        holding.record(
            waiting.withLock { waiting in
                waiting += change
                return waiting
            })
    }

    /// Sends a request once. The attempt ends when another node leads, because the one that has the request may hang.
    private func attempt(
        _ message: NodeMessage, while leads: @escaping @Sendable () -> Bool
    ) async throws -> Attempt {
        try await withThrowingTaskGroup(of: Attempt.self) { group in
            group.addTask { try await self.attempt(message) }
            group.addTask {
                repeat { try await Task.sleep(for: Self.watchInterval) } while leads()
                return .lost
            }
            defer { group.cancelAll() }
            return try await group.next() ?? .lost
        }
    }

    private func attempt(_ message: NodeMessage) async throws -> Attempt {
        do {
            let response = try await signer.send(message, by: client)
            if response.headers.contains(name: Self.unhandled) { return .unhandled }
            guard message.signature.part == nil || response.headers.contains(name: NodeSignature.acceptedName.rawName)
            else {
                throw Problem.notLeading("An older version leads, which knows no signed requests. Upgrade all nodes.")
            }
            return .answered(response)
        } catch let error as CancellationError {
            throw error
        } catch let problem as Problem {
            throw problem
        } catch let error as HTTPClientError where error == .invalidURL {
            throw Problem.unreadableRequest
        } catch let error as HTTPClientError
            where error == .connectTimeout || error == .getConnectionFromPoolTimeout
        {
            return .unhandled
        } catch is NIOConnectionError {
            return .unhandled
        } catch let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode) {
            // An address without a name is connected to directly. Nothing was sent.
            return .unhandled
        } catch {
            return .lost
        }
    }

    /// Refuses a target that the client of HTTP would change: what is no UTF-8 after decoding, which the leader would refuse.
    private static func check(_ target: String) throws(Problem) {
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        if String(percentEncoded: target[..<mark]) == nil { throw .invalidPath }
        if Query(target[mark...].dropFirst().prefix { $0 != "#" }) == nil { throw .invalidQuery }
    }

    /// Sends a message of this node once.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - limit: the largest answer in bytes.
    ///   - leads: whether its recipient still leads.
    /// - Returns: the answer; `nil` when it was not handled, or that is not known.
    /// - Throws: when the task is cancelled, or the answer is too large or ends too early.
    func content(
        of message: NodeMessage, limit: Int, while leads: @escaping @Sendable () -> Bool
    ) async throws -> [UInt8]? {
        guard case .answered(let response) = try await attempt(message, while: leads), response.status == .ok else {
            return nil
        }
        return Array(buffer: try await response.body.collect(upTo: limit))
    }

    // MARK: - Headers

    /// In responses of a node that does not lead to another one.
    static let unhandled = "Fencepost-Unhandled"

    /// Fields of a connection, which are not sent on (RFC 9110, section 7.6.1). Each connection has a framing of its own.
    private static func isOfConnection(_ name: HTTPField.Name) -> Bool {
        switch name.canonicalName {
        case "fencepost-accepted", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
            "proxy-connection", "expect",
            "content-length", "host":
            true
        default: false
        }
    }

    /// A request as it is sent to a node, which is not known yet.
    private func message(_ content: Content, _ body: ByteBuffer) -> NodeMessage {
        let headers = content.request.headers
        let hasBody = headers[.contentLength] != nil || headers[.transferEncoding] != nil
        let bytes = hasBody ? Array(buffer: body) : []
        var message = NodeMessage(
            node: "", target: content.target,
            signature: NodeSignature(
                client: content.client.isEmpty ? "unknown" : content.client, part: content.part,
                isOfFanOut: FanOutMark.isPresent(in: headers, key: processKey),
                importID: PartitionImport.id(headers, key: processKey), body: bytes))
        message.method = HTTPMethod(rawValue: content.request.method.rawValue)
        if let authority = content.request.head.authority { message.headers.add(name: "Host", value: authority) }
        for field in headers where !Self.isOfConnection(field.name) && !Forwarding.names.contains(field.name) {
            message.headers.add(name: field.name.rawName, value: field.value)
        }
        if hasBody { message.body = body }
        return message
    }

    private static func response(
        _ response: HTTPClientResponse, to method: HTTPRequest.Method,
        while isWanted: @escaping @Sendable () async -> Bool
    ) -> Response {
        var headers = HTTPFields()
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name), !isOfConnection(name) else { continue }
            headers.append(HTTPField(name: name, value: value))
        }
        let length = response.headers.first(name: "content-length").flatMap { Int($0) }
        let status = HTTPResponse.Status(code: Int(response.status.code), reasonPhrase: response.status.reasonPhrase)
        if method == .head || length == 0 || status == .noContent || status == .notModified {
            if method == .head, let length { headers[.contentLength] = String(length) }
            return Response(status: status, headers: headers)
        }
        let body = response.body
        if headers[.contentType] == EventStream.mediaType {
            let stream = RelayedStream(buffers: body, isWanted: isWanted)
            return Response(
                status: status, headers: headers,
                body: ResponseBody { writer in
                    try await stream.write(to: &writer)
                    try await writer.finish(nil)
                })
        }
        return Response(
            status: status, headers: headers,
            body: ResponseBody(contentLength: length) { writer in
                for try await buffer in body { try await writer.write(buffer) }
                try await writer.finish(nil)
            })
    }
}
