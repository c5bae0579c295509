#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostGeometry
    public import Foundation

    /// An area that the system monitors for an app. The identifier identifies it within the app.
    open class CLRegion: NSObject, NSCopying, NSSecureCoding {
        /// The identifier; a region with the same identifier replaces it.
        public let identifier: String
        /// Whether the delegate is called for an entry.
        open var notifyOnEntry = true
        /// Whether the delegate is called for an exit.
        open var notifyOnExit = true

        init(name identifier: String) {
            self.identifier = identifier
        }

        /// Reads a region from an archive; `nil` without an identifier.
        ///
        /// - Parameter coder: the archive.
        public required init?(coder: NSCoder) {
            guard let name = coder.decodeObject(of: NSString.self, forKey: "identifier") else { return nil }
            identifier = String(describing: name)
            notifyOnEntry = coder.decodeBool(forKey: "notifyOnEntry")
            notifyOnExit = coder.decodeBool(forKey: "notifyOnExit")
        }

        /// Writes the region to an archive.
        open func encode(with coder: NSCoder) {
            coder.encode(NSString(string: identifier), forKey: "identifier")
            coder.encode(notifyOnEntry, forKey: "notifyOnEntry")
            coder.encode(notifyOnExit, forKey: "notifyOnExit")
        }

        /// Archives can be read securely.
        open class var supportsSecureCoding: Bool { true }

        /// A new object with the same values.
        open func copy(with zone: NSZone? = nil) -> Any { RegionRecord(self)?.region() ?? self }

        /// Regions of the same class are equal if their identifiers are.
        open override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? CLRegion else { return false }
            return type(of: self) == type(of: other) && identifier == other.identifier
        }

        /// The hash of the identifier.
        open override var hash: Int { identifier.hashValue }
    }

    /// A circle.
    open class CLCircularRegion: CLRegion {
        /// The centre.
        public let center: CLLocationCoordinate2D
        /// The radius, in metres.
        public let radius: CLLocationDistance

        /// Makes a circle with a radius in metres.
        @available(iOS, deprecated: 27.0, message: "Use CLMonitor.CircularGeographicCondition.")
        @available(macOS, deprecated: 27.0, message: "Use CLMonitor.CircularGeographicCondition.")
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
            self.center = center
            self.radius = radius
            super.init(name: identifier)
        }

        /// Reads a circle from an archive.
        public required init?(coder: NSCoder) {
            center = CLLocationCoordinate2D(
                latitude: coder.decodeDouble(forKey: "latitude"), longitude: coder.decodeDouble(forKey: "longitude"))
            radius = coder.decodeDouble(forKey: "radius")
            super.init(coder: coder)
        }

        /// Writes the circle to an archive.
        open override func encode(with coder: NSCoder) {
            super.encode(with: coder)
            coder.encode(center.latitude, forKey: "latitude")
            coder.encode(center.longitude, forKey: "longitude")
            coder.encode(radius, forKey: "radius")
        }

        /// Whether the coordinate is inside the circle or on its edge.
        open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
            Geodesic.distance(center.coordinate, coordinate.coordinate) <= radius
        }

        /// The identifier, the centre and the radius, for people.
        open override var description: String {
            "CLCircularRegion (identifier:'\(identifier)', center:<\(center.latitude),\(center.longitude)>, "
                + "radius:\(radius)m)"
        }
    }

    /// The beacons of a UUID, or those of them with a major number and possibly a minor number.
    public final class CLBeaconIdentityConstraint: NSObject, NSCopying, NSSecureCoding, Sendable {
        /// The UUID.
        public let uuid: UUID
        /// The major number; `nil` for any.
        public let major: CLBeaconMajorValue?
        /// The minor number; `nil` for any.
        public let minor: CLBeaconMinorValue?

        init(_ uuid: UUID, _ major: CLBeaconMajorValue?, _ minor: CLBeaconMinorValue?) {
            (self.uuid, self.major, self.minor) = (uuid, major, minor)
        }

        /// All beacons of a UUID.
        public convenience init(uuid: UUID) { self.init(uuid, nil, nil) }

        /// The beacons of a UUID with a major number.
        public convenience init(uuid: UUID, major: CLBeaconMajorValue) { self.init(uuid, major, nil) }

        /// The beacons of a UUID with a major and a minor number.
        public convenience init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
            self.init(uuid, major, minor)
        }

        /// A constraint never changes, so its copy is itself.
        public func copy(with zone: NSZone? = nil) -> Any { self }

        /// Archives may require the class.
        public static var supportsSecureCoding: Bool { true }

        /// Reads a constraint from an archive; `nil` without a UUID.
        ///
        /// - Parameter coder: the archive.
        public convenience init?(coder: NSCoder) {
            guard let text = coder.decodeObject(of: NSString.self, forKey: "uuid"),
                let uuid = UUID(uuidString: String(describing: text))
            else { return nil }
            let number = { (key: String) -> UInt16? in
                coder.containsValue(forKey: key) ? UInt16(exactly: coder.decodeInteger(forKey: key)) : nil
            }
            self.init(uuid, number("major"), number("minor"))
        }

        /// Writes the constraint to an archive.
        public func encode(with coder: NSCoder) {
            coder.encode(NSString(string: uuid.uuidString), forKey: "uuid")
            if let major { coder.encode(Int(major), forKey: "major") }
            if let minor { coder.encode(Int(minor), forKey: "minor") }
        }

        /// Compares all three values.
        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? CLBeaconIdentityConstraint else { return false }
            return uuid == other.uuid && major == other.major && minor == other.minor
        }

        /// The hash of the UUID.
        public override var hash: Int { uuid.hashValue }

        func isMet(by beacon: CLBeacon) -> Bool {
            uuid == beacon.uuid && (major == nil || major == beacon.majorValue)
                && (minor == nil || minor == beacon.minorValue)
        }
    }

    /// The surroundings of beacons.
    open class CLBeaconRegion: CLRegion {
        /// The beacons.
        public let beaconIdentityConstraint: CLBeaconIdentityConstraint
        /// Whether the state is reported also when the user turns the display on inside the region.
        open var notifyEntryStateOnDisplay = false

        /// The UUID of the beacons.
        public var uuid: UUID { beaconIdentityConstraint.uuid }
        /// The major number; `nil` for any.
        public var major: NSNumber? { beaconIdentityConstraint.major.map { NSNumber(value: $0) } }
        /// The minor number; `nil` for any.
        public var minor: NSNumber? { beaconIdentityConstraint.minor.map { NSNumber(value: $0) } }

        /// What a device advertises to be found as a beacon of this region.
        ///
        /// - Parameter measuredPower: the signal strength at one metre, in decibels; by default that of an iPhone, −59.
        /// - Returns: the one key that Core Bluetooth takes, with UUID, major and minor number and power in 21 bytes. A number that
        ///   the region leaves open is 0.
        open func peripheralData(withMeasuredPower measuredPower: NSNumber?) -> NSMutableDictionary {
            let constraint = beaconIdentityConstraint
            var bytes = Data(withUnsafeBytes(of: uuid.uuid) { Array($0) })
            for number in [constraint.major ?? 0, constraint.minor ?? 0] {
                bytes.append(UInt8(truncatingIfNeeded: number >> 8))
                bytes.append(UInt8(truncatingIfNeeded: number))
            }
            bytes.append(UInt8(bitPattern: measuredPower?.int8Value ?? -59))
            return NSMutableDictionary(dictionary: ["kCBAdvDataAppleBeaconKey": bytes])
        }

        /// Makes a region around the beacons.
        public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
            self.beaconIdentityConstraint = beaconIdentityConstraint
            super.init(name: identifier)
        }

        /// Reads a region from an archive; `nil` without a UUID.
        ///
        /// - Parameter coder: the archive.
        public required init?(coder: NSCoder) {
            guard let text = coder.decodeObject(of: NSString.self, forKey: "uuid"),
                let uuid = UUID(uuidString: String(describing: text))
            else { return nil }
            let number = { (key: String) -> UInt16? in
                coder.containsValue(forKey: key) ? UInt16(exactly: coder.decodeInteger(forKey: key)) : nil
            }
            beaconIdentityConstraint = CLBeaconIdentityConstraint(uuid, number("major"), number("minor"))
            super.init(coder: coder)
            notifyEntryStateOnDisplay = coder.decodeBool(forKey: "notifyEntryStateOnDisplay")
        }

        /// Writes the region to an archive.
        open override func encode(with coder: NSCoder) {
            super.encode(with: coder)
            coder.encode(NSString(string: uuid.uuidString), forKey: "uuid")
            if let major = beaconIdentityConstraint.major { coder.encode(Int(major), forKey: "major") }
            if let minor = beaconIdentityConstraint.minor { coder.encode(Int(minor), forKey: "minor") }
            coder.encode(notifyEntryStateOnDisplay, forKey: "notifyEntryStateOnDisplay")
        }

        /// The name of `uuid` before iOS 13.
        @available(*, deprecated, renamed: "uuid")
        public var proximityUUID: UUID { uuid }

        /// Makes a region around all beacons of a UUID.
        @available(*, deprecated, renamed: "init(uuid:identifier:)")
        public convenience init(proximityUUID: UUID, identifier: String) {
            self.init(uuid: proximityUUID, identifier: identifier)
        }

        /// Makes a region around the beacons with a major number.
        @available(*, deprecated, renamed: "init(uuid:major:identifier:)")
        public convenience init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
            self.init(uuid: proximityUUID, major: major, identifier: identifier)
        }

        /// Makes a region around the beacons with a major and a minor number.
        @available(*, deprecated, renamed: "init(uuid:major:minor:identifier:)")
        public convenience init(
            proximityUUID: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
        ) {
            self.init(uuid: proximityUUID, major: major, minor: minor, identifier: identifier)
        }

        /// Makes a region around all beacons of a UUID.
        public convenience init(uuid: UUID, identifier: String) {
            self.init(beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid), identifier: identifier)
        }

        /// Makes a region around the beacons with a major number.
        public convenience init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
            self.init(
                beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major),
                identifier: identifier)
        }

        /// Makes a region around the beacons with a major and a minor number.
        public convenience init(
            uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
        ) {
            self.init(
                beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor),
                identifier: identifier)
        }
    }

    /// A beacon that ranging has detected.
    public final class CLBeacon: NSObject, NSCopying, NSSecureCoding, Sendable {
        /// The UUID.
        public let uuid: UUID
        let majorValue: CLBeaconMajorValue
        let minorValue: CLBeaconMinorValue
        /// The estimated distance class.
        public let proximity: CLProximity
        /// The accuracy of the proximity, in metres; negative when unknown.
        public let accuracy: CLLocationAccuracy
        /// The signal strength, in decibels.
        public let rssi: Int
        /// The time of the detection.
        public let timestamp: Date

        /// The name of `uuid` before iOS 13.
        @available(*, deprecated, renamed: "uuid")
        public var proximityUUID: UUID { uuid }
        /// The major number.
        public var major: NSNumber { NSNumber(value: majorValue) }
        /// The minor number.
        public var minor: NSNumber { NSNumber(value: minorValue) }

        /// The parameters are many because they are the properties that Core Location fills in.
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

        /// Reads a beacon from an archive; `nil` without a UUID, or with numbers that no beacon has.
        ///
        /// - Parameter coder: the archive.
        public convenience init?(coder: NSCoder) {
            guard let text = coder.decodeObject(of: NSString.self, forKey: "uuid"),
                let uuid = UUID(uuidString: String(describing: text)),
                let major = UInt16(exactly: coder.decodeInteger(forKey: "major")),
                let minor = UInt16(exactly: coder.decodeInteger(forKey: "minor")),
                let proximity = CLProximity(rawValue: coder.decodeInteger(forKey: "proximity"))
            else { return nil }
            self.init(
                uuid: uuid, major: major, minor: minor, proximity: proximity,
                accuracy: coder.decodeDouble(forKey: "accuracy"),
                timestamp: Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "timestamp")))
        }

        /// Writes the beacon to an archive. The signal strength follows from the proximity.
        public func encode(with coder: NSCoder) {
            coder.encode(NSString(string: uuid.uuidString), forKey: "uuid")
            coder.encode(Int(majorValue), forKey: "major")
            coder.encode(Int(minorValue), forKey: "minor")
            coder.encode(proximity.rawValue, forKey: "proximity")
            coder.encode(accuracy, forKey: "accuracy")
            coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: "timestamp")
        }

        /// Archives can be read securely.
        public static var supportsSecureCoding: Bool { true }

        /// The object, as it never changes.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }
#endif
