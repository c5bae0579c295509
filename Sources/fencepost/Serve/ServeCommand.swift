import ArgumentParser
import FencepostMQTT
import FencepostModel
import FencepostOperation
import FencepostServer
import FencepostService
import FencepostStore
import FencepostWebhooks
import Foundation
import Logging
import Metrics
import ServiceLifecycle
import UnixSignals

/// The service: fixes in over HTTP and MQTT, events out over HTTP, server-sent events and webhooks.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the service: HTTP ingest and API, webhooks, storage.",
        discussion: """
            Example:
              fencepost serve --regions Regions --storage /var/lib/fencepost/fencepost.sqlite

            Without a config file it listens on 127.0.0.1:8080 and keeps what it must not lose in fencepost.sqlite in \
            the current folder. While the storage holds no token, it makes one with every scope and prints it once.
            """)

    @Option(name: .long, help: "The config file.", completion: .file(extensions: ["json"]))
    var config: String?

    @Option(name: .long, help: "The name or address to listen on.")
    var host: String?

    @Option(name: .long, help: "The port to listen on; 0 takes a free one.")
    var port: String?

    @Option(name: .long, help: "The SQLite file.", completion: .file())
    var storage: String?

    @Option(
        name: .long, parsing: .singleValue, help: "A region file, a folder of them, or a pattern; may be repeated.",
        completion: .file())
    var regions: [String] = []

    @Option(
        name: .long, parsing: .singleValue, help: "Simulated apps: a file, a folder or a pattern; may be repeated.",
        completion: .file())
    var apps: [String] = []

    @Option(name: .long, help: "debug, info, warning or error.")
    var logLevel: String?

    func run() async throws {
        let first = try ConfigurationLayers.read(file: config, flags: flags).configuration
        guard first.cluster == nil else {
            Console.say("fencepost: \"cluster\" is not there yet; take it out of the configuration to serve from here.")
            throw ExitStatus.configuration.exit
        }
        let sources = ServiceAssembly.Sources(first)
        Console.report(sources.problems)
        guard !sources.hasErrors else { throw ExitStatus.configuration.exit }
        let level = Logs.bootstrap(first.log)
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        Gauge(label: "fencepost_build_info", dimensions: [("version", FencepostVersion.current)]).record(1)
        let service = try RunningService(first, sources, flags: (config, flags), level: level, metrics: metrics)
        try await service.run()
    }

    private var flags: [(pointer: String, value: String?, flag: String)] {
        func list(_ texts: [String]) -> String? {
            guard !texts.isEmpty, let bytes = try? JSONEncoder().encode(texts) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        return [
            ("/server/host", host, "--host"), ("/server/port", port, "--port"),
            ("/storage/path", storage, "--storage"), ("/regions", list(regions), "--regions"),
            ("/apps", list(apps), "--apps"), ("/log/level", logLevel, "--log-level"),
        ]
    }
}

/// Every object of the service, built here, in the order in which they stop.
private struct RunningService {
    private let assembly: ServiceAssembly
    private let webhooks: ReloadableWebhooks
    private let dispatcher: WebhookDispatcher
    private let upkeep: Upkeep
    private let reloading: Reloading
    private let first: Configuration
    private let sources: ServiceAssembly.Sources
    private let metrics: PrometheusMetrics
    private let logger: Logger
    private let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)

    init(
        _ configuration: Configuration, _ sources: ServiceAssembly.Sources,
        flags: (config: String?, flags: [(pointer: String, value: String?, flag: String)]), level: SharedLogLevel,
        metrics: PrometheusMetrics
    ) throws {
        first = configuration
        self.sources = sources
        self.metrics = metrics
        logger = Logger(label: "fencepost")
        let bell = DeliveryBell()
        assembly = try ServiceAssembly(configuration, logger: Logger(label: "fencepost.monitor")) { bell.ring($0) }
        let assembly = assembly
        do {
            webhooks = try ReloadableWebhooks(configuration.webhooks, wall: { assembly.clock.wall() })
        } catch {
            Console.say("fencepost: webhooks: \(error)")
            throw ExitStatus.configuration.exit
        }
        dispatcher = WebhookDispatcher(
            outbox: assembly.store, roster: assembly.roster, sender: webhooks, clock: assembly.clock,
            logger: Logger(label: "fencepost.webhooks"), eventsStored: { assembly.signal.raise() })
        bell.dispatcher = dispatcher
        webhooks.attach(dispatcher)
        upkeep = Upkeep(
            store: assembly.store, clock: assembly.clock, retention: configuration.storage.retention,
            logger: Logger(label: "fencepost.storage"))
        reloading = Reloading(
            configuration: configuration, flags: flags, assembly: assembly, dispatcher: dispatcher, webhooks: webhooks,
            upkeep: upkeep, level: level, manager: manager, logger: logger)
    }

    func run() async throws {
        var services: [any ServiceLifecycle.Service] = [upkeep, dispatcher, assembly.worker]
        if let broker = first.mqtt { services.append(gateway(to: broker)) }
        services += [server, Starting(body: start), Watchdog(manager: manager)] as [any ServiceLifecycle.Service]
        // They stop from the last to the first: what takes fixes in, then what evaluates them, then what sends events.
        var configuration = ServiceGroupConfiguration(
            services: services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) }, logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(9)
        let group = ServiceGroup(configuration: configuration)
        let failure: (any Error)? = await withTaskGroup(of: (any Error)?.self) { tasks in
            tasks.addTask { [reloading, manager] in
                await Signals.follow(group, reload: { await reloading.reload() }, stopping: { manager.stopping() })
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
            // The signals are followed until the group has ended.
            var failure: (any Error)?
            while let result = await tasks.next() {
                failure = failure ?? result
                if !tasks.isCancelled { tasks.cancelAll() }
            }
            return failure
        }
        try? assembly.store.close()
        if let failure { throw status(of: failure).exit }
    }

    private func gateway(to broker: BrokerSettings) -> OwnTracksGateway {
        let settings = MQTTSettings(
            host: broker.host, port: broker.port, usesTLS: broker.usesTLS || broker.caFile != nil,
            certificateFile: broker.caFile, username: broker.username, password: broker.password,
            clientID: broker.clientID, topic: broker.topic)
        let store = assembly.store
        return OwnTracksGateway(
            settings, monitor: assembly.worker, clock: assembly.clock, logger: Logger(label: "fencepost.mqtt"),
            key: { device in (try? await store.tokens())?.first { $0.deviceID == device }?.encryptionKey })
    }

    private var server: FencepostServer {
        var dependencies = ServerDependencies(
            monitoring: assembly.worker, store: assembly.store, endpoints: webhooks, signal: assembly.signal,
            clock: assembly.clock, settings: first.server, version: FencepostVersion.current,
            logger: Logger(label: "fencepost.http"))
        dependencies.metricsText = { [metrics] in metrics.text() }
        dependencies.checks = { [upkeep] in upkeep.checks() }
        dependencies.onListening = { [logger, manager, first] port, osmandPort in
            var fields: Logger.Metadata = [
                "port": .stringConvertible(port), "url": "http://\(first.server.host):\(port)",
            ]
            if let osmandPort { fields["osmandPort"] = .stringConvertible(osmandPort) }
            logger.info("listening", metadata: fields)
            manager.ready()
        }
        return FencepostServer(dependencies)
    }

    /// What is done once the monitor runs: the config's files, and the first token.
    private func start() async throws {
        await assembly.worker.waitUntilStarted()
        try await assembly.follow(sources)
        try await dispatcher.reloadEndpoints()
        var generator = SystemRandomNumberGenerator()
        if let token = try await TokenText.issueFirst(
            in: assembly.store, at: assembly.clock.now(), using: &generator)
        {
            try FileHandle.standardOutput.write(contentsOf: Data((token + "\n").utf8))
            Console.say("The line above on standard output is the first token; it is shown this once.")
        }
    }

    private func status(of error: any Error) -> ExitStatus {
        if let error = error as? StoreError {
            Console.say("fencepost: \(error)")
            return error.exitStatus
        }
        let text = "\(error)"
        if text.contains("EADDRINUSE") || text.contains("in use") {
            Console.say(
                "fencepost: port \(first.server.port) of \(first.server.host) is taken; choose another with --port.")
            return .unavailable
        }
        Console.say("fencepost: \(text)")
        return .software
    }
}

/// Runs something at the start, and then waits to be stopped.
private struct Starting: ServiceLifecycle.Service {
    let body: @Sendable () async throws -> Void

    func run() async throws {
        try await body()
        try? await gracefulShutdown()
    }
}

/// Tells systemd that the process is alive.
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

/// SIGTERM and SIGINT stop, a second one ends at once, SIGHUP reads the configuration again (rule O4).
private enum Signals {
    static func follow(
        _ group: ServiceGroup, reload: @Sendable () async -> Void, stopping: @Sendable () -> Void
    ) async {
        var isStopping = false
        for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup) {
            switch signal {
            case .sighup: await reload()
            default:
                if isStopping { _exit(ExitStatus.interrupted.rawValue) }
                isStopping = true
                stopping()
                await group.triggerGracefulShutdown()
            }
        }
    }
}
