#if !canImport(CoreLocation)
    public import Foundation

    /// Degrees north of the equator, -90 to 90, or east of Greenwich, -180 to 180.
    public typealias CLLocationDegrees = Double
    /// Metres.
    public typealias CLLocationDistance = Double
    /// Metres.
    public typealias CLLocationAccuracy = Double
    /// Degrees.
    public typealias CLLocationDirectionAccuracy = Double
    /// Metres per second.
    public typealias CLLocationSpeed = Double
    /// Metres per second.
    public typealias CLLocationSpeedAccuracy = Double
    /// Degrees from true north, 0 up to and without 360; negative when unknown.
    public typealias CLLocationDirection = Double
    /// Microteslas.
    public typealias CLHeadingComponentValue = Double
    /// 0 to 65 535.
    public typealias CLBeaconMajorValue = UInt16
    /// 0 to 65 535.
    public typealias CLBeaconMinorValue = UInt16

    public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
    public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
    public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
    public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
    public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
    public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
    /// As good as an app gets that was not allowed to know more.
    public let kCLLocationAccuracyReduced: CLLocationAccuracy = .greatestFiniteMagnitude
    /// Every movement.
    public let kCLDistanceFilterNone: CLLocationDistance = -1
    public let kCLHeadingFilterNone: CLLocationDegrees = -1
    /// What no region exceeds.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude
    public let kCLErrorDomain = "kCLErrorDomain"

    /// What an app is told that it may do.
    ///
    /// A grant that is provisional or for once is told as if it were lasting; see `SimulatedDevice.grant`.
    @nonexhaustive(warn) public enum CLAuthorizationStatus: Int32, Sendable, Hashable {
        case notDetermined = 0
        case restricted = 1
        case denied = 2
        case authorizedAlways = 3
        case authorizedWhenInUse = 4

        /// The name that this had before there was while-using.
        @available(*, deprecated, renamed: "authorizedAlways")
        public static var authorized: CLAuthorizationStatus { .authorizedAlways }
    }

    @nonexhaustive(warn) public enum CLAccuracyAuthorization: Int, Sendable, Hashable {
        case fullAccuracy = 0
        /// Locations are those of an area of some kilometres, and nothing is told of regions and beacons.
        case reducedAccuracy = 1
    }

    /// What the user is doing, as the app guesses.
    @nonexhaustive(warn) public enum CLActivityType: Int, Sendable, Hashable {
        case other = 1
        case automotiveNavigation, fitness, otherNavigation, airborne
    }

    @nonexhaustive(warn) public enum CLRegionState: Int, Sendable, Hashable {
        case unknown = 0
        case inside, outside
    }

    @nonexhaustive(warn) public enum CLProximity: Int, Sendable, Hashable {
        case unknown = 0
        case immediate, near, far
    }

    @nonexhaustive(warn) public enum CLDeviceOrientation: Int32, Sendable, Hashable {
        case unknown = 0
        case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
    }
#endif
