#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostModel
    import FencepostSimulator
    import Foundation
    import Synchronization

    /// The part of a simulated device that app code uses from any task: the state behind a lock.
    ///
    /// App code finds it by a task-local value, which the app's tasks inherit. No code of the app is called under the
    /// lock. `SimulatedDevice` calls the delegates within its own calls.
    final class DeviceCore: Sendable {
        @TaskLocal static var current: DeviceCore?

        private let state: Mutex<SimulatedState>

        init(_ state: SimulatedState) {
            self.state = Mutex(state)
        }

        /// The current device. Without one, a new device without permissions, on which nothing happens.
        static func forApp() -> DeviceCore {
            if let current { return current }
            let text =
                "FencepostCoreLocation: no simulated device is current here, so nothing will happen; "
                + "let the app's code run inside of a call of SimulatedDevice.\n"
            FileHandle.standardError.write(Data(text.utf8))
            let detached = SimulatedState(
                DeviceState(), gate: RelaunchGate(), parameters: DeviceParameters(), start: .init(milliseconds: 0),
                at: nil)
            return DeviceCore(detached)
        }

        func read<Value: Sendable>(_ body: (SimulatedState) -> Value) -> Value { state.withLock { body($0) } }

        @discardableResult func change<Value: Sendable>(_ body: (inout SimulatedState) -> Value) -> Value {
            state.withLock { body(&$0) }
        }

        /// Runs a call of the app. The call of a process that has ended has no effect.
        ///
        /// A task that runs only after the app is suspended may still begin its loops. The simulation refuses all other
        /// calls of an app that does not run.
        @discardableResult func app<Value: Sendable>(
            _ process: Int, _ body: (inout SimulatedState) -> Value
        ) -> Value? {
            state.withLock { state in
                let isAlive = state.process == process && state.device.lifecycle != .terminated
                return isAlive ? body(&state) : nil
            }
        }

        var date: Date { read { $0.date } }

        // MARK: Managers

        func addManager() -> SimulatedState.ManagerID {
            change { state in
                state.managerCount += 1
                let id = SimulatedState.ManagerID(process: state.process, number: state.managerCount)
                state.managers.append(SimulatedState.Manager(id: id))
                return id
            }
        }

        func attach(_ manager: CLLocationManager) {
            let reference = ManagerReference(manager)
            update(manager.id) { $0.reference = reference }
        }

        func removeManager(_ id: SimulatedState.ManagerID) {
            change { state in
                let ended = state.managers.first { $0.id == id }?.services ?? []
                // The updates of this manager end with it. Monitoring belongs to the app and continues.
                for service in ended where service.endsWithTheProcess {
                    if state.isRunning { state.stop(service, by: id) }
                }
                state.managers.removeAll { $0.id == id }
            }
        }

        func update(_ id: SimulatedState.ManagerID, _ body: (inout SimulatedState.Manager) -> Void) {
            change { state in
                guard let index = state.managers.firstIndex(where: { $0.id == id }) else { return }
                body(&state.managers[index])
            }
        }
    }

    /// A call of the app's code that waits until the device delivers callbacks.
    ///
    /// It is sound for the same reason as `ManagerReference`: the app and the `SimulatedDevice` belong to one actor or one
    /// thread.
    struct AppReply: Sendable {
        private nonisolated(unsafe) let body: () -> Void  // because only the thread of the app calls its handler
        private let wasMadeOnMainThread = Thread.isMainThread

        init(_ body: @escaping () -> Void) { self.body = body }

        /// Calls the app. Call it on the thread on which the request was made.
        func call(for _: borrowing SimulatedDevice) {
            precondition(
                !wasMadeOnMainThread || Thread.isMainThread,
                "A handler of the main actor is called on it alone: use SimulatedDevice there too.")
            body()
        }
    }

    /// A weak reference to a manager, by which `SimulatedDevice` calls its delegate.
    ///
    /// Here and in `AppReply` the compiler does not check concurrency. A manager is not `Sendable`,
    /// as in Core Location, and app code makes it on any thread. It is sound by a rule: the managers of an app and the
    /// `SimulatedDevice` belong to one actor or one thread. For the main thread each call checks it.
    struct ManagerReference: Sendable {
        private nonisolated(unsafe) weak let manager: CLLocationManager?  // because only the app's one thread uses it
        private let wasMadeOnMainThread = Thread.isMainThread

        init(_ manager: CLLocationManager?) {
            self.manager = manager
        }

        /// Whether the manager exists.
        var isAlive: Bool { manager != nil }

        /// The manager while it exists. Call it on the thread on which the manager was made.
        func manager(for _: borrowing SimulatedDevice) -> CLLocationManager? {
            precondition(
                !wasMadeOnMainThread || manager == nil || Thread.isMainThread,
                "A CLLocationManager of the main actor is called on it alone: use SimulatedDevice there too.")
            return manager
        }
    }
#endif
