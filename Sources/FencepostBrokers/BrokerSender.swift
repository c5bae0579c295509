import FencepostModel
import FencepostService
public import FencepostWebhooks
import Synchronization

/// Publishes the messages of endpoints at message brokers, to permitted addresses only (rules W8, W13, W14 and W19).
public final class BrokerSender: MessageSender {
    /// Maximum time of an attempt, from the name look-up to the broker's answer.
    public static let attemptLimit = Duration.seconds(15)
    /// Maximum bytes of a broker's text that are kept.
    private static let excerptLimit = 1000

    private let addressGuard: AddressGuard
    private let resolver: any HostResolver
    private let caFile: String?
    private let limit: Duration
    private let clients = Mutex<[String: BrokerClient]>([:])

    /// A sender without connections: each is made when a message needs it.
    ///
    /// - Parameters:
    ///   - addressGuard: decides which addresses messages may be sent to.
    ///   - resolver: finds the addresses of a name.
    ///   - caFile: a PEM file of certificate authorities that are trusted besides the system's.
    ///   - limit: maximum time of an attempt.
    public init(
        guard addressGuard: AddressGuard = AddressGuard(), resolver: any HostResolver = SystemResolver(),
        caFile: String? = nil, limit: Duration = BrokerSender.attemptLimit
    ) {
        (self.addressGuard, self.resolver, self.caFile, self.limit) = (addressGuard, resolver, caFile, limit)
    }

    /// Publishes one message and waits for the broker's answer.
    ///
    /// - Returns: also errors are results.
    public func send(_ request: WebhookRequest) async -> AttemptResult {
        let start = ContinuousClock.now
        var result = AttemptResult()
        do throws(BrokerFailure) {
            guard let publication = request.publication else {
                throw BrokerFailure(.blocked, "the message is not for a broker")
            }
            let message = try BrokerMessage(request, publication)
            let settings = BrokerSettings(publication, url: request.url, caFile: caFile)
            try await client(of: request.endpointID, settings).publish(message, until: start + limit)
        } catch {
            result.failure = error.reason
            result.excerpt = error.text.isEmpty ? nil : String(error.text.prefix(Self.excerptLimit))
        }
        result.duration = ContinuousClock.now - start
        return result
    }

    /// The client of an endpoint. An endpoint that was changed gets another one.
    private func client(of endpoint: String, _ settings: BrokerSettings) -> BrokerClient {
        clients.withLock { clients in
            if let client = clients[endpoint] {
                if client.settings == settings { return client }
                client.close()
            }
            let client = BrokerClient(settings, guard: addressGuard, resolver: resolver)
            clients[endpoint] = client
            return client
        }
    }

    /// Closes the connections of endpoints, each when its messages have their answer. The next message makes another one.
    public func shutdown() {
        let all = clients.withLock { clients in
            defer { clients = [:] }
            return Array(clients.values)
        }
        for client in all { client.close() }
    }
}
