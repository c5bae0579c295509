public import FencepostGeometry
public import FencepostModel

/// Locations whose true crossings and visits are known.
public struct Benchmark: Sendable {
    /// One device's recording.
    public struct Stream: Hashable, Sendable {
        public var device: DeviceID
        /// How the phone samples: `1s`, `pausing`, `canyon` …
        public var profile: String
        public var start, end: Timestamp

        public init(device: DeviceID, profile: String, start: Timestamp, end: Timestamp) {
            self.device = device
            self.profile = profile
            self.start = start
            self.end = end
        }
    }

    /// One crossing of a boundary by the true path.
    public struct Crossing: Hashable, Sendable {
        public var device: DeviceID
        public var region: RegionID
        public var isEntry: Bool
        public var timestamp: Timestamp
        /// Whether missing it counts: the path stays beyond the boundary for long and deep enough, and fixes show it.
        public var isRequired: Bool
        /// The earliest time of the crossing itself, and the next required crossing; they bound what may match.
        public var earliest, until: Timestamp?
        /// The first usable fix on the new side.
        public var observableAt: Timestamp?

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

    /// One true stay.
    public struct Stay: Hashable, Sendable {
        public var device: DeviceID
        public var id: String
        public var arrival, departure: Timestamp
        public var coordinate: Coordinate
        public var isRequired: Bool
        /// Whether the recording begins or ends within the stay, so that its arrival or departure is not to be known.
        public var isOpenAtStart, isOpenAtEnd: Bool

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

    public var name: String
    public var streams: [Stream]
    /// In the order of delivery.
    public var locations: [Location]
    public var regions: [Region]
    public var crossings: [Crossing]
    public var stays: [Stay]

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

    /// All of several benchmarks, whose devices and regions have names of their own.
    public init(_ name: String, merging parts: [Benchmark]) {
        self.init(
            name: name, streams: parts.flatMap(\.streams), locations: parts.flatMap(\.locations),
            regions: parts.flatMap(\.regions), crossings: parts.flatMap(\.crossings), stays: parts.flatMap(\.stays))
    }
}
