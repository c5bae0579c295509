#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostModel
    import FencepostSimulator
    import Foundation

    extension SimulatedDevice {
        /// Launches the app if it is due, and delivers all pending callbacks.
        func deliver() {
            // If the app's code uses the handle, the outer call delivers the callbacks.
            guard !isDelivering else { return }
            isDelivering = true
            defer { isDelivering = false }
            DeviceCore.$current.withValue(core) {
                if core.read({ $0.device.lifecycle == .terminated || $0.mustLaunch }) { app = nil }
                if core.change({ $0.consumeLaunch() }) {
                    app = main?()
                    core.change { $0.deliverArrivals() }
                }
                while true {
                    if let next = core.change({ $0.nextPending() }) {
                        call(next)
                    } else if let reply = core.change({ $0.nextReply() }) {
                        reply.call(for: self)
                    } else {
                        break
                    }
                }
                if core.read({ $0.device.lifecycle == .terminated }) { app = nil }
            }
        }

        private func call(_ next: SimulatedState.Call) {
            var notified = 0
            let isNewer = core.read { $0.device.system.isAtLeast(14) }
            for reference in next.references {
                let manager = reference.manager(for: self)
                if manager?.invoke(next.callback, hasNewAuthorizationCallback: isNewer) == true { notified += 1 }
            }
            if let delivery = next.delivery { core.change { $0.note(delivery, notified: notified) } }
        }
    }

    extension SimulatedState {
        /// Whether the app runs its launch code now.
        mutating func consumeLaunch() -> Bool {
            defer { mustLaunch = false }
            return mustLaunch
        }

        /// A callback, the managers that receive it, and the index of its delivery.
        typealias Call = (callback: Callback, references: [ManagerReference], delivery: Int?)

        /// The next handler of the app that waits for an answer.
        mutating func nextReply() -> AppReply? {
            guard isRunning, !replies.isEmpty else { return nil }
            return replies.removeFirst()
        }

        /// The next callback and the managers that receive it.
        mutating func nextPending() -> Call? {
            guard isRunning else { return nil }
            if let index = managers.firstIndex(where: { !$0.hasReportedStatus }) {
                managers[index].hasReportedStatus = true
                return (.authorization, [managers[index].reference], nil)
            }
            guard !pending.isEmpty else { return nil }
            let next = pending.removeFirst()
            let recipients = managers.filter { next.to?.contains($0.id) ?? true }
            return (next.callback, recipients.map(\.reference), next.delivery)
        }

        /// Records how many delegates received a delivery. Without one the event is lost, whatever the gate expected.
        mutating func note(_ index: Int, notified: Int) {
            deliveries[index].managersNotified = notified
            guard notified == 0 else { return }
            if deliveries[index].settled != nil {
                deliveries[index].settled?.outcome = .lost
            } else {
                deliveries[index].outcome = .lost
                let isNotRestarted =
                    deliveries[index].relaunch && deliveries[index].event.service == .significantChange
                    && managers.contains { $0.reference.isAlive }
                deliveries[index].decidingRule = isNotRestarted ? .relaunch33 : .relaunch21
                deliveries[index].because =
                    isNotRestarted
                    ? "The launch code does not start significant changes again, so its process receives nothing."
                    : "No manager of the app has a delegate that receives it."
            }
        }

        func isSettled(loops count: Int) -> Bool {
            let iterated = monitors.values.filter(\.isIterated)
            let isQuiet =
                iterated.allSatisfy { $0.mailbox.isAwaited } && loops.values.allSatisfy(\.isAwaited)
                && pending.isEmpty && replies.isEmpty
            return isQuiet && loopCount >= count
        }

        mutating func turn(to degrees: Double) {
            let course = degrees.truncatingRemainder(dividingBy: 360)
            let turned = CLHeading(
                magneticHeading: course < 0 ? course + 360 : course, trueHeading: course < 0 ? course + 360 : course,
                timestamp: date)
            heading = turned
            guard device.services.contains(where: { $0.service == .heading && $0.isActive }),
                managers.contains(where: { $0.wants(turned) })
                    || !managers.contains(where: { $0.services.contains(.heading) })
            else { return }
            perform(.event(ServiceEvent(.heading, .update)), payload: .heading(turned))
        }
    }
#endif
