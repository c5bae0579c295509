import FencepostEngine
import FencepostModel
import FencepostSimulator
import Synchronization

/// What waits for the monitor, in the order in which it came.
final class WorkerInbox: Sendable {
    enum Item: Sendable {
        case submission(
            Submission, arrival: Timestamp, CheckedContinuation<Result<SubmissionReceipt, MonitorFailure>, Never>)
        case change(WorkerChange)
        /// The clock may have passed a deadline.
        case tick
    }

    /// Locations that may wait before more are refused: some seconds of work.
    static let limit = 400_000

    private struct State {
        var items: [Item] = []
        var locations = 0
        var isClosed = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Adds a submission unless too much waits already.
    func add(
        _ submission: Submission, arrival: Timestamp,
        _ continuation: CheckedContinuation<Result<SubmissionReceipt, MonitorFailure>, Never>
    ) {
        let refusal = state.withLock { state -> MonitorFailure? in
            if state.isClosed { return .stopping }
            // One that is larger than the limit by itself has its turn when nothing else waits.
            if state.locations > 0, state.locations + submission.locations.count > Self.limit {
                return .storeUnavailable
            }
            state.items.append(.submission(submission, arrival: arrival, continuation))
            state.locations += submission.locations.count
            return nil
        }
        if let refusal { continuation.resume(returning: .failure(refusal)) } else { wake() }
    }

    /// - Returns: whether it will be done; false when the monitor is stopping.
    func add(_ change: WorkerChange, evenWhenClosed: Bool = false) -> Bool {
        let isTaken = state.withLock { state in
            if state.isClosed, !evenWhenClosed { return false }
            state.items.append(.change(change))
            return true
        }
        if isTaken { wake() }
        return isTaken
    }

    func tick() {
        state.withLock { state in
            // One that waits already says the same.
            if case .tick? = state.items.last { return }
            if !state.isClosed { state.items.append(.tick) }
        }
        wake()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Everything that waits, to be refused.
    func takeAll() -> [Item] {
        state.withLock { state in
            defer { (state.items, state.locations) = ([], 0) }
            return state.items
        }
    }

    /// Takes nothing more; what waits is still handed out.
    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    /// What `next` would give now; empty when it would wait.
    func poll(locations: Int) -> [Item] { state.withLock { Self.take(&$0, locations) } }

    /// The next items: submissions up to about `locations` of them, or one change; `nil` after the last one.
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

    private static func take(_ state: inout State, _ limit: Int) -> [Item] {
        var count = 0
        var end = 0
        scan: for item in state.items {
            switch item {
            case .submission(let submission, _, _):
                if count > 0, count + submission.locations.count > limit { break scan }
                count += submission.locations.count
            case .change: if end > 0 { break scan }
            case .tick: break
            }
            end += 1
            if case .change = item { break }
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

/// Something that stands between submissions: what comes before it is done without it, what comes after with it.
struct WorkerChange: Sendable {
    enum Work: Sendable {
        case regions(@Sendable (RegionCatalog) throws -> RegionEdit, sources: [String: String?])
        /// What an edit of regions takes time for is made beside the monitor; this is its return.
        case prepared(RegionReplacement, WatchChange)
        /// The same, of an edit that changes nothing.
        case dropped(Result<Answer, any Error>)
        /// The same, of one that could not be written ahead.
        case failed(any Error)
        case apps(@Sendable ([WatchedApp]) throws -> AppEdit, sources: [String: String?])
        case steps([AppStep], app: String)
        case forget(DeviceID)
    }

    enum Answer: Sendable {
        case regions(RegionCatalog)
        case steps([StepReport]?)
        case forgotten(Bool)
        case done
    }

    var work: Work
    var answer: @Sendable (Result<Answer, any Error>) -> Void
}
