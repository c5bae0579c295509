import FencepostEngine
import FencepostMQTT
import FencepostModel
import FencepostRegions
import FencepostServer
import FencepostService
import FencepostStore
import FencepostWebhooks
import Logging
import ServiceLifecycle
import Synchronization

/// Has the connections to the brokers of the configuration, or to those that an administrator sets, which it replaces while the
/// service runs.
actor BrokerSupervisor: BrokerServices {
    /// Whom else a change concerns.
    struct Targets: Sendable {
        let connections: BrokerConnections.Parts
        let webhooks: ReloadableWebhooks
        let dispatcher: WebhookDispatcher
    }

    nonisolated let configured: (choice: BrokerChoice, origin: String?)?
    nonisolated let mayPublish: Bool
    /// The connections to the brokers of the configuration.
    private let first: BrokerConnections?
    private let targets: Targets
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger
    private var connections: BrokerConnections?
    /// The same, for those who do not wait.
    private nonisolated let shared = Mutex<BrokerConnections?>(nil)
    /// The stored text that is in effect; `nil` for none.
    private var text: String?
    /// The last change; the next one waits for it.
    private var last: Task<Void, any Error>?
    /// Settings with which a broker has taken messages in this run, by its host and port. With them it is cleared, also when
    /// later ones were wrong.
    private var proven: [String: BrokerSettings] = [:]
    private var isEnding = false
    /// Why no connection is made to what is set; `nil` where one is.
    private var unusable: BrokerStatus.Link?

    /// How long messages that wait may take before the broker to which they go is removed.
    private static let drainTime = Duration.seconds(2)
    private static let look = Duration.milliseconds(50)

    /// - Parameters:
    ///   - configured: connections to the brokers of the configuration, and what names them; `nil` for the stored ones.
    ///   - mayPublish: whether a service of this kind publishes.
    ///   - targets: what changes with the brokers.
    ///   - sleep: waits between two looks at what is queued.
    init(
        configured: (connections: BrokerConnections, origin: String?)?, mayPublish: Bool, _ targets: Targets,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.configured = configured.map { ($0.connections.choice, $0.origin) }
        (first, self.mayPublish, self.targets, self.sleep) = (configured?.connections, mayPublish, targets, sleep)
        logger = Logger(label: "fencepost.mqtt")
    }

    private var store: any BrokerStore & RetainedTopicStore { targets.connections.assembly.store }

    /// Connects to the brokers.
    ///
    /// - Throws: a failure of the store.
    func start() async throws {
        if let first {
            begin(first)
        } else {
            text = try await store.brokerText()
            if let text { connect(to: text) }
        }
    }

    /// Stops receiving. To be called before the monitor ends.
    func stopReceiving() async {
        isEnding = true
        _ = try? await last?.value
        await connections?.stopReceiving(forgets: false)
    }

    /// Stops publishing. To be called after the dispatcher has ended, which publishes too.
    func stopPublishing() async {
        isEnding = true
        _ = try? await last?.value
        _ = await connections?.stopPublishing(removes: false)
    }

    private func begin(_ next: BrokerConnections?) {
        connections = next
        shared.withLock { $0 = next }
        targets.webhooks.attach(next?.publication)
        next?.start()
    }

    /// Connects to a stored broker. One that cannot be used is logged, and the service works without.
    private func connect(to text: String) {
        var link = BrokerStatus.Link()
        link.lastFailure = (BrokerFailure(.invalid), targets.connections.assembly.clock.now())
        unusable = link
        guard let choice = BrokerFile.read(stored: text) else {
            return logger.error("the stored settings of the MQTT broker cannot be read; fencepost doctor checks them")
        }
        if choice.publication != nil, !mayPublish {
            logger.error(
                "nothing is published to the MQTT broker, since several partitions would replace each other's state")
        }
        do {
            begin(try BrokerConnections(choice, publishes: mayPublish, targets.connections))
            unusable = nil
        } catch {
            unusable?.lastFailure?.failure = error.failure
            logger.error("the MQTT broker cannot be used", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Changes

    func brokerDidChange() async throws {
        guard configured == nil, !isEnding else { return }
        let former = last
        let task = Task {
            _ = try? await former?.value
            try await self.takeOver()
        }
        last = task
        try await task.value
    }

    private func takeOver() async throws {
        let stored = try await store.brokerText()
        guard stored != text, !isEnding else { return }
        let old = connections
        let next = stored.flatMap { BrokerFile.read(stored: $0) }
        await note(old)
        if let old { await end(old, before: next) }
        begin(nil)
        text = stored
        try await targets.connections.assembly.applyBroker()
        try await targets.dispatcher.reloadEndpoints()
        unusable = nil
        if let stored { connect(to: stored) } else { begin(nil) }
        logger.notice(
            stored == nil ? "the MQTT broker was removed" : "the MQTT broker was set",
            metadata: next.map { ["broker": "\($0.broker.address)"] })
    }

    /// Notes settings that have worked.
    private func note(_ old: BrokerConnections?) async {
        guard let old, old.status.publishing?.connectedSince != nil, let broker = old.choice.publication?.broker else {
            return
        }
        proven[broker.address] = broker
    }

    /// Ends connections, and has the broker keep nothing if the next ones do not publish the same there.
    private func end(_ old: BrokerConnections, before next: BrokerChoice?) async {
        await old.stopReceiving(forgets: old.choice.broker.subscription != next?.broker.subscription)
        let removes = old.publication != nil && old.choice.destination != next?.destination
        if next?.publication == nil { await drain(old) }
        targets.webhooks.attach(nil)
        var left = await old.stopPublishing(removes: removes)
        if left > 0, let (broker, settings) = old.choice.publication, let proven = proven[broker.address],
            proven != broker
        {
            left = await BrokerPublication.clear(
                at: MQTTSettings(proven, client: "-publisher"), MQTTTopics(settings), noted: store)
        }
        if left > 0 {
            logger.warning(
                "the former MQTT broker cannot be reached, and keeps messages",
                metadata: ["broker": "\(old.choice.publication?.broker.address ?? "")", "topics": "\(left)"])
        }
    }

    /// Waits until what is queued for a broker that can be reached is there: it is removed then.
    private func drain(_ old: BrokerConnections) async {
        var waited = Duration.zero
        while old.publication?.isConnected ?? false, waited < Self.drainTime {
            let waiting = try? await targets.connections.assembly.store.deliveries(
                endpoint: PublishSettings.endpointID, status: .pending, event: nil, after: 0, limit: 1)
            guard waiting?.isEmpty == false else { return }
            try? await sleep(Self.look)
            waited += Self.look
        }
    }

    // MARK: What others ask

    /// The check of `/readyz`; none without a broker.
    nonisolated var checks: [HealthCheck] { shared.withLock { $0 }.map { [$0.monitor.check] } ?? [] }

    func status() async -> BrokerStatus {
        var status = connections?.status ?? BrokerStatus()
        status.receiving = status.receiving ?? unusable
        status.uncleared = (try? await store.retainedTopicCounts()) ?? [:]
        if connections?.publication != nil, let broker = connections?.choice.publication?.broker {
            status.uncleared[broker.address] = nil
        }
        return status
    }

    nonisolated func test(_ choice: BrokerChoice) async -> BrokerTest {
        let clock = targets.connections.assembly.clock
        let start = clock.now()
        var id = ""
        for _ in 0..<4 { id += String(UInt8.random(in: 0...255), radix: 16) }
        var result = BrokerTest(
            failure: await BrokerProbe.failure(of: MQTTSettings(choice.broker, client: "-test-\(id)")), duration: .zero)
        if result.failure == nil, let other = choice.publishBroker {
            var settings = MQTTSettings(other, client: "-test-\(id)")
            settings.topic = MQTTTopics(choice.broker.publish ?? PublishSettings()).status
            // What is published need not be read.
            result.failure = await BrokerProbe.failure(of: settings).flatMap {
                $0.reason == .subscriptionRefused ? nil : $0
            }
            result.isOfPublishBroker = true
        }
        result.duration = clock.now() - start
        if let (_, publish) = choice.publication, publish.homeAssistant != nil {
            result.homeAssistant = discovered(MQTTTopics(publish))
        }
        return result
    }

    private nonisolated func discovered(_ topics: MQTTTopics) -> (devices: Int, entities: Int) {
        let worker = targets.connections.assembly.worker
        var statuses: [DeviceStatus] = []
        var page = worker.devices(changedSince: 0, after: nil, limit: 1000).devices
        while let last = page.last {
            statuses += page
            page = worker.devices(changedSince: 0, after: last.deviceID, limit: 1000).devices
        }
        return PublishedState.discovered(statuses, regions: worker.regions().catalog.regions.map(\.region), topics)
    }
}

extension BrokerChoice {
    /// Which topics are published where. Where it differs, what was published is cleared.
    fileprivate var destination: [String?]? {
        publication.map { [$0.address, $1.prefix, $1.homeAssistant, $1.ownTracks] }
    }
}

extension BrokerSettings {
    /// What the broker queues messages for. Where it differs, the former subscription ends.
    fileprivate var subscription: [String] { [address, clientID, topic] }
}

/// The supervisor among the services: it connects when they start, and stops publishing after all others that publish.
struct BrokerService: ServiceLifecycle.Service {
    let supervisor: BrokerSupervisor

    func run() async throws {
        try await supervisor.start()
        try? await gracefulShutdown()
        await supervisor.stopPublishing()
    }
}

/// Stops receiving before the monitor ends.
struct BrokerReceiving: ServiceLifecycle.Service {
    let supervisor: BrokerSupervisor

    func run() async throws {
        try? await gracefulShutdown()
        await supervisor.stopReceiving()
    }
}
