#if !canImport(CoreLocation)
    import FencepostGeometry
    import FencepostModel
    import FencepostSimulator
    import Foundation

    /// The device, its user's place, and the app on it: the simulation's state with what the app is to hear.
    struct DeviceState: Sendable {
        /// One manager of one process; those of a process that ended are strangers to the next.
        struct ManagerID: Hashable, Sendable {
            var process: Int
            var number: Int
        }

        struct Manager: Sendable {
            var id: ManagerID
            var reference = ManagerReference(nil)
            /// Whether its delegate has heard the status that every new manager tells.
            var hasTold = false
            var services: Set<Service> = []
            var desiredAccuracy = kCLLocationAccuracyBest
            var distanceFilter = kCLDistanceFilterNone
            var allowsBackground = false
            var showsIndicator = false
            var lastUpdate: Coordinate?
            var constraints: [CLBeaconIdentityConstraint] = []
        }

        /// Something to be told, and to whom.
        struct Pending: Sendable {
            var callback: Callback
            /// `nil` for every manager.
            var to: [ManagerID]?
            /// The delivery that it carries out.
            var delivery: Int?
        }

        var simulation: CoreLocationSimulation
        let parameters: DeviceParameters
        /// Counts the app's launches, by whomever.
        var process = 0
        var managerCount = 0
        var managers: [Manager] = []
        var pending: [Pending] = []
        /// Deliveries that are to be handed over once the app has run its launch code.
        var arrivals: [Int] = []
        /// Whether the app has yet to run its launch code.
        var mustLaunch = false

        var prompt: Prompt?
        var deliveries: [Delivery] = []
        var payloads: [Int: Payload] = [:]
        var errors: [ServiceError] = []
        var crash: Crash?
        var report = StepReport()
        var regions: [String: RegionRecord] = [:]
        /// What the app is just asking to monitor, which it is told of by object if that fails.
        var requested: [String: RegionRecord] = [:]

        var walk: Walk
        var heading: CLHeading?
        var fullAccuracyRequests: [(token: Int, manager: ManagerID)] = []
        var tokenCount = 0
        var monitors: [String: MonitorBox] = [:]
        /// The names that this process has opened so far.
        var openedMonitors: Set<String> = []
        var loops: [Int: Mailbox<CLLocationUpdate>] = [:]
        var sessions: [Int: LiveSession] = [:]
        var handleCount = 0
        /// How many loops the process before this one had, and this one so will have.
        var expectedLoops = 0

        init(_ given: Given, gate: RelaunchGate, parameters: DeviceParameters, start: Timestamp, at place: Coordinate?)
        {
            var given = given
            // The handle launches the app; how many managers it makes is counted as it makes them.
            if given.lifecycle != .terminated {
                let isNew = given.grant == .notDetermined && given.services.isEmpty
                given.terminatedBy = isNew ? .neverLaunched : .system
                given.appEverLaunched = !isNew
                given.lifecycle = .terminated
            }
            (given.managers, given.delegateSetAtLaunch) = (1, true)
            simulation = CoreLocationSimulation(given, gate: gate)
            self.parameters = parameters
            walk = Walk(at: place, since: start)
            for object in given.services {
                if let record = RegionRecord(object) { regions[record.identifier] = record }
            }
            _ = simulation.handle(Step(.query(.status), at: start))
            watchBoundaries()
        }

        var given: Given { simulation.given }
        var now: Timestamp { simulation.now ?? Timestamp(milliseconds: 0) }
        var date: Date { Date(now) }
        var isRunning: Bool { given.lifecycle.isRunning }

        var status: CLAuthorizationStatus {
            switch given.reportedStatus {
            case .notDetermined, .unknownFutureValue: .notDetermined
            case .restricted: .restricted
            case .denied: .denied
            case .authorizedAlways: .authorizedAlways
            case .authorizedWhenInUse: .authorizedWhenInUse
            }
        }

        var accuracyAuthorization: CLAccuracyAuthorization {
            given.hasReducedAccuracy ? .reducedAccuracy : .fullAccuracy
        }

        var monitoredRegions: [RegionRecord] { simulation.final.monitoredRegions.compactMap { regions[$0] } }
        var isAuthorized: Bool { given.grant.isAuthorized && given.locationServicesEnabled }

        /// What the platform has, whatever the app may do.
        func isAvailable(_ service: Service) -> Bool {
            var probe = given
            probe.grant = .always
            probe.locationServicesEnabled = true
            probe.lifecycle = .foreground
            return CoreLocationSimulation(probe, gate: simulation.gate).startableServices.contains(service)
        }
    }

    // MARK: Steps

    extension DeviceState {
        /// Takes one step and takes down what is to be told of it.
        @discardableResult mutating func perform(
            _ verb: Verb, payload: Payload? = nil, by manager: ManagerID? = nil
        ) -> StepReport {
            let before = given
            var payload = payload
            if payload == nil, case .event(let event) = verb { payload = self.payload(of: event) }
            let actions = simulation.handle(Step(verb))
            let isNewProcess = before.lifecycle == .terminated && given.lifecycle != .terminated
            if isNewProcess { beginProcess() }
            var hasNews = false
            for action in actions {
                switch action {
                case .prompt(let shown): prompt = shown
                case .callback: hasNews = true
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
            if before.lifecycle != .terminated, given.lifecycle == .terminated { endProcess() }
            guard isRunning else { return report }
            let told = report
            // The first callback of each new manager says what a launch found changed.
            if hasNews, !isNewProcess { pending.append(Pending(callback: .authorization)) }
            if !mustLaunch { handOver() }
            if hasNews { authorizationChanged() }
            report = told
            return told
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
            pending = []
            mustLaunch = true
        }

        /// How many loops of the app there are.
        var loopCount: Int {
            monitors.values.count(where: \.isIterated) + loops.count
                + sessions.values.count { $0.diagnostics.isAwaited }
        }

        private mutating func endProcess() {
            expectedLoops = loopCount
            managers = []
            pending = []
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
            let audience = manager.map { [$0] }
            if let record = error.region.flatMap({ requested[$0] ?? regions[$0] }) {
                pending.append(Pending(callback: .monitoringFailed(record, CLError(code)), to: audience))
            } else {
                pending.append(Pending(callback: .failed(CLError(code)), to: audience))
            }
        }

        /// Puts what was delivered in the way of those who listen.
        mutating func handOver() {
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
                let audience = listeners { manager in
                    manager.services.contains(service)
                        && (service != .standardUpdates || manager.wants(location.coordinate.coordinate))
                }
                guard !audience.isEmpty || service != .standardUpdates else { return }
                for number in managers.indices where audience.contains(managers[number].id) {
                    managers[number].lastUpdate = location.coordinate.coordinate
                    if service == .requestLocation { managers[number].services.remove(service) }
                }
                pending.append(Pending(callback: .located([location]), to: audience, delivery: index))
            case .heading(let heading):
                pending.append(
                    Pending(
                        callback: .turned(heading), to: listeners { $0.services.contains(.heading) }, delivery: index))
            case .beacons(let beacons):
                for manager in managers {
                    for constraint in manager.constraints {
                        let heard = beacons.filter { constraint.isMet(by: $0) }
                        pending.append(
                            Pending(callback: .ranged(heard, constraint), to: [manager.id], delivery: index))
                    }
                }
            }
        }

        /// Starts what waited for the user's word, and fails what may not go on.
        private mutating func authorizationChanged() {
            if isAuthorized {
                restartUpdates()
                produceFirst(.standardUpdates)
                produceFirst(.requestLocation)
                produceFirst(.liveUpdates)
                determineConditions()
            } else if given.reportedStatus == .denied || given.reportedStatus == .restricted {
                let audience = managers.filter {
                    $0.services.contains(.standardUpdates) || $0.services.contains(.requestLocation)
                }
                if !audience.isEmpty {
                    pending.append(Pending(callback: .failed(CLError(.denied)), to: audience.map(\.id)))
                }
                for index in managers.indices { managers[index].services.remove(.requestLocation) }
                if given.services.contains(where: { $0.service == .requestLocation && $0.isActive }) {
                    perform(.stop(.requestLocation, identifier: nil))
                }
            }
            tellSessions()
            guard given.system.isAtLeast(18), !isAuthorized else { return }
            let flags = report(on: .liveUpdates)
            for loop in loops.values { loop.send(CLLocationUpdate(location: nil, flags: flags)) }
        }
    }

    extension DeviceState.Manager {
        /// Whether its distance filter lets an update at this place through.
        func wants(_ place: Coordinate) -> Bool {
            guard distanceFilter > 0, let lastUpdate else { return true }
            return Geodesic.distance(lastUpdate, place) >= distanceFilter
        }
    }

    extension Date {
        init(_ moment: Timestamp) { self.init(timeIntervalSince1970: Double(moment.milliseconds) / 1000) }
    }

    extension Timestamp {
        init(_ date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded())) }
    }
#endif
