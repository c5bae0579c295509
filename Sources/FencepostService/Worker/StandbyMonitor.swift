import Dispatch
import FencepostEngine
import FencepostModel
public import FencepostMonitor
public import Logging
import Synchronization

/// The monitor of a node that follows: it evaluates what the leader has stored, so that the node can lead without loading.
///
/// It works on a thread of its own, outside of the concurrency pool. Its events are dropped, since the leader has stored them.
public final class StandbyMonitor: Sendable {
    /// A session that a worker takes over.
    struct Taken: ~Copyable, @unchecked Sendable {  // because nobody else has the session any more
        var session: MonitorSession
    }

    /// Used on the queue only.
    private final class State {
        let states: any FollowedStates
        var session: MonitorSession?
        /// The position of each checkpoint that is ahead of the session.
        var ahead: [DeviceID: LogPosition] = [:]
        var replayFloor: LogPosition = 0
        /// What failed last; it is logged once.
        var problem: String?
        /// When everything may be loaded again.
        var nextLoad = ContinuousClock.now

        init(_ states: any FollowedStates) { self.states = states }
    }

    /// When a state that it does not have is loaded.
    private enum Loading {
        /// At once.
        case now
        /// After a pause that is longer than the last load, since it is in the background.
        case later
        /// Not at all.
        case never
    }

    /// Log entries that are read at a time.
    private static let batch = 64
    /// The shortest pause after a load, and how many times as long as that it is at least.
    private static let (pause, pauseFactor) = (Duration.seconds(1), 10)

    private let queue = DispatchQueue(label: "fencepost-standby", target: .global(qos: .utility))
    private nonisolated(unsafe) let state: State  // because it is used on the queue only
    private let settings: MonitorSettings
    private let logger: Logger
    /// Whether it is to follow already.
    private let isPlanned = Mutex(false)
    private let ready = Mutex(false)

    /// Whether it has followed the copy to its end at least once since it was loaded.
    public var isReady: Bool { ready.withLock { $0 } }

    /// - Parameters:
    ///   - states: the copy's state; closed by `close()`.
    ///   - settings: this node's settings, for a state that has none yet.
    ///   - logger: logs what fails.
    public init(_ states: sending any FollowedStates, settings: MonitorSettings, logger: Logger) {
        state = State(states)
        self.settings = settings
        self.logger = logger
    }

    /// Follows the copy as soon as its thread is free, without waiting for it.
    public func followSoon() {
        guard
            isPlanned.withLock({ isPlanned in
                defer { isPlanned = true }
                return !isPlanned
            })
        else { return }
        queue.async { [self] in
            isPlanned.withLock { $0 = false }
            follow(loading: .later)
        }
    }

    /// Brings it to the end of the copy, which nobody writes meanwhile. A worker loads what it does not have.
    public func finish() async { await finish(loading: .never) }

    private func finish(loading: Loading) async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                follow(loading: loading)
                continuation.resume()
            }
        }
    }

    /// Stops reading, before the file is written by a service or replaced. What it has stays until a worker takes it.
    ///
    /// - Throws: when the copy cannot be closed.
    public func close() async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in continuation.resume(with: Result { try state.states.close() }) }
        }
    }

    /// The session, for the worker of a node that leads now; `nil` when there is none. There is none after it.
    func take() async -> Taken? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Box, Never>) in
            queue.async { [self] in continuation.resume(returning: Box(state.session.take())) }
        }.take()
    }

    /// Carries a session out of the queue.
    private final class Box: @unchecked Sendable {  // because the queue gives it away
        private var session: MonitorSession?

        init(_ session: consuming MonitorSession?) { self.session = session }

        func take() -> Taken? {
            switch session.take() {
            case .some(let session): Taken(session: session)
            case .none: nil
            }
        }
    }

    /// A sentence on what this one, which has followed its copy, has and one that has just loaded it has not; `nil` when they
    /// are equal. For tests.
    package func difference(fromLoaded other: StandbyMonitor) async -> String? {
        await other.finish(loading: .now)
        return await withCheckedContinuation { continuation in
            queue.async { [self] in
                follow(loading: .now)
                continuation.resume(returning: other.queue.sync { compare(state.session, other.state.session) })
            }
        }
    }

    private func compare(_ mine: borrowing MonitorSession?, _ other: borrowing MonitorSession?) -> String? {
        switch mine {
        case .none: return "there is no session: \(state.problem ?? "")"
        case .some(let mine):
            switch other {
            case .none: return "none could be loaded"
            case .some(let other): return mine.difference(from: other)
            }
        }
    }

    // MARK: On the queue

    private func follow(loading: Loading) {
        do {
            repeat {
                guard try state.session != nil || load(loading) else { return }
            } while try !step()
            state.problem = nil
            ready.withLock { $0 = true }
        } catch {
            drop()
            state.nextLoad = max(state.nextLoad, .now + Self.pause)
            let problem = "\(error)"
            if problem != state.problem {
                logger.warning("the states of the copy cannot be followed", metadata: ["error": "\(problem)"])
            }
            state.problem = problem
        }
    }

    private func drop() {
        state.session = nil
        ready.withLock { $0 = false }
    }

    /// Loads everything; false when it is not to.
    private func load(_ loading: Loading) throws -> Bool {
        let start = ContinuousClock.now
        switch loading {
        case .now: break
        case .later: if start < state.nextLoad { return false }
        case .never: return false
        }
        let (loaded, floor) = try state.states.load()
        state.session = try MonitorSession.standby(loaded, settings: settings)
        state.replayFloor = floor
        state.ahead = Dictionary(uniqueKeysWithValues: loaded.devices.map { ($0.deviceID, $0.position) })
        let end = ContinuousClock.now
        state.nextLoad = end + max(Self.pause, (end - start) * Self.pauseFactor)
        return true
    }

    /// Takes what came; true at the end of the copy.
    private func step() throws -> Bool {
        let delta = try state.states.delta(
            after: state.session?.position ?? 0, floor: state.replayFloor, limit: Self.batch)
        state.replayFloor = delta.replayFloor
        guard try state.session?.follow(delta, &state.ahead) ?? false else {
            drop()
            return false
        }
        return !delta.hasMore
    }
}

extension MonitorSession {
    /// The session of a node that follows, from the checkpoints of a loaded state, without its log.
    ///
    /// - Throws: a `MonitorStateError`.
    static func standby(_ state: MonitorState, settings: MonitorSettings) throws -> MonitorSession {
        var session = try MonitorSession(state, settings: settings, store: UnusedStore(), composer: NoMessages())
        try session.restore(state.devices)
        // The log is replayed from its beginning.
        session.position = 0
        return session
    }

    /// Does what a start does with what came since it was loaded.
    ///
    /// - Parameters:
    ///   - delta: what came.
    ///   - ahead: the positions of checkpoints that are ahead of the session.
    /// - Returns: false when it has to be loaded again.
    /// - Throws: a `MonitorStateError`, or an error of the evaluation.
    mutating func follow(_ delta: StateDelta, _ ahead: inout [DeviceID: LogPosition]) throws -> Bool {
        guard delta.regionRevision == engine.catalog.revision, !delta.isWatchChanged else { return false }
        if let known = delta.known {
            // With the change that raised the floor every state got a checkpoint.
            for device in engine.deviceIDs where !known.contains(device) { drop(device) }
        } else if delta.removed.contains(where: { engine.deviceIndex(of: $0) != nil }) {
            return false
        }
        let former = position
        let checkpoints = delta.checkpoints.filter { $0.position > former }
        for checkpoint in checkpoints {
            ahead[checkpoint.deviceID] = checkpoint.position
            guard let index = engine.deviceIndex(of: checkpoint.deviceID) else { continue }
            roster.forget(checkpoint.deviceID)
            tracker.restart(index)
        }
        try restore(checkpoints)
        for entry in delta.entries { try replay(entry, after: ahead) }
        position = max(position, delta.position)
        let reached = position
        ahead = ahead.filter { $0.value > reached }
        tracker.compact()
        return true
    }

    /// Removes a device from memory.
    mutating func drop(_ device: DeviceID) {
        guard let index = engine.deviceIndex(of: device) else { return }
        engine.forget(device)
        roster.forget(device)
        visits[device] = nil
        tracker.remove(index)
    }

    /// A sentence on the first state that another session does not have; `nil` when all are equal.
    func difference(from other: borrowing MonitorSession) -> String? {
        let (mine, others) = (Set(engine.deviceIDs), Set(other.engine.deviceIDs))
        guard mine == others else {
            return "devices: \(mine.symmetricDifference(others).map(\.rawValue).sorted())"
        }
        for device in mine {
            let (record, loaded) = (record(of: device), other.record(of: device))
            if record != loaded { return "\(device): \(record as Any), loaded: \(loaded as Any)" }
        }
        return position == other.position ? nil : "its position is \(position), that of the store \(other.position)"
    }

    /// Makes a session of a follower the one of a worker.
    ///
    /// - Parameters:
    ///   - frame: the stored state without checkpoints, regions and apps.
    ///   - store: the store that the worker writes to.
    ///   - composer: composes its messages.
    /// - Returns: false when it is not of that state.
    mutating func lead(_ frame: MonitorState, _ store: any MonitorStore, _ composer: any MessageComposer) -> Bool {
        guard frame.position == position, frame.regionRevision == engine.catalog.revision,
            frame.sources[Self.settingsKey] == sources[Self.settingsKey]
        else { return false }
        (self.store, self.composer) = (store, composer)
        (sources, livePositions) = (frame.sources, frame.livePositions)
        history = HistoryState(frame.evaluations)
        stoodBy = true
        return true
    }
}

/// The store of a session that writes nothing.
private struct UnusedStore: MonitorStore {
    func load() throws -> MonitorState { throw MonitorFailure.stopping }
    func log(after position: LogPosition, limit: Int) throws -> [LogEntry] { throw MonitorFailure.stopping }
    func stored(among fixes: [FixKey]) throws -> Set<FixKey> { throw MonitorFailure.stopping }
    func commit(_ commit: Commit) throws { throw MonitorFailure.stopping }
    func checkpoint(_ checkpoints: [DeviceCheckpoint]) throws { throw MonitorFailure.stopping }
    func stage(_ regions: [StoredRegion], removed: [RegionID], revision: UInt32) throws {
        throw MonitorFailure.stopping
    }
    func apply(_ change: WatchChange, with commit: Commit) throws { throw MonitorFailure.stopping }
}
