public import FencepostGeometry
public import FencepostModel

/// Locations with the true crossings and visits.
public struct Benchmark: Sendable {
    /// One device's recording.
    public struct Stream: Hashable, Sendable {
        /// The device that was recorded.
        public var device: DeviceID
        /// Sampling profile of the phone: `1s`, `pausing`, `canyon` …
        public var profile: String
        /// The first and the last moment.
        public var start, end: Timestamp

        /// A recording from its first to its last moment.
        public init(device: DeviceID, profile: String, start: Timestamp, end: Timestamp) {
            self.device = device
            self.profile = profile
            self.start = start
            self.end = end
        }
    }

    /// A crossing of a region's boundary by the true path.
    public struct Crossing: Hashable, Sendable {
        /// The device that crosses.
        public var device: DeviceID
        /// The region whose boundary is crossed.
        public var region: RegionID
        /// Whether the path enters the region.
        public var isEntry: Bool
        /// When the true path crosses the boundary.
        public var timestamp: Timestamp
        /// Whether a detector has to report it: the path stays on the new side long and far enough, and fixes show it.
        public var isRequired: Bool
        /// Earliest possible time of the crossing, and time of the next required crossing. They limit the match window.
        public var earliest, until: Timestamp?
        /// The first usable fix on the new side.
        public var observableAt: Timestamp?

        /// More than five parameters, because the initializer has one per property.
        public init(
            device: DeviceID, region: RegionID, isEntry: Bool, timestamp: Timestamp, isRequired: Bool,
            earliest: Timestamp? = nil, until: Timestamp? = nil, observableAt: Timestamp? = nil
        ) {
            self.device = device
            self.region = region
            self.isEntry = isEntry
            self.timestamp = timestamp
            self.isRequired = isRequired
            self.earliest = earliest
            self.until = until
            self.observableAt = observableAt
        }
    }

    /// A true visit.
    public struct Stay: Hashable, Sendable {
        /// The device that stays.
        public var device: DeviceID
        /// The id of the visit in the benchmark's file.
        public var id: String
        /// When the true visit begins and ends.
        public var arrival, departure: Timestamp
        /// The true centre.
        public var coordinate: Coordinate
        /// Whether a detector has to report it: the visit is long enough, and fixes show it.
        public var isRequired: Bool
        /// Whether the recording starts or ends during the visit, so that its arrival or departure is unknown.
        public var isOpenAtStart, isOpenAtEnd: Bool

        /// More than five parameters, because the initializer has one per property.
        public init(
            device: DeviceID, id: String, arrival: Timestamp, departure: Timestamp, coordinate: Coordinate,
            isRequired: Bool, isOpenAtStart: Bool = false, isOpenAtEnd: Bool = false
        ) {
            self.device = device
            self.id = id
            self.arrival = arrival
            self.departure = departure
            self.coordinate = coordinate
            self.isRequired = isRequired
            self.isOpenAtStart = isOpenAtStart
            self.isOpenAtEnd = isOpenAtEnd
        }
    }

    /// The name for people.
    public var name: String
    /// The recordings, one for each device.
    public var streams: [Stream]
    /// In the order of delivery.
    public var locations: [Location]
    /// The regions that are crossed.
    public var regions: [Region]
    /// The true crossings.
    public var crossings: [Crossing]
    /// The true visits.
    public var stays: [Stay]

    /// More than five parameters, because the initializer has one per property.
    public init(
        name: String, streams: [Stream] = [], locations: [Location] = [], regions: [Region] = [],
        crossings: [Crossing] = [], stays: [Stay] = []
    ) {
        self.name = name
        self.streams = streams
        self.locations = locations
        self.regions = regions
        self.crossings = crossings
        self.stays = stays
    }

    /// Merges benchmarks, which have different devices and regions.
    public init(_ name: String, merging parts: [Benchmark]) {
        self.init(
            name: name, streams: parts.flatMap(\.streams), locations: parts.flatMap(\.locations),
            regions: parts.flatMap(\.regions), crossings: parts.flatMap(\.crossings), stays: parts.flatMap(\.stays))
    }
}
