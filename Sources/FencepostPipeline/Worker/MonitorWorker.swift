public import FencepostModel
public import FencepostMonitor
public import FencepostRegions
public import FencepostSimulator
public import Logging
public import ServiceLifecycle
import Synchronization

/// The one writer: takes what was handed over in groups, evaluates it, and answers when it is durable.
///
/// Senders that wait while a group is being written make the next group, so that many share the cost of one sync.
public final class MonitorWorker: Monitoring {
    /// What the worker tells others of after a commit.
    public struct Notices: Sendable {
        /// There are new deliveries for these endpoints.
        public var deliveries: @Sendable (Set<String>) -> Void
        /// There are new events.
        public var events: EventSignal

        public init(
            deliveries: @escaping @Sendable (Set<String>) -> Void = { _ in }, events: EventSignal = EventSignal()
        ) {
            self.deliveries = deliveries
            self.events = events
        }
    }

    /// Where a test may end the process, to see that nothing is lost there and nothing told twice.
    public enum CrashPoint: String, Sendable, CaseIterable {
        /// A group is evaluated, and nothing of it written.
        case evaluated
        /// It is written, and nobody has an answer.
        case committed
        /// A change of regions or apps is written, and nobody has an answer.
        case changed
        /// The last states are to be written.
        case stopping
    }

    /// About how many fixes share a commit at most.
    static let groupLimit = 4096

    private enum Phase: Equatable {
        case starting, ready, stopped
        /// The store does not write; the reason in a few words.
        case failing(String)
    }

    private struct Published {
        var phase = Phase.starting
        var index: RegionIndex
        var apps: [WatchedApp] = []
        /// Whether an index is being made for a change.
        var isIndexing = false
    }

    private let store: any MonitorStore
    private let composer: any MessageComposer
    private let settings: MonitorSettings
    private let clock: ServiceClock
    private let notices: Notices
    private let metrics = WorkerMetrics()
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    private let reached: @Sendable (CrashPoint) -> Void
    private let inbox = WorkerInbox()
    private let board = DeviceBoard()
    private let published: Mutex<Published>
    private let startup = EventSignal()

    /// - Parameters:
    ///   - sleep: waits, or throws when the task is cancelled.
    ///   - reached: told of each crash point that is come to.
    public init(
        store: any MonitorStore, composer: any MessageComposer, settings: MonitorSettings, clock: ServiceClock,
        notices: Notices = Notices(), logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        reached: @escaping @Sendable (CrashPoint) -> Void = { _ in }
    ) {
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

    public func submit(_ submission: Submission) async throws(MonitorFailure) -> SubmissionReceipt {
        if let failure = refusal { throw failure }
        let result = await withCheckedContinuation { continuation in
            inbox.add(submission, arrival: clock.now(), continuation)
        }
        return try result.get()
    }

    public func regions() -> RegionIndex { published.withLock { $0.index } }

    public func editRegions(
        _ edit: @escaping @Sendable (RegionCatalog) throws -> RegionEdit
    ) async throws -> RegionCatalog {
        try await editRegions(edit, sources: [:])
    }

    /// Edits regions that come from files, and notes what the files said.
    ///
    /// - Parameter sources: as in `WatchChange`.
    @discardableResult
    public func editRegions(
        _ edit: @escaping @Sendable (RegionCatalog) throws -> RegionEdit, sources: [String: String?]
    ) async throws -> RegionCatalog {
        guard case .regions(let catalog) = try await perform(.regions(edit, sources: sources)) else {
            preconditionFailure("a change of regions answers with regions")
        }
        return catalog
    }

    public func apps() -> [WatchedApp] { published.withLock { $0.apps } }

    public func editApps(_ edit: @escaping @Sendable ([WatchedApp]) throws -> AppEdit) async throws {
        try await editApps(edit, sources: [:])
    }

    /// As `editRegions(_:sources:)`.
    public func editApps(
        _ edit: @escaping @Sendable ([WatchedApp]) throws -> AppEdit, sources: [String: String?]
    ) async throws {
        _ = try await perform(.apps(edit, sources: sources))
    }

    public func take(steps: [AppStep], app id: String) async throws -> [StepReport]? {
        guard case .steps(let reports) = try await perform(.steps(steps, app: id)) else {
            preconditionFailure("steps answer with reports")
        }
        return reports
    }

    public func device(_ id: DeviceID) -> DeviceStatus? { board.status(of: id) }

    public func devices(after id: DeviceID?, in region: RegionID?, limit: Int) -> [DeviceStatus] {
        board.statuses(after: id, in: region, limit: limit)
    }

    public func forget(_ device: DeviceID) async throws -> Bool {
        guard case .forgotten(let wasKnown) = try await perform(.forget(device)) else {
            preconditionFailure("to forget answers whether the device was known")
        }
        return wasKnown
    }

    public func readiness() -> (isReady: Bool, reason: String?) {
        switch published.withLock({ $0.phase }) {
        case .starting: (false, "starting")
        case .ready: (true, nil)
        case .stopped: (false, "stopping")
        case .failing(let reason): (false, reason)
        }
    }

    /// Returns when the state was loaded, or the task was cancelled.
    public func waitUntilStarted() async {
        while !Task.isCancelled {
            let generation = startup.generation
            if published.withLock({ $0.phase }) != .starting { return }
            await startup.wait(since: generation)
        }
    }

    /// What was last taken from the config, as of the last start or change; empty before the start.
    public func sources() -> [String: String] { knownSources.withLock { $0 } }
    private let knownSources = Mutex<[String: String]>([:])

    private var refusal: MonitorFailure? {
        switch published.withLock({ $0.phase }) {
        // What comes while the state is being loaded waits for it.
        case .starting, .ready: nil
        case .failing: .storeUnavailable
        case .stopped: .stopping
        }
    }

    private func perform(_ work: WorkerChange.Work) async throws -> WorkerChange.Answer {
        if let failure = refusal { throw failure }
        return try await withCheckedThrowingContinuation { continuation in
            let change = WorkerChange(work: work) { continuation.resume(with: $0) }
            if !inbox.add(change) { continuation.resume(throwing: MonitorFailure.stopping) }
        }
    }
}

extension MonitorWorker: ServiceLifecycle.Service {
    /// Runs until graceful shutdown or until the store cannot be read at the start.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Deadlines are in whole seconds at best; to look at them each second is enough.
                while !Task.isCancelled {
                    try? await self.sleep(.seconds(1))
                    self.inbox.tick()
                }
            }
            group.addTask {
                await withGracefulShutdownHandler {
                    await Self.untilCancelled()
                } onGracefulShutdown: {
                    self.inbox.close()
                }
                self.inbox.close()
            }
            do {
                try await self.work()
            } catch {
                self.enter(.stopped)
                self.inbox.close()
                await self.refuseWaiting(with: .stopping)
                group.cancelAll()
                throw error
            }
            self.enter(.stopped)
            await self.refuseWaiting(with: .stopping)
            group.cancelAll()
        }
    }

    private static func untilCancelled() async {
        let never = EventSignal()
        await never.wait(since: 0)
    }

    private func enter(_ phase: Phase) {
        published.withLock { $0.phase = phase }
        startup.raise()
    }

    /// Sessions one after the other: a failed write ends one, and the next begins when the store writes again.
    private func work() async throws {
        var isFirst = true
        while true {
            do {
                try await serve()
                return
            } catch let failure as StoreFailure {
                logger.error("the store does not write", metadata: ["error": "\(failure.underlying)"])
                metrics.storeFailed()
                enter(.failing("storage does not write"))
            } catch {
                // Before anything was served it is for whoever started the service to see.
                if isFirst { throw error }
                logger.error("the monitor stopped and begins again", metadata: ["error": "\(error)"])
                enter(.failing("monitor failed"))
            }
            isFirst = false
            while true {
                await refuseWaiting(with: .storeUnavailable)
                if inbox.isClosed { return }
                try? await sleep(.seconds(1))
                if (try? await store.probe()) != nil { break }
            }
        }
    }

    private struct StoreFailure: Error {
        let underlying: any Error
    }

    /// One session, from the reading of the store to the end, or to the first write that fails.
    private func serve() async throws {
        var session = try await MonitorSession.load(store: store, composer: composer, settings: settings)
        knownSources.withLock { $0 = session.sources }
        board.replaceAll(session.deviceIDs.compactMap { session.status(of: $0) })
        board.update([], live: session.livePositions)
        let (index, apps) = (session.engine.index, session.watchedApps)
        published.withLock { published in
            published.index = index
            published.apps = apps
            published.phase = .ready
        }
        startup.raise()
        logger.info(
            "monitor ready",
            metadata: ["devices": "\(session.engine.deviceCount)", "regions": "\(index.catalog.count)"])
        // Changes that wait for an index that is being made.
        var waiting: [WorkerChange] = []
        var isIndexing = false
        try await withThrowingTaskGroup(of: Void.self) { builders in
            defer { for change in waiting { change.answer(.failure(MonitorFailure.storeUnavailable)) } }
            try await withThrowingTaskGroup(of: Void.self) { writes in
                // While a group is written the next one is evaluated; when nobody waits, the end of the write is.
                var flight: Group?
                while true {
                    var items = inbox.poll(locations: Self.groupLimit)
                    if items.isEmpty {
                        try await self.land(&flight, &writes)
                        guard let next = await inbox.next(locations: Self.groupLimit) else { break }
                        items = next
                    }
                    guard case .change(let change)? = items.first else {
                        try await self.take(items, &session, &flight, &writes)
                        continue
                    }
                    try await self.land(&flight, &writes)
                    if isIndexing, !change.isIndexed {
                        waiting.append(change)
                        continue
                    }
                    var next: WorkerChange? = change
                    while let change = next {
                        next = nil
                        if let build = try await self.make(change, &session) {
                            isIndexing = true
                            builders.addTask(operation: build)
                        } else {
                            isIndexing = false
                            if !waiting.isEmpty { next = waiting.removeFirst() }
                        }
                    }
                }
            }
            reached(.stopping)
            try await self.writing { try await session.checkpointAll(at: self.clock.now()) }
        }
    }

    /// Runs something that writes, and tells its failure from others.
    private func writing<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw StoreFailure(underlying: error)
        }
    }

    /// Submissions that are evaluated together, and who waits for them.
    private struct Group {
        var submissions: [Submission] = []
        var senders: [CheckedContinuation<Result<SubmissionReceipt, MonitorFailure>, Never>] = []
        var firstArrival: Timestamp?
        var turn = MonitorSession.Turn(commit: Commit(position: 0, receivedAt: .distantPast))

        func refuse() { for sender in senders { sender.resume(returning: .failure(.storeUnavailable)) } }
    }

    /// Evaluates what came while the group before is being written, and then has it written.
    private func take(
        _ items: [WorkerInbox.Item], _ session: inout MonitorSession, _ flight: inout Group?,
        _ writes: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        var group = Group()
        var ticks = false
        for item in items {
            switch item {
            case .submission(let submission, let arrival, let sender):
                group.submissions.append(submission)
                group.senders.append(sender)
                group.firstArrival = group.firstArrival ?? arrival
            case .tick: ticks = true
            case .change: preconditionFailure("a change comes by itself")
            }
        }
        do {
            let start = ContinuousClock.now
            group.turn = try await session.evaluate(
                group.submissions, at: clock.now(), ticks: ticks, while: flight?.turn)
            if !group.submissions.isEmpty { metrics.evaluated(in: ContinuousClock.now - start) }
            reached(.evaluated)
            try await land(&flight, &writes)
        } catch {
            group.refuse()
            // What is on its way may arrive all the same, and then its senders are told so.
            try? await land(&flight, &writes)
            throw error is StoreFailure ? error : StoreFailure(underlying: error)
        }
        guard let write = session.write(of: group.turn) else { return answer(group) }
        writes.addTask(operation: write)
        flight = group
    }

    /// Waits for the group that is being written, and answers its senders.
    private func land(_ flight: inout Group?, _ writes: inout ThrowingTaskGroup<Void, any Error>) async throws {
        guard let group = flight else { return }
        flight = nil
        do {
            try await writes.next()
        } catch {
            group.refuse()
            throw StoreFailure(underlying: error)
        }
        reached(.committed)
        answer(group)
    }

    private func answer(_ group: Group) {
        publish(group.turn)
        for (sender, receipt) in zip(group.senders, group.turn.receipts) { sender.resume(returning: .success(receipt)) }
        metrics.committed(group.turn.commit, submissions: group.submissions, receipts: group.turn.receipts)
        if !group.turn.commit.events.isEmpty, let first = group.firstArrival {
            metrics.delayed(by: clock.now() - first)
        }
    }

    /// Shows what is durable now, and wakes who waits for it.
    private func publish(_ turn: MonitorSession.Turn) {
        board.update(turn.statuses, live: turn.commit.livePositions)
        if !turn.commit.events.isEmpty { notices.events.raise() }
        if !turn.commit.deliveries.isEmpty { notices.deliveries(Set(turn.commit.deliveries.map(\.endpointID))) }
    }

    /// Makes a change.
    ///
    /// - Returns: what is to be run beside the monitor before the change can be made, if anything.
    private func make(
        _ change: WorkerChange, _ session: inout MonitorSession
    ) async throws -> (@Sendable () async -> Void)? {
        let now = clock.now()
        do {
            switch change.work {
            case .regions(let makeEdit, let sources):
                var catalog = session.engine.catalog
                let edit: RegionEdit
                do {
                    edit = try makeEdit(catalog)
                } catch {
                    change.answer(.failure(error))
                    return nil
                }
                guard !edit.changed.isEmpty || !edit.removed.isEmpty || !sources.isEmpty else {
                    change.answer(.success(.regions(catalog)))
                    return nil
                }
                catalog.update(edit.changed, removing: edit.removed)
                let (next, inbox) = (catalog, inbox)
                return {
                    let change = WorkerChange(
                        work: .indexed(RegionIndex(next), WatchChange(edit, to: next, sources: sources)),
                        answer: change.answer)
                    if !inbox.add(change, evenWhenClosed: true) {
                        change.answer(.failure(MonitorFailure.stopping))
                    }
                }
            case .indexed(let index, let stored):
                let turn = try await session.replace(index, stored, at: now)
                reached(.changed)
                published.withLock { $0.index = index }
                knownSources.withLock { $0 = session.sources }
                publish(turn)
                metrics.committed(turn.commit, submissions: [], receipts: [])
                change.answer(.success(.regions(index.catalog)))
            case .apps(let makeEdit, let sources):
                let edit: AppEdit
                let apps: [WatchedApp]
                do {
                    edit = try makeEdit(session.watchedApps)
                    apps = try session.watchedApps.applying(edit)
                } catch {
                    change.answer(.failure(error))
                    return nil
                }
                try await session.replace(apps, edit, sources: sources, at: now)
                published.withLock { $0.apps = apps }
                knownSources.withLock { $0 = session.sources }
                change.answer(.success(.done))
            case .steps(let steps, let app):
                let reports = try await session.take(steps, app: app, at: now)
                let apps = session.watchedApps
                published.withLock { $0.apps = apps }
                change.answer(.success(.steps(reports)))
            case .forget(let device):
                let wasKnown = try await session.forget(device, at: now)
                board.remove(device)
                change.answer(.success(.forgotten(wasKnown)))
            }
        } catch {
            change.answer(.failure(MonitorFailure.storeUnavailable))
            throw StoreFailure(underlying: error)
        }
        return nil
    }

    /// Answers everyone who waits with a failure.
    private func refuseWaiting(with failure: MonitorFailure) async {
        for item in inbox.takeAll() {
            switch item {
            case .submission(_, _, let sender): sender.resume(returning: .failure(failure))
            case .change(let change): change.answer(.failure(failure))
            case .tick: break
            }
        }
    }
}

extension WorkerChange {
    fileprivate var isIndexed: Bool {
        if case .indexed = work { true } else { false }
    }
}

extension [WatchedApp] {
    /// The apps after an edit; those that are changed start anew.
    func applying(_ edit: AppEdit) throws -> [WatchedApp] {
        var apps = filter { !edit.removed.contains($0.app.id) }
        for stored in edit.changed {
            let app = try WatchedApp(stored: stored)
            if let place = apps.firstIndex(where: { $0.app.id == app.app.id }) {
                apps[place] = app
            } else {
                apps.append(app)
            }
        }
        return apps
    }
}
