#if !canImport(CoreLocation)
    import FencepostModel
    import FencepostSimulator
    import Foundation
    import Synchronization

    /// The part of a simulated device that app code reaches, from any task: its state behind a lock.
    ///
    /// App code finds it by a task-local value, which tasks that the app starts inherit. Nothing of the app is called
    /// under the lock, or at all from here: the handle calls delegates, within its own calls.
    final class DeviceCore: Sendable {
        @TaskLocal static var current: DeviceCore?

        private let state: Mutex<DeviceState>

        init(_ state: DeviceState) {
            self.state = Mutex(state)
        }

        /// The current device; without one, a device of nobody, on which nothing is allowed and nothing happens.
        static func forApp() -> DeviceCore {
            if let current { return current }
            let text =
                "FencepostCoreLocation: no simulated device is current here, so nothing will happen; "
                + "let the app's code run inside of a call of SimulatedDevice.\n"
            FileHandle.standardError.write(Data(text.utf8))
            let nobody = DeviceState(
                Given(), gate: RelaunchGate(), parameters: DeviceParameters(), start: .init(milliseconds: 0), at: nil)
            return DeviceCore(nobody)
        }

        func read<Value: Sendable>(_ body: (DeviceState) -> Value) -> Value { state.withLock { body($0) } }

        @discardableResult func change<Value: Sendable>(_ body: (inout DeviceState) -> Value) -> Value {
            state.withLock { body(&$0) }
        }

        /// A call of the app; of a process that has ended it has no effect.
        ///
        /// A task that gets its turn only when the app is suspended already counts as not too late for its loops; all
        /// else the simulation refuses an app that does not run.
        @discardableResult func app<Value: Sendable>(
            _ process: Int, _ body: (inout DeviceState) -> Value
        ) -> Value? {
            state.withLock { state in
                let isAlive = state.process == process && state.given.lifecycle != .terminated
                return isAlive ? body(&state) : nil
            }
        }

        var date: Date { read { $0.date } }

        // MARK: Managers

        func addManager() -> DeviceState.ManagerID {
            change { state in
                state.managerCount += 1
                let id = DeviceState.ManagerID(process: state.process, number: state.managerCount)
                state.managers.append(DeviceState.Manager(id: id))
                return id
            }
        }

        func attach(_ manager: CLLocationManager) {
            let reference = ManagerReference(manager)
            update(manager.id) { $0.reference = reference }
        }

        func removeManager(_ id: DeviceState.ManagerID) {
            change { state in
                let ended = state.managers.first { $0.id == id }?.services ?? []
                // What only this manager had going ends with it; monitoring is the app's and lasts.
                for service in ended where service.endsWithTheProcess {
                    if state.isRunning { state.stop(service, by: id) }
                }
                state.managers.removeAll { $0.id == id }
            }
        }

        func update(_ id: DeviceState.ManagerID, _ body: (inout DeviceState.Manager) -> Void) {
            change { state in
                guard let index = state.managers.firstIndex(where: { $0.id == id }) else { return }
                body(&state.managers[index])
            }
        }
    }

    /// A manager, for the handle to call its delegate.
    ///
    /// The one place where something passes the compiler by: a manager is not `Sendable`, as Core Location's is not,
    /// and app code makes it wherever it likes. What makes this sound is the rule that an app's managers and the
    /// handle belong to one actor, or else to one thread; where that is the main one, it is checked at each call.
    struct ManagerReference: Sendable {
        // Because a manager is not `Sendable` and is touched by its app's one actor or thread alone, as said above.
        private nonisolated(unsafe) weak let manager: CLLocationManager?
        private let wasMadeOnMainThread = Thread.isMainThread

        init(_ manager: CLLocationManager?) {
            self.manager = manager
        }

        /// The manager while it lives, for whoever is where it was made.
        func manager(for _: borrowing SimulatedDevice) -> CLLocationManager? {
            precondition(
                !wasMadeOnMainThread || manager == nil || Thread.isMainThread,
                "A CLLocationManager of the main actor is called on it alone: use SimulatedDevice there too.")
            return manager
        }
    }
#endif
