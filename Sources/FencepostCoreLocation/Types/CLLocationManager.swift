#if !canImport(CoreLocation)
    import FencepostSimulator
    public import Foundation

    /// The app's way to the device's location, over a `SimulatedDevice`.
    ///
    /// Nothing comes back from inside a call: whatever the delegate is to hear, it hears within the next call of the
    /// device's handle, as on a phone it would on the next turn of the run loop. A manager belongs to the process that
    /// made it; once that is terminated, its calls do nothing and its delegate hears nothing.
    open class CLLocationManager: NSObject {
        let core: DeviceCore
        let id: DeviceState.ManagerID
        private var pushCompletions: [Int: (Data?, (any Error)?) -> Void] = [:]
        private var completions: [Int: ((any Error)?) -> Void] = [:]

        open weak var delegate: (any CLLocationManagerDelegate)?

        public override init() {
            core = DeviceCore.forApp()
            id = core.addManager()
            super.init()
            core.attach(self)
        }

        deinit { core.removeManager(id) }

        // MARK: Settings of the manager

        /// Metres; what the app would like, and no promise.
        open var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest {
            didSet { core.update(id) { $0.desiredAccuracy = desiredAccuracy } }
        }
        /// Metres that the device has to move between two updates.
        open var distanceFilter: CLLocationDistance = kCLDistanceFilterNone {
            didSet { core.update(id) { $0.distanceFilter = distanceFilter } }
        }
        open var headingFilter: CLLocationDegrees = 1
        open var headingOrientation = CLDeviceOrientation.portrait
        open var activityType = CLActivityType.other
        /// Nothing here pauses updates of a location manager.
        open var pausesLocationUpdatesAutomatically = true
        /// Crashes the simulated app when it does not declare the background mode `location` (rule SVC-16).
        open var allowsBackgroundLocationUpdates = false {
            didSet {
                core.update(id) { $0.allowsBackground = allowsBackgroundLocationUpdates }
                core.app(id.process) { [allowed = allowsBackgroundLocationUpdates] in
                    $0.perform(.setAllowsBackgroundLocationUpdates(allowed))
                }
            }
        }
        open var showsBackgroundLocationIndicator = false {
            didSet { core.update(id) { $0.showsIndicator = showsBackgroundLocationIndicator } }
        }

        // MARK: What is known

        open var authorizationStatus: CLAuthorizationStatus { core.read { $0.status } }
        open var accuracyAuthorization: CLAccuracyAuthorization { core.read { $0.accuracyAuthorization } }
        /// Whether the app may be given locations by a widget of it; there are none here.
        open var isAuthorizedForWidgetUpdates: Bool { false }
        /// The last fix, as precise as the app may know it; `nil` when it may not or none is known.
        open var location: CLLocation? { core.read { $0.locationForApp() } }
        open var heading: CLHeading? { core.read { $0.heading } }
        /// Metres, the most that a region's radius may be; -1 where regions are not supported.
        open var maximumRegionMonitoringDistance: CLLocationDistance {
            core.read { $0.simulation.given.maximumRegionMonitoringDistance } ?? CLLocationDistanceMax
        }
        /// New objects at each call: know a region by its identifier.
        open var monitoredRegions: Set<CLRegion> { Set(core.read { $0.monitoredRegions }.map { $0.region() }) }
        open private(set) var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> = []

        open class func locationServicesEnabled() -> Bool {
            DeviceCore.forApp().read { $0.simulation.given.locationServicesEnabled }
        }
        @available(*, deprecated, message: "Use the instance property authorizationStatus.")
        open class func authorizationStatus() -> CLAuthorizationStatus { DeviceCore.forApp().read { $0.status } }
        open class func headingAvailable() -> Bool { isAvailable(.heading) }
        open class func significantLocationChangeMonitoringAvailable() -> Bool { isAvailable(.significantChange) }
        open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
            isAvailable(regionClass is CLBeaconRegion.Type ? .regionBeacon : .regionCircular)
        }
        open class func isRangingAvailable() -> Bool { isAvailable(.beaconRanging) }

        private class func isAvailable(_ service: Service) -> Bool {
            DeviceCore.forApp().read { $0.isAvailable(service) }
        }

        // MARK: Asking

        open func requestWhenInUseAuthorization() {
            core.app(id.process) { $0.perform(.request(.level(.whenInUse))) }
        }

        open func requestAlwaysAuthorization() {
            core.app(id.process) { $0.perform(.request(.level(.always))) }
        }

        /// Asks for full accuracy while the app is in use.
        ///
        /// - Parameter completion: gets `CLError.promptDeclined` when no prompt was shown, `nil` whatever the user
        ///   answered.
        open func requestTemporaryFullAccuracyAuthorization(
            withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)? = nil
        ) {
            let token = core.app(id.process) { [id] in $0.requestFullAccuracy(purposeKey, by: id) }
            if let token, let completion { completions[token] = completion }
        }

        open nonisolated(nonsending) func requestTemporaryFullAccuracyAuthorization(
            withPurposeKey purposeKey: String
        ) async throws {
            let _: Void = try await withCheckedThrowingContinuation { continuation in
                let token = core.app(id.process) { [id] in $0.requestFullAccuracy(purposeKey, by: id) }
                // A process that is gone would never answer.
                guard let token else { return continuation.resume(throwing: CLError(.promptDeclined)) }
                completions[token] = { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
            }
        }

        // MARK: Updates

        open func startUpdatingLocation() { core.app(id.process) { [id] in $0.startUpdates(id) } }
        open func stopUpdatingLocation() { core.app(id.process) { [id] in $0.stopUpdates(id) } }
        open func requestLocation() { core.app(id.process) { [id] in $0.requestLocation(id) } }

        open func startUpdatingHeading() { start(.heading) }
        open func stopUpdatingHeading() { stop(.heading) }
        open func dismissHeadingCalibrationDisplay() {}

        open func startMonitoringSignificantLocationChanges() { start(.significantChange) }
        open func stopMonitoringSignificantLocationChanges() { stop(.significantChange) }
        open func startMonitoringVisits() { start(.visits) }
        open func stopMonitoringVisits() { stop(.visits) }

        private func start(_ service: Service) { core.app(id.process) { [id] in $0.start(service, by: id) } }
        private func stop(_ service: Service) { core.app(id.process) { [id] in $0.stop(service, by: id) } }

        /// Asks for the token of location pushes; the simulated one is the same for all.
        open func startMonitoringLocationPushes(completion: ((Data?, (any Error)?) -> Void)? = nil) {
            let token = core.app(id.process) { [id] in $0.startPushes(by: id) }
            if let token, let completion { pushCompletions[token] = completion }
        }

        open func stopMonitoringLocationPushes() { stop(.locationPush) }

        // MARK: Regions and beacons

        /// Registers the region with the system, for this and later launches, in place of one of the same identifier.
        open func startMonitoring(for region: CLRegion) {
            guard let record = RegionRecord(region) else { return }
            core.app(id.process) { [id] in $0.startMonitoring(record, by: id) }
        }

        open func stopMonitoring(for region: CLRegion) {
            guard let record = RegionRecord(region) else { return }
            core.app(id.process) { $0.stopMonitoring(record) }
        }

        /// Has the delegate told of the state that the system knows of.
        open func requestState(for region: CLRegion) {
            guard let record = RegionRecord(region) else { return }
            core.app(id.process) { [id] in $0.requestState(record, by: id) }
        }

        open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
            rangedBeaconConstraints.insert(constraint)
            start(.beaconRanging)
            core.update(id) { $0.constraints.append(constraint) }
        }

        open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
            rangedBeaconConstraints.remove(constraint)
            core.update(id) { $0.constraints.removeAll { $0 == constraint } }
            if rangedBeaconConstraints.isEmpty { stop(.beaconRanging) }
        }
    }

    extension CLLocationManager {
        /// Tells the delegate; one that has none hears nothing.
        ///
        /// - Returns: whether there was a delegate.
        func tell(_ callback: Callback, hasNewAuthorizationCallback: Bool) -> Bool {
            if case .fullAccuracyAnswered(let token, let error) = callback {
                completions.removeValue(forKey: token)?(error)
                return true
            }
            if case .pushesAnswered(let token, let error) = callback {
                pushCompletions.removeValue(forKey: token)?(error == nil ? Data("simulated".utf8) : nil, error)
                return true
            }
            guard let delegate else { return false }
            switch callback {
            case .authorization where hasNewAuthorizationCallback:
                delegate.locationManagerDidChangeAuthorization(self)
            case .authorization: delegate.locationManager(self, didChangeAuthorization: authorizationStatus)
            case .located(let locations): delegate.locationManager(self, didUpdateLocations: locations)
            case .failed(let error): delegate.locationManager(self, didFailWithError: error)
            case .entered(let record): delegate.locationManager(self, didEnterRegion: record.region())
            case .exited(let record): delegate.locationManager(self, didExitRegion: record.region())
            case .determined(let state, let record):
                delegate.locationManager(self, didDetermineState: state, for: record.region())
            case .monitoring(let record): delegate.locationManager(self, didStartMonitoringFor: record.region())
            case .monitoringFailed(let record, let error):
                delegate.locationManager(self, monitoringDidFailFor: record.region(), withError: error)
            case .visited(let visit): delegate.locationManager(self, didVisit: visit)
            case .turned(let heading): delegate.locationManager(self, didUpdateHeading: heading)
            case .ranged(let beacons, let constraint):
                delegate.locationManager(self, didRange: beacons, satisfying: constraint)
            case .fullAccuracyAnswered, .pushesAnswered: break
            }
            return true
        }
    }
#endif
