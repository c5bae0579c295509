import Dispatch
import FencepostModel
import FencepostService
import FencepostWebhooks
import Synchronization

/// The messages of one endpoint at a broker: one connection, which is made when a message needs it.
///
/// The calls of the libraries block, so they run on a queue, one after the other.
final class BrokerClient: Sendable {
    let settings: BrokerSettings
    private let queue: DispatchQueue
    /// Locked while a call runs.
    private let connection = Mutex<(any BrokerConnection)?>(nil)
    private let addressGuard: AddressGuard
    private let resolver: any HostResolver

    init(_ settings: BrokerSettings, guard addressGuard: AddressGuard, resolver: any HostResolver) {
        (self.settings, self.addressGuard, self.resolver) = (settings, addressGuard, resolver)
        queue = DispatchQueue(label: "fencepost.broker.\(settings.kind.rawValue)")
    }

    /// Publishes a message.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - deadline: when to give up.
    /// - Throws: `BrokerFailure`.
    func publish(_ message: BrokerMessage, until deadline: ContinuousClock.Instant) async throws(BrokerFailure) {
        if try await publishOnOpenConnection(message, until: deadline) { return }
        let target = try await target()
        try await run { client throws(BrokerFailure) in
            try client.connection.withLock { connection throws(BrokerFailure) in
                // Another message may have made it in the meantime.
                if connection?.isUsable != true {
                    connection = nil
                    connection = try target.connect(until: deadline)
                }
                try Self.publish(message, on: &connection, until: deadline)
            }
        }
    }

    /// Closes the connection when no message needs it any more.
    func close() {
        queue.async { self.connection.withLock { $0 = nil } }
    }

    /// Publishes on the connection that there is.
    ///
    /// - Returns: false when there is none, or it turned out to be lost: brokers and firewalls end connections that were idle, so that
    ///   this says nothing about the broker.
    private func publishOnOpenConnection(
        _ message: BrokerMessage, until deadline: ContinuousClock.Instant
    ) async throws(BrokerFailure) -> Bool {
        try await run { client throws(BrokerFailure) in
            try client.connection.withLock { connection throws(BrokerFailure) in
                guard connection?.isUsable == true else { return false }
                do throws(BrokerFailure) {
                    try Self.publish(message, on: &connection, until: deadline)
                    return true
                } catch {
                    if error.reason == .reset { return false }
                    throw error
                }
            }
        }
    }

    /// Publishes a message, and drops a connection of which nothing more can be expected.
    private static func publish(
        _ message: BrokerMessage, on connection: inout (any BrokerConnection)?, until deadline: ContinuousClock.Instant
    ) throws(BrokerFailure) {
        let left = deadline - .now
        guard left > .zero else { throw BrokerFailure(.timeout, "earlier messages took all of the time") }
        defer { if connection?.isUsable != true { connection = nil } }
        try connection?.publish(message, within: left)
    }

    /// Looks the servers up and checks their addresses.
    private func target() async throws(BrokerFailure) -> BrokerTarget {
        let parsed: BrokerServers
        do throws(BrokerURL.Failure) {
            parsed = try BrokerServers(settings.url, of: settings.kind, guard: addressGuard)
        } catch {
            throw BrokerFailure(.blocked, error.description)
        }
        var servers: [BrokerTarget.Server] = []
        var failure: BrokerFailure?
        for server in parsed.servers {
            let text = server.host.text
            do throws(AddressGuard.Refusal) {
                let addresses = try await addressGuard.addresses(
                    of: server.host, isPlain: !parsed.url.isSecure, by: resolver)
                let name = text.first == "[" ? String(text.dropFirst().dropLast()) : text
                servers.append(BrokerTarget.Server(name: name, port: server.port, addresses: addresses))
            } catch {
                // Of several servers, one whose name is not found may be away. One that is forbidden is a mistake.
                failure = BrokerFailure(error.failure, "\(text) has no address to which messages may be sent")
                if error.failure == .blocked { servers = []; break }
            }
        }
        if servers.isEmpty, let failure { throw failure }
        return BrokerTarget(settings: settings, url: parsed.url, servers: servers, addressGuard: addressGuard)
    }

    /// Runs a call on the queue. A task that is cancelled does not wait for its end.
    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (BrokerClient) throws(BrokerFailure) -> Value
    ) async throws(BrokerFailure) -> Value {
        let answer = Answer<Result<Value, BrokerFailure>>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.wait(continuation)
                queue.async {
                    do throws(BrokerFailure) {
                        answer.give(.success(try body(self)))
                    } catch {
                        answer.give(.failure(error))
                    }
                }
            }
        } onCancel: {
            answer.give(.failure(BrokerFailure(.timeout, "the service stops")))
        }
        return try result.get()
    }
}

/// An answer that comes from one of two sides. The first counts.
private final class Answer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case given(Value)
        case taken
    }

    private let state = Mutex(State.open)

    func wait(_ continuation: CheckedContinuation<Value, Never>) {
        let value: Value? = state.withLock { state in
            if case .given(let value) = state {
                state = .taken
                return value
            }
            state = .awaited(continuation)
            return nil
        }
        if let value { continuation.resume(returning: value) }
    }

    func give(_ value: Value) {
        let continuation: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .given(value)
                return nil
            case .awaited(let continuation):
                state = .taken
                return continuation
            case .given, .taken: return nil
            }
        }
        continuation?.resume(returning: value)
    }
}
