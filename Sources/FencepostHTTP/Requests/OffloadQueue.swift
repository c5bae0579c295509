import Dispatch
import Synchronization

/// Long computations of requests, such as parsing a large file, on a thread of their own (rule L8).
///
/// Swift's concurrent tasks share one thread per core: two large files on two cores would leave no thread for
/// `/healthz` (rule A10). A computation is done in slices. After each slice it is the turn of another owner, so the
/// request of one token waits for one slice of each other token, not for their files.
package final class OffloadQueue: Sendable {
    /// Bodies with more bytes than this are processed on the queue.
    package static let threshold = 1 << 18

    /// Performs one slice; returns whether the computation is complete.
    typealias Slices = @Sendable () -> Bool

    private struct State {
        var turns = Turns<Slices>()
        var isRunning = false
    }

    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// - Parameter name: what is computed, for the name of the thread.
    package init(_ name: String) {
        queue = DispatchQueue(label: "fencepost.server.\(name)")
    }

    /// Runs a computation of several slices.
    ///
    /// - Parameters:
    ///   - owner: who shares the queue with others; the computations of one owner are done one after the other.
    ///   - work: the state of the computation.
    ///   - step: performs one slice; returns the result with the last one.
    /// - Returns: the result of the last slice.
    /// - Throws: the first error of `step`, which ends the computation.
    package func run<Work: ~Copyable, Value: Sendable>(
        for owner: String, _ work: consuming sending Work,
        _ step: @escaping @Sendable (inout Work) throws -> Value?
    ) async throws -> Value {
        let work = SlicedWork(work)
        return try await withCheckedThrowingContinuation { continuation in
            add(owner) {
                do {
                    guard let value = try work.state.withLock({ try step(&$0) }) else { return false }
                    continuation.resume(returning: value)
                } catch {
                    continuation.resume(throwing: error)
                }
                return true
            }
        }
    }

    /// Runs a computation that cannot be divided.
    package func run<Value: Sendable>(
        for owner: String, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            add(owner) {
                continuation.resume(with: Result { try work() })
                return true
            }
        }
    }

    /// Runs the work on the queue when the input has more bytes than the threshold, else at once.
    nonisolated(nonsending) package func run<Value: Sendable>(
        for owner: String, bytes: Int, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        bytes > OffloadQueue.threshold ? try await run(for: owner, work) : try work()
    }

    private func add(_ owner: String, _ slices: @escaping Slices) {
        let starts = state.withLock { state in
            state.turns.add(slices, of: owner)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { queue.async { self.runSlices() } }
    }

    private func runSlices() {
        while true {
            let turn = state.withLock { state in
                let turn = state.turns.next()
                if turn == nil { state.isRunning = false }
                return turn
            }
            guard let turn else { return }
            if !turn.job() { state.withLock { $0.turns.putBack(turn.job, of: turn.owner) } }
        }
    }
}

/// Holds the state of a computation between its slices.
private final class SlicedWork<Work: ~Copyable>: Sendable {
    let state: Mutex<Work>

    init(_ work: consuming sending Work) {
        state = Mutex(work)
    }
}

/// Jobs of several owners, of which each has its turn: a round robin over owners, first in first out within one.
struct Turns<Job> {
    private var jobs: [String: [Job]] = [:]
    /// The owners with jobs; the first one is next.
    private var order: [String] = []

    init() {}

    var isEmpty: Bool { order.isEmpty }

    /// Adds a job behind the others of its owner.
    mutating func add(_ job: Job, of owner: String) {
        if jobs[owner, default: []].isEmpty { order.append(owner) }
        jobs[owner, default: []].append(job)
    }

    /// Puts a job that is not complete before the others of its owner, whose next turn comes after those of all others.
    mutating func putBack(_ job: Job, of owner: String) {
        if jobs[owner, default: []].isEmpty { order.append(owner) }
        jobs[owner, default: []].insert(job, at: 0)
    }

    /// Removes the next job; its owner is then behind the others.
    mutating func next() -> (owner: String, job: Job)? {
        guard !order.isEmpty else { return nil }
        let owner = order.removeFirst()
        guard var rest = jobs.removeValue(forKey: owner), !rest.isEmpty else { return next() }
        let job = rest.removeFirst()
        if !rest.isEmpty {
            jobs[owner] = rest
            order.append(owner)
        }
        return (owner, job)
    }
}
