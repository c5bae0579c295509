#if !canImport(CoreLocation)
    public import Foundation

    /// A stay at a place. The delegate receives it at the arrival and again at the departure.
    public final class CLVisit: NSObject, Sendable {
        /// The arrival; `Date.distantPast` when the system did not see it.
        public let arrivalDate: Date
        /// The departure; `Date.distantFuture` while the stay lasts.
        public let departureDate: Date
        /// The place of the stay.
        public let coordinate: CLLocationCoordinate2D
        /// The accuracy of the place, in metres.
        public let horizontalAccuracy: CLLocationAccuracy

        init(
            arrivalDate: Date, departureDate: Date, coordinate: CLLocationCoordinate2D,
            horizontalAccuracy: CLLocationAccuracy
        ) {
            self.arrivalDate = arrivalDate
            self.departureDate = departureDate
            self.coordinate = coordinate
            self.horizontalAccuracy = horizontalAccuracy
        }
    }

    /// The direction in which the device points.
    public final class CLHeading: NSObject, Sendable {
        /// Degrees from magnetic north, from 0 up to but not including 360.
        public let magneticHeading: CLLocationDirection
        /// Degrees from true north; negative when no location is known for the correction.
        public let trueHeading: CLLocationDirection
        /// The accuracy in degrees; negative when the heading is not valid.
        public let headingAccuracy: CLLocationDirection
        /// The magnetic field in microteslas; 0 in the simulation.
        public let x, y, z: CLHeadingComponentValue
        /// The time of the measurement.
        public let timestamp: Date

        init(magneticHeading: CLLocationDirection, trueHeading: CLLocationDirection, timestamp: Date) {
            self.magneticHeading = magneticHeading
            self.trueHeading = trueHeading
            headingAccuracy = 5
            (x, y, z) = (0, 0, 0)
            self.timestamp = timestamp
        }
    }
#endif
