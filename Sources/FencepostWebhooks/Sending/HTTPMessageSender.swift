public import FencepostModel
import FencepostService
import FencepostTransport

/// Sends messages over HTTP/1.1, to permitted addresses only (rules W8, W13 and W14).
public final class HTTPMessageSender: MessageSender {
    /// Timeouts and limits of one attempt.
    public struct Limits: Hashable, Sendable {
        /// Maximum time for a connection to one address.
        public var connect = Duration.seconds(5)
        /// Maximum time from the name look-up to the end of the response.
        public var attempt = Duration.seconds(15)
        /// As `attempt`, for a message with a file.
        public var file = Duration.seconds(120)

        func attempt(_ request: WebhookRequest) -> Duration { request.personal?.file == nil ? attempt : file }

        /// Maximum bytes of a response that are read.
        public var read = 65_536
        /// Maximum bytes of a response that are kept as the attempt's excerpt.
        public var kept = 4096
        /// Maximum number of a host's addresses that one attempt tries.
        public var addresses = 3

        /// The defaults of the documentation.
        public init() {}
    }

    private let addressGuard: AddressGuard
    private let resolver: any HostResolver
    private let client: HTTPClient
    private let limits: Limits
    private let userAgent: String
    private let wall: @Sendable () -> Timestamp
    private let caFile: String?

    /// A sender with its own connections.
    ///
    /// More than five parameters, because each of them is independent, and all but the clock have a default.
    ///
    /// - Parameters:
    ///   - addressGuard: decides which addresses messages may be sent to.
    ///   - resolver: finds the addresses of a name.
    ///   - caFile: a PEM file of certificate authorities that are trusted besides the system's.
    ///   - limits: timeouts and sizes of one attempt.
    ///   - version: Fencepost's version, for the header `user-agent`.
    ///   - wall: the wall clock, for dates in `Retry-After`.
    /// - Throws: `HTTPClient.InvalidAuthorities` when the file cannot be read or contains no certificate.
    public init(
        guard addressGuard: AddressGuard = AddressGuard(), resolver: any HostResolver = SystemResolver(),
        caFile: String? = nil, limits: Limits = Limits(), version: String = FencepostVersion.current,
        wall: @escaping @Sendable () -> Timestamp
    ) throws {
        self.addressGuard = addressGuard
        self.resolver = resolver
        self.limits = limits
        self.wall = wall
        self.caFile = caFile
        userAgent = "Fencepost/" + version
        client = try HTTPClient(authorities: caFile)
    }

    /// Closes idle connections now, and the others when their attempt has ended.
    public func shutdown() {
        client.shutdown()
    }

    /// Signs and sends one message, to the first address of the host that accepts a connection.
    ///
    /// - Returns: after `Limits.attempt` at the latest.
    public func send(_ request: WebhookRequest) async -> AttemptResult {
        let start = ContinuousClock.now
        var result = await withTaskGroup(of: AttemptResult?.self) { group in
            group.addTask { await self.attempt(request) }
            group.addTask {
                try? await Task.sleep(for: self.limits.attempt(request))
                return nil
            }
            // A response that was partly read when the time was up counts, so the attempt's result is always waited
            // for.
            var result: AttemptResult?
            while let finished = await group.next() {
                result = result ?? finished
                group.cancelAll()
            }
            return result ?? AttemptResult(failure: .timeout)
        }
        result.duration = ContinuousClock.now - start
        return result
    }

    private func attempt(_ request: WebhookRequest) async -> AttemptResult {
        if let personal = request.personal, personal.kind == .email { return await mail(personal, request) }
        let service = request.personal.flatMap { ServiceRequest($0, to: request.url) }
        guard request.personal == nil || service != nil,
            let url = try? EndpointURL(service?.url ?? request.url, guard: addressGuard),
            let prepared = service.map({ prepare($0, url) }) ?? prepare(request, url)
        else { return AttemptResult(failure: .blocked) }
        var result = await overAddresses(of: url.host, isPlain: url.scheme == .http) { address in
            await exchange(prepared, at: address, within: limits.attempt(request))
        }
        if result.retryAfter == nil, request.personal?.kind == .telegram {
            result.retryAfter = RetryAfter.telegram(result.excerpt)
        }
        return result
    }

    /// Sends an e-mail.
    private func mail(_ personal: PersonalMessage, _ request: WebhookRequest) async -> AttemptResult {
        guard let server = try? MailServer(request.url, guard: addressGuard) else {
            return AttemptResult(failure: .blocked)
        }
        let message = MailMessage(personal, id: request.id, wall: request.timestamp)
        return await overAddresses(of: server.host, isPlain: false) { address in
            var transfer = server.transfer(of: message, to: address)
            transfer.username = personal.people.username
            transfer.password = personal.people.password
            transfer.allowsPlain = addressGuard.permitsHTTP(to: address)
            transfer.authorities = caFile
            transfer.connect = limits.connect
            transfer.total = limits.attempt(request)
            let result = await transfer.send()
            guard let failure = result.failure else { return AttemptResult(status: result.status) }
            // A response of 400 and more is the server's refusal, also if the connection then failed.
            if failure == .reset, let status = result.status, status >= 400 {
                return AttemptResult(status: status, failure: .status, excerpt: result.detail)
            }
            return AttemptResult(failure: DeliveryAttempt.Failure(failure), excerpt: result.detail)
        }
    }

    /// Makes an attempt at each of the first addresses of a host, until one accepts the connection.
    private func overAddresses(
        of host: EndpointURL.Host, isPlain: Bool, _ attempt: (IPAddress) async -> AttemptResult
    ) async -> AttemptResult {
        let addresses: [IPAddress]
        do throws(AddressGuard.Refusal) {
            addresses = try await addressGuard.addresses(of: host, isPlain: isPlain, by: resolver)
        } catch {
            return AttemptResult(failure: error.failure)
        }
        var result = AttemptResult(failure: .connect)
        for address in addresses.prefix(limits.addresses) {
            result = await attempt(address)
            guard result.failure == .connect, !Task.isCancelled else { break }
        }
        return result
    }

    /// The request of a service for people, which has no signature.
    private func prepare(_ request: ServiceRequest, _ url: EndpointURL) -> HTTPClientRequest {
        var prepared = HTTPClientRequest("POST", url.text, body: request.bytes ?? Array(request.body.utf8))
        for (name, value) in request.headers { prepared.setHeader(name, value) }
        prepared.setHeader("user-agent", userAgent)
        return prepared
    }

    /// Signs the request; `nil` when no secret can sign. The API rejects such endpoints.
    private func prepare(_ request: WebhookRequest, _ url: EndpointURL) -> HTTPClientRequest? {
        let secrets = request.secrets.compactMap { try? WebhookSecret($0) }.filter(\.canSign)
        guard !secrets.isEmpty else { return nil }
        var prepared = HTTPClientRequest("POST", url.text, body: Array(request.body.utf8))
        for (name, value) in request.headers { prepared.setHeader(name, value) }
        let signature = WebhookSigner(secrets).signature(
            id: request.id, timestamp: request.timestamp, body: request.body.utf8)
        let own = [
            ("webhook-id", request.id), ("webhook-timestamp", String(request.timestamp.wholeSeconds)),
            ("webhook-signature", signature), ("user-agent", userAgent),
        ]
        for (name, value) in own { prepared.setHeader(name, value) }
        return prepared
    }

    private func exchange(
        _ request: HTTPClientRequest, at address: IPAddress, within time: Duration
    ) async -> AttemptResult {
        var request = request
        request.route = .address(EndpointURL.Host.address(address).text)
        request.connect = limits.connect
        // The task group ends the attempt.
        request.total = time + .seconds(1)
        request.isEnough = { [limit = limits.read] in $0.count >= limit }
        let result = await client.send(request)
        guard let response = result.response else {
            return AttemptResult(failure: result.failure.map(DeliveryAttempt.Failure.init) ?? .reset)
        }
        // An error while the body is read does not change the attempt's status.
        return AttemptResult(
            status: response.status, failure: (200..<300).contains(response.status) ? nil : .status,
            excerpt: Self.excerpt(response.body, limit: limits.kept),
            retryAfter: response.header("retry-after").flatMap { RetryAfter.delay($0, now: wall()) },
            instruction: response.header("webhook-delivery").flatMap(AttemptResult.Instruction.init))
    }

    /// The first bytes of a body as text of at most so many bytes, without control characters; `nil` for an empty one.
    static func excerpt(_ body: [UInt8], limit: Int) -> String? {
        var text = ""
        for character in String(decoding: body.prefix(limit), as: UTF8.self).unicodeScalars {
            guard text.utf8.count + 4 <= limit else { break }
            let isControl = character.value < 0x20 && character != "\n" && character != "\t" || character.value == 0x7F
            text.unicodeScalars.append(isControl ? " " : character)
        }
        return text.isEmpty ? nil : text
    }
}

extension DeliveryAttempt.Failure {
    /// The class of failure that is stored for one of the transport (rule W12).
    init(_ failure: TransportFailure) {
        switch failure {
        case .request, .reset: self = .reset
        case .name: self = .dns
        case .connect: self = .connect
        case .tls: self = .tls
        case .timeout: self = .timeout
        }
    }
}
