import FencepostMQTT
import FencepostModel
import FencepostMonitor
import FencepostService
import FencepostStore
import Logging
import Synchronization

/// The connections to the brokers of one choice, from their start to their end. What replaces them is another value.
final class BrokerConnections: Sendable {
    /// What the connections use.
    struct Parts: Sendable {
        /// Stores a submission, and returns when it is durable.
        let submit: @Sendable (Submission) async throws -> Void
        let assembly: ServiceAssembly
        /// Sends what waits for the broker, when it is there again.
        let sendWaiting: @Sendable () async -> Void
    }

    /// A Boolean that closures share.
    private final class Flag: Sendable {
        let state = Atomic(false)
    }

    let choice: BrokerChoice
    let monitor: BrokerMonitor
    /// `nil` when nothing is published.
    let publication: BrokerPublication?
    private let gateway: OwnTracksGateway
    private let isToForget = Flag()
    private let tasks = Mutex<(receiving: Task<Void, Never>?, publishing: Task<Void, Never>?)>((nil, nil))
    private let logger: Logger

    /// Connections that are not made yet.
    ///
    /// - Parameters:
    ///   - choice: the brokers, and what is published.
    ///   - publishes: whether anything may be published.
    ///   - parts: what they use.
    /// - Throws: `MQTTError.invalidSettings`.
    init(_ choice: BrokerChoice, publishes: Bool, _ parts: Parts) throws(MQTTError) {
        self.choice = choice
        let (assembly, logger) = (parts.assembly, Logger(label: "fencepost.mqtt"))
        self.logger = logger
        let monitor = BrokerMonitor { assembly.clock.now() }
        self.monitor = monitor
        publication =
            if publishes, let (broker, settings) = choice.publication {
                try Self.publication(to: broker, settings, monitor, parts, logger)
            } else {
                nil
            }
        let settings = MQTTSettings(choice.broker)
        try settings.check()
        var observer = MQTTSubscriber.Observer()
        observer.failed = { monitor.receiving.failed($0) }
        observer.received = { monitor.receiving.count($0) }
        observer.isToForget = { [isToForget] in isToForget.state.load(ordering: .relaxed) }
        let store = assembly.store
        gateway = OwnTracksGateway(
            settings, submit: parts.submit, clock: assembly.clock, logger: logger,
            onConnection: { monitor.isReceiving($0) }, observer: observer, journal: assembly.worker.journal,
            key: { device in (try? await store.tokens())?.first { $0.deviceID == device }?.encryptionKey })
    }

    private static func publication(
        to broker: BrokerSettings, _ publish: PublishSettings, _ monitor: BrokerMonitor, _ parts: Parts,
        _ logger: Logger
    ) throws(MQTTError) -> BrokerPublication {
        var contents = BrokerPublication.Contents(MQTTTopics(publish))
        (contents.names, contents.ownTracks) = (publish.names, publish.ownTracks)
        let (store, worker) = (parts.assembly.store, parts.assembly.worker)
        contents.givenNames = { (try? await store.deviceNames()) ?? [:] }
        contents.faces = { (try? await store.faces()) ?? [:] }
        contents.retained = store
        contents.rules = { worker.configuredAlerts() + (try await store.rules(AlertRule.self)).compactMap(\.rule) }
        contents.alertEvents = { try await store.alertEvents(of: $0) }
        contents.newestEvent = { try await store.newestEvent(of: $0) }
        var observer = BrokerPublication.Observer()
        observer.connected = { monitor.publishing.connected($0) }
        observer.failed = { monitor.publishing.failed($0) }
        return try BrokerPublication(
            MQTTSettings(broker, client: "-publisher"), contents: contents, monitor: worker, logger: logger,
            observer: observer, onConnection: parts.sendWaiting)
    }

    /// Makes the connections. They last until they are stopped, whatever ends meanwhile.
    func start() {
        let (gateway, publication, monitor, logger) = (gateway, publication, monitor, logger)
        // Detached, since the end of the service that starts them must not end them: they end in an order of their own.
        let receiving = Task.detached {
            do {
                try await gateway.run()
            } catch {
                monitor.receiving.failed((error as? MQTTError)?.failure ?? BrokerFailure(.invalid))
                logger.error("messages of the broker cannot be received", metadata: ["error": "\(error)"])
            }
        }
        let publishing = publication.map { publication in Task.detached { await publication.work() } }
        tasks.withLock { $0 = (receiving, publishing) }
    }

    /// Stops receiving, after the batch that is being stored.
    ///
    /// - Parameter forgets: whether the broker queues nothing more for this client.
    func stopReceiving(forgets: Bool) async {
        let task = tasks.withLock { tasks in
            defer { tasks.receiving = nil }
            return tasks.receiving
        }
        guard let task else { return }
        isToForget.state.store(forgets, ordering: .relaxed)
        gateway.stop()
        await task.value
        monitor.end()
    }

    /// Stops publishing.
    ///
    /// - Parameter removes: whether the broker is to keep nothing.
    /// - Returns: the number of topics that stay there, though they should not.
    func stopPublishing(removes: Bool) async -> Int {
        let task = tasks.withLock { tasks in
            defer { tasks.publishing = nil }
            return tasks.publishing
        }
        guard let task, let publication else { return 0 }
        task.cancel()
        await task.value
        if removes { return await publication.remove() }
        await publication.leave()
        return 0
    }

    /// What the connections do.
    var status: BrokerStatus {
        var status = BrokerStatus()
        status.receiving = monitor.receiving.value
        if let publication {
            status.publishing = monitor.publishing.value
            status.publishing?.messages = publication.count
        }
        return status
    }
}

extension MQTTSettings {
    /// The settings of a broker.
    ///
    /// - Parameters:
    ///   - broker: as configured.
    ///   - client: the end of the client id, by which one service has several connections.
    init(_ broker: BrokerSettings, client: String = "") {
        self.init(
            host: broker.host, port: broker.port, usesTLS: broker.usesTLS || broker.caFile != nil,
            certificateFile: broker.caFile, username: broker.username, password: broker.password,
            clientID: broker.clientID + client, topic: broker.topic)
        certificate = broker.caCertificate
    }
}

extension MQTTTopics {
    /// The topics of what is published.
    init(_ publish: PublishSettings) {
        self.init(prefix: publish.prefix, discovery: publish.homeAssistant)
        (events, devices) = (publish.events.map(GlobPattern.init), publish.devices.map(GlobPattern.init))
    }
}
