public import FencepostGeometry

/// What a user states about a time of a device, in place of what its locations show: that it stayed at a place, or that it
/// did not stay.
///
/// The corrections of a device do not overlap: a new one cuts those before it.
public struct StayCorrection: Hashable, Sendable {
    /// Where a stay was.
    public struct Site: Hashable, Sendable {
        /// For people; `nil` for none.
        public var name: String?
        public var coordinate: Coordinate
        public var regions: [RegionID]

        /// A place.
        public init(name: String? = nil, coordinate: Coordinate, regions: [RegionID] = []) {
            (self.name, self.coordinate, self.regions) = (name, coordinate, regions)
        }
    }

    /// `cor_…`
    public var id: String
    public var deviceID: DeviceID
    public var arrival: Timestamp
    /// After `arrival`.
    public var departure: Timestamp
    /// `nil` states that there was no stay.
    public var site: Site?

    /// The longest one.
    public static let longest = Duration.seconds(90 * 86_400)
    /// The most of one device.
    public static let most = 10_000
    /// The most characters of a name.
    public static let largestName = 128

    /// A correction.
    public init(id: String, deviceID: DeviceID, arrival: Timestamp, departure: Timestamp, site: Site?) {
        (self.id, self.deviceID, self.arrival, self.departure) = (id, deviceID, arrival, departure)
        self.site = site
    }

    /// What a newer correction leaves of this one: itself, one or two parts, or nothing.
    public func cut(by newer: StayCorrection) -> [StayCorrection] {
        guard newer.arrival < departure, arrival < newer.departure else { return [self] }
        var parts: [StayCorrection] = []
        if arrival < newer.arrival {
            var part = self
            part.departure = newer.arrival
            parts.append(part)
        }
        if newer.departure < departure {
            var part = self
            part.arrival = newer.departure
            if !parts.isEmpty { part.id += "~" + newer.id.suffix(6) }
            parts.append(part)
        }
        return parts
    }
}
