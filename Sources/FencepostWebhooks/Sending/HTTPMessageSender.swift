import AsyncHTTPClient
public import FencepostModel
import FencepostService
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends messages over HTTP, to checked addresses only (rules W8, W13 and W14).
public final class HTTPMessageSender: MessageSender {
    public struct Limits: Hashable, Sendable {
        public var connect = Duration.seconds(5)
        /// From the look-up of the name to the end of the answer.
        public var attempt = Duration.seconds(15)
        /// How many bytes of an answer are read, and how many kept.
        public var read = 65_536
        public var kept = 4096
        /// How many addresses of a host are tried in one attempt.
        public var addresses = 3

        public init() {}
    }

    private let addressGuard: AddressGuard
    private let resolver: any HostResolver
    private let clients: PinnedClients
    private let limits: Limits
    private let userAgent: String
    private let wall: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - caFile: a PEM file of certificate authorities that are trusted beside the system's.
    ///   - version: Fencepost's own, for `user-agent`.
    ///   - wall: what the calendar says, to read dates in answers by.
    /// - Throws: when the file of authorities cannot be read or holds none.
    public init(
        guard addressGuard: AddressGuard = AddressGuard(), resolver: any HostResolver = SystemResolver(),
        caFile: String? = nil, limits: Limits = Limits(), version: String = FencepostVersion.current,
        wall: @escaping @Sendable () -> Timestamp
    ) throws {
        self.addressGuard = addressGuard
        self.resolver = resolver
        self.limits = limits
        self.wall = wall
        userAgent = "Fencepost/" + version
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let caFile {
            tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(caFile))]
        }
        clients = PinnedClients(tls: tls, connectTimeout: limits.connect)
    }

    public func shutdown() async {
        await clients.shutdown()
    }

    public func send(_ request: WebhookRequest) async -> WebhookAnswer {
        let start = ContinuousClock.now
        var answer = await withTaskGroup(of: WebhookAnswer?.self) { group in
            group.addTask { await self.attempt(request) }
            group.addTask {
                try? await Task.sleep(for: self.limits.attempt)
                return nil
            }
            // What was read of an answer before the time was up counts, so the attempt always has the last word.
            var answer: WebhookAnswer?
            while let finished = await group.next() {
                answer = answer ?? finished
                group.cancelAll()
            }
            return answer ?? WebhookAnswer(failure: .timeout)
        }
        answer.duration = ContinuousClock.now - start
        return answer
    }

    private func attempt(_ request: WebhookRequest) async -> WebhookAnswer {
        guard let url = try? EndpointURL(request.url, guard: addressGuard), let prepared = prepare(request, url) else {
            return WebhookAnswer(failure: .blocked)
        }
        let addresses: [IPAddress]
        switch url.host {
        case .address(let address): addresses = [address]
        case .name(let name):
            do { addresses = try await resolver.addresses(of: name) } catch {
                return WebhookAnswer(failure: error is CancellationError ? .timeout : .dns)
            }
        }
        // One that is not allowed is enough: who mixes them means no good.
        guard !addresses.isEmpty, addresses.allSatisfy(addressGuard.permits) else {
            return WebhookAnswer(failure: .blocked)
        }
        var answer = WebhookAnswer(failure: .connect)
        for address in addresses.prefix(limits.addresses) {
            let key = PinnedClients.Key(endpointID: request.endpointID, host: url.host, address: address)
            answer = await exchange(prepared, over: key)
            guard answer.failure == .connect, !Task.isCancelled else { break }
        }
        return answer
    }

    /// `nil` when no secret can sign; the API takes no such endpoint.
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

    private func exchange(_ request: HTTPClientRequest, over key: PinnedClients.Key) async -> WebhookAnswer {
        do {
            return try await clients.withClient(for: key) { client in
                // The attempt's own clock ends it; this one is for the case that it should not.
                let response = try await client.execute(
                    request, timeout: .milliseconds(limits.attempt.milliseconds + 1000))
                let status = Int(response.status.code)
                return WebhookAnswer(
                    status: status, failure: (200..<300).contains(status) ? nil : .status,
                    excerpt: await excerpt(of: response),
                    retryAfter: response.headers.first(name: "retry-after").flatMap {
                        RetryAfter.delay($0, now: wall())
                    },
                    wish: response.headers.first(name: "webhook-delivery").flatMap(WebhookAnswer.Wish.init))
            }
        } catch {
            return WebhookAnswer(failure: HTTPMessageSender.failure(error))
        }
    }

    /// The beginning of the answer; however it breaks off, the status has been said.
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
        var text = ""
        for character in String(decoding: kept, as: UTF8.self).unicodeScalars {
            guard text.utf8.count + 4 <= limits.kept else { break }
            let isControl = character.value < 0x20 && character != "\n" && character != "\t" || character.value == 0x7F
            text.unicodeScalars.append(isControl ? " " : character)
        }
        return text.isEmpty ? nil : text
    }

    /// The class of an error (rule W12).
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
