import FencepostCluster
import FencepostFiles
import FencepostGeocoding
import FencepostHTTP
import FencepostMQTT
import FencepostModel
import FencepostOIDC
import FencepostOperation
import FencepostPage
import FencepostRegions
import FencepostServer
import FencepostService
import FencepostStore
import FencepostTiles
import FencepostTracing
import FencepostWebhooks
import Foundation
import Logging
import Metrics
import ServiceLifecycle

/// Creates all objects of the service and runs them.
struct RunningService {
    /// The part of a cluster that this node leads; `nil` on a single machine.
    private let cluster: Leadership?
    /// Keeps the configuration of a cluster in a partition of devices; `nil` where it is set.
    private let mirror: ConfigurationMirror?
    private let tracer: Tracer?
    private let accessChanges = AccessChanges()
    private let reports = ReportDownloads()
    private let assembly: ServiceAssembly
    private let webhooks: ReloadableWebhooks
    private let dispatcher: WebhookDispatcher
    private let maintenance: StorageMaintenance
    private let reloader: ConfigurationReloader
    private let first: Configuration
    private let sources: ServiceAssembly.Sources
    private let surroundings: ServiceProcess.Surroundings
    /// The file with map tiles; `nil` when the configuration names none.
    private let tiles: (any TileArchive)?
    /// `nil` without one in the configuration.
    private let geocoder: HTTPGeocoder?
    private let provider: OIDCProvider?
    /// `nil` where another part of the cluster receives the broker's messages.
    private let brokers: BrokerSupervisor?
    private let logger: Logger
    /// For how long a partition waits for the configuration of a new cluster; one whose tokens were all removed has none.
    private static let configurationTime = Duration.seconds(30)

    /// Raised when the files of the configuration are applied.
    private let isPrepared = EventSignal()
    private let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)

    /// More than five parameters, because a node of a cluster has a log, its leadership and the process's tracer besides.
    ///
    /// - Throws: a `ServiceFailure`.
    init(
        _ configuration: Configuration, _ sources: ServiceAssembly.Sources,
        _ surroundings: ServiceProcess.Surroundings, log: LeaderLog?, cluster: Leadership?,
        tracer: Tracer?
    ) throws {
        var configuration = configuration
        if let cluster { configuration.storage = cluster.storage }
        // The part with the configuration receives the broker's messages for all.
        if let cluster, !cluster.hasConfiguration { configuration.mqtt = nil }
        (self.cluster, self.tracer) = (cluster, tracer)
        first = configuration
        self.sources = sources
        self.surroundings = surroundings
        tiles = try Self.openTiles(configuration.server.tiles)
        logger = Logger(label: "fencepost")
        let notification = DispatcherNotification()
        assembly = try ServiceAssembly(
            configuration, logger: Logger(label: "fencepost.monitor"), trustsClock: surroundings.trustsClock,
            cluster: log.flatMap { log in cluster.map { (log, $0.succession, $0.journal) } }, tracer: tracer
        ) {
            notification.post(endpoints: $0)
        }
        let assembly = assembly
        do {
            webhooks = try ReloadableWebhooks(configuration.webhooks, wall: { assembly.clock.wall() })
        } catch {
            throw ServiceFailure(.configuration, "webhooks: \(error)")
        }
        geocoder = try Self.makeGeocoder(configuration.geocoder, assembly)
        provider = try Self.makeProvider(configuration.provider, assembly)
        let part = cluster.flatMap { $0.partitioning == .single ? nil : $0.part }
        var sending = WebhookDispatcher.Settings()
        sending.tracer = tracer
        if let cluster {
            // Of an endpoint's limit each partition has a share.
            sending.maximumInFlight = max(1, sending.maximumInFlight / cluster.partitioning.count)
            sending.part = part
        }
        dispatcher = WebhookDispatcher(
            outbox: assembly.store, roster: assembly.roster, sender: webhooks, clock: assembly.clock,
            logger: Logger(label: "fencepost.webhooks"), settings: sending, eventsStored: { assembly.signal.raise() },
            reports: reports)
        notification.dispatcher = dispatcher
        webhooks.attach(dispatcher)
        brokers = try Self.makeBrokers(configuration, assembly, cluster, webhooks, dispatcher)
        mirror = cluster?.configuration.map { [webhooks, dispatcher, accessChanges] source in
            ConfigurationMirror(
                source,
                ConfigurationMirror.Targets(
                    assembly: assembly,
                    endpointsDidChange: {
                        assembly.roster.replace(try await assembly.store.endpoints())
                        try await dispatcher.reloadEndpoints()
                    },
                    accessDidChange: {
                        try webhooks.allow(try await assembly.store.allowedNetworks())
                        accessChanges.raise()
                    }), logger: Logger(label: "fencepost.cluster"))
        }
        maintenance = StorageMaintenance(
            store: assembly.store, clock: assembly.clock, retention: configuration.storage.retention,
            part: part, logger: Logger(label: "fencepost.storage"))
        reloader = ConfigurationReloader(
            configuration: configuration, reread: surroundings.reread,
            targets: ConfigurationReloader.Targets(
                assembly: assembly, dispatcher: dispatcher, webhooks: webhooks, maintenance: maintenance,
                level: surroundings.level),
            appliesFiles: cluster?.hasConfiguration ?? true, manager: manager, logger: logger)
    }

    /// Opens the file with map tiles, which has to be there: a map without streets would look like another fault.
    private static func openTiles(_ tiles: MapTiles) throws -> (any TileArchive)? {
        guard case .file(let path) = tiles else { return nil }
        do {
            return try TileFile.open(path)
        } catch {
            throw ServiceFailure(.configuration, "map.tiles: \(error)")
        }
    }

    private static func makeGeocoder(
        _ settings: GeocoderSettings?, _ assembly: ServiceAssembly
    ) throws -> HTTPGeocoder? {
        guard let settings else { return nil }
        do throws(HTTPGeocoder.InvalidAddress) {
            return try HTTPGeocoder(
                settings, store: assembly.store, times: HTTPGeocoder.Times(now: { assembly.clock.now() }))
        } catch {
            throw ServiceFailure(.configuration, "geocoder: \(error)")
        }
    }

    private static func makeProvider(
        _ settings: ProviderSettings?, _ assembly: ServiceAssembly
    ) throws -> OIDCProvider? {
        guard let settings else { return nil }
        do throws(OIDCProvider.InvalidSettings) {
            return try OIDCProvider(settings, now: { assembly.clock.now() })
        } catch {
            throw ServiceFailure(.configuration, "\(error)")
        }
    }

    func run(_ events: AsyncStream<ProcessEvent>) async throws {
        do {
            if cluster != nil { try await assembly.store.forgetUnfinishedRequests() }
            try webhooks.allow(try await assembly.store.allowedNetworks())
            try await dispatcher.prepare()
        } catch {
            try? assembly.store.close()
            return try end(after: error)
        }
        var services: [any ServiceLifecycle.Service] = [
            maintenance, dispatcher, assembly.worker, assembly.history,
        ]
        // Where the configuration is: one node of a cluster sends reports for all.
        if cluster?.hasConfiguration ?? true {
            services.append(ReportScheduler(store: assembly.store, dispatcher: dispatcher))
        }
        if let brokers {
            // It stops after the dispatcher, which sends through it.
            services.insert(BrokerService(supervisor: brokers), at: 0)
            services.append(BrokerReceiving(supervisor: brokers))
        }
        // It stops before the monitor and the dispatcher, which it changes.
        if let mirror { services.append(mirror) }
        services += [server, StartupTask(body: start), Watchdog(manager: manager)] as [any ServiceLifecycle.Service]
        // Services stop from the last to the first: ingest, then evaluation, then webhooks.
        // Without a name each is described with all that it has, the broker's password too, which takes a fifth of the start.
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0, serviceName: "\(type(of: $0))") }, logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(9)
        let group = ServiceGroup(configuration: configuration)
        let failure: (any Error)? = await withTaskGroup(of: (any Error)?.self) { tasks in
            let isNode = cluster != nil
            tasks.addTask { [reloader, manager] in
                for await event in events {
                    switch event {
                    case .reload: await reloader.reload()
                    case .stop:
                        // The node of a cluster goes on as a follower.
                        if !isNode { manager.stopping() }
                        await group.triggerGracefulShutdown()
                    }
                }
                return nil
            }
            tasks.addTask {
                do {
                    try await group.run()
                    return nil
                } catch {
                    return error
                }
            }
            // Events are handled until the group has ended.
            var failure: (any Error)?
            while let result = await tasks.next() {
                failure = failure ?? result
                if !tasks.isCancelled { tasks.cancelAll() }
            }
            return failure
        }
        try? assembly.store.close()
        if let failure { try end(after: failure) }
    }

    /// - Throws: a `ServiceFailure`; nothing when this node's leadership ended, which makes every write fail.
    private func end(after error: any Error) throws {
        if let cluster, cluster.status.current.role != .leader {
            logger.info("the service ended with its leadership", metadata: ["error": "\(error)"])
        } else if cluster != nil, let error = error as? StoreError, error.isTemporary {
            // Another node may lead, whose disk has room.
            logger.error("the service ended, since its database cannot be used", metadata: ["error": "\(error)"])
        } else {
            throw failure(of: error)
        }
    }

    /// The connections to brokers.
    ///
    /// - Throws: a `ServiceFailure`, for settings of the configuration that cannot work.
    private static func makeBrokers(
        _ configuration: Configuration, _ assembly: ServiceAssembly, _ cluster: Leadership?,
        _ webhooks: ReloadableWebhooks, _ dispatcher: WebhookDispatcher
    ) throws -> BrokerSupervisor? {
        guard cluster?.hasConfiguration ?? true else { return nil }
        let (store, worker, clock) = (assembly.store, assembly.worker, assembly.clock)
        let parts = BrokerConnections.Parts(
            submit: { submission in
                if let cluster, cluster.partitioning != .single {
                    _ = try await cluster.router.submit(submission, as: nil)
                } else {
                    _ = try await worker.submit(submission)
                }
            }, assembly: assembly,
            sendWaiting: {
                // On a new connection all pending messages are tried at once, not at their next attempt.
                let id = PublishSettings.endpointID
                guard
                    let waiting = try? await store.deliveries(
                        endpoint: id, status: .pending, event: nil, after: 0, limit: 1000)
                else { return }
                for delivery in waiting where delivery.record.pending.attempts > 0 {
                    _ = try? await store.retry(delivery: delivery.record.pending.id, at: clock.now())
                }
                if !waiting.isEmpty { dispatcher.notify(endpoints: [id]) }
            })
        let configured: (BrokerConnections, origin: String?)?
        do {
            configured = try configuration.brokers.map { choice in
                (try BrokerConnections(choice, publishes: assembly.mayPublish, parts), configuration.brokerOrigin)
            }
        } catch {
            throw ServiceFailure(.configuration, "mqtt: \(error)")
        }
        return BrokerSupervisor(
            configured: configured, mayPublish: assembly.mayPublish,
            BrokerSupervisor.Targets(connections: parts, webhooks: webhooks, dispatcher: dispatcher))
    }

    private var server: FencepostServer {
        var dependencies = ServerDependencies(
            monitoring: assembly.worker, store: assembly.store, endpoints: webhooks, signal: assembly.signal,
            clock: assembly.clock, settings: first.server, version: FencepostVersion.current,
            logger: Logger(label: "fencepost.http"))
        dependencies.history = assembly.history
        dependencies.tracer = tracer
        dependencies.ruleOrigins = first.ruleOrigins
        dependencies.zone = assembly.zone
        if cluster?.hasConfiguration ?? true { dependencies.localSocket = localSocket }
        dependencies.tiles = tiles
        // The other nodes of a cluster would not have the file.
        if cluster == nil { dependencies.mapFiles = first.storage.path }
        dependencies.page = surroundings.page
        dependencies.geocoder = geocoder
        dependencies.provider = provider
        dependencies.limits = dependencies.limits.bounded(byDescriptors: DescriptorLimit.raise())
        dependencies.metricsText = { [metrics = surroundings.metrics] in metrics.text() }
        dependencies.checks = { [maintenance, brokers, cluster, store = assembly.store] in
            maintenance.checks() + [HealthCheck(setAside: (try? await store.setAside()) ?? [])]
                + (brokers?.checks ?? []) + (cluster.map { [$0.status.check] } ?? [])
        }
        dependencies.router = cluster.map { $0.router.attachment($0.part) }
        dependencies.accessChanges = accessChanges
        dependencies.reports = reports
        dependencies.brokers = brokers
        if let cluster, cluster.partitioning != .single {
            dependencies.partition = (cluster.partitioning, cluster.part)
            dependencies.position = cluster.position
            if let mirror { dependencies.untilMirrored = { try await mirror.wait(until: $0) } }
        }
        dependencies.cluster = cluster.map { ($0.name, $0.report) }
        if let cluster {
            dependencies.didErase = { [store = assembly.store] in
                if let mark = try await store.noteErasure() { await cluster.didErase(mark) }
            }
        }
        dependencies.untilReady = { [isPrepared] in
            if isPrepared.generation == 0 { await isPrepared.wait(since: 0) }
        }
        let hasFiles = cluster?.hasConfiguration ?? true
        dependencies.onListening = { [logger, manager, first, surroundings] port, osmandPort in
            var fields: Logger.Metadata = [
                "port": .stringConvertible(port), "url": "http://\(first.server.host):\(port)",
            ]
            if let osmandPort { fields["osmandPort"] = .stringConvertible(osmandPort) }
            // Of the parts of a cluster one says it for all.
            if hasFiles { logger.info("listening", metadata: fields) }
            manager.ready()
            surroundings.didListen(port)
        }
        return FencepostServer(dependencies)
    }

    /// The socket for commands; `nil` where its path is too long for the system.
    private var localSocket: String? {
        let path = LocalSocket.path(of: first.storage.path)
        guard path.utf8.count > LocalSocket.maximumLength else { return path }
        logger.warning(
            "the path of the database is too long for a local socket; commands need --server and --token",
            metadata: ["path": "\(path)", "maximum": "\(LocalSocket.maximumLength)"])
        return nil
    }

    /// Applies the files of the configuration and issues the first token, when the worker runs.
    private func start() async throws {
        await assembly.worker.waitUntilStarted()
        if let mirror, let source = cluster?.configuration {
            try await mirror.wait(until: source.position())
            // A new cluster has its first token when the files of the configuration are applied. Locations that came before
            // would be evaluated without their regions.
            let end = ContinuousClock.now + Self.configurationTime
            while try await assembly.store.tokens().isEmpty, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(50))
            }
            try await mirror.wait(until: source.position())
            isPrepared.raise()
            return
        }
        try await assembly.apply(sources)
        logger.info(
            "monitor ready",
            metadata: ["regions": .stringConvertible(assembly.worker.regions().catalog.count)])
        try await dispatcher.reloadEndpoints()
        isPrepared.raise()
        var generator = SystemRandomNumberGenerator()
        if let token = try await TokenText.issueFirst(
            in: assembly.store, at: assembly.clock.now(), using: &generator)
        {
            try surroundings.didIssueToken(token)
        }
    }

    private func failure(of error: any Error) -> ServiceFailure {
        if let error = error as? StoreError { return ServiceFailure(error) }
        if let error = error as? ServiceFailure { return error }
        let text = "\(error)"
        if text.contains("EADDRINUSE") || text.contains("in use") {
            return ServiceFailure(
                .unavailable,
                "port \(first.server.port) of \(first.server.host) is in use. Choose another with --port.")
        }
        return ServiceFailure(.software, text)
    }
}

/// Runs a closure at the start, and then waits for the shutdown.
private struct StartupTask: ServiceLifecycle.Service {
    let body: @Sendable () async throws -> Void

    func run() async throws {
        try await body()
        try? await gracefulShutdown()
    }
}

/// Sends keep-alive notifications to systemd's watchdog.
private struct Watchdog: ServiceLifecycle.Service {
    let manager: ServiceManager

    func run() async throws {
        guard let interval = manager.watchdog else {
            try? await gracefulShutdown()
            return
        }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                manager.alive()
                try? await Task.sleep(for: interval)
            }
        }
    }
}
