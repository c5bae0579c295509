import FencepostEngine
import FencepostFormats
package import FencepostModel
import FencepostOperation
import FencepostRegionFiles
import FencepostRegionImport
package import FencepostService
package import FencepostStore
package import FencepostTracing
import FencepostWebhooks
import Foundation
package import Logging
import Synchronization

/// The objects that all commands with a database use: store, worker and endpoints.
package struct ServiceAssembly {
    package let store: SQLiteStore
    package let worker: MonitorWorker
    package let history: HistoryService
    let roster: EndpointRoster
    /// The zone of what names none.
    let zone: ServiceZone
    let clock: ServiceClock
    let signal = EventSignal()
    /// Whether something may be published to a broker: of several partitions each would replace what others publish.
    let mayPublish: Bool
    let logger: Logger

    /// Opens the database and creates the worker, which does not run yet. More than five parameters, because commands need the
    /// first two only.
    ///
    /// - Parameters:
    ///   - configuration: the settings of storage, monitor and webhooks.
    ///   - logger: the logger of the worker.
    ///   - trustsClock: whether the system's clock is right even if it is before the trusted time.
    ///   - cluster: the log that a leading node appends to, what comes before and after its worker, and the journal of its part;
    ///     `nil` outside clusters.
    ///   - tracer: records traces; `nil` for none.
    ///   - notify: called with the endpoints that have new deliveries.
    /// - Throws: a `ServiceFailure` when the database cannot be opened.
    package init(
        _ configuration: Configuration, logger: Logger, trustsClock: Bool = true,
        cluster: (log: LeaderLog, succession: WorkerSuccession, journal: WorkJournal)? = nil,
        tracer: Tracer? = nil,
        notify: @escaping @Sendable (Set<String>) -> Void = { _ in }
    ) throws {
        self.logger = logger
        mayPublish = configuration.cluster.map { $0.partitions == 1 } ?? true
        store = try Self.open(configuration.storage, log: cluster?.log)
        clock = Self.makeClock(notBefore: trustsClock ? nil : .some(store.trustedTimeAtOpening))
        let regions = WorkerRegions()
        zone = ServiceZone(configuration.timeZone)
        roster = EndpointRoster(
            instance: configuration.webhooks.instance, zone: zone, regions: { regions.catalog })
        worker = MonitorWorker(
            store: store, composer: roster, settings: configuration.monitor, clock: clock,
            notices: MonitorWorker.Notices(deliveries: notify, events: signal), logger: logger,
            succession: cluster?.succession ?? WorkerSuccession(),
            journal: cluster?.journal ?? Self.openJournal(nextTo: configuration.storage.path, logger),
            tracer: tracer,
            reached: { CrashTest.shared?.reached($0) })
        regions.attach(worker)
        history = HistoryService(
            store: store, worker: worker, logger: logger, reached: { CrashTest.shared?.reached($0) })
    }

    private static func open(_ settings: StorageSettings, log: LeaderLog?) throws(ServiceFailure) -> SQLiteStore {
        do throws(StoreError) {
            if let log { return try SQLiteStore(settings, log: log) }
            return try SQLiteStore(settings)
        } catch {
            throw ServiceFailure(error)
        }
    }

    /// Opens the journal of the work on a database, whose lock the process holds.
    static func openJournal(nextTo path: String, _ logger: Logger) -> WorkJournal {
        do throws(StoreError) {
            return try WorkJournalFile.open(
                nextTo: path, version: FencepostVersion.current, willBegin: CrashTest.plantedFault)
        } catch {
            // The work is more important than what is known of its end.
            logger.warning("what ends the process will not be known", metadata: ["error": "\(error)"])
            return WorkJournal()
        }
    }

    /// How far the clock may be behind the trusted time: NTP may have corrected it while the service was stopped.
    private static let clockTolerance = Duration.seconds(300)

    /// The service's clock. With `trustedTime` `nil` every time is believable; else a time before Fencepost's release,
    /// or clearly before the trusted time if there is one, is not.
    private static func makeClock(notBefore trustedTime: Timestamp??) -> ServiceClock {
        let start = ContinuousClock.now
        let watch = ClockWatch()
        var floor = Timestamp.distantPast
        if let trustedTime {
            floor = FencepostVersion.released
            if let trustedTime { floor = max(floor, trustedTime - clockTolerance) }
        }
        return ServiceClock(
            steady: { ContinuousClock.now - start }, wall: { WallClock.now }, notBefore: floor,
            wasSet: { watch.wasSet() })
    }

    /// The contents of the configuration's files.
    package struct Sources: Sendable {
        var regions: [Region]
        var apps: [StoredApp]
        var endpoints: [EndpointFile.Draft]
        package var problems: [Diagnostic]
        /// Whether the configuration names a broker, so that a stored one does not count.
        let namesBroker: Bool

        package init(_ configuration: Configuration) {
            namesBroker = configuration.mqtt != nil
            let set =
                configuration.regions.isEmpty
                ? RegionSet()
                : RegionSet.loadAny(paths: configuration.regions, options: configuration.regionOptions())
            regions = set.regions
            problems = set.diagnostics
            endpoints = configuration.allEndpoints
            apps = []
            for path in configuration.apps {
                do throws(PathProblem) {
                    for file in try PathPattern.files(for: path) {
                        guard let bytes = try? Data(contentsOf: URL(filePath: file)) else {
                            problems.append(
                                Diagnostic(
                                    code: "unreadable_file", file: file, at: .file, "The file cannot be read."))
                            continue
                        }
                        let (found, wrong) = AppFile.readForStorage(bytes, file: file)
                        apps += found
                        problems += wrong
                    }
                } catch {
                    problems.append(Diagnostic(code: error.code, file: path, at: .file, error.message))
                }
            }
            if let problem = AppFile.problem(withNumberOfApps: apps.count) { problems.append(problem) }
        }

        package var hasErrors: Bool { problems.contains { $0.severity == .error } }
    }

    /// Applies the configuration's files to the running service. On return the changes are on disk.
    ///
    /// - Returns: number of changed regions, apps and endpoints.
    @discardableResult
    package func apply(_ sources: Sources) async throws -> Int {
        let edit = try await applyEndpoints(sources)
        // Endpoints come before regions, so that they get the exits of removed regions.
        roster.replace(try await store.endpoints())
        let regions = SourceSync(regions: sources.regions, known: worker.sources())
        if !regions.isEmpty {
            try await worker.editRegions({ _ in regions.edit }, sources: regions.sources)
        }
        let apps = SourceSync(apps: sources.apps, known: worker.sources())
        if !apps.isEmpty { try await worker.editApps({ _ in apps.edit }, sources: apps.sources) }
        return regions.sources.count + apps.sources.count + edit.changed.count + edit.removed.count
    }

    /// Applies the endpoint of the stored broker, as if the configuration named it.
    func applyBroker() async throws {
        _ = try await applyEndpoints(
            [storedBroker()].compactMap(\.self), isOfFiles: { $0.id == PublishSettings.endpointID })
        try await enableBroker()
        roster.replace(try await store.endpoints())
    }

    /// Enables the endpoint of the broker again that failures have disabled: somebody has just changed the settings. One that was
    /// disabled by hand stays as it is.
    private func enableBroker() async throws {
        while let found = try await store.endpoint(id: PublishSettings.endpointID)?.endpoint,
            case .disabled(_, let reason) = found.state, reason != Endpoint.State.handReason
        {
            var active = found
            active.state = .active
            if try await store.replace(found, with: active) { return }
        }
    }

    /// The endpoint of the stored broker; `nil` where nothing is published.
    private func storedBroker() async throws -> EndpointFile.Draft? {
        guard mayPublish else { return nil }
        return try await store.brokerText().flatMap { BrokerFile.read(stored: $0) }?.endpoint
    }

    /// Applies the endpoints of the configuration, again for those that somebody changes at this moment.
    private func applyEndpoints(_ sources: Sources) async throws -> EndpointEdit {
        let broker = sources.namesBroker ? nil : try await storedBroker()
        return try await applyEndpoints(sources.endpoints + [broker].compactMap(\.self), isOfFiles: { _ in true })
    }

    /// Applies endpoints in place of those that came from the configuration before and are meant.
    private func applyEndpoints(
        _ drafts: [EndpointFile.Draft], isOfFiles isMeant: (Endpoint) -> Bool
    ) async throws -> EndpointEdit {
        var applied = EndpointEdit()
        while true {
            let stored: [Endpoint] = try await store.endpoints().filter(isMeant)
            let edit = EndpointEdit(drafts: drafts, stored: stored, now: clock.now()) {
                var generator = SystemRandomNumberGenerator()
                return WebhookSecret.generate(using: &generator)
            }
            var isComplete = true
            for endpoint in edit.changed {
                let former = stored.first { $0.id == endpoint.id }
                let isStored =
                    if let former {
                        try await store.replace(former, with: endpoint)
                    } else {
                        try await store.add(endpoint)
                    }
                if isStored { applied.changed.append(endpoint) } else { isComplete = false }
            }
            for id in edit.removed where try await store.removeEndpoint(id: id) { applied.removed.append(id) }
            if isComplete { return applied }
        }
    }
}
