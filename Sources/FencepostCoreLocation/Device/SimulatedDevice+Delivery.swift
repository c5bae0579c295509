#if !canImport(CoreLocation)
    import FencepostModel
    import FencepostSimulator
    import Foundation

    extension SimulatedDevice {
        /// Tells the app all that it is to hear, launching it first where that is due.
        func deliver() {
            // What the app's own code does with the handle is told by the call that runs it.
            guard !isDelivering else { return }
            isDelivering = true
            defer { isDelivering = false }
            DeviceCore.$current.withValue(core) {
                if core.read({ $0.given.lifecycle == .terminated || $0.mustLaunch }) { app = nil }
                if core.change({ $0.takeLaunch() }) {
                    app = main?()
                    core.change { $0.handOver() }
                }
                while let next = core.change({ $0.takePending() }) {
                    var told = 0
                    let isNewer = core.read { $0.given.system.isAtLeast(14) }
                    for reference in next.references {
                        let manager = reference.manager(for: self)
                        if manager?.tell(next.callback, hasNewAuthorizationCallback: isNewer) == true { told += 1 }
                    }
                    if let delivery = next.delivery { core.change { $0.note(delivery, told: told) } }
                }
                if core.read({ $0.given.lifecycle == .terminated }) { app = nil }
            }
        }
    }

    extension DeviceState {
        /// Whether the app is to run its launch code now.
        mutating func takeLaunch() -> Bool {
            defer { mustLaunch = false }
            return mustLaunch
        }

        /// The next thing to tell, and the managers that hear of it.
        mutating func takePending() -> (callback: Callback, references: [ManagerReference], delivery: Int?)? {
            guard isRunning else { return nil }
            if let index = managers.firstIndex(where: { !$0.hasTold }) {
                managers[index].hasTold = true
                return (.authorization, [managers[index].reference], nil)
            }
            guard !pending.isEmpty else { return nil }
            let next = pending.removeFirst()
            let audience = managers.filter { next.to?.contains($0.id) ?? true }
            return (next.callback, audience.map(\.reference), next.delivery)
        }

        /// Takes down who heard of a delivery: if nobody did, it is lost, whatever the gate expected of the app.
        mutating func note(_ index: Int, told: Int) {
            deliveries[index].managersNotified = told
            guard told == 0 else { return }
            if deliveries[index].settled != nil {
                deliveries[index].settled?.outcome = .lost
            } else {
                deliveries[index].outcome = .lost
                deliveries[index].decidingRule = .relaunch21
                deliveries[index].because = "No manager with a delegate in the app takes it."
            }
        }

        func isSettled(loops count: Int) -> Bool {
            let iterated = monitors.values.filter(\.isIterated)
            let isQuiet =
                iterated.allSatisfy { $0.mailbox.isAwaited } && loops.values.allSatisfy(\.isAwaited)
                && pending.isEmpty
            return isQuiet && loopCount >= count
        }

        mutating func turn(to degrees: Double) {
            let course = degrees.truncatingRemainder(dividingBy: 360)
            let turned = CLHeading(
                magneticHeading: course < 0 ? course + 360 : course, trueHeading: course < 0 ? course + 360 : course,
                timestamp: date)
            heading = turned
            guard given.services.contains(where: { $0.service == .heading && $0.isActive }) else { return }
            perform(.event(ServiceEvent(.heading, .update)), payload: .heading(turned))
        }
    }
#endif
