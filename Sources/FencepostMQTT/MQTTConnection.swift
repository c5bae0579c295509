import Dispatch
import Synchronization

/// A client of the broker for tasks: its calls wait on a queue of their own, so that no task's thread does.
final class MQTTConnection: Sendable {
    private let client: Mutex<MosquittoClient>
    private let queue = DispatchQueue(label: "fencepost.mqtt")

    init(_ settings: MQTTSettings) throws(MQTTError) {
        client = Mutex(try MosquittoClient.make(settings))
    }

    /// - Returns: false when `stopping` came first; the call then ends by itself.
    func connect(unless stopping: StopSignal) async throws(MQTTError) -> Bool {
        let answer = Answer<Result<Bool, MQTTError>>()
        let registration = stopping.onStop { answer.give(.success(false)) }
        defer { stopping.cancel(registration) }
        call(answer) { client throws(MQTTError) in
            try client.connect()
            return true
        }
        return try await answer.value.get()
    }

    func receive(within milliseconds: Int32) async throws(MQTTError) -> (messages: [MQTTMessage], isSubscribed: Bool) {
        try await call { client throws(MQTTError) in
            (try client.receive(within: milliseconds), client.isSubscribed)
        }
    }

    func acknowledge() async throws(MQTTError) {
        try await call { client throws(MQTTError) in try client.flush() }
    }

    func disconnect() async {
        try? await call { client throws(MQTTError) in client.disconnect() }
    }

    private func call<Value: Sendable>(
        _ body: @escaping @Sendable (inout MosquittoClient) throws(MQTTError) -> Value
    ) async throws(MQTTError) -> Value {
        let answer = Answer<Result<Value, MQTTError>>()
        call(answer, body)
        return try await answer.value.get()
    }

    private func call<Value: Sendable>(
        _ answer: Answer<Result<Value, MQTTError>>,
        _ body: @escaping @Sendable (inout MosquittoClient) throws(MQTTError) -> Value
    ) {
        queue.async { [self] in
            client.withLock { client in
                do throws(MQTTError) {
                    answer.give(.success(try body(&client)))
                } catch {
                    answer.give(.failure(error))
                }
            }
        }
    }
}

/// One value that is waited for; the first that is given counts.
final class Answer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case given(Value)
        case taken
    }

    private let state = Mutex(State.open)

    func give(_ value: Value) {
        let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .given(value)
                return nil
            case .awaited(let continuation):
                state = .taken
                return continuation
            case .given, .taken: return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// To be waited for once.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let given: Value? = state.withLock { state in
                    if case .given(let value) = state {
                        state = .taken
                        return value
                    }
                    state = .awaited(continuation)
                    return nil
                }
                if let given { continuation.resume(returning: given) }
            }
        }
    }
}

/// Says once that it is time to stop.
final class StopSignal: Sendable {
    private struct State {
        var isStopped = false
        var next = 0
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    func stop() {
        let actions = state.withLock { state in
            state.isStopped = true
            defer { state.actions = [:] }
            return state.actions
        }
        for action in actions.values { action() }
    }

    /// Calls the action when it is time, or at once when it is.
    func onStop(_ action: @escaping @Sendable () -> Void) -> Int {
        let number: Int? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.next += 1
            state.actions[state.next] = action
            return state.next
        }
        if number == nil { action() }
        return number ?? 0
    }

    func cancel(_ number: Int) {
        state.withLock { $0.actions[number] = nil }
    }
}
