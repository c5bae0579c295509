#if !canImport(CoreLocation) || SimulatedCoreLocation
    public import Foundation

    /// A stay at a place. The delegate receives it at the arrival and again at the departure.
    open class CLVisit: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {  // because it never changes
        private let arrival, departure: Date
        private let place: CLLocationCoordinate2D
        private let accuracy: CLLocationAccuracy

        /// The arrival; `Date.distantPast` when the system did not see it.
        open var arrivalDate: Date { arrival }
        /// The departure; `Date.distantFuture` while the stay lasts.
        open var departureDate: Date { departure }
        /// The place of the stay.
        open var coordinate: CLLocationCoordinate2D { place }
        /// The accuracy of the place, in metres.
        open var horizontalAccuracy: CLLocationAccuracy { accuracy }

        init(
            arrivalDate: Date, departureDate: Date, coordinate: CLLocationCoordinate2D,
            horizontalAccuracy: CLLocationAccuracy
        ) {
            (arrival, departure, place, accuracy) = (arrivalDate, departureDate, coordinate, horizontalAccuracy)
        }

        /// Makes a visit without a place, for a subclass that overrides the properties.
        public override init() {
            (arrival, departure) = (.distantPast, .distantFuture)
            (place, accuracy) = (kCLLocationCoordinate2DInvalid, -1)
        }

        /// Reads a visit from an archive.
        public required init?(coder: NSCoder) {
            arrival = Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "arrivalDate"))
            departure = Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "departureDate"))
            place = CLLocationCoordinate2D(
                latitude: coder.decodeDouble(forKey: "latitude"), longitude: coder.decodeDouble(forKey: "longitude"))
            accuracy = coder.decodeDouble(forKey: "horizontalAccuracy")
        }

        /// Writes the visit to an archive.
        open func encode(with coder: NSCoder) {
            coder.encode(arrivalDate.timeIntervalSinceReferenceDate, forKey: "arrivalDate")
            coder.encode(departureDate.timeIntervalSinceReferenceDate, forKey: "departureDate")
            coder.encode(coordinate.latitude, forKey: "latitude")
            coder.encode(coordinate.longitude, forKey: "longitude")
            coder.encode(horizontalAccuracy, forKey: "horizontalAccuracy")
        }

        /// Archives can be read securely.
        open class var supportsSecureCoding: Bool { true }

        /// The object, as it never changes.
        open func copy(with zone: NSZone? = nil) -> Any { self }
    }

    /// A body whose direction a heading can be, since iOS 27. An app makes none of its own.
    public protocol CLBodyIdentifiable: NSObjectProtocol {}

    /// The direction in which the device points.
    open class CLHeading: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {  // because it never changes
        private let magnetic, north, uncertainty: CLLocationDirection
        private let time: Date

        /// Degrees from magnetic north, from 0 up to but not including 360.
        open var magneticHeading: CLLocationDirection { magnetic }
        /// Degrees from true north; negative when no location is known for the correction.
        open var trueHeading: CLLocationDirection { north }
        /// The accuracy in degrees; negative when the heading is not valid.
        open var headingAccuracy: CLLocationDirection { uncertainty }
        /// The magnetic field along the x axis, in microteslas: the part to the right of a field of 20 µT to the north.
        open var x: CLHeadingComponentValue { isValid ? -20 * sin(magnetic * .pi / 180) : 0 }
        /// The magnetic field along the y axis, in microteslas: the part ahead of a field of 20 µT to the north.
        open var y: CLHeadingComponentValue { isValid ? 20 * cos(magnetic * .pi / 180) : 0 }
        /// The magnetic field along the z axis, in microteslas, of a device that lies flat: 40 µT downwards.
        open var z: CLHeadingComponentValue { isValid ? -40 : 0 }
        private var isValid: Bool { uncertainty >= 0 }
        /// The time of the measurement.
        open var timestamp: Date { time }

        init(magneticHeading: CLLocationDirection, trueHeading: CLLocationDirection, timestamp: Date) {
            (magnetic, north, uncertainty, time) = (magneticHeading, trueHeading, 5, timestamp)
        }

        /// The heading of another axis of the device, which is turned by this angle in degrees.
        func turned(by offset: CLLocationDirection) -> CLHeading {
            guard offset != 0 else { return self }
            func normalized(_ degrees: Double) -> Double {
                (degrees + offset + 720).truncatingRemainder(dividingBy: 360)
            }
            return CLHeading(
                magneticHeading: normalized(magnetic), trueHeading: normalized(north), timestamp: time)
        }

        /// Makes a heading that is not valid, for a subclass that overrides the properties.
        public override init() {
            (magnetic, north, uncertainty, time) = (0, -1, -1, Date(timeIntervalSinceReferenceDate: 0))
        }

        /// Reads a heading from an archive.
        public required init?(coder: NSCoder) {
            (magnetic, north) = (
                coder.decodeDouble(forKey: "magneticHeading"), coder.decodeDouble(forKey: "trueHeading")
            )
            uncertainty = coder.decodeDouble(forKey: "headingAccuracy")
            time = Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "timestamp"))
        }

        /// Writes the heading to an archive. Its axes follow from the direction.
        open func encode(with coder: NSCoder) {
            coder.encode(magneticHeading, forKey: "magneticHeading")
            coder.encode(trueHeading, forKey: "trueHeading")
            coder.encode(headingAccuracy, forKey: "headingAccuracy")
            coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: "timestamp")
        }

        /// Archives can be read securely.
        open class var supportsSecureCoding: Bool { true }

        /// The object, as it never changes.
        open func copy(with zone: NSZone? = nil) -> Any { self }
    }
#endif
