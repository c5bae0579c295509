import FencepostModel
import FencepostService
import FencepostWebhooks
import Synchronization

/// Sends webhooks under settings that may change while the service runs.
final class ReloadableWebhooks: MessageSender, EndpointServices {
    private struct State {
        var sender: HTTPMessageSender
        var addressGuard: AddressGuard
        var dispatcher: WebhookDispatcher?
    }

    private let state: Mutex<State>
    private let wall: @Sendable () -> Timestamp

    /// - Throws: when a file of certificates cannot be read, or a network is none.
    init(_ settings: WebhookSettings, wall: @escaping @Sendable () -> Timestamp) throws {
        self.wall = wall
        let (sender, addressGuard) = try Self.make(settings, wall)
        state = Mutex(State(sender: sender, addressGuard: addressGuard))
    }

    struct InvalidNetwork: Error, CustomStringConvertible {
        let text: String
        var description: String { "\"\(text)\" is no network; one is written as 10.0.0.0/8" }
    }

    private static func make(
        _ settings: WebhookSettings, _ wall: @escaping @Sendable () -> Timestamp
    ) throws -> (HTTPMessageSender, AddressGuard) {
        let networks = try settings.allowedNetworks.map { text in
            guard let network = IPNetwork(text) else { throw InvalidNetwork(text: text) }
            return network
        }
        let addressGuard = AddressGuard(allowedNetworks: networks, allowsHTTP: settings.allowHTTP)
        let sender = try HTTPMessageSender(
            guard: addressGuard, caFile: settings.caFile, version: FencepostVersion.current, wall: wall)
        return (sender, addressGuard)
    }

    func attach(_ dispatcher: WebhookDispatcher) { state.withLock { $0.dispatcher = dispatcher } }

    /// Goes on under other settings; the old ones hold when these cannot be used.
    func reload(_ settings: WebhookSettings) async throws {
        let (sender, addressGuard) = try Self.make(settings, wall)
        let old = state.withLock { state in
            defer { (state.sender, state.addressGuard) = (sender, addressGuard) }
            return state.sender
        }
        await old.shutdown()
    }

    // MARK: MessageSender

    func send(_ request: WebhookRequest) async -> WebhookAnswer {
        let sender = state.withLock { $0.sender }
        return await sender.send(request)
    }

    func shutdown() async {
        let sender = state.withLock { $0.sender }
        await sender.shutdown()
    }

    // MARK: EndpointServices

    private var service: WebhookService {
        let (dispatcher, addressGuard) = state.withLock { ($0.dispatcher, $0.addressGuard) }
        guard let dispatcher else { preconditionFailure("a dispatcher is attached before the service runs") }
        return WebhookService(dispatcher, guard: addressGuard)
    }

    func problem(withURL url: String) -> String? { service.problem(withURL: url) }
    func problem(withSecret secret: String) -> String? { service.problem(withSecret: secret) }
    func makeSecret() -> String { service.makeSecret() }
    func endpointsDidChange() async throws { try await service.endpointsDidChange() }
    func deliveriesDidChange(of endpoint: String) { service.deliveriesDidChange(of: endpoint) }
    func test(_ endpoint: Endpoint) async -> DeliveryAttempt { await service.test(endpoint) }
    func messages(for events: [StoredEvent], to endpoint: Endpoint) -> [NewDelivery] {
        service.messages(for: events, to: endpoint)
    }
}

/// Rings at a dispatcher that is made after the monitor that rings.
final class DeliveryBell: Sendable {
    private let state = Mutex<WebhookDispatcher?>(nil)

    var dispatcher: WebhookDispatcher? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func ring(_ endpoints: Set<String>) { dispatcher?.notify(endpoints: endpoints) }
}
