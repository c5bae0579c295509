#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostGeometry
    import FencepostSimulator
    import Foundation

    /// The value of a region that the system keeps after the process that registered it has ended.
    struct RegionRecord: Hashable, Sendable {
        enum Shape: Hashable, Sendable {
            case circle(center: Coordinate, radius: Double)
            case beacon(CLBeaconIdentityConstraint, notifyEntryStateOnDisplay: Bool)
        }

        var identifier: String
        var shape: Shape
        var notifyOnEntry: Bool
        var notifyOnExit: Bool

        /// Fails for a subclass of `CLRegion` that Core Location does not define.
        init?(_ region: CLRegion) {
            switch region {
            case let circle as CLCircularRegion:
                shape = .circle(center: circle.center.coordinate, radius: circle.radius)
            case let beacon as CLBeaconRegion:
                shape = .beacon(
                    beacon.beaconIdentityConstraint, notifyEntryStateOnDisplay: beacon.notifyEntryStateOnDisplay)
            default: return nil
            }
            identifier = region.identifier
            (notifyOnEntry, notifyOnExit) = (region.notifyOnEntry, region.notifyOnExit)
        }

        /// The record of a region that was registered before the simulation; `nil` for an object without a circle.
        init?(_ object: ServiceObject) {
            guard object.service == .regionCircular, let identifier = object.identifier, let center = object.center,
                center.count == 2, let radius = object.radius
            else { return nil }
            self.identifier = identifier
            shape = .circle(center: Coordinate(latitude: center[0], longitude: center[1]), radius: radius)
            (notifyOnEntry, notifyOnExit) = (object.notifyOnEntry ?? true, object.notifyOnExit ?? true)
        }

        var service: Service {
            switch shape {
            case .circle: .regionCircular
            case .beacon: .regionBeacon
            }
        }

        var serviceObject: ServiceObject {
            var object = ServiceObject(service, identifier: identifier)
            if case .circle(let center, let radius) = shape {
                object.center = [center.latitude, center.longitude]
                object.radius = radius
            }
            (object.notifyOnEntry, object.notifyOnExit) = (notifyOnEntry, notifyOnExit)
            return object
        }

        /// A new object for the app.
        func region() -> CLRegion {
            let region: CLRegion
            switch shape {
            case .circle(let center, let radius):
                region = CLCircularRegion(
                    center: CLLocationCoordinate2D(center), radius: radius, identifier: identifier)
            case .beacon(let constraint, let onDisplay):
                let beacons = CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: identifier)
                beacons.notifyEntryStateOnDisplay = onDisplay
                region = beacons
            }
            (region.notifyOnEntry, region.notifyOnExit) = (notifyOnEntry, notifyOnExit)
            return region
        }
    }

    /// A call that delegates receive.
    enum Callback: Sendable {
        case authorization
        case located([CLLocation])
        case failed(CLError)
        case entered(RegionRecord)
        case exited(RegionRecord)
        case determined(CLRegionState, RegionRecord)
        case monitoring(RegionRecord)
        case monitoringFailed(RegionRecord, CLError)
        case visited(CLVisit)
        case turned(CLHeading)
        case ranged([CLBeacon], CLBeaconIdentityConstraint)
        case paused
        case resumed
        case deferredFailed
        case fullAccuracyAnswered(Int, CLError?)
        case pushesAnswered(Int, CLLocationPushServiceError?)
    }

    /// The data of a device event, kept until the event is delivered or dropped.
    enum Payload: Sendable {
        case location(CLLocation)
        case crossing(RegionRecord, isInward: Bool)
        case condition(monitor: String, CLMonitor.Event)
        case visit(CLVisit)
        case heading(CLHeading)
        case beacons([CLBeacon])

        /// Removes the arrival of a visit when the system did not see it.
        func dated(by delivery: Delivery) -> Payload {
            guard case .visit(let visit) = self, delivery.visit?.arrival == .distantPast else { return self }
            return .visit(
                CLVisit(
                    arrivalDate: .distantPast, departureDate: visit.departureDate, coordinate: visit.coordinate,
                    horizontalAccuracy: visit.horizontalAccuracy))
        }
    }
#endif
