import FencepostModel
import FencepostOperation
import FencepostService
import FencepostWebhooks
import Logging

/// Reads the configuration again while the service runs; what cannot be used leaves everything as it is (rule O4).
actor Reloading {
    private var configuration: Configuration
    private let flags: (config: String?, flags: [(pointer: String, value: String?, flag: String)])
    private let assembly: ServiceAssembly
    private let dispatcher: WebhookDispatcher
    private let webhooks: ReloadableWebhooks
    private let upkeep: Upkeep
    private let level: SharedLogLevel
    private let manager: ServiceManager
    private let logger: Logger

    init(
        configuration: Configuration,
        flags: (config: String?, flags: [(pointer: String, value: String?, flag: String)]),
        assembly: ServiceAssembly, dispatcher: WebhookDispatcher, webhooks: ReloadableWebhooks, upkeep: Upkeep,
        level: SharedLogLevel, manager: ServiceManager, logger: Logger
    ) {
        self.configuration = configuration
        self.flags = flags
        self.assembly = assembly
        self.dispatcher = dispatcher
        self.webhooks = webhooks
        self.upkeep = upkeep
        self.level = level
        self.manager = manager
        self.logger = logger
    }

    func reload() async {
        manager.reloading()
        defer { manager.ready() }
        do {
            let (reader, problems) = try ConfigurationLayers.attempt(file: flags.config, flags: flags.flags)
            let sources = ServiceAssembly.Sources(reader.configuration)
            for problem in problems + sources.problems {
                logger.log(
                    level: problem.severity == .error ? .error : .warning, "configuration",
                    metadata: ["problem": "\(problem)"])
            }
            guard !sources.hasErrors, !problems.contains(where: { $0.severity == .error }) else {
                return logger.error("the configuration has problems; the old one stays in force")
            }
            let next = reader.configuration
            try await webhooks.reload(next.webhooks)
            let changes = try await assembly.follow(sources)
            try await dispatcher.reloadEndpoints()
            upkeep.retention = next.storage.retention
            level.current = next.log.level.level
            for key in ConfigurationReader.needingRestart(from: configuration, to: next) {
                logger.warning("this setting takes effect with the next start", metadata: ["key": "\(key)"])
            }
            // What needs a restart is compared with what runs, not with what was read last.
            configuration.regions = next.regions
            configuration.apps = next.apps
            logger.info("configuration read again", metadata: ["changes": .stringConvertible(changes)])
        } catch {
            logger.error("the configuration was not taken", metadata: ["error": "\(error)"])
        }
    }
}
