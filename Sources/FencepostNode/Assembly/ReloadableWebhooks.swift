import FencepostBrokers
import FencepostMQTT
import FencepostModel
import FencepostService
import FencepostWebhooks
import Synchronization

/// Sends webhooks with settings that can change while the service runs.
final class ReloadableWebhooks: MessageSender, EndpointServices {
    private struct State {
        var settings: WebhookSettings
        var networks: [AllowedNetwork] = []
        var senders: Senders
        var addressGuard: AddressGuard
        var dispatcher: WebhookDispatcher?
        /// `nil` while nothing is published.
        var broker: BrokerPublication?
    }

    /// The senders of messages that leave this machine.
    private struct Senders {
        let http: HTTPMessageSender
        let brokers: BrokerSender

        func shutdown() {
            http.shutdown()
            brokers.shutdown()
        }
    }

    private let state: Mutex<State>
    private let wall: @Sendable () -> Timestamp
    private let resolver = SystemResolver()

    /// - Throws: when the certificate file cannot be read, or the text of a network is invalid.
    init(_ settings: WebhookSettings, wall: @escaping @Sendable () -> Timestamp) throws {
        self.wall = wall
        let (senders, addressGuard) = try Self.make(settings, [], wall)
        state = Mutex(State(settings: settings, senders: senders, addressGuard: addressGuard))
    }

    private struct InvalidText: Error, CustomStringConvertible {
        let text: String
        var description: String { "\"\(text)\" is not a network such as 10.0.0.0/8" }
    }

    private static func make(
        _ settings: WebhookSettings, _ opened: [AllowedNetwork], _ wall: @escaping @Sendable () -> Timestamp
    ) throws -> (Senders, AddressGuard) {
        let networks = try settings.allowedNetworks.map { text in
            guard let network = IPNetwork(text) else { throw InvalidText(text: text) }
            return network
        }
        let addressGuard = AddressGuard(
            allowedNetworks: networks, allowsHTTP: settings.allowHTTP,
            openNetworks: opened.compactMap { IPNetwork($0.network) })
        let http = try HTTPMessageSender(
            guard: addressGuard, caFile: settings.caFile, version: FencepostVersion.current, wall: wall)
        return (Senders(http: http, brokers: BrokerSender(guard: addressGuard, caFile: settings.caFile)), addressGuard)
    }

    /// Publishes from now on here; with `nil`, messages to the broker wait.
    func attach(_ broker: BrokerPublication?) { state.withLock { $0.broker = broker } }

    func attach(_ dispatcher: WebhookDispatcher) { state.withLock { $0.dispatcher = dispatcher } }

    /// Replaces the settings.
    ///
    /// - Throws: when the new settings are invalid. The old ones then stay in effect.
    func reload(_ settings: WebhookSettings) throws { try replace { $0.settings = settings } }

    /// Changes what the sender is made of, and makes it.
    private func replace(_ change: (inout State) -> Void) throws {
        let old = try state.withLock { state in
            var next = state
            change(&next)
            (next.senders, next.addressGuard) = try Self.make(next.settings, next.networks, wall)
            defer { state = next }
            return state.senders
        }
        old.shutdown()
    }

    // MARK: MessageSender

    func send(_ request: WebhookRequest) async -> AttemptResult {
        if request.url.hasPrefix("mqtt:") { return await publish(request.body) }
        let senders = state.withLock { $0.senders }
        if request.publication != nil { return await senders.brokers.send(request) }
        return await senders.http.send(request)
    }

    /// Publishes the message of an event to the broker.
    private func publish(_ body: String) async -> AttemptResult {
        let start = ContinuousClock.now
        guard let broker = state.withLock({ $0.broker }) else { return AttemptResult(failure: .connect) }
        let failure: DeliveryAttempt.Failure? =
            switch await broker.publish(event: body) {
            case .acknowledged: nil
            case .disconnected: .connect
            case .timeout: .timeout
            }
        return AttemptResult(failure: failure, duration: ContinuousClock.now - start)
    }

    func shutdown() async {
        let senders = state.withLock { $0.senders }
        senders.shutdown()
    }

    // MARK: EndpointServices

    private var service: WebhookService {
        let (dispatcher, addressGuard) = state.withLock { ($0.dispatcher, $0.addressGuard) }
        guard let dispatcher else { preconditionFailure("no dispatcher was attached before the service started") }
        return WebhookService(dispatcher, guard: addressGuard, resolver: resolver)
    }

    func problem(withURL url: String, of kind: Endpoint.Kind) -> String? { service.problem(withURL: url, of: kind) }
    func refusal(ofURL url: String, of kind: Endpoint.Kind) async -> NetworkRefusal? {
        await service.refusal(ofURL: url, of: kind)
    }
    func network(_ text: String) throws(InvalidNetwork) -> String { try service.network(text) }
    func allow(_ networks: [AllowedNetwork]) throws { try replace { $0.networks = networks } }
    func preview(_ endpoint: Endpoint) -> [MessagePreview] { service.preview(endpoint) }
    func problem(withSecret secret: String) -> String? { service.problem(withSecret: secret) }
    func makeSecret() -> String { service.makeSecret() }
    func endpointsDidChange() async throws {
        try await service.endpointsDidChange()
        // One of them may have been removed. The others connect again for their next message.
        state.withLock { $0.senders.brokers }.shutdown()
    }
    func deliveriesDidChange(of endpoint: String) { service.deliveriesDidChange(of: endpoint) }
    func test(_ endpoint: Endpoint) async -> DeliveryAttempt { await service.test(endpoint) }
    func report(
        _ schedule: ReportSchedule, _ run: ReportTiming.Run, at now: Timestamp, isAskedFor: Bool
    ) -> (event: NewEvent, deliveries: [NewDelivery]) {
        service.report(schedule, run, at: now, isAskedFor: isAskedFor)
    }
    func messages(for events: [StoredEvent], to endpoint: Endpoint) -> [NewDelivery] {
        service.messages(for: events, to: endpoint)
    }
}
