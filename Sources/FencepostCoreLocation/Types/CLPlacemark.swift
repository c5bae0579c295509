#if !canImport(CoreLocation) || SimulatedCoreLocation
    public import Foundation

    /// The names of a place that a geocoder knows. A test makes them and gives them to `SimulatedDevice.setPlacemarks`.
    open class CLPlacemark: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {  // because it never changes
        let details: Details
        private let position: CLLocation

        /// The parts of an address. All but those that a test sets are unknown.
        public struct Details: Hashable, Sendable {
            /// The name, such as that of a building.
            public var name: String?
            /// The street.
            public var thoroughfare: String?
            /// The number in the street.
            public var subThoroughfare: String?
            /// The city.
            public var locality: String?
            /// The district of the city.
            public var subLocality: String?
            /// The state or province.
            public var administrativeArea: String?
            /// The county.
            public var subAdministrativeArea: String?
            /// The postal code.
            public var postalCode: String?
            /// The country's name.
            public var country: String?
            /// The country's code of two letters.
            public var isoCountryCode: String?
            /// The lake or river.
            public var inlandWater: String?
            /// The ocean.
            public var ocean: String?
            /// The sights.
            public var areasOfInterest: [String]?
            /// The time zone.
            public var timeZone: TimeZone?

            /// Makes details that know nothing.
            public init() {}
        }

        /// Makes a placemark, which only a test can do. Core Location's own come from its geocoder.
        ///
        /// - Parameters:
        ///   - location: where it is.
        ///   - details: its names.
        public init(location: CLLocation, details: Details) { (position, self.details) = (location, details) }

        /// Makes a copy.
        public init(placemark: CLPlacemark) { (position, details) = (placemark.position, placemark.details) }

        /// Where it is.
        open var location: CLLocation? { position }
        /// A circle of 100 m around it.
        open var region: CLRegion? {
            CLCircularRegion(center: position.coordinate, radius: 100, identifier: name ?? "placemark")
        }
        /// The time zone.
        open var timeZone: TimeZone? { details.timeZone }
        /// The name, such as that of a building.
        open var name: String? { details.name }
        /// The street.
        open var thoroughfare: String? { details.thoroughfare }
        /// The number in the street.
        open var subThoroughfare: String? { details.subThoroughfare }
        /// The city.
        open var locality: String? { details.locality }
        /// The district of the city.
        open var subLocality: String? { details.subLocality }
        /// The state or province.
        open var administrativeArea: String? { details.administrativeArea }
        /// The county.
        open var subAdministrativeArea: String? { details.subAdministrativeArea }
        /// The postal code.
        open var postalCode: String? { details.postalCode }
        /// The country's code of two letters.
        open var isoCountryCode: String? { details.isoCountryCode }
        /// The country's name.
        open var country: String? { details.country }
        /// The lake or river.
        open var inlandWater: String? { details.inlandWater }
        /// The ocean.
        open var ocean: String? { details.ocean }
        /// The sights.
        open var areasOfInterest: [String]? { details.areasOfInterest }

        /// Reads a placemark from an archive; `nil` without a location.
        public required init?(coder: NSCoder) {
            guard let location = coder.decodeObject(of: CLLocation.self, forKey: "location") else { return nil }
            position = location
            var details = Details()
            // Foundation on Linux reports a missing value as an error of the whole archive.
            for (key, path) in Details.texts where coder.containsValue(forKey: key) {
                details[keyPath: path] = coder.decodeObject(of: NSString.self, forKey: key)
                    .map { String(describing: $0) }
            }
            if coder.containsValue(forKey: "timeZone") {
                details.timeZone = coder.decodeObject(of: NSString.self, forKey: "timeZone")
                    .flatMap { TimeZone(identifier: String(describing: $0)) }
            }
            if coder.containsValue(forKey: "areasOfInterest") {
                let sights = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "areasOfInterest")
                details.areasOfInterest = (sights as? [Any]).map { $0.map { String(describing: $0) } }
            }
            self.details = details
        }

        /// Writes the placemark to an archive.
        open func encode(with coder: NSCoder) {
            coder.encode(position, forKey: "location")
            for (key, path) in Details.texts {
                if let text = details[keyPath: path] { coder.encode(NSString(string: text), forKey: key) }
            }
            if let zone = details.timeZone { coder.encode(NSString(string: zone.identifier), forKey: "timeZone") }
            if let sights = details.areasOfInterest {
                coder.encode(NSArray(array: sights.map { NSString(string: $0) }), forKey: "areasOfInterest")
            }
        }

        /// Archives can be read securely.
        open class var supportsSecureCoding: Bool { true }

        /// The object, as it never changes.
        open func copy(with zone: NSZone? = nil) -> Any { self }

        /// The known parts from the name to the country, for people.
        open override var description: String { details.parts.joined(separator: ", ") }
    }

    extension CLPlacemark.Details {
        /// The parts that are texts, with their names in an archive.
        static var texts: [(key: String, path: WritableKeyPath<Self, String?>)] {
            [
                ("name", \.name), ("thoroughfare", \.thoroughfare), ("subThoroughfare", \.subThoroughfare),
                ("locality", \.locality), ("subLocality", \.subLocality), ("administrativeArea", \.administrativeArea),
                ("subAdministrativeArea", \.subAdministrativeArea), ("postalCode", \.postalCode),
                ("country", \.country),
                ("isoCountryCode", \.isoCountryCode), ("inlandWater", \.inlandWater), ("ocean", \.ocean),
            ]
        }

        /// The known parts of the address, from the name to the country.
        var parts: [String] {
            let known = [
                name, thoroughfare, subThoroughfare, subLocality, locality, subAdministrativeArea, administrativeArea,
                postalCode, country, inlandWater, ocean,
            ]
            return known.compactMap { $0 } + (areasOfInterest ?? [])
        }
    }
#endif
