import FencepostModel
import Synchronization

/// The worker's queue of submissions and changes, in order of arrival.
final class WorkerInbox: Sendable {
    enum Item: Sendable {
        case submission(Submission, arrival: Timestamp, SubmissionReply)
        case change(WorkerChange)
        case history(HistoryStep, CheckedContinuation<Result<HistoryAnswer, MonitorFailure>, Never>)
        case indexBuildEnded(IndexBuild)
        /// A second has passed, and with it perhaps a deadline.
        case tick
    }

    /// Locations that may wait. Beyond this, submissions are refused: backpressure at a few seconds of work.
    static let limit = 400_000

    private struct State {
        var items: [Item] = []
        var locations = 0
        var isClosed = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Adds a submission. Refuses it when the inbox is closed or full.
    func add(_ submission: Submission, arrival: Timestamp, _ reply: SubmissionReply) {
        let refusal = state.withLock { state -> MonitorFailure? in
            if state.isClosed { return .stopping }
            // A submission larger than the limit is accepted when no other location waits.
            if state.locations > 0, state.locations + submission.locations.count > Self.limit {
                return .storeUnavailable
            }
            state.items.append(.submission(submission, arrival: arrival, reply))
            state.locations += submission.locations.count
            return nil
        }
        if let refusal { reply.resume(returning: .failure(refusal)) } else { wake() }
    }

    /// - Returns: false when the inbox is closed; the change is not accepted then.
    func add(_ change: WorkerChange) -> Bool {
        let isAccepted = state.withLock { state in
            if state.isClosed { return false }
            state.items.append(.change(change))
            return true
        }
        if isAccepted { wake() }
        return isAccepted
    }

    /// Adds a step of history. Refuses it when the inbox is closed.
    func add(_ step: HistoryStep, _ continuation: CheckedContinuation<Result<HistoryAnswer, MonitorFailure>, Never>) {
        let isAccepted = state.withLock { state in
            if state.isClosed { return false }
            state.items.append(.history(step, continuation))
            return true
        }
        if isAccepted { wake() } else { continuation.resume(returning: .failure(.stopping)) }
    }

    /// Adds the result of an index build, also to a closed inbox.
    func add(_ build: IndexBuild) {
        state.withLock { $0.items.append(.indexBuildEnded(build)) }
        wake()
    }

    func tick() {
        state.withLock { state in
            // One tick at the end of the queue is enough.
            if case .tick? = state.items.last { return }
            if !state.isClosed { state.items.append(.tick) }
        }
        wake()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Locations that wait.
    var locationCount: Int { state.withLock { $0.locations } }

    /// Removes all items, which the caller then refuses.
    func takeAll() -> [Item] {
        state.withLock { state in
            defer { (state.items, state.locations) = ([], 0) }
            return state.items
        }
    }

    /// Accepts nothing more. Items that wait are still returned by `poll` and `next`.
    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    /// As `next`, without waiting: empty when there is nothing.
    func poll(locations: Int) -> [Item] { state.withLock { Self.take(&$0, locations) } }

    /// Waits for the next items: submissions with up to about `locations` locations, or one change, or one index build, or
    /// one step of history.
    ///
    /// - Returns: `nil` when the inbox is closed and empty.
    func next(locations: Int) async -> [Item]? {
        while true {
            let (items, isOver) = state.withLock { state in (Self.take(&state, locations), state.isClosed) }
            if !items.isEmpty { return items }
            if isOver { return nil }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.items.isEmpty || state.isClosed { return true }
                    state.waiting = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    /// Removes the first items: submissions and ticks up to the limit or the first other item, or one other item alone.
    private static func take(_ state: inout State, _ limit: Int) -> [Item] {
        var count = 0
        var end = 0
        scan: for item in state.items {
            switch item {
            case .submission(let submission, _, _):
                if count > 0, count + submission.locations.count > limit { break scan }
                count += submission.locations.count
                end += 1
            case .tick:
                end += 1
            case .change, .indexBuildEnded, .history:
                if end == 0 { end = 1 }
                break scan
            }
        }
        state.locations -= count
        guard end < state.items.count else {
            defer { state.items = [] }
            return state.items
        }
        let items = Array(state.items[..<end])
        state.items.removeFirst(end)
        return items
    }

    private func wake() {
        let continuation = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        continuation?.resume()
    }
}
