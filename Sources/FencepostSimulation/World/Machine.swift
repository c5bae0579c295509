import FencepostEngine
import FencepostFormats
import FencepostJSON
package import FencepostModel
import FencepostMonitor
package import FencepostService
package import FencepostStore
package import FencepostWebhooks
package import Foundation
import Logging
import Synchronization

/// One run of the service, from its start to its end: store, worker, dispatcher and maintenance, as the program assembles
/// them.
package final class Machine: Sendable {
    package let disk: SimulatedDisk
    package let store: SQLiteStore
    package let worker: MonitorWorker
    package let dispatcher: WebhookDispatcher
    /// Evaluates late locations and imports; `nil` in worlds of other kinds, where what is late stays without events.
    package let history: HistoryService?
    package let clock: ServiceClock
    let monitor: MonitorSettings
    let folder: URL
    private let time: SimulatedTime
    private let retention: Retention
    private let pace: Pace
    private let failure = Mutex<String?>(nil)

    /// How much less often the service looks whether something is due, so that quiet hours pass quickly.
    package final class Pace: Sendable {
        private let factor = Atomic(1)
        package init() {}
        package var value: Int {
            get { factor.load(ordering: .relaxed) }
            set { factor.store(newValue, ordering: .relaxed) }
        }
    }

    /// What all machines of a world share.
    package struct Surroundings: Sendable {
        package var time: SimulatedTime
        package var network: SimulatedNetwork
        package var journal: Journal
        package var pace: Pace
        /// The journal of the work of the next process, with what is called before each work.
        package var workJournal: @Sendable (@escaping @Sendable (DeviceID) -> Void) -> WorkJournal
        /// Whether the evaluation of a device ends the process now.
        package var endsProcess: @Sendable (DeviceID) -> Bool
        package var random: @Sendable (ClosedRange<Int>) -> Int
        package var report: @Sendable (Violation) -> Void
    }

    /// Opens the database in a folder and assembles the service, which does not run yet.
    ///
    /// More than five parameters, because a world has no other place for them.
    ///
    /// `mayLoseEnd`: whether the last commits may be missing, after a power loss with durability `relaxed`.
    ///
    /// - Throws: a `StoreError`.
    package init(
        folder: URL, disk: SimulatedDisk, plan: Plan, crossing: CrossingMode, mayLoseEnd: Bool,
        in surroundings: Surroundings
    ) throws {
        (self.folder, self.disk, time, pace) = (folder, disk, surroundings.time, surroundings.pace)
        var settings = StorageSettings()
        settings.path = folder.appending(path: "fencepost.sqlite").path
        settings.durability = plan.isRelaxed ? .relaxed : .full
        settings.retention.locations = .seconds(plan.retentionHours * 3600)
        settings.retention.events = .seconds(plan.retentionHours * 3600)
        settings.retention.deliveries = .seconds(plan.retentionHours * 3600)
        retention = settings.retention
        var limits = SQLiteStore.MaintenanceLimits()
        (limits.batch, limits.sliceDevices, limits.sliceFixes, limits.mergeCount) = (100, 2, 60, 3)
        (limits.eventBatch, limits.eventMerge, limits.eventPages) = (5, 3, 1)
        let time = surroundings.time
        store = try SQLiteStore(
            settings, limits: limits,
            access: .inTurn { span in
                // The disk is usually quick and sometimes slow.
                let delay = surroundings.random(0...40)
                let wait = delay == 40 ? surroundings.random(100...8000) : delay / 4
                try? await time.sleep(for: span + .milliseconds(wait))
            })
        var monitor = MonitorSettings()
        monitor.crossing = crossing
        if !plan.hasVisits { monitor.visits = nil }
        self.monitor = monitor
        // As the program decides whether the clock can be trusted.
        let floor = max(FencepostVersion.released, (store.trustedTimeAtOpening ?? .distantPast) - .seconds(300))
        clock = time.clock(notBefore: floor)
        let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
        let roster = EndpointRoster()
        let pace = surroundings.pace
        var sending = WebhookDispatcher.Settings()
        // Messages come without rows most of the time, and are long without one.
        (sending.direct.rate, sending.direct.idleTime, sending.direct.maximumWait) = (1, .seconds(900), .seconds(20))
        dispatcher = WebhookDispatcher(
            outbox: store, roster: roster, sender: surroundings.network, clock: clock, logger: logger,
            settings: sending,
            // Its longest sleep, which is a minute, means that nothing is due soon.
            sleep: { try await time.sleep(for: $0 < .seconds(60) ? $0 : $0 * max(pace.value / 60, 1)) },
            makeGenerator: { SplitMix64(seed: UInt64(surroundings.random(0...Int.max))) })
        let dispatcher = dispatcher
        let box = JournalBox()
        let work = surroundings.workJournal { device in
            guard surroundings.endsProcess(device) else { return }
            // Nothing that the process does now has an effect.
            box.journal?.noteFault()
            disk.die()
        }
        box.journal = work
        worker = MonitorWorker(
            store: JournaledStore(
                store: store, journal: surroundings.journal, now: { time.now }, report: surroundings.report,
                isWritable: { disk.isWritable }, mayLoseEnd: mayLoseEnd),
            composer: roster, settings: monitor, clock: clock,
            notices: MonitorWorker.Notices(deliveries: { dispatcher.notify(endpoints: $0) }), logger: logger,
            sleep: { try await time.sleep(for: $0 * pace.value) }, reached: { _ in }, buildsInTurn: true,
            journal: work)
        var historyLimits = HistoryService.Limits()
        (historyLimits.chunk, historyLimits.atOnce, historyLimits.wait, historyLimits.slice) = (64, 60, 150, 16)
        history =
            plan.kind == .history
            ? HistoryService(
                store: store, worker: worker, logger: logger, limits: historyLimits,
                // Its longest sleep means that there is nothing to do.
                sleep: { try await time.sleep(for: $0 < .seconds(5) ? $0 : $0 * pace.value) },
                uptime: { time.elapsed }, reached: { _ in }) : nil
    }

    /// A journal that what it calls refers to.
    private final class JournalBox: Sendable {
        private let held = Mutex<WorkJournal?>(nil)

        var journal: WorkJournal? {
            get { held.withLock { $0 } }
            set { held.withLock { $0 = newValue } }
        }
    }

    /// Why a part of the program has failed; `nil` while it runs.
    package var hasFailed: String? { failure.withLock { $0 } }

    /// Runs the service until its task is cancelled, which stops it in an orderly way.
    ///
    /// As in the program, everything starts at the same time once the endpoints are read, and a part that fails ends the
    /// whole.
    package func run() async {
        await perform { try await dispatcher.prepare() }
        let isPrepared = hasFailed == nil && !Task.isCancelled
        await withTaskGroup(of: Void.self) { group in
            // A cancelled worker refuses the requests that wait. In the program, the end of the process ends them.
            if !isPrepared { group.cancelAll() }
            group.addTask { await self.perform { try await self.worker.run() } }
            guard isPrepared else { return }
            group.addTask { await self.maintain() }
            if let history { group.addTask { await history.work() } }
            group.addTask { await self.perform { try await self.dispatcher.run() } }
            group.addTask {
                await self.perform {
                    await self.worker.waitUntilStarted()
                    try await self.dispatcher.reloadEndpoints()
                }
            }
            while await group.next() != nil { if hasFailed != nil { group.cancelAll() } }
        }
    }

    private func perform(_ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            guard !Task.isCancelled else { return }
            failure.withLock { $0 = $0 ?? "\(error)" }
        }
    }

    /// As the program's maintenance.
    private func maintain() async {
        let start = time.elapsed
        var retentionRuns = RetentionRuns()
        while !Task.isCancelled {
            _ = try? await store.maintain(at: clock.now())
            _ = try? await retentionRuns.runIfDue(
                in: store, retention, clock: clock, uptime: time.elapsed - start)
            try? await time.sleep(for: .seconds(10 * pace.value))
        }
    }

    /// Submits fixes as an ingest route does, which reads them from text: records whose time is impossible go into the
    /// quarantine.
    ///
    /// - Returns: the fixes that were not stored for their time.
    func submit(_ fixes: [Location]) async throws -> [Location] {
        let request = try NativeIngest.decode(
            ndjson: Self.text(fixes), rules: FixRules(now: clock.latest()), limit: fixes.count)
        var submission = Submission(format: "native")
        submission.locations = request.locations
        submission.quarantined = request.rejected.map { rejected in
            QuarantineEntry(
                receivedAt: clock.now(), format: "native", deviceID: rejected.deviceID, index: rejected.index,
                code: rejected.rejection.code.rawValue, detail: rejected.rejection.message, fix: rejected.fix)
        }
        _ = try await worker.submit(submission)
        return request.rejected.compactMap(\.fix)
    }

    /// Imports a file as the import route does.
    ///
    /// - Returns: false when the service has no imports.
    func importFile(_ fixes: [Location], id: String) async throws -> Bool {
        guard let history else { return false }
        let file = try HistoryFile(
            ByteSource(bytes: Self.text(fixes)), name: "walk.ndjson", format: nil, device: DeviceID("unnamed"),
            now: clock.latest())
        _ = try await history.importFile(file, id: id, name: "walk.ndjson", quarantined: [], owner: nil)
        return true
    }

    /// The lines of a phone. A phone that does not know its speed says nothing, or that it is -1.
    private static func text(_ fixes: [Location]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, fix) in fixes.enumerated() {
            var writer = JSONWriter()
            writer.value(fix)
            bytes += writer.bytes
            if fix.speed == nil, index.isMultiple(of: 2) {
                bytes.removeLast()
                bytes += Array(",\"speed\":-1}".utf8)
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}
