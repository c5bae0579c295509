#if !canImport(CoreLocation)
    public import Foundation

    /// A stay at a place, told once on arrival and once on departure.
    public final class CLVisit: NSObject, Sendable {
        /// `Date.distantPast` when the arrival was not seen.
        public let arrivalDate: Date
        /// `Date.distantFuture` while the stay lasts.
        public let departureDate: Date
        public let coordinate: CLLocationCoordinate2D
        /// Metres.
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

    /// Which way the device points.
    public final class CLHeading: NSObject, Sendable {
        /// Degrees, 0 up to and without 360.
        public let magneticHeading: CLLocationDirection
        /// Degrees; negative when no location is known to correct for.
        public let trueHeading: CLLocationDirection
        /// Degrees; negative when the heading is not valid.
        public let headingAccuracy: CLLocationDirection
        public let x, y, z: CLHeadingComponentValue
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
