import FencepostEngine
import FencepostFormats
import FencepostModel
import FencepostOperation
import FencepostRegionFiles
import FencepostService
import FencepostStore
import FencepostWebhooks
import Foundation
import Logging
import Synchronization

/// The parts that every command with a storage works with: the store, the monitor, and the endpoints.
struct ServiceAssembly {
    let store: SQLiteStore
    let worker: MonitorWorker
    let roster: EndpointRoster
    let clock: ServiceClock
    let signal = EventSignal()
    let logger: Logger

    /// Opens the storage and makes the monitor over it; nothing runs yet.
    ///
    /// - Parameter notify: told of endpoints that have new deliveries.
    init(
        _ configuration: Configuration, logger: Logger, notify: @escaping @Sendable (Set<String>) -> Void = { _ in }
    ) throws {
        self.logger = logger
        store = try Self.open(configuration.storage)
        clock = Self.makeClock()
        roster = EndpointRoster(instance: configuration.webhooks.instance)
        worker = MonitorWorker(
            store: store, composer: roster, settings: configuration.monitor, clock: clock,
            notices: MonitorWorker.Notices(deliveries: notify, events: signal), logger: logger,
            reached: { CrashTest.shared?.reached($0) })
    }

    /// Opens the storage, and ends the command with a sentence when that cannot be.
    static func open(_ settings: StorageSettings) throws -> SQLiteStore {
        do throws(StoreError) {
            return try SQLiteStore(settings)
        } catch {
            Console.say("fencepost: \(error)")
            throw error.exitStatus.exit
        }
    }

    private static func makeClock() -> ServiceClock {
        let start = ContinuousClock.now
        return ServiceClock(steady: { ContinuousClock.now - start }, wall: { LocationPump.now })
    }

    /// What the files of the config hold, read and checked.
    struct Sources: Sendable {
        var regions: [Region]
        var apps: [StoredApp]
        var endpoints: [EndpointFile.Draft]
        var problems: [Diagnostic]

        init(_ configuration: Configuration) {
            let set =
                configuration.regions.isEmpty
                ? RegionSet()
                : RegionSet.load(
                    paths: configuration.regions, options: RegionOptions(idProperty: configuration.idProperty))
            regions = set.regions
            problems = set.diagnostics
            endpoints = configuration.endpoints
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
        }

        var hasErrors: Bool { problems.contains { $0.severity == .error } }
    }

    /// Makes the running service follow the config's files; returns when that is durable.
    ///
    /// - Returns: how many regions, apps and endpoints changed.
    @discardableResult
    func follow(_ sources: Sources) async throws -> Int {
        let stored: [Endpoint] = try await store.endpoints()
        let edit = EndpointEdit(drafts: sources.endpoints, stored: stored, now: clock.now()) {
            var generator = SystemRandomNumberGenerator()
            return WebhookSecret.generate(using: &generator)
        }
        for endpoint in edit.changed { try await store.save(endpoint) }
        for id in edit.removed { _ = try await store.removeEndpoint(id: id) }
        // Before the regions: whoever leaves one that is gone now is to be told of it.
        roster.replace(try await store.endpoints())
        let regions = SourceSync(regions: sources.regions, known: worker.sources())
        if !regions.isEmpty {
            try await worker.editRegions({ _ in regions.edit }, sources: regions.sources)
        }
        let apps = SourceSync(apps: sources.apps, known: worker.sources())
        if !apps.isEmpty { try await worker.editApps({ _ in apps.edit }, sources: apps.sources) }
        return regions.sources.count + apps.sources.count + edit.changed.count + edit.removed.count
    }
}

extension StoreError {
    /// How a command ends that could not use its storage.
    var exitStatus: ExitStatus {
        switch code {
        case .locked, .busy: .tryAgain
        case .newerSchema: .configuration
        case .cannotOpen: .cannotCreate
        case .full, .inputOutput, .corrupt: .inputOutput
        case .outOfOrder, .closed, .invalid: .software
        }
    }
}

/// Loggers of the whole process.
enum Logs {
    /// Sets up logging, once in a process.
    static func bootstrap(_ settings: LogSettings) -> SharedLogLevel {
        let level = SharedLogLevel(settings.level.level)
        let style: LineLogHandler.Style =
            switch settings.format {
            case .json?: .json
            case .text?: .text
            case nil: Console.isErrorTerminal ? .text : .json
            }
        LoggingSystem.bootstrap { label in
            LineLogHandler(label: label, style: style, level: level, now: { LocationPump.now })
        }
        return level
    }
}

extension LogSettings.Level {
    var level: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}
