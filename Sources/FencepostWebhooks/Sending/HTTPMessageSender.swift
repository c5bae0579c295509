import AsyncHTTPClient
public import FencepostModel
import FencepostService
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends messages over HTTP/1.1, to permitted addresses only (rules W8, W13 and W14).
public final class HTTPMessageSender: MessageSender {
    /// Timeouts and limits of one attempt.
    public struct Limits: Hashable, Sendable {
        /// Maximum time for a connection to one address.
        public var connect = Duration.seconds(5)
        /// Maximum time from the name look-up to the end of the response.
        public var attempt = Duration.seconds(15)
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
    private let clients: PinnedClients
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
    /// - Throws: NIOSSL's error when the file cannot be read or contains no certificate.
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
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let caFile {
            tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(caFile))]
        }
        clients = PinnedClients(tls: tls, connectTimeout: limits.connect)
    }

    /// Closes idle connections now, and the others when their attempt has ended.
    public func shutdown() async {
        await clients.shutdown()
    }

    /// Signs and sends one message, to the first address of the host that accepts a connection.
    ///
    /// - Returns: after `Limits.attempt` at the latest.
    public func send(_ request: WebhookRequest) async -> AttemptResult {
        let start = ContinuousClock.now
        var result = await withTaskGroup(of: AttemptResult?.self) { group in
            group.addTask { await self.attempt(request) }
            group.addTask {
                try? await Task.sleep(for: self.limits.attempt)
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
        var result = await overAddresses(of: url.host) { address in
            let key = PinnedClients.Key(endpointID: request.endpointID, host: url.host, address: address)
            return await exchange(prepared, over: key)
        }
        if result.retryAfter == nil, request.personal?.kind == .telegram {
            result.retryAfter = RetryAfter.telegram(result.excerpt)
        }
        return result
    }

    /// Sends an e-mail.
    private func mail(_ personal: PersonalMessage, _ request: WebhookRequest) async -> AttemptResult {
        guard let server = try? MailSender.Server(request.url, guard: addressGuard) else {
            return AttemptResult(failure: .blocked)
        }
        let message = MailMessage(personal, id: request.id, wall: request.timestamp)
        return await overAddresses(of: server.host) { address in
            await MailSender().send(
                MailSender.Transfer(
                    server: server, address: address, username: personal.people.username,
                    password: personal.people.password, allowsPlain: addressGuard.allowsHTTP, caFile: caFile,
                    mail: message, connect: limits.connect, total: limits.attempt))
        }
    }

    /// Makes an attempt at each of the first addresses of a host, until one accepts the connection.
    private func overAddresses(
        of host: EndpointURL.Host, _ attempt: (IPAddress) async -> AttemptResult
    ) async -> AttemptResult {
        let addresses: [IPAddress]
        switch host {
        case .address(let address): addresses = [address]
        case .name(let name):
            do { addresses = try await resolver.addresses(of: name) } catch {
                return AttemptResult(failure: error is CancellationError ? .timeout : .dns)
            }
        }
        // One forbidden address blocks the host: a name with public and private addresses is a sign of DNS rebinding.
        guard !addresses.isEmpty, addresses.allSatisfy(addressGuard.permits) else {
            return AttemptResult(failure: .blocked)
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
        var prepared = HTTPClientRequest(url: url.text)
        prepared.method = .POST
        for (name, value) in request.headers { prepared.headers.replaceOrAdd(name: name, value: value) }
        prepared.headers.replaceOrAdd(name: "user-agent", value: userAgent)
        prepared.body = .bytes(ByteBuffer(string: request.body))
        return prepared
    }

    /// Signs the request; `nil` when no secret can sign. The API rejects such endpoints.
    private func prepare(_ request: WebhookRequest, _ url: EndpointURL) -> HTTPClientRequest? {
        let secrets = request.secrets.compactMap { try? WebhookSecret($0) }.filter(\.canSign)
        guard !secrets.isEmpty else { return nil }
        var prepared = HTTPClientRequest(url: url.text)
        prepared.method = .POST
        for (name, value) in request.headers { prepared.headers.replaceOrAdd(name: name, value: value) }
        let signature = WebhookSigner(secrets).signature(
            id: request.id, timestamp: request.timestamp, body: request.body.utf8)
        let own = [
            ("webhook-id", request.id), ("webhook-timestamp", String(request.timestamp.wholeSeconds)),
            ("webhook-signature", signature), ("user-agent", userAgent),
        ]
        for (name, value) in own { prepared.headers.replaceOrAdd(name: name, value: value) }
        prepared.body = .bytes(ByteBuffer(string: request.body))
        return prepared
    }

    private func exchange(_ request: HTTPClientRequest, over key: PinnedClients.Key) async -> AttemptResult {
        do {
            return try await clients.withClient(for: key) { client in
                // The task group ends the attempt. This timeout is for a client that ignores the cancellation.
                let response = try await client.execute(
                    request, timeout: .milliseconds(limits.attempt.milliseconds + 1000))
                let status = Int(response.status.code)
                return AttemptResult(
                    status: status, failure: (200..<300).contains(status) ? nil : .status,
                    excerpt: await excerpt(of: response),
                    retryAfter: response.headers.first(name: "retry-after").flatMap {
                        RetryAfter.delay($0, now: wall())
                    },
                    instruction: response.headers.first(name: "webhook-delivery").flatMap(
                        AttemptResult.Instruction.init))
            }
        } catch {
            return AttemptResult(failure: HTTPMessageSender.failure(error))
        }
    }

    /// The beginning of the response's body. An error while reading it does not change the attempt's status.
    private func excerpt(of response: HTTPClientResponse) async -> String? {
        var kept: [UInt8] = []
        var read = 0
        do {
            for try await part in response.body {
                read += part.readableBytes
                kept += part.readableBytesView.prefix(limits.kept - kept.count)
                if read >= limits.read { break }
            }
        } catch {}
        return Self.excerpt(kept, limit: limits.kept)
    }

    /// The first bytes of a body as text of at most so many bytes, without control characters; `nil` for an empty one.
    static func excerpt(_ body: [UInt8], limit: Int) -> String? {
        var text = ""
        for character in String(decoding: body, as: UTF8.self).unicodeScalars {
            guard text.utf8.count + 4 <= limit else { break }
            let isControl = character.value < 0x20 && character != "\n" && character != "\t" || character.value == 0x7F
            text.unicodeScalars.append(isControl ? " " : character)
        }
        return text.isEmpty ? nil : text
    }

    /// The class of failure that is stored for an error (rule W12).
    static func failure(_ error: any Error) -> DeliveryAttempt.Failure {
        switch error {
        case is CancellationError: return .timeout
        case let error as HTTPClientError:
            switch error {
            case .connectTimeout, .getConnectionFromPoolTimeout: return .connect
            case .tlsHandshakeTimeout: return .tls
            case .deadlineExceeded, .readTimeout, .writeTimeout, .cancelled: return .timeout
            default: return .reset
            }
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: return .tls
        case let error as IOError:
            return error.errnoCode == ECONNRESET || error.errnoCode == EPIPE ? .reset : .connect
        case ChannelError.connectTimeout, ChannelError.connectPending: return .connect
        default: return .reset
        }
    }
}
