import Dispatch
import Synchronization

/// An asynchronous interface to `MosquittoClient`. Its blocking calls run on a dispatch queue.
final class MQTTConnection: Sendable {
    private let client: Mutex<MosquittoClient>
    private let queue = DispatchQueue(label: "fencepost.mqtt")

    init(_ settings: MQTTSettings) throws(MQTTError) {
        client = Mutex(try MosquittoClient.make(settings))
    }

    /// - Returns: false when `stopping` was raised first. The blocking call then ends in the background.
    func connect(unless stopping: StopSignal) async throws(MQTTError) -> Bool {
        let promise = Promise<Result<Bool, MQTTError>>()
        let registration = stopping.onStop { promise.fulfill(.success(false)) }
        defer { stopping.cancel(registration) }
        call(promise) { client throws(MQTTError) in
            try client.connect()
            return true
        }
        return try await promise.value.get()
    }

    func receive(within milliseconds: Int32) async throws(MQTTError) -> (messages: [MQTTMessage], isSubscribed: Bool) {
        try await call { client throws(MQTTError) in
            (try client.receive(within: milliseconds), client.isSubscribed)
        }
    }

    func acknowledge() async throws(MQTTError) {
        try await call { client throws(MQTTError) in try client.flush() }
    }

    func unsubscribe() async {
        try? await call { client throws(MQTTError) in client.unsubscribe() }
    }

    func disconnect() async {
        try? await call { client throws(MQTTError) in client.disconnect() }
    }

    private func call<Value: Sendable>(
        _ body: @escaping @Sendable (inout MosquittoClient) throws(MQTTError) -> Value
    ) async throws(MQTTError) -> Value {
        let promise = Promise<Result<Value, MQTTError>>()
        call(promise, body)
        return try await promise.value.get()
    }

    private func call<Value: Sendable>(
        _ promise: Promise<Result<Value, MQTTError>>,
        _ body: @escaping @Sendable (inout MosquittoClient) throws(MQTTError) -> Value
    ) {
        queue.async { [self] in
            client.withLock { client in
                do throws(MQTTError) {
                    promise.fulfill(.success(try body(&client)))
                } catch {
                    promise.fulfill(.failure(error))
                }
            }
        }
    }
}

/// A value that one task awaits. The first call of `fulfill` sets it, later ones are ignored.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case given(Value)
        case taken
    }

    private let state = Mutex(State.open)

    func fulfill(_ value: Value) {
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

    /// Waits for the value. To be called once.
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

/// A signal that is raised once, with actions.
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

    /// Calls the action when the signal is raised; at once if it is.
    ///
    /// - Returns: a number for `cancel`.
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
