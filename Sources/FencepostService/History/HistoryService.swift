import FencepostEngine
public import FencepostModel
import FencepostMonitor
import FencepostRegions
public import Logging
import Metrics
public import ServiceLifecycle
import Synchronization

/// Evaluates stored fixes again, chunk by chunk, where late ones or an import require it; and stores staged imports.
///
/// It runs in parallel with the worker with an engine of its own. The worker applies each chunk in one commit of a few milliseconds.
/// All that it has to do is on disk, so it continues after a restart.
public final class HistoryService: ServiceLifecycle.Service {
    let store: any EvaluationStore & ImportStore & SetAsideStore
    let worker: MonitorWorker
    private let logger: Logger
    let limits: Limits
    let sleep: @Sendable (Duration) async throws -> Void
    /// Time that has passed since some moment, on a steady clock.
    let uptime: @Sendable () -> Duration
    private let reached: @Sendable (CrashPoint) -> Void
    /// Raised after each step, for callers that wait for a result.
    private let progress = EventSignal()
    /// Events by type of the imports whose request waits for them.
    let counts = Mutex<[String: [String: Int]]>([:])
    private let corrections = Counter(label: "fencepost_history_events_total")
    private let evaluated = Counter(label: "fencepost_history_locations_total")

    /// Points at which tests end the process.
    public enum CrashPoint: String, Sendable, CaseIterable {
        /// A chunk is evaluated; nothing of it is written.
        case chunkEvaluated
        /// A chunk is durable.
        case chunkApplied
        /// A slice of an import is durable.
        case sliceStored
    }

    /// How much is done at a time.
    package struct Limits: Sendable {
        /// Fixes that a chunk of an evaluation reads.
        package var chunk = 4096
        /// A file with at most so many fixes is one commit, and its events are in the response.
        package var atOnce = 10_000
        /// The request of a file with at most so many fixes waits for it, although it is stored in parts.
        package var wait = 50_000
        /// Fixes in one commit of a larger file.
        package var slice = 2048

        /// The limits of the service.
        package init() {}
    }

    /// `store`: the worker's store.
    /// `sleep`: waits; throws when the task is cancelled.
    /// `reached`: called at each crash point.
    public convenience init(
        store: any EvaluationStore & ImportStore & SetAsideStore, worker: MonitorWorker, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        reached: @escaping @Sendable (CrashPoint) -> Void = { _ in }
    ) {
        let start = ContinuousClock.now
        self.init(
            store: store, worker: worker, logger: logger, limits: Limits(), sleep: sleep,
            uptime: { ContinuousClock.now - start }, reached: reached)
    }

    /// More than five parameters, because it is the initializer above for simulations.
    ///
    /// `uptime`: reads a steady clock.
    package init(
        store: any EvaluationStore & ImportStore & SetAsideStore, worker: MonitorWorker, logger: Logger, limits: Limits,
        sleep: @escaping @Sendable (Duration) async throws -> Void, uptime: @escaping @Sendable () -> Duration,
        reached: @escaping @Sendable (CrashPoint) -> Void
    ) {
        (self.store, self.worker, self.logger, self.limits) = (store, worker, logger, limits)
        (self.sleep, self.uptime, self.reached) = (sleep, uptime, reached)
    }

    /// Runs until graceful shutdown or cancellation.
    public func run() async {
        await cancelWhenGracefulShutdown { await self.work() }
    }

    /// Runs until cancellation.
    package func work() async {
        await worker.waitUntilStarted()
        while !Task.isCancelled {
            let generation = worker.notices.history.generation
            do {
                if try await storeSlice() {
                    progress.raise()
                    continue
                }
                if let task = try await store.nextEvaluation() {
                    let start = uptime()
                    let isDone = try await evaluate(task)
                    progress.raise()
                    // Live fixes need the cores too, so what takes long uses half of the time.
                    if !isDone { try? await sleep(uptime() - start) }
                    continue
                }
                if let task = try await store.nextProximityTask() {
                    let start = uptime()
                    try await compare(task)
                    progress.raise()
                    try? await sleep(uptime() - start)
                    continue
                }
            } catch {
                // A read that the end of the service has cancelled.
                guard !Task.isCancelled else { break }
                logger.warning("the evaluation of history is interrupted", metadata: ["error": "\(error)"])
                try? await sleep(.seconds(1))
                continue
            }
            await waitForWork(since: generation)
        }
    }

    private func waitForWork(since generation: UInt64) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.worker.notices.history.wait(since: generation) }
            group.addTask { try? await self.sleep(.seconds(5)) }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: Evaluation

    /// Evaluates one chunk of a task.
    ///
    /// - Returns: whether the task is done.
    func evaluate(_ task: EvaluationTask) async throws -> Bool {
        guard case .following(let following) = try await worker.take(.follow(task.deviceID)) else {
            preconditionFailure("the answer to follow is what to start with")
        }
        guard let task = following.task else { return true }
        if task.isHeld, let id = task.importID {
            // Its import was cancelled.
            _ = try await worker.take(.release(id))
            return false
        }
        let input = try await store.evaluationInput(
            of: task.deviceID, from: task.from, through: max(following.releasedThrough, task.through),
            limit: limits.chunk)
        guard !input.isIncomplete else {
            logger.notice(
                "late locations are stored without an evaluation, because earlier ones have expired",
                metadata: ["from": "\(task.from.rfc3339)"])
            _ = try await worker.take(
                .abandon(
                    task.deviceID, sequence: following.isAside ? try await store.lastSequence(of: task.deviceID) : 0))
            return true
        }
        let sequence = following.isAside ? try await store.lastSequence(of: task.deviceID) : nil
        let regions = try await timeline(input, task, following)
        worker.journal.begin(.history, task.deviceID.rawValue, in: .history)
        let chunk = try HistoryChunk(input, of: task, regions)
        worker.journal.end(.history)
        let held = Set(input.events.map(\.cause))
        let former = try await store.formerEvents(
            ofCauses: chunk.events.map(\.id).filter { !held.contains($0) })
        reached(.chunkEvaluated)
        let answer = try await worker.take(
            .revise(chunk, input.events, token: following.token, former: former, sequence: sequence))
        switch answer {
        case .revised(let events):
            reached(.chunkApplied)
            evaluated.increment(by: chunk.fixes)
            corrections.increment(by: events.values.reduce(0, +))
            if let id = task.importID {
                counts.withLock { counts in
                    if counts[id] != nil { counts[id]?.merge(events, uniquingKeysWith: +) }
                }
            }
            if case .partial = chunk.end { return false }
            return true
        case .outdated:
            return false
        case .following, .archived, .fence, .pairs, .done: preconditionFailure("the answer to a chunk is its result")
        }
    }

    func timeline(
        _ input: EvaluationInput, _ task: EvaluationTask, _ following: HistoryFollowing
    ) async throws -> RegionTimeline {
        var settings = following.settings
        settings.reorderWindow = .zero
        let rules = WatchRules(following.index.catalog, settings)
        let start = input.start?.time ?? .distantPast
        guard task.regions == .then, try await store.lastRegionChange().map({ $0 > start }) ?? false else {
            return RegionTimeline(following.index, rules: rules)
        }
        let known = input.start?.revision ?? following.index.catalog.revision
        let versions = try await store.regionVersions(after: known)
            .filter { $0.revision <= following.index.catalog.revision }
        return RegionTimeline(following.index, rules: rules, versions: versions, known: known, after: start)
    }

    // MARK: Imports

    /// Stores the next slice of an import.
    ///
    /// - Returns: whether there was one.
    private func storeSlice() async throws -> Bool {
        guard let job = try await store.nextImport() else { return false }
        worker.journal.begin(.importing, job.id, in: .importing)
        defer { worker.journal.end(.importing) }
        guard let slice = try await store.nextSlice(of: job.id) else {
            try await store.setState(.evaluating, ofImport: job.id)
            return true
        }
        var part = ImportSlice()
        part.locations = slice.fixes
        part.job = (job.id, slice.number)
        part.isLast = slice.isLast
        _ = try await worker.take(.archive(part))
        reached(.sliceStored)
        // A slice takes a few milliseconds of the writing connection; live commits get most of its time.
        try? await sleep(.milliseconds(10))
        return true
    }

    /// Waits until the history of devices is evaluated, and at most for a time.
    ///
    /// - Returns: whether it is.
    public func waitUntilEvaluated(_ devices: Set<DeviceID>, atMost span: Duration) async throws -> Bool {
        let deadline = uptime() + span
        var open = devices
        while true {
            let generation = progress.generation
            for device in open where try await store.evaluation(of: device) == nil { open.remove(device) }
            if open.isEmpty { return true }
            if uptime() >= deadline { return false }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.progress.wait(since: generation) }
                group.addTask { try? await self.sleep(.milliseconds(50)) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
