import FencepostModel
import Synchronization
import UnixSignals

/// What a running service is asked to do from outside: by a signal, or by the cluster.
enum ProcessEvent: Hashable, Sendable {
    case reload, stop
}

/// The signals of the process as events, of which a node hands on those that come while it leads.
///
/// SIGTERM and SIGINT shut down, a second one exits at once, SIGHUP reloads the configuration (rule O4).
package final class ProcessEvents: Sendable {
    private struct State {
        var isStopping = false
        /// The services that run, or begin, by their part of the cluster; a single node has `nil`.
        var services: [ClusterPartition?: Service] = [:]
        /// What is called once when the process is asked to end.
        var actions: [@Sendable () -> Void] = []
    }

    private struct Service {
        let stream: AsyncStream<ProcessEvent>
        let continuation: AsyncStream<ProcessEvent>.Continuation
    }

    private let state = Mutex(State())

    /// Events of a process that runs.
    package init() {}

    /// Whether the process was asked to end.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Calls something when the process is asked to end; at once when it was.
    func whenStopping(_ action: @escaping @Sendable () -> Void) {
        let isStopping = state.withLock { state in
            if !state.isStopping { state.actions.append(action) }
            return state.isStopping
        }
        if isStopping { action() }
    }

    /// Keeps events from now on for a service that starts in a moment. An earlier stop of the process is the first of them.
    ///
    /// - Parameter part: the part of the cluster that it serves; `nil` for a single node.
    func open(for part: ClusterPartition?) {
        let (stream, continuation) = AsyncStream.makeStream(of: ProcessEvent.self)
        let isStopping = state.withLock { state in
            state.services[part] = Service(stream: stream, continuation: continuation)
            return state.isStopping
        }
        if isStopping { continuation.yield(.stop) }
    }

    /// Forgets a service that has ended.
    func close(for part: ClusterPartition?) { state.withLock { $0.services[part] = nil } }

    /// The events for a service that starts now, until the process ends.
    ///
    /// - Parameter part: the part of the cluster that it serves; `nil` for a single node.
    /// - Returns: the events.
    func stream(for part: ClusterPartition? = nil) -> AsyncStream<ProcessEvent> {
        if let service = state.withLock({ $0.services[part] }) { return service.stream }
        open(for: part)
        return stream(for: part)
    }

    /// Asks the running service of a part to end; the process goes on.
    func stopService(of part: ClusterPartition) { state.withLock { $0.services[part] }?.continuation.yield(.stop) }

    /// Asks all services of the process to reload the configuration, as a signal does.
    package func reload() {
        for service in state.withLock({ $0.services.values }) { service.continuation.yield(.reload) }
    }

    /// Asks the process to end, as a signal does.
    package func stop() { _ = beginsToStop() }

    /// - Returns: whether it was asked to end for the first time.
    private func beginsToStop() -> Bool {
        let (isFirst, services, actions) = state.withLock { state in
            defer { (state.isStopping, state.actions) = (true, []) }
            return (!state.isStopping, state.services.values, state.actions)
        }
        for service in services { service.continuation.yield(.stop) }
        for action in actions { action() }
        return isFirst
    }

    /// Handles the signals of the process until the task is cancelled.
    ///
    /// - Parameter endAtOnce: ends the process, for the second signal to stop.
    package func handleSignals(_ endAtOnce: @Sendable () -> Void) async {
        for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup) {
            if signal == .sighup {
                reload()
            } else if !beginsToStop() {
                endAtOnce()
            }
        }
    }
}
