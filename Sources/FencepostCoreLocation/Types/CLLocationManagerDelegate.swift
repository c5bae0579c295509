#if !canImport(CoreLocation) || SimulatedCoreLocation
    public import Foundation

    /// Receives the events of a location manager. Every method has an empty default implementation.
    ///
    /// The methods are called within the calls of `SimulatedDevice`, never within a call of the manager.
    public protocol CLLocationManagerDelegate: NSObjectProtocol {
        /// The status or the accuracy has changed, or the manager is new (CB-01, CB-02).
        func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
        /// The status has changed, or the manager is new. Systems before iOS 14 call this method.
        func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)
        /// There are new fixes, oldest first.
        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
        /// A service failed.
        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
        /// The device has entered a region.
        func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
        /// The device has left a region.
        func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
        /// The state of a region was determined (REGION-05).
        func locationManager(
            _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
        /// The system monitors a new region.
        func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)
        /// The system does not monitor a region (REGION-13).
        func locationManager(
            _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)
        /// The user has arrived at a place or left it.
        func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
        /// The device points in a new direction.
        func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)
        /// Whether the system may show the calibration display. The simulation does not call it.
        func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool
        /// Ranging has detected beacons.
        func locationManager(
            _ manager: CLLocationManager, didRange beacons: [CLBeacon],
            satisfying beaconConstraint: CLBeaconIdentityConstraint)
        /// Ranging of a region has detected beacons. Core Location before iOS 13 calls it, and today's for a region that
        /// `startRangingBeacons(in:)` was called with.
        func locationManager(
            _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)
        /// Ranging of a region failed. The simulation does not call it.
        func locationManager(
            _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error)
        /// Ranging failed. The simulation does not call it.
        func locationManager(
            _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
            error: any Error)
        /// The system has paused the updates, since the device rests. Nothing resumes them (SVC-26).
        func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
        /// The app has started paused updates again.
        func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)
        /// Deferred updates have ended: at once with `deferredFailed`, as no system has deferred updates since iOS 13.
        func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)
    }

    extension CLLocationManagerDelegate {
        /// Calls the method of earlier systems, for delegates that implement only that one.
        public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
            locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
        }
        /// Does nothing.
        public func locationManager(
            _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
        ) {}
        /// Does nothing.
        public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
        /// Does nothing.
        public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
        /// Does nothing.
        public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
        /// Does nothing.
        public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
        /// Does nothing.
        public func locationManager(
            _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
        ) {}
        /// Does nothing.
        public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}
        /// Does nothing.
        public func locationManager(
            _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
        ) {}
        /// Does nothing.
        public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
        /// Does nothing.
        public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}
        /// False.
        public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { false }
        /// Does nothing.
        public func locationManager(
            _ manager: CLLocationManager, didRange beacons: [CLBeacon],
            satisfying beaconConstraint: CLBeaconIdentityConstraint
        ) {}
        /// Does nothing.
        public func locationManager(
            _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
        ) {}
        /// Does nothing.
        public func locationManager(
            _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
        ) {}
        /// Does nothing.
        public func locationManager(
            _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
            error: any Error
        ) {}
        /// Does nothing.
        public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
        /// Does nothing.
        public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}
        /// Does nothing.
        public func locationManager(
            _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
        ) {}
    }
#endif
