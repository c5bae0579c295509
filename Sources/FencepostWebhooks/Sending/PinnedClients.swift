import AsyncHTTPClient
import FencepostModel
import NIOCore
import NIOSSL
import Synchronization

/// A cache of HTTP clients, each of which connects to one checked address only.
///
/// `HTTPClient` takes the address of a name at its creation (`dnsOverride`), so each pair of name and address needs its
/// own client. Endpoints do not share clients: otherwise a receiver that does not respond would use up the connections
/// of the others.
final class PinnedClients: Sendable {
    struct Key: Hashable {
        let endpointID: String
        let host: EndpointURL.Host
        let address: IPAddress
    }

    private struct Entry {
        let client: HTTPClient
        var users = 0
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
        var isShutDown = false

        /// Removes unused clients, least recently used first, until at most `capacity` clients are left.
        mutating func evictUnused(beyond capacity: Int) -> [HTTPClient] {
            var evicted: [HTTPClient] = []
            while entries.count > capacity {
                let unused = entries.filter { $0.value.users == 0 }
                guard let oldest = unused.min(by: { $0.value.lastUse < $1.value.lastUse }) else { break }
                entries[oldest.key] = nil
                evicted.append(oldest.value.client)
            }
            return evicted
        }
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let connectTimeout: Duration
    private let tls: TLSConfiguration

    /// No clients yet. Above `capacity` clients, unused ones are shut down.
    init(tls: TLSConfiguration, connectTimeout: Duration, capacity: Int = 64) {
        self.tls = tls
        self.connectTimeout = connectTimeout
        self.capacity = capacity
    }

    /// Calls the closure with a client for the address.
    ///
    /// - Throws: the closure's error.
    func withClient<Value: Sendable>(
        for key: Key, _ use: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        let client = take(key)
        let result: Result<Value, any Error>
        do { result = .success(try await use(client)) } catch { result = .failure(error) }
        for client in release(key) { try? await client.shutdown() }
        return try result.get()
    }

    /// Shuts unused clients down now, and each of the others when its last attempt has ended.
    func shutdown() async {
        let clients = state.withLock { state in
            state.isShutDown = true
            return state.evictUnused(beyond: 0)
        }
        for client in clients { try? await client.shutdown() }
    }

    var count: Int { state.withLock { $0.entries.count } }

    private func take(_ key: Key) -> HTTPClient {
        state.withLock { state in
            state.uses += 1
            var entry = state.entries[key] ?? Entry(client: makeClient(for: key), lastUse: 0)
            entry.users += 1
            entry.lastUse = state.uses
            state.entries[key] = entry
            return entry.client
        }
    }

    /// - Returns: clients that the caller has to shut down.
    private func release(_ key: Key) -> [HTTPClient] {
        state.withLock { state in
            state.entries[key]?.users -= 1
            return state.evictUnused(beyond: state.isShutDown ? 0 : capacity)
        }
    }

    private func makeClient(for key: Key) -> HTTPClient {
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.proxy = nil
        configuration.httpVersion = .http1Only
        configuration.timeout = HTTPClient.Configuration.Timeout(
            connect: .milliseconds(connectTimeout.milliseconds))
        // Shorter than the idle timeout of common servers (5 s and more): otherwise a request can meet a connection
        // that the server is closing.
        configuration.connectionPool.idleTimeout = .seconds(4)
        configuration.connectionPool.retryConnectionEstablishment = false
        if case .name(let name) = key.host { configuration.dnsOverride = [name: key.address.description] }
        return HTTPClient(
            eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup), configuration: configuration)
    }
}
