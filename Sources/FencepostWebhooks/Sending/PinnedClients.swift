import AsyncHTTPClient
import FencepostModel
import NIOCore
import NIOSSL
import Synchronization

/// HTTP clients that connect to one checked address each, the few that were used last.
///
/// An `HTTPClient` is told for good where a name leads, so that there has to be one for each name and address. Endpoints
/// do not share one: who does not answer would use up the connections of the others.
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

        /// Takes out clients that nobody uses until so many are left, those that were not used for longest first.
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

    /// - Parameter capacity: how many unused clients are kept at most.
    init(tls: TLSConfiguration, connectTimeout: Duration, capacity: Int = 64) {
        self.tls = tls
        self.connectTimeout = connectTimeout
        self.capacity = capacity
    }

    /// Lends a client to the closure.
    ///
    /// - Throws: what the closure throws.
    func withClient<Answer: Sendable>(
        for key: Key, _ use: (HTTPClient) async throws -> Answer
    ) async throws -> Answer {
        let client = take(key)
        let result: Result<Answer, any Error>
        do { result = .success(try await use(client)) } catch { result = .failure(error) }
        for client in give(back: key) { try? await client.shutdown() }
        return try result.get()
    }

    /// Closes what nobody uses, and from now on everything as soon as nobody uses it: what is on its way may finish.
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

    /// - Returns: clients that are to be shut down.
    private func give(back key: Key) -> [HTTPClient] {
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
        // Shorter than what common servers wait, or else a message runs into the end of its connection.
        configuration.connectionPool.idleTimeout = .seconds(4)
        configuration.connectionPool.retryConnectionEstablishment = false
        if case .name(let name) = key.host { configuration.dnsOverride = [name: key.address.description] }
        return HTTPClient(
            eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup), configuration: configuration)
    }
}
