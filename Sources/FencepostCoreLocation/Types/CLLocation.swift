#if !canImport(CoreLocation)
    import FencepostGeometry
    public import Foundation

    public struct CLLocationCoordinate2D: Sendable {
        public var latitude: CLLocationDegrees
        public var longitude: CLLocationDegrees

        public init() { (latitude, longitude) = (0, 0) }

        public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

    // swift-format-ignore: AlwaysUseLowerCamelCase
    public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool { coord.coordinate.isValid }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    public func CLLocationCoordinate2DMake(
        _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
    ) -> CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }

    extension CLLocationCoordinate2D {
        var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

        init(_ coordinate: Coordinate) { self.init(latitude: coordinate.latitude, longitude: coordinate.longitude) }
    }

    /// The storey of a building.
    public final class CLFloor: NSObject, Sendable {
        /// 0 at the ground.
        public let level: Int

        init(level: Int) { self.level = level }
    }

    public final class CLLocationSourceInformation: NSObject, Sendable {
        public let isSimulatedBySoftware: Bool
        public let isProducedByAccessory: Bool

        public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
            isSimulatedBySoftware = isSoftware
            isProducedByAccessory = isAccessory
        }
    }

    /// One fix. Negative numbers mean unknown, as they do on a phone.
    public final class CLLocation: NSObject, Sendable {
        public let coordinate: CLLocationCoordinate2D
        /// Metres above the sea.
        public let altitude: CLLocationDistance
        /// Metres above the ellipsoid; here the same as `altitude`.
        public var ellipsoidalAltitude: CLLocationDistance { altitude }
        /// Metres; negative when the coordinate is not valid.
        public let horizontalAccuracy: CLLocationAccuracy
        /// Metres; not positive when the altitude is not valid.
        public let verticalAccuracy: CLLocationAccuracy
        public let course: CLLocationDirection
        public let courseAccuracy: CLLocationDirectionAccuracy
        public let speed: CLLocationSpeed
        public let speedAccuracy: CLLocationSpeedAccuracy
        public let timestamp: Date
        public let floor: CLFloor?
        public let sourceInformation: CLLocationSourceInformation?

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

        public convenience init(
            coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
            verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
        ) {
            self.init(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
                verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: -1, speed: speed,
                speedAccuracy: -1, timestamp: timestamp)
        }

        public convenience init(
            coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
            verticalAccuracy: CLLocationAccuracy, timestamp: Date
        ) {
            self.init(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
                verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
        }

        /// A fix of the present, by the clock of the simulated device where there is one.
        public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
            self.init(
                coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
                horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: DeviceCore.current?.date ?? Date())
        }

        /// Metres along the shortest way over the ellipsoid.
        public func distance(from location: CLLocation) -> CLLocationDistance {
            Geodesic.distance(coordinate.coordinate, location.coordinate.coordinate)
        }

        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? CLLocation else { return false }
            return coordinate.coordinate == other.coordinate.coordinate && timestamp == other.timestamp
                && altitude == other.altitude && horizontalAccuracy == other.horizontalAccuracy
                && verticalAccuracy == other.verticalAccuracy && course == other.course && speed == other.speed
        }

        public override var hash: Int {
            var hasher = Hasher()
            hasher.combine(coordinate.coordinate)
            hasher.combine(timestamp)
            return hasher.finalize()
        }

        public override var description: String {
            "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m (speed \(speed) mps / "
                + "course \(course)) @ \(timestamp)"
        }
    }
#endif
