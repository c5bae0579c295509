#if !canImport(CoreLocation)
    import FencepostGeometry
    public import Foundation

    /// An area that an app can be told of, known to the system by its identifier.
    open class CLRegion: NSObject {
        public let identifier: String
        open var notifyOnEntry = true
        open var notifyOnExit = true

        init(name identifier: String) {
            self.identifier = identifier
        }

        open override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? CLRegion else { return false }
            return type(of: self) == type(of: other) && identifier == other.identifier
        }

        open override var hash: Int { identifier.hashValue }
    }

    open class CLCircularRegion: CLRegion {
        public let center: CLLocationCoordinate2D
        /// Metres.
        public let radius: CLLocationDistance

        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
            self.center = center
            self.radius = radius
            super.init(name: identifier)
        }

        /// Whether the coordinate is in the circle or on its edge.
        open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
            Geodesic.distance(center.coordinate, coordinate.coordinate) <= radius
        }

        open override var description: String {
            "CLCircularRegion (identifier:'\(identifier)', center:<\(center.latitude),\(center.longitude)>, "
                + "radius:\(radius)m)"
        }
    }

    /// The beacons that an app means: all of a UUID, or those of a major and perhaps a minor number as well.
    public final class CLBeaconIdentityConstraint: NSObject, Sendable {
        public let uuid: UUID
        public let major: CLBeaconMajorValue?
        public let minor: CLBeaconMinorValue?

        private init(_ uuid: UUID, _ major: CLBeaconMajorValue?, _ minor: CLBeaconMinorValue?) {
            (self.uuid, self.major, self.minor) = (uuid, major, minor)
        }

        public convenience init(uuid: UUID) { self.init(uuid, nil, nil) }

        public convenience init(uuid: UUID, major: CLBeaconMajorValue) { self.init(uuid, major, nil) }

        public convenience init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
            self.init(uuid, major, minor)
        }

        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? CLBeaconIdentityConstraint else { return false }
            return uuid == other.uuid && major == other.major && minor == other.minor
        }

        public override var hash: Int { uuid.hashValue }

        func isMet(by beacon: CLBeacon) -> Bool {
            uuid == beacon.uuid && (major == nil || major == beacon.majorValue)
                && (minor == nil || minor == beacon.minorValue)
        }
    }

    open class CLBeaconRegion: CLRegion {
        public let beaconIdentityConstraint: CLBeaconIdentityConstraint
        /// Whether the state is told also when the screen is switched on inside.
        open var notifyEntryStateOnDisplay = false

        public var uuid: UUID { beaconIdentityConstraint.uuid }
        public var major: NSNumber? { beaconIdentityConstraint.major.map { NSNumber(value: $0) } }
        public var minor: NSNumber? { beaconIdentityConstraint.minor.map { NSNumber(value: $0) } }

        public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
            self.beaconIdentityConstraint = beaconIdentityConstraint
            super.init(name: identifier)
        }

        public convenience init(uuid: UUID, identifier: String) {
            self.init(beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid), identifier: identifier)
        }

        public convenience init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
            self.init(
                beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major),
                identifier: identifier)
        }

        public convenience init(
            uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
        ) {
            self.init(
                beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor),
                identifier: identifier)
        }
    }

    /// A beacon that ranging has heard.
    public final class CLBeacon: NSObject, Sendable {
        public let uuid: UUID
        let majorValue: CLBeaconMajorValue
        let minorValue: CLBeaconMinorValue
        public let proximity: CLProximity
        /// Metres; negative when unknown.
        public let accuracy: CLLocationAccuracy
        /// Decibels.
        public let rssi: Int
        public let timestamp: Date

        public var major: NSNumber { NSNumber(value: majorValue) }
        public var minor: NSNumber { NSNumber(value: minorValue) }

        init(
            uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, proximity: CLProximity,
            accuracy: CLLocationAccuracy, timestamp: Date
        ) {
            self.uuid = uuid
            (majorValue, minorValue) = (major, minor)
            self.proximity = proximity
            self.accuracy = accuracy
            rssi = proximity == .unknown ? 0 : -59
            self.timestamp = timestamp
        }
    }
#endif
