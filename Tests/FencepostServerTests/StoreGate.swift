import ServiceLifecycle
import Synchronization

/// Holds one access to a store, so that another request runs between two accesses of a request.
final class StoreGate: Sendable {
    private struct State {
        /// Accesses that pass before one is held; `nil` when none is held any more.
        var passing: Int?
        var held: CheckedContinuation<Void, Never>?
        var waiting: CheckedContinuation<Bool, Never>?
        var outcome: Bool?
    }

    /// Whether accesses of the task are never held: those of the worker, for which other requests wait.
    @TaskLocal static var isOpen = false

    private let state = Mutex(State())

    /// Holds an access from now on.
    ///
    /// - Parameter count: the number of accesses that pass before.
    func arm(after count: Int) {
        state.withLock { state in
            state.passing = count
            state.outcome = nil
        }
    }

    /// Called before each access.
    func pass() async {
        guard !Self.isOpen else { return }
        await withCheckedContinuation { continuation in
            let (isHeld, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Bool, Never>?) in
                guard let passing = state.passing else { return (false, nil) }
                guard passing == 0 else {
                    state.passing = passing - 1
                    return (false, nil)
                }
                state.passing = nil
                state.held = continuation
                return (true, Self.finish(&state, true))
            }
            if !isHeld { continuation.resume() }
            waiting?.resume(returning: true)
        }
    }

    /// The request has ended, whether or not an access was held.
    func requestDidEnd() {
        let waiting = state.withLock { state in
            state.passing = nil
            return Self.finish(&state, false)
        }
        waiting?.resume(returning: false)
    }

    /// Waits until an access is held or the request has ended.
    ///
    /// - Returns: whether an access is held.
    func untilHeld() async -> Bool {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiting = continuation }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    /// Lets the held access go on.
    func release() {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held
        }
        held?.resume()
    }

    private static func finish(_ state: inout State, _ outcome: Bool) -> CheckedContinuation<Bool, Never>? {
        guard state.outcome == nil else { return nil }
        state.outcome = outcome
        defer { state.waiting = nil }
        return state.waiting
    }
}

/// A service whose accesses to the store no gate holds.
struct UngatedService: Service {
    let service: any Service

    func run() async throws {
        try await StoreGate.$isOpen.withValue(true) { try await service.run() }
    }
}
