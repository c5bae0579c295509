public import FencepostGeometry
public import FencepostModel

/// A way of one device: from a visit to the next, or from or to where its recording begins or ends.
public struct Trip: Hashable, Sendable {
    /// An end of a trip.
    public struct End: Hashable, Sendable {
        public var time: Timestamp
        public var coordinate: Coordinate
        /// The visit that the trip comes from or leads to; `nil` where the recording begins, ends or is interrupted.
        public var visitID: String?
        /// The regions of that visit.
        public var regions: [RegionID]
    }

    /// `trip_…`; it follows from the device and the start.
    public var id: String
    public var deviceID: DeviceID
    public var start, end: End
    /// Metres along the smoothed line.
    public var distance: Double
    /// Seconds in motion, at most those between start and end.
    public var movingSeconds: Double
    /// Seconds in gaps of more than `TimelineBuilder.maximumGap` between two locations.
    public var unknownSeconds: Double
    /// The speed in metres per second that is not exceeded for 95 % of the time in motion.
    public var topSpeed: Double
    public var mode: TravelMode
    /// Estimated probability that the mode is right, 0 to 1.
    public var modeConfidence: Double
    /// Number of locations between the ends.
    public var locations: Int
    /// The smoothed line without points that do not change its course, the ends among them.
    public var line: [Coordinate]

    /// Seconds from start to end.
    public var seconds: Double { (end.time - start.time).seconds }

    static func id(of device: DeviceID, start: Timestamp) -> String {
        var identity = Identity()
        identity.add(device.rawValue)
        identity.add(start.milliseconds)
        return identity.text(prefix: "trip_")
    }
}

/// How somebody travels.
public enum TravelMode: String, Hashable, Sendable, CaseIterable {
    /// Not going anywhere: no more movement than the locations are inaccurate.
    case still
    case walking
    case cycling
    case driving
    case rail
    case air
}
