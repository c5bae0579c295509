import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization

/// A request of a node to another one, before it is signed.
struct NodeMessage: Sendable {
    /// Where the other node answers, such as `http://10.0.0.1:8080`.
    var node: String
    /// The path and the query.
    var target: String
    var method = HTTPMethod.GET
    var headers = HTTPHeaders()
    /// `nil` for none.
    var body: ByteBuffer?
    var signature: NodeSignature
}

/// Numbers and signs the requests of a process to the other nodes of its cluster.
final class NodeSigner: Sendable {
    private struct State {
        var key: [UInt8]?
        var number: UInt64 = 0
        /// The run of the process behind each address.
        var sessions: [String: UInt64] = [:]
    }

    private let run = UInt64.random(in: .min ... .max)
    private let state = Mutex(State())

    /// - Parameter key: that of the cluster's requests; `nil` before it is known.
    init(key: [UInt8]? = nil) { state.withLock { $0.key = key } }

    /// Sets the key. Nothing can be sent before.
    func set(key: [UInt8]) { state.withLock { $0.key = key } }

    /// The key; `nil` before it is known.
    var key: [UInt8]? { state.withLock { $0.key } }

    /// Sends a message: again if the other process has another run than is known, which it says without handling it.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - client: the client of HTTP.
    /// - Returns: the answer.
    /// - Throws: the errors of the client of HTTP.
    func send(_ message: NodeMessage, by client: HTTPClient) async throws -> HTTPClientResponse {
        let first = try await client.execute(signed(message), deadline: .distantFuture)
        guard let text = first.headers.first(name: NodeSignature.sessionName.rawName),
            let session = UInt64(text, radix: 16)
        else { return first }
        state.withLock { state in
            // Addresses come from the reports of nodes, so there are few.
            if state.sessions.count >= 1000 { state.sessions = [:] }
            state.sessions[message.node] = session
        }
        for try await _ in first.body {}
        return try await client.execute(signed(message), deadline: .distantFuture)
    }

    private func signed(_ message: NodeMessage) -> HTTPClientRequest {
        let (key, signature) = state.withLock { state in
            state.number += 1
            var signature = message.signature
            (signature.run, signature.number) = (run, state.number)
            signature.session = state.sessions[message.node] ?? 0
            return (state.key ?? [], signature)
        }
        var request = HTTPClientRequest(url: message.node + message.target)
        request.method = message.method
        request.headers = message.headers
        request.headers.replaceOrAdd(
            name: NodeSignature.name.rawName,
            value: signature.value(method: message.method.rawValue, target: message.target, key: key))
        if let body = message.body { request.body = .bytes(body) }
        return request
    }
}

/// Knows the requests of other nodes of the cluster, each once.
final class NodeVerifier: Sendable {
    /// Whether a request is one of another node.
    enum Verdict: Hashable, Sendable {
        /// No node has signed it for this process.
        case unsigned
        /// A node has signed it, and it is new.
        case node(NodeSignature)
        /// A node has signed it for another run of the process, which has this one now; it has to be signed again.
        case otherSession(UInt64)
        /// It was there before.
        case replayed
    }

    /// The numbers of one sender that were there: the newest, and which of those before it.
    private struct Numbers {
        static let count: UInt64 = 1 << 14
        var newest: UInt64 = 0
        var known = [UInt64](repeating: 0, count: Int(count / 64))

        /// Notes a number; `nil` for one that is too old to know, and false for one that was there.
        mutating func insert(_ number: UInt64) -> Bool? {
            if number > newest {
                let first = number - newest >= Self.count ? number - Self.count + 1 : newest + 1
                for skipped in first...number { self[skipped] = false }
                newest = number
            } else if newest - number >= Self.count {
                return nil
            } else if self[number] {
                return false
            }
            self[number] = true
            return true
        }

        private subscript(_ number: UInt64) -> Bool {
            get { known[Int(number % Self.count / 64)] & (1 << (number % 64)) != 0 }
            set {
                if newValue {
                    known[Int(number % Self.count / 64)] |= 1 << (number % 64)
                } else {
                    known[Int(number % Self.count / 64)] &= ~(1 << (number % 64))
                }
            }
        }
    }

    private struct State {
        var session: UInt64
        var senders: [UInt64: Numbers] = [:]
    }

    /// Processes whose numbers are kept: with more, a new session begins, so that nothing old counts again.
    private static let maximumSenders = 64
    private let makeSession: @Sendable () -> UInt64
    private let state: Mutex<State>

    /// - Parameter session: makes the identity of a run: random, and never 0.
    init(session: @escaping @Sendable () -> UInt64 = { .random(in: 1 ... .max) }) {
        makeSession = session
        state = Mutex(State(session: session()))
    }

    /// Whether a request is one of another node. A request that is one does not count again.
    ///
    /// - Parameters:
    ///   - value: of the header; `nil` for none.
    ///   - method: the method.
    ///   - target: the path and the query, as they were sent.
    ///   - key: that of the cluster's requests.
    /// - Returns: the verdict; the body is to be compared with the signature then.
    func verdict(_ value: String?, method: String, target: String, key: [UInt8]) -> Verdict {
        guard let value, let signature = NodeSignature(value, method: method, target: target, key: key),
            // A command of another machine is nobody's to state.
            signature.client != Forwarding.localClient
        else { return .unsigned }
        return state.withLock { state in
            guard signature.session == state.session else { return .otherSession(state.session) }
            if state.senders[signature.run] == nil, state.senders.count >= Self.maximumSenders {
                state = State(session: makeSession())
                return .otherSession(state.session)
            }
            switch state.senders[signature.run, default: Numbers()].insert(signature.number) {
            case true?: return .node(signature)
            case false?: return .replayed
            // Too old to know: it is signed again with a new number.
            case nil: return .otherSession(state.session)
            }
        }
    }
}
