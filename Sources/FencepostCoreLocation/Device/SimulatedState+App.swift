#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostGeometry
    import FencepostModel
    import FencepostSimulator
    import Foundation

    /// Calls of the running app.
    extension SimulatedState {
        private func index(of id: ManagerID) -> Int? { managers.firstIndex { $0.id == id } }

        mutating func requestFullAccuracy(_ key: String, by manager: ManagerID) -> Int {
            tokenCount += 1
            let report = perform(.request(.temporaryFullAccuracy(purposeKey: key)), by: manager)
            if report.effect == "prompt" {
                fullAccuracyRequests.append((tokenCount, manager))
            } else {
                pending.append(
                    Pending(callback: .fullAccuracyAnswered(tokenCount, CLError(.promptDeclined)), to: [manager]))
            }
            return tokenCount
        }

        mutating func startPushes(by manager: ManagerID) -> Int {
            tokenCount += 1
            let count = errors.count
            perform(.start(ServiceObject(.locationPush)), by: manager)
            let error = errors.dropFirst(count).last.flatMap { CLLocationPushServiceError.Code(rawValue: $0.code.code) }
            pending.append(
                Pending(
                    callback: .pushesAnswered(tokenCount, error.map(CLLocationPushServiceError.init)), to: [manager]))
            return tokenCount
        }

        // MARK: Locations

        mutating func start(_ service: Service, by manager: ManagerID) {
            guard let index = index(of: manager) else { return }
            managers[index].services.insert(service)
            let report = perform(.start(ServiceObject(service)), by: manager)
            if report["started"] == .bool(true) {
                if service == .significantChange { produceFirst(service) }
            } else if let index = self.index(of: manager) {
                managers[index].services.remove(service)
            }
        }

        mutating func stop(_ service: Service, by manager: ManagerID) {
            guard let index = index(of: manager) else { return }
            managers[index].services.remove(service)
            // Monitoring belongs to the app: stopping it on any manager ends it. Updates belong to each manager.
            let isShared = service == .visits || service == .significantChange
            if isShared {
                for index in managers.indices { managers[index].services.remove(service) }
            }
            if !managers.contains(where: { $0.services.contains(service) }) {
                perform(.stop(service, identifier: nil), by: manager)
            }
        }

        mutating func startUpdates(_ manager: ManagerID) {
            guard let index = index(of: manager) else { return }
            managers[index].services.insert(.standardUpdates)
            managers[index].services.remove(.requestLocation)
            managers[index].lastUpdate = nil
            // Updates that a denied app starts begin when the user changes the permission.
            let report = perform(.start(standardUpdates), by: manager)
            if report["didResume"] == .bool(true) { pending.append(Pending(callback: .resumed, to: [manager])) }
            if report["started"] == .bool(true) {
                // The system counts the rest from the start of the updates.
                movement.restingSince = now
                produceFirst(.standardUpdates)
            }
        }

        /// The updates of all managers as one service: with the settings that ask for the most.
        private var standardUpdates: ServiceObject {
            let updating = managers.filter { $0.services.contains(.standardUpdates) }
            var object = ServiceObject(.standardUpdates)
            object.allowsBackgroundLocationUpdates = updating.contains { $0.allowsBackground }
            object.showsBackgroundLocationIndicator = updating.contains { $0.showsIndicator }
            object.distanceFilter = updating.map(\.distanceFilter).min()
            object.desiredAccuracy = updating.map(\.desiredAccuracy).min()
            object.pausesLocationUpdatesAutomatically = updating.allSatisfy(\.pauses)
            return object
        }

        /// Applies settings that the app has changed while its updates run.
        mutating func applySettings() {
            let wanted = standardUpdates
            simulation.changeStandardUpdates { object in
                object.showsBackgroundLocationIndicator = wanted.showsBackgroundLocationIndicator
                object.distanceFilter = wanted.distanceFilter
                object.desiredAccuracy = wanted.desiredAccuracy
                object.pausesLocationUpdatesAutomatically = wanted.pausesLocationUpdatesAutomatically
            }
        }

        /// When the system pauses the updates, if the device goes on resting; `nil` when it does not.
        var pauseDue: Timestamp? {
            let objects = device.services.filter { $0.isActive && !$0.isPausedBySystem }
            guard let object = objects.first(where: { $0.service == .standardUpdates }), isAuthorized,
                object.pausesLocationUpdatesAutomatically != false,
                !objects.contains(where: { $0.service == .liveUpdates }), device.platform.isHandheld, isRunning
            else { return nil }
            return movement.restingSince + simulation.gate.parameters.pauseAfter
        }

        /// Pauses the updates, and reports it to the managers that update.
        mutating func pauseUpdates() {
            let updating = managers.filter { $0.services.contains(.standardUpdates) }.map(\.id)
            guard perform(.deviceStationary(now - movement.restingSince))["didPause"] == .bool(true) else { return }
            pending.append(Pending(callback: .paused, to: updating))
        }

        /// Starts the updates that the app requested while it was denied.
        mutating func restartUpdates() {
            let isStarted = device.services.contains { $0.service == .standardUpdates && $0.isActive }
            guard !isStarted, let waiting = managers.first(where: { $0.services.contains(.standardUpdates) }) else {
                return
            }
            startUpdates(waiting.id)
        }

        mutating func stopUpdates(_ manager: ManagerID) {
            stop(.standardUpdates, by: manager)
            dropPendingUpdates(of: manager)
        }

        /// Drops the locations that are on their way to a manager: after a stop it receives no more of them.
        private mutating func dropPendingUpdates(of manager: ManagerID) {
            for number in pending.indices {
                guard case .located = pending[number].callback, let index = pending[number].delivery,
                    deliveries[index].event.service == .standardUpdates
                else { continue }
                pending[number].to?.removeAll { $0 == manager }
                guard pending[number].to?.isEmpty == true else { continue }
                if deliveries[index].settled != nil {
                    deliveries[index].settled?.outcome = .dropped
                } else {
                    deliveries[index].outcome = .dropped
                    deliveries[index].decidingRule = .svc01
                    deliveries[index].because = "The app stopped the updates before this location was delivered."
                }
            }
            pending.removeAll { item in
                if case .located = item.callback { item.to?.isEmpty == true } else { false }
            }
        }

        mutating func requestLocation(_ manager: ManagerID) {
            guard let index = index(of: manager), !managers[index].services.contains(.standardUpdates) else { return }
            managers[index].services.insert(.requestLocation)
            let report = perform(.start(ServiceObject(.requestLocation)), by: manager)
            if report["started"] == .bool(true) {
                produceFirst(.requestLocation)
            } else if let index = self.index(of: manager) {
                managers[index].services.remove(.requestLocation)
            }
        }

        /// Produces the first fix of a service: the current one, as soon as the app may get it.
        mutating func produceFirst(_ service: Service) {
            guard device.services.contains(where: { $0.service == service && $0.isActive }), isAuthorized else {
                return
            }
            if service == .requestLocation, movement.place == nil {
                let waiting = managers.filter { $0.services.contains(service) }.map(\.id)
                for index in managers.indices { managers[index].services.remove(service) }
                pending.append(Pending(callback: .failed(CLError(.locationUnknown)), to: waiting))
                perform(.stop(.requestLocation, identifier: nil))
                return
            }
            produce(service)
        }

        // MARK: Regions

        mutating func startMonitoring(_ record: RegionRecord, by manager: ManagerID) {
            requested[record.identifier] = record
            defer { requested[record.identifier] = nil }
            let inside = isInside(record)
            let report = perform(.start(record.serviceObject, deviceInside: inside), by: manager)
            guard report["started"] == .bool(true) else { return }
            regions[record.identifier] = record
            movement.forget(.region(record.identifier))
            watchBoundaries()
            pending.append(Pending(callback: .monitoring(record), to: nil))
            if case .text(let state)? = report["didDetermineState"], let state = CLRegionState(state) {
                pending.append(Pending(callback: .determined(state, record), to: nil))
            }
        }

        mutating func stopMonitoring(_ record: RegionRecord) {
            perform(.stop(record.service, identifier: record.identifier))
            movement.forget(.region(record.identifier))
        }

        mutating func requestState(_ record: RegionRecord, by manager: ManagerID) {
            let report = perform(.requestState(identifier: record.identifier), by: manager)
            guard case .text(let name)? = report["state"] else { return }
            pending.append(Pending(callback: .determined(CLRegionState(name) ?? .unknown, record), to: [manager]))
        }

        private func isInside(_ record: RegionRecord) -> Bool? {
            guard case .circle(let center, let radius) = record.shape, let place = movement.place else { return nil }
            return Geodesic.distance(center, place) <= radius
        }
    }

    extension CLRegionState {
        /// Fails for a name that is not a state of a region.
        init?(_ name: String) {
            switch RegionState(rawValue: name) {
            case .inside: self = .inside
            case .outside: self = .outside
            case .unknown: self = .unknown
            case .satisfied, .unsatisfied, .unmonitored, nil: return nil
            }
        }
    }

    extension StepReport {
        /// The member of the step's answer with this name.
        subscript(name: String) -> AnswerValue? { result.first { $0.name == name }?.value }

        /// The names of the flags that are true.
        var flags: Set<String> {
            guard case .members(let members)? = self["diagnostics"] else { return [] }
            return Set(members.filter { $0.value == .bool(true) }.map(\.name))
        }
    }
#endif
