#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostGeometry
    import FencepostModel
    import FencepostSimulator
    import Foundation

    /// A monitor of one name: the part that lasts from one launch to the next.
    struct MonitorBox: Sendable {
        var records: [String: CLMonitor.Record] = [:]
        /// The identifiers in the order in which the conditions were added.
        var identifiers: [String] = []
        var mailbox = Mailbox<CLMonitor.Event>()
        /// The event that the app is handling.
        var inProgress: CLMonitor.Event?
        var isOpen = false
        var isIterated = false

        func send(_ event: CLMonitor.Event) { mailbox.send(event) }

        /// Ends the loop of a process and keeps the unhandled events for the next process.
        mutating func close() {
            let left = [inProgress].compactMap { $0 } + mailbox.drain()
            mailbox.finish()
            mailbox = Mailbox()
            for event in left { mailbox.send(event) }
            (inProgress, isOpen, isIterated) = (nil, false, false)
        }
    }

    /// A session that the app holds, and the flags of its diagnostics.
    struct LiveSession: Sendable {
        var session: Session
        var diagnostics = Mailbox<Set<String>>()
    }

    /// Monitors, live updates and sessions.
    extension SimulatedState {
        mutating func openMonitor(_ name: String) {
            // For the simulation every monitor of a process stays open until the process ends. The app may have
            // released this one.
            let isReopened = monitors[name]?.isOpen == false && openedMonitors.contains(name)
            if !isReopened { perform(.openMonitor(name)) }
            openedMonitors.insert(name)
            monitors[name, default: MonitorBox()].isOpen = true
        }

        mutating func add(
            _ condition: any CLCondition, _ identifier: String, to name: String, assuming state: CLMonitor.Event.State
        ) {
            var object: ServiceObject
            if let circle = condition as? CLMonitor.CircularGeographicCondition {
                object = ServiceObject(.clMonitorCircular, identifier: identifier)
                object.center = [circle.center.latitude, circle.center.longitude]
                object.radius = circle.radius
            } else {
                object = ServiceObject(.clMonitorBeacon, identifier: identifier)
            }
            object.monitor = name
            perform(.start(object, assuming: state.regionState))
            let event = CLMonitor.Event(identifier: identifier, state: state, date: date)
            let record = CLMonitor.Record(condition: condition, lastEvent: event)
            if monitors[name, default: MonitorBox()].records.updateValue(record, forKey: identifier) == nil {
                monitors[name]?.identifiers.append(identifier)
            }
            movement.forget(.condition(monitor: name, identifier: identifier))
            if isAuthorized { determineConditions() }
            if monitors[name]?.isIterated == true { sendObstacles() }
        }

        mutating func remove(_ identifier: String, from name: String) {
            guard let record = monitors[name]?.records.removeValue(forKey: identifier) else { return }
            monitors[name]?.identifiers.removeAll { $0 == identifier }
            let isCircle = record.condition is CLMonitor.CircularGeographicCondition
            perform(.stop(isCircle ? .clMonitorCircular : .clMonitorBeacon, identifier: identifier))
            watchBoundaries()
        }

        mutating func iterate(_ name: String) -> Mailbox<CLMonitor.Event> {
            let mailbox = monitors[name, default: MonitorBox()].mailbox
            monitors[name]?.isIterated = true
            sendObstacles()
            if isAuthorized { determineConditions() }
            return mailbox
        }

        /// Records the previous event as handled, because the app asks for the next one.
        mutating func handled(by name: String) {
            guard let event = monitors[name]?.inProgress else { return }
            monitors[name]?.inProgress = nil
            monitors[name]?.records[event.identifier]?.lastEvent = event
        }

        /// Iterates the monitor in the simulation, and sends the events that report why conditions are not monitored.
        private mutating func sendObstacles() {
            guard case .list(let events)? = perform(.iterate(.monitorEvents))["events"] else { return }
            for case .members(let members) in events {
                let member = { (name: String) in members.first { $0.name == name }?.value }
                guard case .text(let identifier)? = member("identifier"), case .text(let name)? = member("state"),
                    // Changes of state are delivered already.
                    CLMonitor.Event.State(RegionState(rawValue: name)) == .unmonitored,
                    let monitor = device.services.first(where: {
                        $0.isActive && $0.service.isCondition && $0.identifier == identifier
                    })?.monitor
                else { continue }
                var event = CLMonitor.Event(identifier: identifier, state: .unmonitored, date: date)
                event.flags = Set(members.filter { $0.value == .bool(true) }.map(\.name))
                monitors[monitor]?.send(event)
            }
        }

        // MARK: Live updates

        mutating func beginLoop() -> (Int, Mailbox<CLLocationUpdate>) {
            handleCount += 1
            let mailbox = Mailbox<CLLocationUpdate>()
            let flags = report(on: .liveUpdates)
            loops[handleCount] = mailbox
            if !flags.isEmpty, device.system.isAtLeast(18) {
                mailbox.send(CLLocationUpdate(location: nil, flags: flags))
            }
            let number = handleCount
            produceFirst(.liveUpdates)
            return (number, mailbox)
        }

        mutating func endLoop(_ number: Int) {
            loops.removeValue(forKey: number)?.finish()
            if loops.isEmpty { perform(.stop(.liveUpdates, identifier: nil)) }
        }

        /// The flags that report why an iteration delivers nothing.
        mutating func report(on iteration: Iteration) -> Set<String> { perform(.iterate(iteration)).flags }

        // MARK: Sessions

        mutating func beginSession(_ session: Session) -> (Int, Mailbox<Set<String>>) {
            handleCount += 1
            let number = handleCount
            let live = LiveSession(session: session)
            sessions[number] = live
            let flags = perform(.createSession(session)).flags
            if device.system.isAtLeast(18) { live.diagnostics.send(flags) }
            return (number, live.diagnostics)
        }

        mutating func endSession(_ number: Int) {
            guard let ended = sessions.removeValue(forKey: number) else { return }
            ended.diagnostics.finish()
            if !sessions.values.contains(where: { $0.session == ended.session }) {
                perform(.endSession(ended.session))
            }
        }

        mutating func notifySessions() {
            guard device.system.isAtLeast(18) else { return }
            for (_, live) in sessions.sorted(by: { $0.key < $1.key }) {
                live.diagnostics.send(perform(.createSession(live.session)).flags)
            }
        }
    }
#endif
