#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostSimulator
    public import Foundation

    /// An app's access to the device's location, over a `SimulatedDevice`.
    ///
    /// The delegate is never called within a call of the manager. It is called within the next call of
    /// `SimulatedDevice`, where a phone would call it in the next turn of the run loop. A manager belongs to the
    /// process that made it. After the end of that process its calls do nothing and its delegate is not called.
    open class CLLocationManager: NSObject {
        let core: DeviceCore
        let id: SimulatedState.ManagerID
        private var pushCompletions: [Int: (Data?, (any Error)?) -> Void] = [:]
        private var ranged: [CLBeaconRegion] = []
        private var completions: [Int: ((any Error)?) -> Void] = [:]

        /// Receives the manager's events.
        open weak var delegate: (any CLLocationManagerDelegate)?

        /// Makes a manager of the running process. Its delegate first receives the current status (CB-01).
        public override init() {
            core = DeviceCore.forApp()
            id = core.addManager()
            super.init()
            core.attach(self)
        }

        deinit { core.removeManager(id) }

        // MARK: Settings of the manager

        /// The accuracy that the app asks for, in metres. Fixes have the accuracy of the device. From iOS 16.4 an
        /// accuracy worse than 100 metres lets the system suspend an app with Always (SVC-24).
        open var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest {
            didSet { configure { [desiredAccuracy] in $0.desiredAccuracy = desiredAccuracy } }
        }
        /// The distance that the device has to move between two updates, in metres. From iOS 16.4 a filter lets the
        /// system suspend an app with Always (SVC-24).
        open var distanceFilter: CLLocationDistance = kCLDistanceFilterNone {
            didSet { configure { [distanceFilter] in $0.distanceFilter = distanceFilter } }
        }
        /// The angle by which the device has to turn between two headings, in degrees; `kCLHeadingFilterNone` for none.
        open var headingFilter: CLLocationDegrees = 1 {
            didSet { core.update(id) { [headingFilter] in $0.headingFilter = headingFilter } }
        }
        /// How the user holds the device: the headings are those of its top in this orientation.
        @available(iOS, deprecated: 27.0, message: "Use headingBody.")
        open var headingOrientation = CLDeviceOrientation.portrait {
            didSet { headingOffset = headingOrientation.headingOffset }
        }
        private var headingOffset: CLLocationDegrees = 0
        /// The body whose direction the heading is, since iOS 27. It makes no difference in the simulation.
        open var headingBody: (any CLBodyIdentifiable)?
        /// The activity that the app expects. It makes no difference in the simulation, since no source says how it
        /// changes the time of a pause.
        open var activityType = CLActivityType.other
        /// Whether the system may pause updates while the device rests: after `SimulatorParameters.pauseAfter`, by
        /// default 15 minutes (SVC-26). Nothing resumes them; the app starts them again.
        open var pausesLocationUpdatesAutomatically = true {
            didSet {
                configure { [pausesLocationUpdatesAutomatically] in $0.pauses = pausesLocationUpdatesAutomatically }
            }
        }
        /// Whether updates continue in the background. Setting it to true crashes the simulated app when the app does
        /// not declare the background mode `location` (SVC-16).
        open var allowsBackgroundLocationUpdates = false {
            didSet {
                core.update(id) { $0.allowsBackground = allowsBackgroundLocationUpdates }
                core.app(id.process) { [allowed = allowsBackgroundLocationUpdates] in
                    $0.perform(.setAllowsBackgroundLocationUpdates(allowed))
                }
            }
        }
        /// Whether an app with Always shows the indicator for updates in the background.
        open var showsBackgroundLocationIndicator = false {
            didSet {
                configure { [showsBackgroundLocationIndicator] in $0.showsIndicator = showsBackgroundLocationIndicator }
            }
        }

        /// Changes a setting of the manager, also while its updates run.
        private func configure(_ change: @escaping @Sendable (inout SimulatedState.Manager) -> Void) {
            core.update(id, change)
            core.app(id.process) { $0.applySettings() }
        }

        // MARK: What is known

        /// The status that the API reports.
        open var authorizationStatus: CLAuthorizationStatus { core.read { $0.status } }
        /// The accuracy that the API reports.
        open var accuracyAuthorization: CLAccuracyAuthorization { core.read { $0.accuracyAuthorization } }
        /// Whether a widget of the app may get locations; always false, since the simulation has no widgets.
        open var isAuthorizedForWidgetUpdates: Bool { false }
        /// The last fix, with the accuracy that the app may get; `nil` when it may get none or none is known.
        open var location: CLLocation? { core.read { $0.locationForApp() } }
        /// The last heading; `nil` before the first.
        open var heading: CLHeading? { core.read { $0.heading }?.turned(by: headingOffset) }
        /// The largest radius of a region, in metres; -1 where regions are not supported.
        open var maximumRegionMonitoringDistance: CLLocationDistance {
            core.read { $0.simulation.device.maximumRegionMonitoringDistance } ?? CLLocationDistanceMax
        }
        /// The registered regions. Each call makes new objects; compare their identifiers.
        open var monitoredRegions: Set<CLRegion> { Set(core.read { $0.monitoredRegions }.map { $0.region() }) }
        /// The beacons that the manager ranges.
        open private(set) var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> = []

        /// Whether Location Services are on for the whole device.
        open class func locationServicesEnabled() -> Bool {
            DeviceCore.forApp().read { $0.simulation.device.locationServicesEnabled }
        }
        /// The status that the API reports.
        @available(*, deprecated, message: "Use the instance property authorizationStatus.")
        open class func authorizationStatus() -> CLAuthorizationStatus { DeviceCore.forApp().read { $0.status } }
        /// Whether the platform has the heading service.
        open class func headingAvailable() -> Bool { isAvailable(.heading) }
        /// Whether the platform has the significant-change service.
        open class func significantLocationChangeMonitoringAvailable() -> Bool { isAvailable(.significantChange) }
        /// Whether the platform monitors regions of this class.
        open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
            isAvailable(regionClass is CLBeaconRegion.Type ? .regionBeacon : .regionCircular)
        }
        /// Whether the platform ranges beacons.
        open class func isRangingAvailable() -> Bool { isAvailable(.beaconRanging) }

        private class func isAvailable(_ service: Service) -> Bool {
            DeviceCore.forApp().read { $0.isAvailable(service) }
        }

        // MARK: Asking

        /// Asks the user for While Using.
        open func requestWhenInUseAuthorization() {
            core.app(id.process) { $0.perform(.request(.level(.whenInUse))) }
        }

        /// Asks the user for Always.
        open func requestAlwaysAuthorization() {
            core.app(id.process) { $0.perform(.request(.level(.always))) }
        }

        /// Asks for full accuracy while the app is in use.
        ///
        /// - Parameters:
        ///   - purposeKey: the key of the text in the Info.plist.
        ///   - completion: gets `CLError.promptDeclined` when no prompt was shown, otherwise `nil` for any answer.
        open func requestTemporaryFullAccuracyAuthorization(
            withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)? = nil
        ) {
            let token = core.app(id.process) { [id] in $0.requestFullAccuracy(purposeKey, by: id) }
            if let token, let completion { completions[token] = completion }
        }

        /// Asks for full accuracy while the app is in use.
        ///
        /// - Throws: `CLError.promptDeclined` when no prompt was shown.
        open nonisolated(nonsending) func requestTemporaryFullAccuracyAuthorization(
            withPurposeKey purposeKey: String
        ) async throws {
            let _: Void = try await withCheckedThrowingContinuation { continuation in
                let token = core.app(id.process) { [id] in $0.requestFullAccuracy(purposeKey, by: id) }
                // A process that has ended would never answer.
                guard let token else { return continuation.resume(throwing: CLError(.promptDeclined)) }
                completions[token] = { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
            }
        }

        // MARK: Updates

        /// Starts the updates of this manager.
        open func startUpdatingLocation() { core.app(id.process) { [id] in $0.startUpdates(id) } }
        /// Stops the updates of this manager.
        open func stopUpdatingLocation() { core.app(id.process) { [id] in $0.stopUpdates(id) } }
        /// Requests one fix. The delegate receives the fix or an error.
        open func requestLocation() { core.app(id.process) { [id] in $0.requestLocation(id) } }

        /// Starts the heading service.
        open func startUpdatingHeading() { start(.heading) }
        /// Stops the heading service.
        open func stopUpdatingHeading() { stop(.heading) }
        /// Does nothing.
        open func dismissHeadingCalibrationDisplay() {}

        /// Starts the significant-change service of the app.
        open func startMonitoringSignificantLocationChanges() { start(.significantChange) }
        /// Stops the significant-change service of the app.
        open func stopMonitoringSignificantLocationChanges() { stop(.significantChange) }
        /// Starts the visit service of the app.
        open func startMonitoringVisits() { start(.visits) }
        /// Stops the visit service of the app.
        open func stopMonitoringVisits() { stop(.visits) }

        private func start(_ service: Service) { core.app(id.process) { [id] in $0.start(service, by: id) } }
        private func stop(_ service: Service) { core.app(id.process) { [id] in $0.stop(service, by: id) } }

        /// Requests a token for location pushes. The simulated token is always the same.
        open func startMonitoringLocationPushes(completion: ((Data?, (any Error)?) -> Void)? = nil) {
            let token = core.app(id.process) { [id] in $0.startPushes(by: id) }
            if let token, let completion { pushCompletions[token] = completion }
        }

        /// Asks for a token for location pushes.
        ///
        /// - Returns: the token for the server.
        /// - Throws: `CLLocationPushServiceError` when the app may not receive location pushes (PLIST-14).
        open nonisolated(nonsending) func startMonitoringLocationPushes() async throws -> Data {
            try await withCheckedThrowingContinuation { continuation in
                let token = core.app(id.process) { [id] in $0.startPushes(by: id) }
                // A process that has ended would never answer.
                guard let token else {
                    return continuation.resume(throwing: CLLocationPushServiceError(.unknown))
                }
                pushCompletions[token] = { data, error in
                    if let data {
                        continuation.resume(returning: data)
                    } else {
                        continuation.resume(throwing: error ?? CLLocationPushServiceError(.unknown))
                    }
                }
            }
        }

        /// Stops location pushes.
        open func stopMonitoringLocationPushes() { stop(.locationPush) }

        // MARK: Regions and beacons

        /// Registers the region for this and later launches. It replaces a region with the same identifier.
        @available(iOS, deprecated: 27.0, message: "Use CLMonitor.")
        @available(macOS, deprecated: 27.0, message: "Use CLMonitor.")
        open func startMonitoring(for region: CLRegion) {
            guard let record = RegionRecord(region) else { return }
            core.app(id.process) { [id] in $0.startMonitoring(record, by: id) }
        }

        /// Removes the region with this identifier.
        @available(iOS, deprecated: 27.0, message: "Use CLMonitor.")
        @available(macOS, deprecated: 27.0, message: "Use CLMonitor.")
        open func stopMonitoring(for region: CLRegion) {
            guard let record = RegionRecord(region) else { return }
            core.app(id.process) { $0.stopMonitoring(record) }
        }

        /// Requests the known state of a region. The delegate receives it.
        open func requestState(for region: CLRegion) {
            guard let record = RegionRecord(region) else { return }
            core.app(id.process) { [id] in $0.requestState(record, by: id) }
        }

        /// Starts to range the beacons.
        open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
            rangedBeaconConstraints.insert(constraint)
            start(.beaconRanging)
            core.update(id) { $0.constraints.append(constraint) }
        }

        /// Stops to range the beacons.
        open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
            rangedBeaconConstraints.remove(constraint)
            core.update(id) { $0.constraints.removeAll { $0 == constraint } }
            endRangingIfUnused()
        }

        /// The regions that are ranged.
        @available(*, deprecated, message: "Use rangedBeaconConstraints.")
        public var rangedRegions: Set<CLRegion> { Set(ranged) }

        /// Ranges the beacons of a region.
        @available(*, deprecated, message: "Use startRangingBeacons(satisfying:).")
        open func startRangingBeacons(in region: CLBeaconRegion) {
            if !ranged.contains(region) { ranged.append(region) }
            start(.beaconRanging)
            core.update(id) { [constraint = region.beaconIdentityConstraint] in $0.constraints.append(constraint) }
        }

        /// Stops to range the beacons of a region.
        @available(*, deprecated, message: "Use stopRangingBeacons(satisfying:).")
        open func stopRangingBeacons(in region: CLBeaconRegion) {
            ranged.removeAll { $0 == region }
            core.update(id) { [constraint = region.beaconIdentityConstraint] manager in
                manager.constraints.removeAll { $0 == constraint }
            }
            endRangingIfUnused()
        }

        private func endRangingIfUnused() {
            if rangedBeaconConstraints.isEmpty, ranged.isEmpty { stop(.beaconRanging) }
        }

        // MARK: Historical locations, which watches have

        /// Asks a watch for earlier locations, by a purpose of the Info.plist.
        ///
        /// The handler gets `historicalLocationError`: the simulated device keeps no earlier locations, and other systems
        /// than watchOS have no such call.
        open func requestHistoricalLocations(
            purposeKey: String, sampleCount: Int,
            completionHandler handler: @escaping @Sendable ([CLLocation], (any Error)?) -> Void
        ) {
            let reply = AppReply { handler([], CLError(.historicalLocationError)) }
            core.app(id.process) { $0.replies.append(reply) }
        }

        /// Asks a watch for earlier locations, by a purpose of the Info.plist. The simulated device keeps none.
        ///
        /// - Parameters:
        ///   - purposeKey: the purpose of the Info.plist.
        ///   - sampleCount: how many locations.
        /// - Returns: locations, on a watch.
        /// - Throws: `CLError` with `historicalLocationError`, always.
        open nonisolated(nonsending) func historicalLocations(
            purposeKey: String, sampleCount: Int
        ) async throws -> [CLLocation] { throw CLError(.historicalLocationError) }

        // MARK: Deferred updates, which no system has since iOS 13

        /// Whether updates can be deferred: never.
        @available(*, deprecated, message: "Updates are not deferred since iOS 13.")
        open class func deferredLocationUpdatesAvailable() -> Bool { false }

        /// Asks to defer updates. The delegate receives the failure `deferredFailed`.
        @available(*, deprecated, message: "Updates are not deferred since iOS 13.")
        open func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {
            core.app(id.process) { [id] in $0.pending.append(.init(callback: .deferredFailed, to: [id])) }
        }

        /// Does nothing, as updates are never deferred.
        @available(*, deprecated, message: "Updates are not deferred since iOS 13.")
        open func disallowDeferredLocationUpdates() {}
    }

    extension CLLocationManager {
        /// Calls the delegate.
        ///
        /// - Returns: whether there is a delegate.
        func invoke(_ callback: Callback, hasNewAuthorizationCallback: Bool) -> Bool {
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
            case .turned(let heading):
                delegate.locationManager(self, didUpdateHeading: heading.turned(by: headingOffset))
            case .ranged(let beacons, let constraint):
                if rangedBeaconConstraints.contains(constraint) {
                    delegate.locationManager(self, didRange: beacons, satisfying: constraint)
                }
                for region in ranged where region.beaconIdentityConstraint == constraint {
                    delegate.locationManager(self, didRangeBeacons: beacons, in: region)
                }
            case .paused: delegate.locationManagerDidPauseLocationUpdates(self)
            case .resumed: delegate.locationManagerDidResumeLocationUpdates(self)
            case .deferredFailed:
                delegate.locationManager(self, didFinishDeferredUpdatesWithError: CLError(.deferredFailed))
            case .fullAccuracyAnswered, .pushesAnswered: break
            }
            return true
        }
    }
#endif
