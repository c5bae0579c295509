import FencepostGeometry

#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostGeometry
    import FencepostModel
    import FencepostSimulator
    import Foundation

    /// The state of a simulated device: the simulation, the movement, and the pending callbacks of the app.
    struct SimulatedState: Sendable {
        /// A manager of one process. Managers of an ended process are unknown to the next.
        struct ManagerID: Hashable, Sendable {
            var process: Int
            var number: Int
        }

        struct Manager: Sendable {
            var id: ManagerID
            var reference = ManagerReference(nil)
            /// Whether the delegate received the first callback, which every new manager makes.
            var hasReportedStatus = false
            var services: Set<Service> = []
            var desiredAccuracy = kCLLocationAccuracyBest
            var distanceFilter = kCLDistanceFilterNone
            var allowsBackground = false
            var showsIndicator = false
            var pauses = true
            var headingFilter = 1.0
            /// The last heading that the delegate received, in degrees.
            var lastHeading: Double?
            var lastUpdate: Coordinate?
            var constraints: [CLBeaconIdentityConstraint] = []
        }

        /// A pending callback and its recipients.
        struct Pending: Sendable {
            var callback: Callback
            /// The recipients; `nil` for every manager.
            var to: [ManagerID]?
            /// The index of the delivery that the callback belongs to.
            var delivery: Int?
        }

        var simulation: CoreLocationSimulation
        let parameters: DeviceParameters
        /// The number of launches so far, by the user or by the system.
        var process = 0
        var managerCount = 0
        var managers: [Manager] = []
        var pending: [Pending] = []
        /// The handlers of the app that wait for an answer.
        var replies: [AppReply] = []
        /// What the device's geocoder knows.
        var placemarks: [CLPlacemark] = []
        /// The indexes of deliveries that wait until the launch code has run.
        var arrivals: [Int] = []
        /// Whether the launch code of the app has to run.
        var mustLaunch = false
        /// Whether the launch options of the running process have the location key.
        var hasLocationKey = false

        var prompt: Prompt?
        var deliveries: [Delivery] = []
        var payloads: [Int: Payload] = [:]
        var errors: [ServiceError] = []
        var crash: Crash?
        var report = StepReport()
        var regions: [String: RegionRecord] = [:]
        /// The regions that the app is registering. A failure callback needs their objects.
        var requested: [String: RegionRecord] = [:]

        var movement: Movement
        var heading: CLHeading?
        /// The last beacon that the device detected. It refines the events of conditions with wildcards.
        var lastBeacon: CLBeacon?
        var fullAccuracyRequests: [(token: Int, manager: ManagerID)] = []
        var tokenCount = 0
        var monitors: [String: MonitorBox] = [:]
        /// The names of the monitors that this process has opened.
        var openedMonitors: Set<String> = []
        var loops: [Int: Mailbox<CLLocationUpdate>] = [:]
        var sessions: [Int: LiveSession] = [:]
        var handleCount = 0
        /// The number of loops in the previous process. The next process is expected to begin as many.
        var expectedLoops = 0

        init(
            _ device: DeviceState, gate: RelaunchGate, parameters: DeviceParameters, start: Timestamp,
            at place: Coordinate?
        ) {
            var device = device
            // `SimulatedDevice` launches the app and counts the managers as the app makes them.
            if device.lifecycle != .terminated {
                let isNew = device.grant == .notDetermined && device.services.isEmpty
                device.terminatedBy = isNew ? .neverLaunched : .system
                device.appEverLaunched = !isNew
                device.lifecycle = .terminated
            }
            (device.managers, device.delegateSetAtLaunch) = (1, true)
            simulation = CoreLocationSimulation(device, gate: gate)
            self.parameters = parameters
            movement = Movement(at: place, since: start)
            for object in device.services {
                if let record = RegionRecord(object) { regions[record.identifier] = record }
            }
            _ = simulation.handle(Step(.query(.status), at: start))
            watchBoundaries()
        }

        var device: DeviceState { simulation.device }
        var now: Timestamp { simulation.now ?? Timestamp(milliseconds: 0) }
        var date: Date { Date(now) }
        var isRunning: Bool { device.lifecycle.isRunning }

        var status: CLAuthorizationStatus {
            switch device.reportedStatus {
            case .notDetermined, .unknownFutureValue: .notDetermined
            case .restricted: .restricted
            case .denied: .denied
            case .authorizedAlways: .authorizedAlways
            case .authorizedWhenInUse: .authorizedWhenInUse
            }
        }

        var accuracyAuthorization: CLAccuracyAuthorization {
            device.hasReducedAccuracy ? .reducedAccuracy : .fullAccuracy
        }

        var monitoredRegions: [RegionRecord] { simulation.final.monitoredRegions.compactMap { regions[$0] } }
        var isAuthorized: Bool { device.grant.isAuthorized && device.locationServicesEnabled }

        /// Whether the platform has the service, whatever the app may do.
        func isAvailable(_ service: Service) -> Bool {
            var probe = device
            probe.grant = .always
            probe.locationServicesEnabled = true
            probe.lifecycle = .foreground
            return CoreLocationSimulation(probe, gate: simulation.gate).startableServices.contains(service)
        }
    }

    // MARK: Steps

    extension SimulatedState {
        /// Performs one step and records the resulting callbacks.
        @discardableResult mutating func perform(
            _ verb: Verb, payload: Payload? = nil, by manager: ManagerID? = nil
        ) -> StepReport {
            let before = device
            var payload = payload
            if payload == nil, case .event(let event) = verb { payload = self.payload(of: event) }
            let actions = simulation.handle(Step(verb))
            let isNewProcess = before.lifecycle == .terminated && device.lifecycle != .terminated
            if isNewProcess {
                beginProcess()
                hasLocationKey = device.passesLaunchKey && actions.contains(where: Self.launchesForLocation)
            }
            var hasChanged = false
            for action in actions {
                switch action {
                case .prompt(let shown): prompt = shown
                case .callback: hasChanged = true
                case .deliver(let delivery):
                    deliveries.append(delivery)
                    payloads[deliveries.count - 1] = payload?.dated(by: delivery)
                    if delivery.outcome == .delivered { arrivals.append(deliveries.count - 1) }
                case .settle(let index, let settlement):
                    deliveries[index].settled = settlement
                    if settlement.outcome == .delivered { arrivals.append(index) }
                case .fail(let error): fail(error, manager)
                case .crash(let crash): self.crash = crash
                case .report(let report): self.report = report
                case .missingKeys, .appMust, .warn: break
                }
            }
            if case .answer = verb, report.effect == "answered" { userAnswered() }
            if before.lifecycle != .terminated, device.lifecycle == .terminated { endProcess() }
            guard isRunning else { return report }
            let notified = report
            // After a launch, the first callback of each new manager reports the changes.
            if hasChanged, !isNewProcess { pending.append(Pending(callback: .authorization)) }
            if !mustLaunch { deliverArrivals() }
            if hasChanged { authorizationChanged() }
            report = notified
            return notified
        }

        private static func launchesForLocation(_ action: Action) -> Bool {
            switch action {
            case .deliver(let delivery): delivery.relaunch
            case .settle(_, let settlement): settlement.relaunch
            case .prompt, .callback, .fail, .crash, .report, .missingKeys, .appMust, .warn: false
            }
        }

        private mutating func userAnswered() {
            let answered = prompt
            prompt = nil
            guard answered?.kind == .temporaryFullAccuracy else { return }
            for request in fullAccuracyRequests {
                pending.append(Pending(callback: .fullAccuracyAnswered(request.token, nil), to: [request.manager]))
            }
            fullAccuracyRequests = []
        }

        private mutating func beginProcess() {
            process += 1
            managers = []
            (pending, replies) = ([], [])
            mustLaunch = true
        }

        /// The number of loops that the app iterates.
        var loopCount: Int {
            monitors.values.count(where: \.isIterated) + loops.count
                + sessions.values.count { $0.diagnostics.isAwaited }
        }

        private mutating func endProcess() {
            expectedLoops = loopCount
            managers = []
            (pending, replies) = ([], [])
            arrivals = []
            mustLaunch = false
            fullAccuracyRequests = []
            if prompt?.kind != .second, prompt?.kind != .reminder { prompt = nil }
            for name in monitors.keys { monitors[name]?.close() }
            for loop in loops.values { loop.finish() }
            for session in sessions.values { session.diagnostics.finish() }
            (loops, sessions, openedMonitors) = ([:], [:], [])
        }

        private mutating func fail(_ error: ServiceError, _ manager: ManagerID?) {
            errors.append(error)
            let code: CLError.Code
            switch error.code {
            case .denied: code = .denied
            case .regionMonitoringDenied: code = .regionMonitoringDenied
            case .regionMonitoringFailure: code = .regionMonitoringFailure
            case .promptDeclined: code = .promptDeclined
            case .missingPushExtension, .missingEntitlement, .unsupportedPlatform: return
            }
            let recipients = manager.map { [$0] }
            if let record = error.region.flatMap({ requested[$0] ?? regions[$0] }) {
                pending.append(Pending(callback: .monitoringFailed(record, CLError(code)), to: recipients))
            } else {
                pending.append(Pending(callback: .failed(CLError(code)), to: recipients))
            }
        }

        /// Makes the callbacks for the events that were delivered.
        mutating func deliverArrivals() {
            let due = arrivals
            arrivals = []
            for index in due {
                guard let payload = payloads.removeValue(forKey: index) else { continue }
                hand(over: payload, of: deliveries[index].event.service, index)
            }
        }

        private mutating func hand(over payload: Payload, of service: Service, _ index: Int) {
            func listeners(_ isOne: (Manager) -> Bool) -> [ManagerID] { managers.filter(isOne).map(\.id) }
            switch payload {
            case .crossing(let record, let isInward):
                pending.append(
                    Pending(callback: isInward ? .entered(record) : .exited(record), to: nil, delivery: index))
                pending.append(Pending(callback: .determined(isInward ? .inside : .outside, record)))
            case .visit(let visit): pending.append(Pending(callback: .visited(visit), to: nil, delivery: index))
            case .condition(let name, let event): monitors[name]?.send(event)
            case .location(let location) where service == .liveUpdates:
                for loop in loops.values { loop.send(CLLocationUpdate(location: location)) }
            case .location(let location):
                let recipients = listeners { manager in
                    manager.services.contains(service)
                        && (service != .standardUpdates || manager.wants(location.coordinate.coordinate))
                }
                guard !recipients.isEmpty || service != .standardUpdates else { return }
                for number in managers.indices where recipients.contains(managers[number].id) {
                    managers[number].lastUpdate = location.coordinate.coordinate
                    if service == .requestLocation { managers[number].services.remove(service) }
                }
                pending.append(Pending(callback: .located([location]), to: recipients, delivery: index))
            case .heading(let heading):
                let recipients = listeners { $0.wants(heading) }
                for number in managers.indices where recipients.contains(managers[number].id) {
                    managers[number].lastHeading = heading.magneticHeading
                }
                pending.append(Pending(callback: .turned(heading), to: recipients, delivery: index))
            case .beacons(let beacons):
                for manager in managers {
                    for constraint in manager.constraints {
                        let detected = beacons.filter { constraint.isMet(by: $0) }
                        pending.append(
                            Pending(callback: .ranged(detected, constraint), to: [manager.id], delivery: index))
                    }
                }
            }
        }

        /// Starts the services that waited for the permission, and fails those that lost it.
        private mutating func authorizationChanged() {
            if isAuthorized {
                restartUpdates()
                produceFirst(.standardUpdates)
                produceFirst(.requestLocation)
                produceFirst(.liveUpdates)
                determineConditions()
            } else if device.reportedStatus == .denied || device.reportedStatus == .restricted {
                let recipients = managers.filter {
                    $0.services.contains(.standardUpdates) || $0.services.contains(.requestLocation)
                }
                if !recipients.isEmpty {
                    pending.append(Pending(callback: .failed(CLError(.denied)), to: recipients.map(\.id)))
                }
                for index in managers.indices { managers[index].services.remove(.requestLocation) }
                if device.services.contains(where: { $0.service == .requestLocation && $0.isActive }) {
                    perform(.stop(.requestLocation, identifier: nil))
                }
            }
            notifySessions()
            guard device.system.isAtLeast(18), !isAuthorized else { return }
            let flags = report(on: .liveUpdates)
            for loop in loops.values { loop.send(CLLocationUpdate(location: nil, flags: flags)) }
        }
    }

    extension SimulatedState.Manager {
        /// Whether the manager updates headings, and its filter accepts this one.
        func wants(_ heading: CLHeading) -> Bool {
            guard services.contains(.heading) else { return false }
            guard let lastHeading, headingFilter > 0 else { return true }
            let angle = (heading.magneticHeading - lastHeading).magnitude
            return min(angle, 360 - angle) >= headingFilter
        }

        /// Whether the distance filter accepts an update at this place.
        func wants(_ place: Coordinate) -> Bool {
            guard distanceFilter > 0, let lastUpdate else { return true }
            return Geodesic.distance(lastUpdate, place) >= distanceFilter
        }
    }

    extension Date {
        init(_ moment: Timestamp) { self.init(timeIntervalSince1970: Double(moment.milliseconds) / 1000) }
    }

    extension Timestamp {
        init(_ date: Date) { self.init(milliseconds: Int64(clamped: (date.timeIntervalSince1970 * 1000).rounded())) }
    }
#endif
