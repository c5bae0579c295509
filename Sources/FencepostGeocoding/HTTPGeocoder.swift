public import FencepostGeometry
public import FencepostModel
public import FencepostService
import FencepostTransport
public import FencepostWebhooks
import Synchronization

/// A geocoder over HTTP, with stored addresses.
///
/// Positions are rounded to 11 m before they are sent. Searches are kept in memory, at most 100 of them.
public final class HTTPGeocoder: Geocoder {
    /// Why the settings cannot be used.
    public struct InvalidAddress: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong, for people.
        public let description: String
    }

    /// The times that the geocoder needs; tests replace them.
    public struct Times: Sendable {
        /// Wall time, for the age of stored addresses.
        public var now: @Sendable () -> Timestamp
        /// Time since a fixed moment, for the rate.
        public var steady: @Sendable () -> Duration
        /// Waits.
        public var sleep: @Sendable (Duration) async throws -> Void

        /// Times of the system.
        ///
        /// - Parameter now: wall time.
        public init(now: @escaping @Sendable () -> Timestamp) {
            let start = ContinuousClock.now
            self.now = now
            steady = { ContinuousClock.now - start }
            sleep = { try await Task.sleep(for: $0) }
        }
    }

    private struct State {
        var pacer: RequestPacer
        /// The last searches, the newest at the end.
        var searches: [(query: GeocoderQuery, places: [GeocodedPlace])] = []
    }

    /// Maximum bytes of a response.
    static let largestResponse = 1 << 20
    /// Maximum number of searches in memory.
    static let keptSearches = 100
    /// Maximum number of the host's addresses that one request tries.
    private static let triedAddresses = 3
    /// The longest time that a search waits for its turn.
    private static let searchWait = Duration.seconds(5)

    private let settings: GeocoderSettings
    private let format: GeocoderProtocol
    private let source: String
    private let addressGuard: AddressGuard
    private let host: EndpointURL.Host
    private let store: any AddressStore
    private let resolver: any HostResolver
    private let client = HTTPClient()
    private let times: Times
    private let userAgent: String
    private let state: Mutex<State>

    /// What the license of the data wants to be shown with it.
    public var attribution: String { settings.attribution }

    /// A geocoder with its own connections. It makes no request before it is asked.
    ///
    /// - Parameters:
    ///   - settings: its address, protocol and limits.
    ///   - store: keeps addresses.
    ///   - times: the clocks.
    ///   - resolver: finds the addresses of the host.
    /// - Throws: `InvalidAddress` when the address is not a URL, or not allowed.
    public init(
        _ settings: GeocoderSettings, store: any AddressStore, times: Times,
        resolver: any HostResolver = SystemResolver()
    ) throws(InvalidAddress) {
        self.settings = settings
        format = GeocoderProtocol(settings: settings)
        source = [settings.kind.rawValue, settings.url, settings.language ?? ""].joined(separator: " ")
        addressGuard = AddressGuard(
            allowedNetworks: settings.allowedNetworks.compactMap { IPNetwork($0.text) }, allowsHTTP: settings.allowHTTP)
        do throws(EndpointURL.Failure) {
            host = try EndpointURL(settings.url, guard: addressGuard).host
        } catch {
            switch error {
            case .httpNotAllowed:
                throw InvalidAddress(description: "http is not allowed here: use https, or set geocoder.allowHTTP")
            case .blocked: throw InvalidAddress(description: GeocoderFailure.blocked.description)
            case .tooLong, .notAURL, .userInfo, .badHost, .badPort, .badPath, .scheme, .notMail, .noTopic:
                throw InvalidAddress(description: "geocoder.url: \(error)")
            }
        }
        self.store = store
        self.times = times
        self.resolver = resolver
        userAgent = "Fencepost/\(FencepostVersion.current)" + (settings.contact.map { " (\($0))" } ?? "")
        state = Mutex(State(pacer: RequestPacer(rate: settings.rate)))
    }

    // MARK: Geocoder

    /// The places that fit a text, the best first.
    ///
    /// - Throws: why there is no answer.
    public func search(_ query: GeocoderQuery) async throws(GeocoderFailure) -> [GeocodedPlace] {
        if let known = state.withLock({ $0.searches.last { $0.query == query } }) { return known.places }
        let places = try await answer(to: format.searchURL(query), waiting: Self.searchWait) {
            body throws(GeocoderFailure) in
            try format.places(in: body)
        }
        state.withLock { state in
            if state.searches.count >= Self.keptSearches { state.searches.removeFirst() }
            state.searches.append((query, places))
        }
        return places
    }

    /// The stored answer for the address of a position; `nil` when it has to be looked up.
    public func storedAddress(of position: Coordinate) async -> GeocoderAnswer? {
        await stored(AddressKey(source: source, position: position))
    }

    /// The address of a position, stored or looked up.
    ///
    /// - Parameters:
    ///   - position: is rounded before it is sent.
    ///   - wait: the longest time until the request may be sent.
    /// - Returns: the answer, also when it is that there is no address.
    /// - Throws: why there is no answer.
    public func address(
        of position: Coordinate, waiting wait: Duration
    ) async throws(GeocoderFailure) -> GeocoderAnswer {
        let key = AddressKey(source: source, position: position)
        if let known = await stored(key) { return known }
        let answer = try await answer(to: format.reverseURL(key.position), waiting: wait) {
            body throws(GeocoderFailure) in
            try format.answer(in: body)
        }
        let now = times.now()
        // An answer that cannot be stored is still an answer.
        try? await store.save(answer, for: key, at: now, removingBefore: now - settings.maximumAge)
        return answer
    }

    private func stored(_ key: AddressKey) async -> GeocoderAnswer? {
        try? await store.address(key, storedAfter: times.now() - settings.maximumAge)
    }

    // MARK: Requests

    /// Waits for the request's turn, sends it and reads the response. After a failure nothing is sent for a while.
    private func answer<Answer>(
        to url: String, waiting longest: Duration, _ read: ([UInt8]) throws(GeocoderFailure) -> Answer
    ) async throws(GeocoderFailure) -> Answer {
        let wait = try state.withLock { state throws(GeocoderFailure) in
            try state.pacer.reserve(at: times.steady(), waiting: longest)
        }
        if wait > .zero {
            do { try await times.sleep(wait) } catch { throw .unreachable("the request was cancelled") }
        }
        do throws(GeocoderFailure) {
            return try read(try await exchange(url))
        } catch {
            switch error {
            // The fault of the request, not of the geocoder.
            case .status(let status) where (400..<500).contains(status) && status != 429 && status != 403: break
            case .busy(let span): stop(for: span)
            case .blocked, .unreachable, .status, .unreadable: stop(for: nil)
            }
            throw error
        }
    }

    private func stop(for span: Duration?) {
        state.withLock { $0.pacer.stop(at: times.steady(), for: span) }
    }

    private func exchange(_ url: String) async throws(GeocoderFailure) -> [UInt8] {
        for address in try await addresses().prefix(Self.triedAddresses) {
            var request = HTTPClientRequest("GET", url)
            request.setHeader("user-agent", userAgent)
            request.setHeader("accept", "application/json")
            request.route = .address(EndpointURL.Host.address(address).text)
            (request.connect, request.total) = (settings.timeout, settings.timeout)
            request.isDecompressed = true
            request.isEnough = { $0.count > Self.largestResponse }
            let result = await client.send(request)
            switch result.failure {
            case nil: return try Self.body(of: result)
            case .connect?: continue
            case .request?, .name?, .tls?, .timeout?, .reset?:
                throw .unreachable("\(result.failure ?? .reset)")
            }
        }
        throw .unreachable("\(TransportFailure.connect)")
    }

    private static func body(of result: HTTPClientResult) throws(GeocoderFailure) -> [UInt8] {
        guard let response = result.response else { throw .unreachable("\(TransportFailure.reset)") }
        guard response.status == 200 else {
            if response.status == 429 || response.status == 503, let text = response.header("retry-after"),
                let seconds = Int64(text), seconds >= 0
            {
                throw .busy(.seconds(min(seconds, 86_400)))
            }
            throw .status(response.status)
        }
        guard response.body.count <= largestResponse else { throw .unreadable }
        return response.body
    }

    /// The addresses of the host, all of them permitted.
    private func addresses() async throws(GeocoderFailure) -> [IPAddress] {
        let found: [IPAddress]
        switch host {
        case .address(let address): found = [address]
        case .name(let name):
            do { found = try await resolver.addresses(of: name) } catch {
                throw .unreachable("\(TransportFailure.name)")
            }
        }
        // One forbidden address blocks the host: a name with public and private addresses is a sign of DNS rebinding.
        guard !found.isEmpty, found.allSatisfy(addressGuard.permits) else { throw .blocked }
        return found
    }
}
