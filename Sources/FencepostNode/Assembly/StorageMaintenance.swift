import FencepostModel
import FencepostOperation
import FencepostServer
import FencepostService
import FencepostStore
import Foundation
import Logging
import Metrics
import ServiceLifecycle
import Synchronization

/// Maintains the database while the service runs: sorting, retention, metrics and health checks.
final class StorageMaintenance: ServiceLifecycle.Service {
    /// The service is not ready with less free disk space than this, or than 2 % of a small disk.
    private static let minimumSpace: UInt64 = 64 << 20

    private let store: SQLiteStore
    private let clock: ServiceClock
    private let logger: Logger
    private let state: Mutex<Retention>
    private let pending: Gauge
    private let oldest: Gauge
    private let clockOffset = Gauge(label: "fencepost_clock_offset_seconds")
    private let clockBelievable = Gauge(label: "fencepost_clock_believable")
    private let retentionHeld: Gauge
    private let retentionTime: Gauge
    private let databaseBytes: Gauge
    private let logBytes: Gauge
    private let setAside: [SetAside.Kind: Gauge]
    private let freeBytes = Gauge(label: "fencepost_storage_free_bytes")
    private let backupTime: Gauge

    /// - Parameters:
    ///   - store: the database.
    ///   - clock: the service's clock.
    ///   - retention: for how long data is kept.
    ///   - part: the part of a cluster that has the database, for labels of metrics; `nil` for all.
    ///   - logger: logs what fails.
    init(store: SQLiteStore, clock: ServiceClock, retention: Retention, part: ClusterPartition?, logger: Logger) {
        let labels = part.map { [("part", "\($0)")] } ?? []
        pending = Gauge(label: "fencepost_webhook_pending", dimensions: labels)
        oldest = Gauge(label: "fencepost_webhook_oldest_pending_seconds", dimensions: labels)
        retentionHeld = Gauge(label: "fencepost_retention_held", dimensions: labels)
        retentionTime = Gauge(label: "fencepost_retention_last_run_timestamp_seconds", dimensions: labels)
        databaseBytes = Gauge(label: "fencepost_database_bytes", dimensions: labels)
        logBytes = Gauge(label: "fencepost_wal_bytes", dimensions: labels)
        backupTime = Gauge(label: "fencepost_backup_last_timestamp_seconds", dimensions: labels)
        setAside = Dictionary(
            uniqueKeysWithValues: SetAside.Kind.allCases.map { kind in
                (kind, Gauge(label: "fencepost_set_aside", dimensions: labels + [("kind", kind.rawValue)]))
            })
        self.store = store
        self.clock = clock
        self.logger = logger
        state = Mutex(retention)
    }

    var retention: Retention {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func run() async throws {
        if let problem = store.logProblem { logger.error("commits were lost", metadata: ["problem": "\(problem)"]) }
        await cancelWhenGracefulShutdown {
            let start = ContinuousClock.now
            var retentionRuns = RetentionRuns()
            var reports = StateReports(logger: self.logger)
            while !Task.isCancelled {
                let now = self.clock.now()
                self.reportClock(&reports)
                reports.report(misplacement: self.store.misplacement())
                await self.attempt("maintenance") {
                    if try await self.store.maintain(at: now).archived > 0 { ProcessMemory.returnUnused() }
                }
                await self.attempt("retention") {
                    let outcome = try await retentionRuns.runIfDue(
                        in: self.store, self.retention, clock: self.clock, uptime: ContinuousClock.now - start)
                    if let outcome { self.report(outcome, &reports) }
                }
                await self.attempt("metrics") {
                    let backlog = try await self.store.backlog()
                    self.pending.record(backlog.pending)
                    self.oldest.record(backlog.oldest.map { max((now - $0).seconds, 0) } ?? 0)
                    let aside = try await self.store.setAside()
                    for (kind, gauge) in self.setAside { gauge.record(aside.count { $0.kind == kind }) }
                    let size = try await self.store.size()
                    self.databaseBytes.record(size.database)
                    self.logBytes.record(size.log)
                    if let free = self.space()?.free { self.freeBytes.record(Double(free)) }
                    if let backup = BackupRecord.time(of: self.store.path) {
                        self.backupTime.record(Double(backup.milliseconds) / 1000)
                    }
                }
                try? await Task.sleep(for: .seconds(2))
            }
        }
    }

    private func reportClock(_ reports: inout StateReports) {
        let status = clock.status()
        reports.report(clock: status, steps: clock.takeSteps())
        clockOffset.record(clock.skew().seconds)
        clockBelievable.record(status.isBelievable ? 1 : 0)
    }

    private func report(_ outcome: RetentionRuns.Outcome, _ reports: inout StateReports) {
        reports.report(retention: outcome.decision)
        switch outcome.decision {
        case .skip:
            retentionHeld.record(1)
            return
        case .run: retentionHeld.record(0)
        case .runBehind: retentionHeld.record(1)
        }
        retentionTime.record(Double(clock.now().milliseconds) / 1000)
        let removed = outcome.removed
        guard removed.values.contains(where: { $0 > 0 }) else { return }
        logger.info("removed expired data", metadata: removed.mapValues { .stringConvertible($0) })
    }

    /// Logs an error at `debug`: the next attempt is in 2 s, and `/readyz` reports a full disk.
    private func attempt(_ name: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            logger.debug("maintenance failed", metadata: ["part": "\(name)", "error": "\(error)"])
        }
    }

    /// Bytes of the database's disk that the service may use, and of the whole disk; `nil` when they are not known.
    private func space() -> (free: UInt64, all: UInt64)? {
        var status = statvfs()
        guard statvfs(URL(filePath: store.path).deletingLastPathComponent().path, &status) == 0 else { return nil }
        return (UInt64(status.f_bavail) * UInt64(status.f_frsize), UInt64(status.f_blocks) * UInt64(status.f_frsize))
    }

    /// Checks of `/readyz` besides those of the store and the monitor.
    func checks() -> [HealthCheck] {
        var problem: String?
        if let (free, all) = space(), free < min(Self.minimumSpace, all / 50) {
            problem = "the disk of the database is nearly full"
        }
        return [
            HealthCheck("diskSpace", problem: problem), HealthCheck("databaseFile", problem: store.misplacement()),
        ]
    }
}
