#if !canImport(CoreLocation)
    import FencepostGeometry
    public import Foundation

    /// Degrees north of the equator, -90 to 90, or east of Greenwich, -180 to 180.
    public typealias CLLocationDegrees = Double
    /// Metres.
    public typealias CLLocationDistance = Double
    /// Metres.
    public typealias CLLocationAccuracy = Double
    /// Degrees from true north, from 0 up to but not including 360; negative when unknown.
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

    /// The best accuracy, with additional sensors.
    public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
    /// The best accuracy.
    public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
    /// Ten metres.
    public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
    /// A hundred metres.
    public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
    /// A kilometre.
    public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
    /// Three kilometres.
    public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
    /// The accuracy of an app with reduced accuracy.
    public let kCLLocationAccuracyReduced: CLLocationAccuracy = .greatestFiniteMagnitude
    /// A distance filter that accepts every movement.
    public let kCLDistanceFilterNone: CLLocationDistance = -1
    /// A heading filter that accepts every change.
    public let kCLHeadingFilterNone: CLLocationDegrees = -1
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The greatest distance. No region exceeds it.
    public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The greatest time interval.
    public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude

    /// A position on WGS 84.
    public struct CLLocationCoordinate2D: Sendable {
        /// Degrees north of the equator, -90 to 90.
        public var latitude: CLLocationDegrees
        /// Degrees east of Greenwich, -180 to 180.
        public var longitude: CLLocationDegrees

        /// Makes 0, 0.
        public init() { (latitude, longitude) = (0, 0) }

        /// Makes a position. The values are not checked.
        public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// A position that is not valid.
    public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Whether latitude and longitude are within their ranges.
    public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool { coord.coordinate.isValid }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Makes a position. The values are not checked.
    public func CLLocationCoordinate2DMake(
        _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
    ) -> CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }

    extension CLLocationCoordinate2D {
        var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

        init(_ coordinate: Coordinate) { self.init(latitude: coordinate.latitude, longitude: coordinate.longitude) }
    }

    /// A storey of a building.
    public final class CLFloor: NSObject, Sendable {
        /// The number of the storey; 0 is the ground floor.
        public let level: Int

        init(level: Int) { self.level = level }
    }

    /// Where a fix comes from.
    public final class CLLocationSourceInformation: NSObject, Sendable {
        /// Whether software made the fix.
        public let isSimulatedBySoftware: Bool
        /// Whether an accessory measured the fix.
        public let isProducedByAccessory: Bool

        /// Makes the information.
        public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
            isSimulatedBySoftware = isSoftware
            isProducedByAccessory = isAccessory
        }
    }

    /// A fix. As in Core Location, negative numbers mean unknown.
    public final class CLLocation: NSObject, Sendable {
        /// The position.
        public let coordinate: CLLocationCoordinate2D
        /// Height above sea level, in metres.
        public let altitude: CLLocationDistance
        /// Height above the ellipsoid, in metres; equal to `altitude` in the simulation.
        public var ellipsoidalAltitude: CLLocationDistance { altitude }
        /// The radius of uncertainty, in metres; negative when the coordinate is not valid.
        public let horizontalAccuracy: CLLocationAccuracy
        /// The accuracy of the altitude, in metres; 0 or negative when the altitude is not valid.
        public let verticalAccuracy: CLLocationAccuracy
        /// The direction of movement, in degrees from true north; negative when unknown.
        public let course: CLLocationDirection
        /// The accuracy of the course, in degrees; negative when unknown.
        public let courseAccuracy: CLLocationDirectionAccuracy
        /// The speed, in metres per second; negative when unknown.
        public let speed: CLLocationSpeed
        /// The accuracy of the speed, in metres per second; negative when unknown.
        public let speedAccuracy: CLLocationSpeedAccuracy
        /// The time of the fix.
        public let timestamp: Date
        /// The storey; always `nil` in the simulation.
        public let floor: CLFloor?
        /// Where the fix comes from.
        public let sourceInformation: CLLocationSourceInformation?

        /// Makes a fix from all values. The parameters are many because the signature is that of Core Location.
        public init(
            coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
            verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection,
            courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
            speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date, sourceInfo: CLLocationSourceInformation
        ) {
            self.coordinate = coordinate
            self.altitude = altitude
            self.horizontalAccuracy = horizontalAccuracy
            self.verticalAccuracy = verticalAccuracy
            self.course = course
            self.courseAccuracy = courseAccuracy
            self.speed = speed
            self.speedAccuracy = speedAccuracy
            self.timestamp = timestamp
            floor = nil
            sourceInformation = sourceInfo
        }

        /// Makes a fix that software made. The parameters are many because the signature is that of Core
        /// Location.
        public convenience init(
            coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
            verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection,
            courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
            speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
        ) {
            self.init(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
                verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
                speedAccuracy: speedAccuracy, timestamp: timestamp,
                sourceInfo: CLLocationSourceInformation(
                    softwareSimulationState: true, andExternalAccessoryState: false))
        }

        /// Makes a fix without the accuracy of course and speed. The parameters are many because the signature is that of Core
        /// Location.
        public convenience init(
            coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
            verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
        ) {
            self.init(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
                verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: -1, speed: speed,
                speedAccuracy: -1, timestamp: timestamp)
        }

        /// Makes a fix without course and speed.
        public convenience init(
            coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
            verticalAccuracy: CLLocationAccuracy, timestamp: Date
        ) {
            self.init(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
                verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
        }

        /// Makes a fix at the current time, by the clock of the simulated device where there is one.
        public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
            self.init(
                coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
                horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: DeviceCore.current?.date ?? Date())
        }

        /// The length of the geodesic to another fix, in metres.
        public func distance(from location: CLLocation) -> CLLocationDistance {
            Geodesic.distance(coordinate.coordinate, location.coordinate.coordinate)
        }

        /// Compares position, time, altitude, accuracies, course and speed.
        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? CLLocation else { return false }
            return coordinate.coordinate == other.coordinate.coordinate && timestamp == other.timestamp
                && altitude == other.altitude && horizontalAccuracy == other.horizontalAccuracy
                && verticalAccuracy == other.verticalAccuracy && course == other.course && speed == other.speed
        }

        /// The hash of position and time.
        public override var hash: Int {
            var hasher = Hasher()
            hasher.combine(coordinate.coordinate)
            hasher.combine(timestamp)
            return hasher.finalize()
        }

        /// Position, accuracy, speed, course and time, for people.
        public override var description: String {
            "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m (speed \(speed) mps / "
                + "course \(course)) @ \(timestamp)"
        }
    }
#endif
