public import FencepostEngine
public import FencepostModel
public import FencepostMonitor
public import FencepostRegions
public import FencepostSimulator
public import FencepostTracing
public import Logging
import Synchronization

/// Evaluates submissions in batches, writes each batch in one commit, and answers its submitters when it is durable.
///
/// It is the only writer of the monitor's state. Submissions that arrive while a commit is in flight form the next batch,
/// so that many requests share the cost of one disk sync. `WorkerMachine` has the order of the steps.
public final class MonitorWorker: Monitoring {
    /// Notifications after a commit.
    public struct Notices: Sendable {
        /// Called with the ids of the endpoints that have new deliveries.
        public var deliveries: @Sendable (Set<String>) -> Void
        /// Raised when events are stored.
        public var events: EventSignal
        /// Raised when the history of a device has to be evaluated.
        public var history: EventSignal

        /// Without arguments, nothing is notified.
        public init(
            deliveries: @escaping @Sendable (Set<String>) -> Void = { _ in }, events: EventSignal = EventSignal(),
            history: EventSignal = EventSignal()
        ) {
            self.deliveries = deliveries
            self.events = events
            self.history = history
        }
    }

    /// Points at which tests end the process, to prove that nothing is lost and no event is emitted twice.
    public enum CrashPoint: String, Sendable, CaseIterable {
        /// A batch is evaluated; nothing of it is written.
        case evaluated
        /// A batch is durable; no submitter has an answer.
        case committed
        /// The regions of a change are staged.
        case staged
        /// A change of regions is durable; the sender has no answer.
        case changed
        /// The worker stops; the last checkpoints are not written.
        case stopping
    }

    /// Locations in one batch, about. A larger submission is a batch of its own.
    static let batchLimit = 4096

    enum Phase: Equatable {
        case starting, ready, stopped
        /// The store does not write; a short reason.
        case failing(String)
    }

    struct Published {
        var phase = Phase.starting
        var index: RegionIndex
        var apps: [WatchedApp] = []
    }

    let store: any MonitorStore
    let composer: any MessageComposer
    let settings: MonitorSettings
    let clock: ServiceClock
    let notices: Notices
    let metrics = WorkerMetrics()
    let logger: Logger
    let sleep: @Sendable (Duration) async throws -> Void
    let reached: @Sendable (CrashPoint) -> Void
    let buildsInTurn: Bool
    let succession: WorkerSuccession
    let tracer: Tracer?
    /// What was under way when the former process ended, and is now.
    public let journal: WorkJournal
    let inbox = WorkerInbox()
    let statuses = DeviceStatusCache()
    let published: Mutex<Published>
    let knownSources = Mutex<[String: String]>([:])
    let startup = EventSignal()

    /// A worker; `run` loads its state and starts it. More than five parameters, because each replaces one part of its
    /// surroundings.
    ///
    /// - Parameters:
    ///   - store: the durable state; no other worker uses it.
    ///   - composer: composes the messages of each event.
    ///   - settings: the settings of all devices.
    ///   - clock: the service's time.
    ///   - notices: notifies others of commits.
    ///   - logger: logs failures and recoveries.
    ///   - succession: what comes before and after it in a cluster.
    ///   - journal: what was under way when the former process ended, and is now.
    ///   - tracer: records traces of submissions; `nil` for none.
    ///   - sleep: waits; throws when the task is cancelled.
    ///   - reached: called at each crash point.
    public convenience init(
        store: any MonitorStore, composer: any MessageComposer, settings: MonitorSettings, clock: ServiceClock,
        notices: Notices = Notices(), logger: Logger, succession: WorkerSuccession = WorkerSuccession(),
        journal: WorkJournal = WorkJournal(), tracer: Tracer? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        reached: @escaping @Sendable (CrashPoint) -> Void = { _ in }
    ) {
        self.init(
            store: store, composer: composer, settings: settings, clock: clock, notices: notices, logger: logger,
            sleep: sleep, reached: reached, buildsInTurn: false, succession: succession, journal: journal,
            tracer: tracer)
    }

    /// More than five parameters, because it is the initializer above for simulations.
    ///
    /// `buildsInTurn`: whether the index of changed regions is built on the worker's thread.
    package init(
        store: any MonitorStore, composer: any MessageComposer, settings: MonitorSettings, clock: ServiceClock,
        notices: Notices, logger: Logger, sleep: @escaping @Sendable (Duration) async throws -> Void,
        reached: @escaping @Sendable (CrashPoint) -> Void, buildsInTurn: Bool,
        succession: WorkerSuccession = WorkerSuccession(), journal: WorkJournal = WorkJournal(),
        tracer: Tracer? = nil
    ) {
        (self.succession, self.journal, self.tracer) = (succession, journal, tracer)
        self.buildsInTurn = buildsInTurn
        self.reached = reached
        self.store = store
        self.composer = composer
        self.settings = settings
        self.clock = clock
        self.notices = notices
        self.logger = logger
        self.sleep = sleep
        published = Mutex(Published(index: RegionIndex(RegionCatalog())))
    }

    // MARK: Monitoring

    /// Adds a submission to the inbox and waits until its commit is durable.
    ///
    /// - Throws: `clockNotSet` while the clock is behind; `storeUnavailable` while the store does not write or the
    ///   inbox is full; `stopping` once a shutdown has begun.
    nonisolated(nonsending) public func submit(
        _ submission: Submission
    ) async throws(MonitorFailure) -> SubmissionReceipt {
        if let failure = refusal { throw failure }
        // With a clock that is behind, fixes of the present would be refused for their time, and senders forget them.
        guard clock.status().isBelievable else { throw .clockNotSet }
        let result = await withCheckedContinuation { continuation in
            var reply = SubmissionReply(continuation)
            reply.trace = tracer.flatMap { SubmissionTrace(submission, $0) }
            inbox.add(submission, arrival: clock.now(), reply)
        }
        return try result.get()
    }

    /// Adds several submissions to the inbox, in their order, and waits until all their commits are durable.
    public func submit(_ submissions: [Submission]) async -> [Result<SubmissionReceipt, MonitorFailure>] {
        guard !submissions.isEmpty else { return [] }
        if let failure = refusal ?? (clock.status().isBelievable ? nil : .clockNotSet) {
            return submissions.map { _ in .failure(failure) }
        }
        let arrival = clock.now()
        return await withCheckedContinuation { continuation in
            let replies = SubmissionReply.group(submissions.count, continuation)
            for (submission, reply) in zip(submissions, replies) {
                var reply = reply
                reply.trace = tracer.flatMap { SubmissionTrace(submission, $0) }
                inbox.add(submission, arrival: arrival, reply)
            }
        }
    }

    /// The index of the last change; of no regions before the start.
    public func regions() -> RegionIndex { published.withLock { $0.index } }

    /// The settings of the configuration.
    public func monitorSettings() -> MonitorSettings { settings }

    /// Changes regions between two batches of submissions, and waits until the change is durable.
    public func editRegions(
        _ edit: @escaping @Sendable (RegionCatalog) throws -> RegionEdit
    ) async throws -> RegionCatalog {
        try await editRegions(edit, sources: [:])
    }

    /// Changes regions that come from files, and stores the hashes of the files' objects.
    ///
    /// - Parameters:
    ///   - edit: computes the change from the current regions.
    ///   - sources: as in `WatchChange`.
    /// - Returns: the regions after the change.
    /// - Throws: what `edit` throws, or a `MonitorFailure`; nothing is changed then.
    @discardableResult
    public func editRegions(
        _ edit: @escaping @Sendable (RegionCatalog) throws -> RegionEdit, sources: [String: String?]
    ) async throws -> RegionCatalog {
        guard case .regions(let catalog) = try await perform(.regions(edit, sources: sources)) else {
            preconditionFailure("the answer to a change of regions is the regions")
        }
        return catalog
    }

    /// The apps of the last change; empty before the start.
    public func apps() -> [WatchedApp] { published.withLock { $0.apps } }

    /// Changes apps between two batches of submissions, and waits until the change is durable.
    public func editApps(_ edit: @escaping @Sendable ([WatchedApp]) throws -> AppEdit) async throws {
        try await editApps(edit, sources: [:])
    }

    /// Changes apps that come from files, as `editRegions(_:sources:)`.
    ///
    /// - Parameters:
    ///   - edit: computes the change from the current apps.
    ///   - sources: as in `WatchChange`.
    /// - Throws: what `edit` throws, or a `MonitorFailure`; nothing is changed then.
    public func editApps(
        _ edit: @escaping @Sendable ([WatchedApp]) throws -> AppEdit, sources: [String: String?]
    ) async throws {
        _ = try await perform(.apps(edit, sources: sources))
    }

    /// Performs steps between two batches of submissions, and waits until their results are durable.
    public func take(steps: [AppStep], app id: String) async throws -> [StepReport]? {
        guard case .steps(let reports) = try await perform(.steps(steps, app: id)) else {
            preconditionFailure("the answer to steps is reports")
        }
        return reports
    }

    /// The status as of the last durable commit.
    public func device(_ id: DeviceID) -> DeviceStatus? { statuses.status(of: id) }

    /// Statuses as of the last durable commit. The first call after a new device sorts all ids.
    public func devices(after id: DeviceID?, in region: RegionID?, limit: Int) -> [DeviceStatus] {
        statuses.statuses(after: id, in: region, limit: limit)
    }

    /// Statuses that changed since an earlier call, as of the last durable commit.
    public func devices(
        changedSince version: Int64, after id: DeviceID?, limit: Int
    ) -> (devices: [DeviceStatus], version: Int64) {
        statuses.statuses(changedSince: version, after: id, limit: limit)
    }

    /// Removes a device between two batches of submissions, and waits until that is durable.
    public func forget(_ device: DeviceID) async throws -> Bool {
        guard case .forgotten(let wasKnown) = try await perform(.forget(device)) else {
            preconditionFailure("the answer to a removal is whether the device was known")
        }
        return wasKnown
    }

    /// The rules of the configuration, with their groups.
    public func configuredAlerts() -> [AlertRule] { settings.alerts }

    /// The proximity rules of the configuration.
    public func configuredProximity() -> [ProximityRule] { settings.proximity }

    /// Takes over the stored alert rules and groups between two batches, and waits until that is durable.
    public func alertRulesDidChange() async throws { _ = try await perform(.alerts) }

    /// Changes a fence as a batch of its own.
    public func changeFence(of device: DeviceID, _ command: FenceCommand) async throws -> FenceAnswer {
        // A fence that is armed in the past would take locations of before for those of now.
        guard clock.status().isBelievable else { throw MonitorFailure.clockNotSet }
        guard case .fence(let answer) = try await take(.fence(command, device)) else {
            preconditionFailure("the answer to a command is about the fence")
        }
        return answer
    }

    /// Ready once the state is loaded, and again after a failure of the store has ended.
    public func readiness() -> (isReady: Bool, reason: String?) {
        switch published.withLock({ $0.phase }) {
        case .starting: (false, "starting")
        case .ready: (true, nil)
        case .stopped: (false, "stopping")
        case .failing(let reason): (false, reason)
        }
    }

    /// Returns when the state is loaded, or the task is cancelled.
    public func waitUntilStarted() async {
        while !Task.isCancelled {
            let generation = startup.generation
            if published.withLock({ $0.phase }) != .starting { return }
            await startup.wait(since: generation)
        }
    }

    /// Hashes of the objects last read from configuration files, as in `MonitorState.sources`; empty before the start.
    public func sources() -> [String: String] { knownSources.withLock { $0 } }

    /// Takes a step of history between two batches; durable on return.
    func take(_ step: HistoryStep) async throws(MonitorFailure) -> HistoryAnswer {
        if let failure = refusal { throw failure }
        let result = await withCheckedContinuation { continuation in inbox.add(step, continuation) }
        return try result.get()
    }

    var refusal: MonitorFailure? {
        switch published.withLock({ $0.phase }) {
        // Submissions that arrive while the state is loaded wait in the inbox.
        case .starting, .ready: nil
        case .failing: .storeUnavailable
        case .stopped: .stopping
        }
    }

    func perform(_ work: WorkerChange.Work) async throws -> WorkerChange.Answer {
        if let failure = refusal { throw failure }
        return try await withCheckedThrowingContinuation { continuation in
            let change = WorkerChange(work: work) { continuation.resume(with: $0) }
            if !inbox.add(change) { continuation.resume(throwing: MonitorFailure.stopping) }
        }
    }
}
