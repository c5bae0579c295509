import FencepostAppCommands
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
final class ProcessEvents: Sendable {
    private struct State {
        var isStopping = false
        /// The services that run, by their part of the cluster; a single node has `nil`.
        var services: [ClusterPart?: AsyncStream<ProcessEvent>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Whether the process was asked to end.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// The events for a service that starts now. An earlier stop of the process is the first of them.
    ///
    /// - Parameter part: the part of the cluster that it serves; `nil` for a single node.
    /// - Returns: the events, until the process ends.
    func stream(for part: ClusterPart? = nil) -> AsyncStream<ProcessEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: ProcessEvent.self)
        let isStopping = state.withLock { state in
            state.services[part] = continuation
            return state.isStopping
        }
        if isStopping { continuation.yield(.stop) }
        return stream
    }

    /// Asks the running service of a part to end; the process goes on.
    func stopService(of part: ClusterPart) { state.withLock { $0.services[part] }?.yield(.stop) }

    /// Asks the process to end, as a signal does.
    func stop() {
        let services = state.withLock { state in
            state.isStopping = true
            return state.services.values
        }
        for service in services { service.yield(.stop) }
    }

    /// Handles the signals of the process until the task is cancelled.
    func handleSignals() async {
        for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup) {
            let services = state.withLock { $0.services.values }
            if signal == .sighup {
                for service in services { service.yield(.reload) }
                continue
            }
            let isSecond = state.withLock { state in
                defer { state.isStopping = true }
                return state.isStopping
            }
            if isSecond { ExitStatus.interrupted.endProcess() }
            for service in services { service.yield(.stop) }
        }
    }
}
