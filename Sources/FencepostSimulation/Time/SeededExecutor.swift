import FencepostModel
import Foundation
import Synchronization

/// Runs the jobs of a task tree on one thread, in an order that follows from a seed.
///
/// It is the preferred executor of the simulation's task, so that child tasks, default actors and functions without
/// isolation run on it too. When no job is ready, simulated time advances.
package final class SeededExecutor: TaskExecutor {
    /// Why a run ended.
    package enum End: Hashable, Sendable {
        case finished
        /// The task waits, but nothing is ready and nobody sleeps.
        case stuck
        /// More jobs than allowed: something goes in circles.
        case tooManyJobs
    }

    private struct State {
        var ready: [UnownedJob] = []
        var random: SplitMix64
        var trace = TraceHash()
        var jobs = 0
    }

    private let time: SimulatedTime
    private let state: Mutex<State>
    private let thread = pthread_self()

    /// An executor for the calling thread.
    package init(seed: UInt64, time: SimulatedTime) {
        self.time = time
        state = Mutex(State(random: SplitMix64(seed: seed)))
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        precondition(
            pthread_equal(thread, pthread_self()) != 0, "a job of the simulation comes from another thread")
        let job = UnownedJob(job)
        state.withLock { $0.ready.append(job) }
    }

    /// Jobs so far.
    package var jobCount: Int { state.withLock { $0.jobs } }
    /// Hash of the order of all jobs so far.
    package var trace: UInt64 { state.withLock { $0.trace.value } }

    /// Runs a task to its end.
    package func run(limit: Int, _ body: @escaping @Sendable () async -> Void) -> End {
        let done = Done()
        Task(executorPreference: self) {
            await body()
            done.isSet.store(true, ordering: .relaxed)
        }
        while !done.isSet.load(ordering: .relaxed) {
            if let job = nextJob() {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if !time.advance() {
                return .stuck
            }
            if jobCount > limit { return .tooManyJobs }
        }
        return .finished
    }

    private final class Done: Sendable {
        let isSet = Atomic(false)
    }

    /// Usually the oldest job, so that the order is like that of a real machine, and sometimes any other one.
    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            guard !state.ready.isEmpty else { return nil }
            var index = 0
            if state.ready.count > 1, Int.random(in: 0..<3, using: &state.random) == 0 {
                index = Int.random(in: 0..<state.ready.count, using: &state.random)
            }
            state.jobs += 1
            state.trace.add(UInt64(index), UInt64(state.ready.count))
            return state.ready.remove(at: index)
        }
    }
}
