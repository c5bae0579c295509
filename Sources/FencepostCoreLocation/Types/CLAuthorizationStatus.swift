#if !canImport(CoreLocation) || SimulatedCoreLocation
    /// The status that the API reports to an app.
    ///
    /// It does not distinguish provisional Always and Allow Once from lasting grants; `SimulatedDevice.grant` does.
    @nonexhaustive(warn) public enum CLAuthorizationStatus: Int32, Sendable, Hashable {
        case notDetermined = 0
        /// The user cannot permit location on this device, as under parental controls.
        case restricted = 1
        /// The user refused, or Location Services are off.
        case denied = 2
        /// Always, also while it is provisional.
        case authorizedAlways = 3
        /// While Using, also for Allow Once.
        case authorizedWhenInUse = 4

        /// The name of `authorizedAlways` before iOS 8.
        @available(*, deprecated, renamed: "authorizedAlways")
        public static var authorized: CLAuthorizationStatus { .authorizedAlways }
    }

    /// The accuracy that the API reports to an app.
    @nonexhaustive(warn) public enum CLAccuracyAuthorization: Int, Sendable, Hashable {
        case fullAccuracy = 0
        /// Locations stand for an area of some kilometres. Regions and beacons report nothing.
        case reducedAccuracy = 1
    }

    /// The activity that the app expects of the user.
    @nonexhaustive(warn) public enum CLActivityType: Int, Sendable, Hashable {
        case other = 1
        /// Kinds of movement. They make no difference in the simulation.
        case automotiveNavigation, fitness, otherNavigation, airborne
        /// On the water, since iOS 27. It makes no difference in the simulation.
        case maritime
    }

    /// Whether the device is inside a region.
    @nonexhaustive(warn) public enum CLRegionState: Int, Sendable, Hashable {
        case unknown = 0
        /// The last determined state.
        case inside, outside
    }

    /// The estimated distance class of a beacon.
    @nonexhaustive(warn) public enum CLProximity: Int, Sendable, Hashable {
        case unknown = 0
        /// From near to far.
        case immediate, near, far
    }

    /// How the user holds the device.
    @nonexhaustive(warn) public enum CLDeviceOrientation: Int32, Sendable, Hashable {
        case unknown = 0
        /// The ways to hold it.
        case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown

        /// The angle from the top of the device in portrait to its top in this orientation, in degrees.
        var headingOffset: Double {
            switch self {
            case .portraitUpsideDown: 180
            // The top of the device points to the left of the person who holds it, so its right side is ahead.
            case .landscapeLeft: 90
            case .landscapeRight: -90
            case .unknown, .portrait, .faceUp, .faceDown: 0
            }
        }
    }
#endif
