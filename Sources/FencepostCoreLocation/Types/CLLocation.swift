#if !canImport(CoreLocation) || SimulatedCoreLocation
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
    open class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {  // because it never changes
        private let number: Int

        /// The number of the storey; 0 is the ground floor.
        open var level: Int { number }

        init(level: Int) { number = level }

        /// Reads a storey from an archive.
        public required init?(coder: NSCoder) { number = coder.decodeInteger(forKey: "level") }

        /// Writes the storey to an archive.
        open func encode(with coder: NSCoder) { coder.encode(level, forKey: "level") }

        /// Archives can be read securely.
        open class var supportsSecureCoding: Bool { true }

        /// The object, as it never changes.
        open func copy(with zone: NSZone? = nil) -> Any { self }
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

    /// A fix. As in Core Location, negative numbers mean unknown, and an app may subclass it, as tests do.
    open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {  // because it never changes
        private let fix: Fix

        /// The values of a fix.
        private struct Fix {
            var coordinate = CLLocationCoordinate2D()
            var altitude = 0.0
            var horizontalAccuracy = 0.0
            var verticalAccuracy = 0.0
            var course = 0.0
            var courseAccuracy = -1.0
            var speed = 0.0
            var speedAccuracy = -1.0
            var timestamp = Date(timeIntervalSinceReferenceDate: 0)
            var source = CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: false)
        }

        /// The position.
        open var coordinate: CLLocationCoordinate2D { fix.coordinate }
        /// Height above sea level, in metres.
        open var altitude: CLLocationDistance { fix.altitude }
        /// Height above the ellipsoid, in metres; equal to `altitude` in the simulation.
        open var ellipsoidalAltitude: CLLocationDistance { altitude }
        /// The radius of uncertainty, in metres; negative when the coordinate is not valid.
        open var horizontalAccuracy: CLLocationAccuracy { fix.horizontalAccuracy }
        /// The accuracy of the altitude, in metres; 0 or negative when the altitude is not valid.
        open var verticalAccuracy: CLLocationAccuracy { fix.verticalAccuracy }
        /// The direction of movement, in degrees from true north; negative when unknown.
        open var course: CLLocationDirection { fix.course }
        /// The accuracy of the course, in degrees; negative when unknown.
        open var courseAccuracy: CLLocationDirectionAccuracy { fix.courseAccuracy }
        /// The speed, in metres per second; negative when unknown.
        open var speed: CLLocationSpeed { fix.speed }
        /// The accuracy of the speed, in metres per second; negative when unknown.
        open var speedAccuracy: CLLocationSpeedAccuracy { fix.speedAccuracy }
        /// The time of the fix.
        open var timestamp: Date { fix.timestamp }
        /// The storey; always `nil` in the simulation.
        open var floor: CLFloor? { nil }
        /// Where the fix comes from.
        open var sourceInformation: CLLocationSourceInformation? { fix.source }

        /// Makes a fix at 0, 0 of the reference date, as a value before the first fix.
        public override init() { fix = Fix() }

        /// Makes a fix from all values. The parameters are many because the signature is that of Core Location.
        public init(
            coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
            verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection,
            courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
            speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date, sourceInfo: CLLocationSourceInformation
        ) {
            fix = Fix(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
                verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
                speedAccuracy: speedAccuracy, timestamp: timestamp, source: sourceInfo)
        }

        /// Makes a fix that software made. The parameters are many because the signature is that of Core Location.
        public init(
            coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
            verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection,
            courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed,
            speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
        ) {
            fix = Fix(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
                verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
                speedAccuracy: speedAccuracy, timestamp: timestamp)
        }

        /// Makes a fix without the accuracy of course and speed. The parameters are many because the signature is that
        /// of Core Location.
        public init(
            coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
            verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
        ) {
            fix = Fix(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
                verticalAccuracy: verticalAccuracy, course: course, speed: speed, timestamp: timestamp)
        }

        /// Makes a fix without course and speed.
        public init(
            coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
            verticalAccuracy: CLLocationAccuracy, timestamp: Date
        ) {
            fix = Fix(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
                verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
        }

        /// Makes a fix at the current time, by the clock of the simulated device where there is one.
        public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
            fix = Fix(
                coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), verticalAccuracy: -1,
                course: -1, speed: -1, timestamp: DeviceCore.current?.date ?? Date())
        }

        /// Reads a fix from an archive.
        public required init?(coder: NSCoder) {
            let number = { (key: String) in coder.decodeDouble(forKey: key) }
            fix = Fix(
                coordinate: CLLocationCoordinate2D(latitude: number("latitude"), longitude: number("longitude")),
                altitude: number("altitude"), horizontalAccuracy: number("horizontalAccuracy"),
                verticalAccuracy: number("verticalAccuracy"), course: number("course"),
                courseAccuracy: number("courseAccuracy"), speed: number("speed"),
                speedAccuracy: number("speedAccuracy"),
                timestamp: Date(timeIntervalSinceReferenceDate: number("timestamp")),
                source: CLLocationSourceInformation(
                    softwareSimulationState: coder.decodeBool(forKey: "isSimulatedBySoftware"),
                    andExternalAccessoryState: coder.decodeBool(forKey: "isProducedByAccessory")))
        }

        /// Writes the fix to an archive, for example to keep the last one in a file.
        open func encode(with coder: NSCoder) {
            coder.encode(coordinate.latitude, forKey: "latitude")
            coder.encode(coordinate.longitude, forKey: "longitude")
            coder.encode(altitude, forKey: "altitude")
            coder.encode(horizontalAccuracy, forKey: "horizontalAccuracy")
            coder.encode(verticalAccuracy, forKey: "verticalAccuracy")
            coder.encode(course, forKey: "course")
            coder.encode(courseAccuracy, forKey: "courseAccuracy")
            coder.encode(speed, forKey: "speed")
            coder.encode(speedAccuracy, forKey: "speedAccuracy")
            coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: "timestamp")
            coder.encode(fix.source.isSimulatedBySoftware, forKey: "isSimulatedBySoftware")
            coder.encode(fix.source.isProducedByAccessory, forKey: "isProducedByAccessory")
        }

        /// Archives can be read securely.
        open class var supportsSecureCoding: Bool { true }

        /// The object, as it never changes.
        open func copy(with zone: NSZone? = nil) -> Any { self }

        /// The length of the geodesic to another fix, in metres.
        open func distance(from location: CLLocation) -> CLLocationDistance {
            Geodesic.distance(coordinate.coordinate, location.coordinate.coordinate)
        }

        /// Compares position, time, altitude, accuracies, course and speed.
        open override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? CLLocation else { return false }
            return coordinate.coordinate == other.coordinate.coordinate && timestamp == other.timestamp
                && altitude == other.altitude && horizontalAccuracy == other.horizontalAccuracy
                && verticalAccuracy == other.verticalAccuracy && course == other.course && speed == other.speed
        }

        /// The hash of position and time.
        open override var hash: Int {
            var hasher = Hasher()
            hasher.combine(coordinate.coordinate)
            hasher.combine(timestamp)
            return hasher.finalize()
        }

        /// Position, accuracy, speed, course and time, for people.
        open override var description: String {
            "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m (speed \(speed) mps / "
                + "course \(course)) @ \(timestamp)"
        }
    }
#endif
