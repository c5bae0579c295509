package import FencepostModel
package import FencepostService
import Synchronization

/// The clocks of a simulated machine: true time, a steady clock, and a wall clock that may be wrong.
///
/// Time passes only when nothing else can run: `SeededExecutor` then advances it to the first sleeper.
package final class SimulatedTime: Sendable {
    private struct Sleeper {
        var until: Duration
        var id: UInt64
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var steady = Duration.zero
        var offset = Duration.zero
        var wasSet = false
        var nextID: UInt64 = 0
        var sleepers: [Sleeper] = []
    }

    private let start: Timestamp
    private let state = Mutex(State())

    package init(_ start: Timestamp) {
        self.start = start
    }

    /// Time since the start of the simulation.
    package var elapsed: Duration { state.withLock { $0.steady } }
    /// The time as it is.
    package var now: Timestamp { start + elapsed }
    /// What the machine's wall clock shows.
    package var wall: Timestamp { state.withLock { start + $0.steady + $0.offset } }

    /// Sets the wall clock wrong, or right with zero, as a program or NTP would do.
    package func setWall(offBy offset: Duration) {
        state.withLock { ($0.offset, $0.wasSet) = (offset, true) }
    }

    /// Wall time minus true time.
    package var wallError: Duration { state.withLock { $0.offset } }

    /// A service clock on this machine, as the service makes it at its start.
    package func clock(notBefore floor: Timestamp) -> ServiceClock {
        let start = elapsed
        return ServiceClock(
            steady: { self.elapsed - start }, wall: { self.wall }, notBefore: floor,
            wasSet: {
                self.state.withLock { state in
                    defer { state.wasSet = false }
                    return state.wasSet
                }
            })
    }

    /// Waits for a span of steady time.
    ///
    /// - Throws: when the task is cancelled.
    package func sleep(for span: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    let until = state.steady + max(span, .zero)
                    let index = state.sleepers.firstIndex { $0.until > until } ?? state.sleepers.count
                    state.sleepers.insert(Sleeper(until: until, id: id, continuation: continuation), at: index)
                    return false
                }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(returning: false)
        }
        if !isOver { throw CancellationError() }
    }

    /// Advances to the first sleeper and resumes it.
    ///
    /// - Returns: false when nobody sleeps.
    func advance() -> Bool {
        let sleeper = state.withLock { state in
            if state.sleepers.isEmpty { return Sleeper?.none }
            let first = state.sleepers.removeFirst()
            state.steady = max(state.steady, first.until)
            return first
        }
        sleeper?.continuation.resume(returning: true)
        return sleeper != nil
    }
}
