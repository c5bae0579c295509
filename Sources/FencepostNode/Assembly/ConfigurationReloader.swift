import FencepostModel
import FencepostOperation
import FencepostService
import FencepostWebhooks
import Logging

/// Reloads the configuration while the service runs. An invalid configuration changes nothing (rule O4).
actor ConfigurationReloader {
    /// The objects of the service whose settings can change.
    struct Targets {
        let assembly: ServiceAssembly
        let dispatcher: WebhookDispatcher
        let webhooks: ReloadableWebhooks
        let maintenance: StorageMaintenance
        let level: SharedLogLevel
    }

    private var configuration: Configuration
    private let reread: (@Sendable () throws -> (ConfigurationReader, [Diagnostic]))?
    private let targets: Targets
    /// Whether regions, apps and endpoints of the files belong to this part of a cluster.
    private let appliesFiles: Bool
    private let manager: ServiceManager
    private let logger: Logger

    /// More than five parameters, because each is another part of the service.
    init(
        configuration: Configuration, reread: (@Sendable () throws -> (ConfigurationReader, [Diagnostic]))?,
        targets: Targets, appliesFiles: Bool, manager: ServiceManager, logger: Logger
    ) {
        self.appliesFiles = appliesFiles
        self.configuration = configuration
        self.reread = reread
        self.targets = targets
        self.manager = manager
        var logger = logger
        // Of the parts of a cluster one says it for all.
        if !appliesFiles { logger.logLevel = .critical }
        self.logger = logger
    }

    func reload() async {
        guard let reread else { return }
        if appliesFiles { manager.reloading() }
        defer { if appliesFiles { manager.ready() } }
        do {
            let (reader, problems) = try reread()
            let sources = ServiceAssembly.Sources(reader.configuration)
            for problem in problems + sources.problems {
                logger.log(
                    level: problem.severity == .error ? .error : .warning, "configuration",
                    metadata: ["problem": "\(problem)"])
            }
            guard !sources.hasErrors, !problems.contains(where: { $0.severity == .error }) else {
                return logger.error("the configuration has errors; the old one stays in effect")
            }
            let next = reader.configuration
            try targets.webhooks.reload(next.webhooks)
            targets.assembly.zone.current = next.timeZone
            let changes = appliesFiles ? try await targets.assembly.apply(sources) : 0
            try await targets.dispatcher.reloadEndpoints()
            targets.maintenance.retention = next.storage.retention
            targets.level.current = next.log.level.level
            for key in ConfigurationReader.needingRestart(from: configuration, to: next) {
                logger.warning("this setting takes effect after a restart", metadata: ["key": "\(key)"])
            }
            // Settings that need a restart are compared with the running ones, so the others stay as they are.
            configuration.regions = next.regions
            configuration.apps = next.apps
            logger.info("configuration reloaded", metadata: ["changes": .stringConvertible(changes)])
        } catch {
            logger.error("reloading the configuration failed", metadata: ["error": "\(error)"])
        }
    }
}
