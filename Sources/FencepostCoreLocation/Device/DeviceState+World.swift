#if !canImport(CoreLocation)
    import FencepostGeometry
    import FencepostModel
    import FencepostSimulator
    import Foundation

    /// Time, and the device on its way.
    extension DeviceState {
        private var numbers: SimulatorParameters { simulation.gate.parameters }

        /// Goes on to the end, or to the next thing that happens on the way.
        ///
        /// - Returns: whether the end is reached.
        mutating func advance(until end: Timestamp) -> Bool {
            let due = ([walk.watches.values.compactMap(\.deadline).min(), visitDue].compactMap { $0 }).min()
            let next = min(max(due ?? end, now), end)
            if next > now { perform(.wait(next - now)) }
            comeDue()
            return now >= end
        }

        /// What is watched, in the order in which the app began it, so that the same steps tell the same story.
        private var watchKeys: [Walk.Key] { given.services.compactMap(\.watchKey).filter { walk.watches[$0] != nil } }

        private var visitDue: Timestamp? {
            guard let stay = walk.stay, !stay.isTold, given.services.contains(where: { $0.service == .visits }) else {
                return nil
            }
            return stay.since + parameters.visitDelay
        }

        private mutating func comeDue() {
            for key in watchKeys {
                guard var watch = walk.watches[key], watch.comesDue(at: now) else { continue }
                walk.watches[key] = watch
                cross(key, watch.isInside)
            }
            if let due = visitDue, due <= now, let stay = walk.stay {
                walk.stay?.isTold = true
                visit(.arrival, stay, until: .distantFuture)
            }
        }

        /// The device is at another place now, whether by going there or at once.
        mutating func arrive(at place: Coordinate, motion: (speed: Double, course: Double)?) {
            walk.place = place
            walk.motion = motion
            watchBoundaries()
            for key in watchKeys {
                guard var watch = walk.watches[key] else { continue }
                watch.handle(place, at: now, cushion: numbers.cushion, stay: numbers.cushionStay)
                walk.watches[key] = watch
            }
            leaveStay(place)
            let isNewArea = refreshCoarse()
            if !given.hasReducedAccuracy || isNewArea {
                for service in [Service.standardUpdates, .liveUpdates] { produceIfWanted(service) }
            }
            noticeSignificantChange(place)
        }

        private mutating func produceIfWanted(_ service: Service) {
            guard let place = walk.place, given.services.contains(where: { $0.service == service && $0.isActive })
            else { return }
            if service == .standardUpdates {
                guard managers.contains(where: { $0.services.contains(service) && $0.wants(place) }) else { return }
            }
            produce(service)
        }

        private mutating func leaveStay(_ place: Coordinate) {
            guard let stay = walk.stay else {
                walk.stay = Walk.Stay(place: place, since: now)
                return
            }
            guard Geodesic.distance(stay.place, place) > parameters.visitRadius else { return }
            walk.stay = Walk.Stay(place: place, since: now)
            if stay.isTold { visit(.departure, stay, until: date) }
        }

        private mutating func noticeSignificantChange(_ place: Coordinate) {
            guard given.services.contains(where: { $0.service == .significantChange && $0.isActive }) else { return }
            guard let last = walk.significant else {
                walk.significant = (place, now)
                return
            }
            let meters = Geodesic.distance(last.place, place)
            guard meters >= numbers.significantDistance, now - last.at >= numbers.significantInterval else { return }
            var event = ServiceEvent(.significantChange, .moved)
            event.meters = meters
            event.sameCoarseCell =
                last.place.coarse(reach: parameters.reducedAccuracy) == place.coarse(reach: parameters.reducedAccuracy)
            walk.significant = (place, now)
            guard let location = locationForApp(whateverItMay: true) else { return }
            perform(.event(event), payload: .location(location))
        }

        private mutating func visit(_ kind: ServiceEvent.Kind, _ stay: Walk.Stay, until departure: Date) {
            guard given.services.contains(where: { $0.service == .visits && $0.isActive }) else { return }
            let isReduced = given.hasReducedAccuracy
            let place = isReduced ? stay.place.coarse(reach: parameters.reducedAccuracy) : stay.place
            let visit = CLVisit(
                arrivalDate: Date(stay.since), departureDate: departure, coordinate: CLLocationCoordinate2D(place),
                horizontalAccuracy: isReduced ? parameters.reducedAccuracy : parameters.visitRadius)
            perform(.event(ServiceEvent(.visits, kind)), payload: .visit(visit))
        }

        private mutating func cross(_ key: Walk.Key, _ isInside: Bool) {
            switch key {
            case .region(let identifier):
                guard let record = regions[identifier] else { return }
                perform(
                    .event(ServiceEvent(.regionCircular, isInside ? .enter : .exit, identifier: identifier)),
                    payload: .crossing(record, isInward: isInside))
            case .condition(let monitor, let identifier): determine(identifier, monitor, isInside)
            }
        }

        /// Has the system see which state a condition has.
        func conditionEvent(_ identifier: String, _ state: CLMonitor.Event.State) -> CLMonitor.Event {
            CLMonitor.Event(identifier: identifier, state: state, date: date)
        }

        mutating func determine(_ identifier: String, _ monitor: String?, _ isInside: Bool) {
            let event = conditionEvent(identifier, isInside ? .satisfied : .unsatisfied)
            perform(
                .event(
                    ServiceEvent(.clMonitorCircular, isInside ? .satisfied : .unsatisfied, identifier: identifier)),
                payload: .condition(monitor: monitor ?? "", event))
        }

        /// Looks after every circle that is monitored, from where the device now is.
        mutating func watchBoundaries() {
            guard let place = walk.place else { return }
            var keys: Set<Walk.Key> = []
            for object in given.services where object.isActive {
                guard let key = object.watchKey, let center = object.center, center.count == 2,
                    let radius = object.radius
                else { continue }
                keys.insert(key)
                guard walk.watches[key] == nil else { continue }
                walk.watches[key] = BoundaryWatch(
                    center: Coordinate(latitude: center[0], longitude: center[1]), radius: radius, place: place)
            }
            walk.watches = walk.watches.filter { keys.contains($0.key) }
        }

        /// Has each circular condition told whose state is not the one that the app knows of.
        mutating func determineConditions() {
            watchBoundaries()
            for object in given.services where object.isActive && object.service == .clMonitorCircular {
                guard let key = object.watchKey, let watch = walk.watches[key], let identifier = object.identifier
                else { continue }
                let known = object.state == .satisfied ? true : object.state == .unsatisfied ? false : nil
                if known != watch.isInside { determine(identifier, object.monitor, watch.isInside) }
            }
        }

        /// What an event brings with it that a test makes happen by itself.
        func payload(of event: ServiceEvent) -> Payload? {
            switch event.service {
            case .regionCircular, .regionBeacon:
                guard let record = event.identifier.flatMap({ regions[$0] }) else { return nil }
                return .crossing(record, isInward: event.kind == .enter)
            case .clMonitorCircular, .clMonitorBeacon:
                let object = given.services.first {
                    $0.service == event.service && $0.identifier == event.identifier && $0.isActive
                }
                guard let identifier = event.identifier, let monitor = object?.monitor else { return nil }
                let state: CLMonitor.Event.State = event.kind == .satisfied ? .satisfied : .unsatisfied
                return .condition(monitor: monitor, conditionEvent(identifier, state))
            case .visits:
                let place = walk.place ?? Coordinate(latitude: 0, longitude: 0)
                let isArrival = event.kind == .arrival
                return .visit(
                    CLVisit(
                        arrivalDate: isArrival ? date : walk.stay.map { Date($0.since) } ?? .distantPast,
                        departureDate: isArrival ? .distantFuture : date, coordinate: CLLocationCoordinate2D(place),
                        horizontalAccuracy: parameters.visitRadius))
            case .standardUpdates, .requestLocation, .significantChange, .liveUpdates:
                return locationForApp(whateverItMay: true).map(Payload.location)
            case .heading: return heading.map(Payload.heading)
            case .beaconRanging, .locationPush, .locationNotification: return nil
            }
        }

        // MARK: Fixes

        /// Takes a new area where that is due.
        ///
        /// - Returns: whether it did.
        private mutating func refreshCoarse() -> Bool {
            guard let place = walk.place else { return false }
            if let coarse = walk.coarse, now - coarse.at < numbers.reducedInterval { return false }
            walk.coarse = (place.coarse(reach: parameters.reducedAccuracy), now)
            return true
        }

        /// A fix of the present as the app may know it; `nil` when it may not, or nothing is known.
        func locationForApp(whateverItMay: Bool = false) -> CLLocation? {
            guard let place = walk.place, isAuthorized || whateverItMay else { return nil }
            let isReduced = given.hasReducedAccuracy
            let told = isReduced ? walk.coarse?.place ?? place.coarse(reach: parameters.reducedAccuracy) : place
            let at = isReduced ? walk.coarse?.at ?? now : now
            return CLLocation(
                coordinate: CLLocationCoordinate2D(told), altitude: 0,
                horizontalAccuracy: isReduced ? parameters.reducedAccuracy : parameters.horizontalAccuracy,
                verticalAccuracy: -1, course: isReduced ? -1 : walk.motion?.course ?? -1,
                speed: isReduced ? -1 : walk.motion?.speed ?? 0, timestamp: Date(at))
        }

        /// Has the service produce the present fix.
        mutating func produce(_ service: Service) {
            if given.hasReducedAccuracy { _ = refreshCoarse() }
            guard let location = locationForApp() else { return }
            if service == .significantChange, let place = walk.place { walk.significant = (place, now) }
            perform(.event(ServiceEvent(service, service.typicalKind)), payload: .location(location))
        }
    }

    extension ServiceObject {
        /// What it is watched under, for a region or condition that has a place.
        var watchKey: Walk.Key? {
            guard let identifier else { return nil }
            switch service {
            case .regionCircular: return .region(identifier)
            case .clMonitorCircular: return .condition(monitor: monitor, identifier: identifier)
            default: return nil
            }
        }
    }
#endif
