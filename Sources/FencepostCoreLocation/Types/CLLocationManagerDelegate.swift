#if !canImport(CoreLocation)
    public import Foundation

    /// What hears of a location manager's news; every method may be left out.
    ///
    /// Called within the calls of `SimulatedDevice`, never from inside a call of the manager.
    public protocol CLLocationManagerDelegate: NSObjectProtocol {
        func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
        func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)
        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
        func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
        func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
        func locationManager(
            _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
        func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)
        func locationManager(
            _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)
        func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
        func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)
        func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool
        func locationManager(
            _ manager: CLLocationManager, didRange beacons: [CLBeacon],
            satisfying beaconConstraint: CLBeaconIdentityConstraint)
        func locationManager(
            _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
            error: any Error)
        func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
        func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)
        func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)
    }

    extension CLLocationManagerDelegate {
        /// Hands over to the older method, so that a delegate that knows only that one hears as well.
        public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
            locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
        }
        public func locationManager(
            _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
        ) {}
        public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
        public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
        public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
        public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
        public func locationManager(
            _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
        ) {}
        public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}
        public func locationManager(
            _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
        ) {}
        public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
        public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}
        public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { false }
        public func locationManager(
            _ manager: CLLocationManager, didRange beacons: [CLBeacon],
            satisfying beaconConstraint: CLBeaconIdentityConstraint
        ) {}
        public func locationManager(
            _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
            error: any Error
        ) {}
        public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
        public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}
        public func locationManager(
            _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
        ) {}
    }
#endif
