import FencepostModel
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
    private static let retentionInterval = Duration.seconds(3600)

    private let store: SQLiteStore
    private let clock: ServiceClock
    private let logger: Logger
    private let state: Mutex<Retention>
    private let pending = Gauge(label: "fencepost_webhook_pending")
    private let oldest = Gauge(label: "fencepost_webhook_oldest_pending_seconds")
    private let databaseBytes = Gauge(label: "fencepost_database_bytes")
    private let logBytes = Gauge(label: "fencepost_wal_bytes")

    init(store: SQLiteStore, clock: ServiceClock, retention: Retention, logger: Logger) {
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
        await cancelWhenGracefulShutdown {
            var lastRetention = self.clock.now() - Self.retentionInterval
            while !Task.isCancelled {
                let now = self.clock.now()
                await self.attempt("maintenance") { try await self.store.maintain(at: now) }
                if now - lastRetention >= Self.retentionInterval {
                    lastRetention = now
                    await self.attempt("retention") {
                        let removed = try await self.store.removeExpired(self.retention, now: now)
                        if removed.values.contains(where: { $0 > 0 }) {
                            self.logger.info(
                                "removed expired data",
                                metadata: removed.mapValues { .stringConvertible($0) })
                        }
                    }
                }
                await self.attempt("metrics") {
                    let backlog = try await self.store.backlog()
                    self.pending.record(backlog.pending)
                    self.oldest.record(backlog.oldest.map { max((now - $0).seconds, 0) } ?? 0)
                    let size = try await self.store.size()
                    self.databaseBytes.record(size.database)
                    self.logBytes.record(size.log)
                }
                try? await Task.sleep(for: .seconds(2))
            }
        }
    }

    /// Logs an error at `debug`: the next attempt is in 2 s, and `/readyz` reports a full disk.
    private func attempt(_ name: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            logger.debug("maintenance failed", metadata: ["part": "\(name)", "error": "\(error)"])
        }
    }

    /// Checks of `/readyz` besides those of the store and the monitor.
    func checks() -> [HealthCheck] {
        var space: String?
        var status = statvfs()
        let folder = URL(filePath: store.path).deletingLastPathComponent().path
        if statvfs(folder, &status) == 0 {
            let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
            let all = UInt64(status.f_blocks) * UInt64(status.f_frsize)
            if free < min(Self.minimumSpace, all / 50) { space = "the disk of the database is nearly full" }
        }
        return [HealthCheck("diskSpace", problem: space)]
    }
}
