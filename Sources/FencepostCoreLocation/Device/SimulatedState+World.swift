#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostGeometry
    import FencepostModel
    import FencepostSimulator
    import Foundation

    /// Time and movement of the device.
    extension SimulatedState {
        private var numbers: SimulatorParameters { simulation.gate.parameters }

        /// Advances to the end, or to the next event before it.
        ///
        /// - Returns: whether the end is reached.
        mutating func advance(until end: Timestamp) -> Bool {
            let due = ([movement.watches.values.compactMap(\.deadline).min(), visitDue, pauseDue].compactMap { $0 })
                .min()
            let next = min(max(due ?? end, now), end)
            if next > now { perform(.wait(next - now)) }
            comeDue()
            return now >= end
        }

        /// The keys of the watched circles, in the order in which the app started them. The order makes the results
        /// reproducible.
        private var watchKeys: [Movement.Key] {
            device.services.compactMap(\.watchKey).filter { movement.watches[$0] != nil }
        }

        private var visitDue: Timestamp? {
            guard let stay = movement.stay, !stay.isReported, device.services.contains(where: { $0.service == .visits })
            else {
                return nil
            }
            return stay.since + parameters.visitDelay
        }

        private mutating func comeDue() {
            for key in watchKeys {
                guard var watch = movement.watches[key], watch.comesDue(at: now) else { continue }
                movement.watches[key] = watch
                cross(key, watch.isInside)
            }
            if let due = pauseDue, due <= now { pauseUpdates() }
            if let due = visitDue, due <= now, let stay = movement.stay {
                movement.stay?.isReported = true
                visit(.arrival, stay, until: .distantFuture)
            }
        }

        /// Handles a new place of the device, after a move or at once.
        mutating func arrive(at place: Coordinate, motion: (speed: Double, course: Double)?) {
            if movement.place != place { movement.restingSince = now }
            movement.place = place
            movement.motion = motion
            watchBoundaries()
            for key in watchKeys {
                guard var watch = movement.watches[key] else { continue }
                watch.handle(place, at: now, margin: numbers.margin, stay: numbers.marginStay)
                movement.watches[key] = watch
            }
            leaveStay(place)
            let isNewArea = refreshCoarse()
            if !device.hasReducedAccuracy || isNewArea {
                for service in [Service.standardUpdates, .liveUpdates] { produceIfWanted(service) }
            }
            noticeSignificantChange(place)
        }

        private mutating func produceIfWanted(_ service: Service) {
            guard let place = movement.place, device.services.contains(where: { $0.service == service && $0.isActive })
            else { return }
            if service == .standardUpdates {
                guard managers.contains(where: { $0.services.contains(service) && $0.wants(place) }) else { return }
            }
            produce(service)
        }

        private mutating func leaveStay(_ place: Coordinate) {
            guard let stay = movement.stay else {
                movement.stay = Movement.Stay(place: place, since: now)
                return
            }
            guard Geodesic.distance(stay.place, place) > parameters.visitRadius else { return }
            movement.stay = Movement.Stay(place: place, since: now)
            if stay.isReported { visit(.departure, stay, until: date) }
        }

        private mutating func noticeSignificantChange(_ place: Coordinate) {
            guard device.services.contains(where: { $0.service == .significantChange && $0.isActive }) else { return }
            guard let last = movement.significant else {
                movement.significant = (place, now)
                return
            }
            let meters = Geodesic.distance(last.place, place)
            guard meters >= numbers.significantDistance, now - last.at >= numbers.significantInterval else { return }
            var event = ServiceEvent(.significantChange, .moved)
            event.meters = meters
            event.sameCoarseCell =
                last.place.coarse(maximumDistance: parameters.reducedAccuracy)
                == place.coarse(maximumDistance: parameters.reducedAccuracy)
            movement.significant = (place, now)
            guard let location = locationForApp(ignoringAuthorization: true) else { return }
            perform(.event(event), payload: .location(location))
        }

        private mutating func visit(_ kind: ServiceEvent.Kind, _ stay: Movement.Stay, until departure: Date) {
            guard device.services.contains(where: { $0.service == .visits && $0.isActive }) else { return }
            let isReduced = device.hasReducedAccuracy
            let place = isReduced ? stay.place.coarse(maximumDistance: parameters.reducedAccuracy) : stay.place
            let visit = CLVisit(
                arrivalDate: Date(stay.since), departureDate: departure, coordinate: CLLocationCoordinate2D(place),
                horizontalAccuracy: isReduced ? parameters.reducedAccuracy : parameters.visitRadius)
            perform(.event(ServiceEvent(.visits, kind)), payload: .visit(visit))
        }

        private mutating func cross(_ key: Movement.Key, _ isInside: Bool) {
            switch key {
            case .region(let identifier):
                guard let record = regions[identifier] else { return }
                perform(
                    .event(ServiceEvent(.regionCircular, isInside ? .enter : .exit, identifier: identifier)),
                    payload: .crossing(record, isInward: isInside))
            case .condition(let monitor, let identifier): determine(identifier, monitor, isInside)
            }
        }

        /// The event of a condition at the current time.
        func conditionEvent(_ identifier: String, _ state: CLMonitor.Event.State) -> CLMonitor.Event {
            CLMonitor.Event(identifier: identifier, state: state, date: date)
        }

        /// The beacon that satisfied a condition with wildcards; `nil` for other conditions, and when no such beacon was
        /// detected (MON-10).
        private func refinement(of identifier: String, in monitor: String) -> CLMonitor.BeaconIdentityCondition? {
            guard
                let wanted = monitors[monitor]?.records[identifier]?.condition as? CLMonitor.BeaconIdentityCondition,
                wanted.minor == nil, let beacon = lastBeacon, beacon.uuid == wanted.uuid,
                wanted.major == nil || wanted.major == beacon.majorValue
            else { return nil }
            return CLMonitor.BeaconIdentityCondition(
                uuid: beacon.uuid, major: beacon.majorValue, minor: beacon.minorValue)
        }

        mutating func determine(_ identifier: String, _ monitor: String?, _ isInside: Bool) {
            let event = conditionEvent(identifier, isInside ? .satisfied : .unsatisfied)
            perform(
                .event(
                    ServiceEvent(.clMonitorCircular, isInside ? .satisfied : .unsatisfied, identifier: identifier)),
                payload: .condition(monitor: monitor ?? "", event))
        }

        /// Watches every monitored circle from the current place.
        mutating func watchBoundaries() {
            guard let place = movement.place else { return }
            var keys: Set<Movement.Key> = []
            for object in device.services where object.isActive {
                guard let key = object.watchKey, let center = object.center, center.count == 2,
                    let radius = object.radius
                else { continue }
                keys.insert(key)
                guard movement.watches[key] == nil else { continue }
                movement.watches[key] = BoundaryWatch(
                    center: Coordinate(latitude: center[0], longitude: center[1]), radius: radius, place: place)
            }
            movement.watches = movement.watches.filter { keys.contains($0.key) }
        }

        /// Reports each circular condition whose state differs from the one that the app knows.
        mutating func determineConditions() {
            watchBoundaries()
            for object in device.services where object.isActive && object.service == .clMonitorCircular {
                guard let key = object.watchKey, let watch = movement.watches[key], let identifier = object.identifier
                else { continue }
                let known = object.state == .satisfied ? true : object.state == .unsatisfied ? false : nil
                if known != watch.isInside { determine(identifier, object.monitor, watch.isInside) }
            }
        }

        /// The data of an event that a test produces itself.
        func payload(of event: ServiceEvent) -> Payload? {
            switch event.service {
            case .regionCircular, .regionBeacon:
                guard let record = event.identifier.flatMap({ regions[$0] }) else { return nil }
                return .crossing(record, isInward: event.kind == .enter)
            case .clMonitorCircular, .clMonitorBeacon:
                let object = device.services.first {
                    $0.service == event.service && $0.identifier == event.identifier && $0.isActive
                }
                guard let identifier = event.identifier, let monitor = object?.monitor else { return nil }
                let state: CLMonitor.Event.State = event.kind == .satisfied ? .satisfied : .unsatisfied
                var change = conditionEvent(identifier, state)
                if state == .satisfied { change.refinement = refinement(of: identifier, in: monitor) }
                return .condition(monitor: monitor, change)
            case .visits:
                let place = movement.place ?? Coordinate(latitude: 0, longitude: 0)
                let isArrival = event.kind == .arrival
                return .visit(
                    CLVisit(
                        arrivalDate: isArrival ? date : movement.stay.map { Date($0.since) } ?? .distantPast,
                        departureDate: isArrival ? .distantFuture : date, coordinate: CLLocationCoordinate2D(place),
                        horizontalAccuracy: parameters.visitRadius))
            case .standardUpdates, .requestLocation, .significantChange, .liveUpdates:
                return locationForApp(ignoringAuthorization: true).map(Payload.location)
            case .heading: return heading.map(Payload.heading)
            case .beaconRanging, .locationPush, .locationNotification: return nil
            }
        }

        // MARK: Fixes

        /// Takes a new area when the old one has expired.
        ///
        /// - Returns: whether there is a new area.
        private mutating func refreshCoarse() -> Bool {
            guard let place = movement.place else { return false }
            if let coarse = movement.coarse, now - coarse.at < numbers.reducedInterval { return false }
            movement.coarse = (place.coarse(maximumDistance: parameters.reducedAccuracy), now)
            return true
        }

        /// The current fix with the accuracy that the app may get; `nil` when the app may get none or the place is
        /// unknown.
        func locationForApp(ignoringAuthorization: Bool = false) -> CLLocation? {
            guard let place = movement.place, isAuthorized || ignoringAuthorization else { return nil }
            let isReduced = device.hasReducedAccuracy
            let notified =
                isReduced ? movement.coarse?.place ?? place.coarse(maximumDistance: parameters.reducedAccuracy) : place
            let at = isReduced ? movement.coarse?.at ?? now : now
            return CLLocation(
                coordinate: CLLocationCoordinate2D(notified), altitude: 0,
                horizontalAccuracy: isReduced ? parameters.reducedAccuracy : parameters.horizontalAccuracy,
                verticalAccuracy: -1, course: isReduced ? -1 : movement.motion?.course ?? -1,
                speed: isReduced ? -1 : movement.motion?.speed ?? 0, timestamp: Date(at))
        }

        /// Makes the service produce the current fix.
        mutating func produce(_ service: Service) {
            if device.hasReducedAccuracy { _ = refreshCoarse() }
            guard let location = locationForApp() else { return }
            if service == .significantChange, let place = movement.place { movement.significant = (place, now) }
            perform(.event(ServiceEvent(service, service.typicalKind)), payload: .location(location))
        }
    }

    extension ServiceObject {
        /// The key under which a circle is watched; `nil` for an object without one.
        var watchKey: Movement.Key? {
            guard let identifier else { return nil }
            switch service {
            case .regionCircular: return .region(identifier)
            case .clMonitorCircular: return .condition(monitor: monitor, identifier: identifier)
            case .standardUpdates, .requestLocation, .liveUpdates, .significantChange, .visits, .regionBeacon,
                .clMonitorBeacon, .beaconRanging, .heading, .locationNotification, .locationPush:
                return nil
            }
        }
    }
#endif
