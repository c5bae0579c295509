public import FencepostEngine
public import FencepostModel
public import FencepostMonitor
public import FencepostRegions
public import FencepostSimulator
public import Logging
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
        /// Regions of a change are written ahead of it.
        case staged
        /// A change of regions or apps is written, and nobody has an answer.
        case changed
        /// The last states are to be written.
        case stopping
    }

    /// About how many fixes share a commit at most.
    static let groupLimit = 4096

    enum Phase: Equatable {
        case starting, ready, stopped
        /// The store does not write; the reason in a few words.
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
    let inbox = WorkerInbox()
    let board = DeviceBoard()
    let published: Mutex<Published>
    let startup = EventSignal()

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

    public func devices(
        changedSince version: Int64, after id: DeviceID?, limit: Int
    ) -> (devices: [DeviceStatus], version: Int64) {
        board.statuses(changedSince: version, after: id, limit: limit)
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
    let knownSources = Mutex<[String: String]>([:])

    var refusal: MonitorFailure? {
        switch published.withLock({ $0.phase }) {
        // What comes while the state is being loaded waits for it.
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
