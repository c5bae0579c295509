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

    /// A part of a trip with one way of travelling.
    public struct Leg: Hashable, Sendable {
        public var start, end: Timestamp
        /// Metres along the smoothed line.
        public var distance: Double
        /// Seconds in motion.
        public var movingSeconds: Double
        public var mode: TravelMode
        /// Estimated probability that the mode is right, 0 to 1.
        public var modeConfidence: Double
        /// The smoothed line without points that do not change its course, the ends among them.
        public var line: [Coordinate]

        /// Seconds from start to end.
        public var seconds: Double { (end - start).seconds }
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
    /// The speed in metres per second that is not exceeded for 95 % of the time in motion, from pieces of at most a minute;
    /// 0 if there are none.
    public var topSpeed: Double
    /// That of the longest leg.
    public var mode: TravelMode
    /// Estimated probability that the mode is right, 0 to 1.
    public var modeConfidence: Double
    /// Number of locations between the ends.
    public var locations: Int
    /// The smoothed line without points that do not change its course, the ends among them.
    public var line: [Coordinate]
    /// The parts with one way of travelling each, from the start to the end without gaps; at least one.
    public var legs: [Leg]

    /// Seconds from start to end.
    public var seconds: Double { (end.time - start.time).seconds }

    /// Metres and seconds in motion within a span of time: those of the legs by the part of their time that is in it.
    public func amount(in span: TimeSpan) -> (distance: Double, movingSeconds: Double) {
        legs.reduce((0, 0)) { sum, leg in
            let whole = TimeSpan(leg.start, leg.end)
            guard whole.seconds > 0, let part = whole.clipped(to: span) else { return sum }
            let share = part.seconds / whole.seconds
            return (sum.0 + share * leg.distance, sum.1 + share * leg.movingSeconds)
        }
    }

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
