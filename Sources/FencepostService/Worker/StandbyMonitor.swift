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
        /// The events since the last end of the copy.
        var comparison = ReplayComparison()
        /// The epoch of the copy at its last end; `nil` when not all events since then can be compared.
        var comparedEpoch: UInt64?
        /// The epoch of what was read last.
        var epoch: UInt64 = 0
        var replayFloor: LogPosition = 0
        /// What failed last; it is logged once.
        var problem: String?
        /// When everything may be loaded again.
        var nextLoad: ContinuousClock.Instant

        init(_ states: any FollowedStates, _ now: ContinuousClock.Instant) {
            (self.states, nextLoad) = (states, now)
        }
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

    /// Differences that are logged at a time.
    private static let loggedDifferences = 10
    /// Log entries that are read at a time.
    private static let batch = 64
    /// The shortest pause after a load, and how many times as long as that it is at least.
    private static let (pause, pauseFactor) = (Duration.seconds(1), 10)

    private let queue = DispatchQueue(label: "fencepost-standby", target: .global(qos: .utility))
    private nonisolated(unsafe) let state: State  // because it is used on the queue only
    private let settings: MonitorSettings
    private let journal: WorkJournal
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    /// Whether it is to follow already.
    private let isPlanned = Mutex(false)
    private let ready = Mutex(false)
    /// The epoch whose leader has this version.
    private let ownEpoch = Mutex<UInt64?>(nil)
    private let onDivergence: @Sendable (Int) -> Void

    /// Whether it has followed the copy to its end at least once since it was loaded.
    public var isReady: Bool { ready.withLock { $0 } }

    /// - Parameters:
    ///   - states: the copy's state; closed by `close()`.
    ///   - settings: this node's settings, for a state that has none yet.
    ///   - journal: what was under way when the former process ended, and is now.
    ///   - logger: logs what fails.
    ///   - now: the time by which it pauses between loads.
    ///   - onDivergence: called with the number of events that only its evaluation or only the leader had.
    public init(
        _ states: sending any FollowedStates, settings: MonitorSettings, journal: WorkJournal = WorkJournal(),
        logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        onDivergence: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        state = State(states, now())
        (self.settings, self.journal, self.logger) = (settings, journal, logger)
        self.now = now
        self.onDivergence = onDivergence
    }

    /// Follows the copy as soon as its thread is free, without waiting for it.
    ///
    /// - Parameter epoch: the epoch whose leader has this version, so that the events of this monitor have to be those that the
    ///   leader has stored; `nil` when it has another version, or that is not known.
    public func followSoon(comparing epoch: UInt64? = nil) {
        ownEpoch.withLock { $0 = epoch }
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

    /// Describes the first difference between this state, which has followed its copy, and one that was just loaded from it;
    /// `nil` when they are equal. For tests.
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
            guard try compare() else { return }
            state.problem = nil
            ready.withLock { $0 = true }
        } catch {
            drop()
            state.nextLoad = max(state.nextLoad, now() + Self.pause)
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
        let start = now()
        switch loading {
        case .now: break
        case .later: if start < state.nextLoad { return false }
        case .never: return false
        }
        let (loaded, floor) = try state.states.load()
        state.session = try MonitorSession.standby(loaded, settings: settings, journal: journal)
        state.replayFloor = floor
        state.ahead = Dictionary(
            loaded.devices.map { ($0.deviceID, $0.position) }, uniquingKeysWith: { first, _ in first })
        state.comparedEpoch = nil
        let end = now()
        state.nextLoad = end + max(Self.pause, (end - start) * Self.pauseFactor)
        return true
    }

    /// Takes what came; true at the end of the copy.
    private func step() throws -> Bool {
        let delta = try state.states.delta(
            after: state.session?.position ?? 0, floor: state.replayFloor, limit: Self.batch)
        (state.replayFloor, state.epoch) = (delta.replayFloor, delta.epoch)
        // Entries up to the floor cannot be replayed any more.
        if delta.known != nil { state.comparedEpoch = nil }
        guard try state.session?.follow(delta, &state.ahead, &state.comparison) ?? false else {
            drop()
            return false
        }
        return !delta.hasMore
    }

    /// Compares the events since the last end of the copy; false when they differ. Everything is loaded again then, so that the
    /// leader's states are what counts.
    private func compare() throws -> Bool {
        // Epochs rise: where both ends have the same, all between them is of it.
        defer { state.comparedEpoch = state.epoch }
        guard state.epoch == ownEpoch.withLock({ $0 }), state.epoch == state.comparedEpoch else {
            state.comparison = ReplayComparison()
            return true
        }
        let differences = try state.comparison.end { try state.states.hasEvent($0) }
        guard !differences.isEmpty else { return true }
        onDivergence(differences.count)
        for difference in differences.prefix(Self.loggedDifferences) {
            var metadata: Logger.Metadata = [
                "device": "\(difference.event.deviceID)", "event": "\(difference.event.id)",
            ]
            if let position = difference.position { metadata["position"] = "\(position)" }
            logger.error(
                difference.position == nil
                    ? "the leader has an event that this node's evaluation has not"
                    : "this node's evaluation has an event that the leader has not", metadata: metadata)
        }
        drop()
        return false
    }
}
