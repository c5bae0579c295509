public import FencepostModel

/// A value of one dimension of the grid: `interval=60`.
public struct PlainLabel: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The dimensions in the order of tables.
    public static let dimensions = [
        "set", "interval", "accuracy", "field", "speed", "radius", "shape", "motion", "place", "outliers", "rest",
        "drift", "stay", "silence", "track",
    ]

    /// One of `dimensions`, and a number or a word.
    public let dimension, value: String

    /// A label of one of the `dimensions`.
    public init(_ dimension: String, _ value: String) {
        self.dimension = dimension
        self.value = value
    }

    /// `dimension=value`.
    public var description: String { "\(dimension)=\(value)" }

    /// By dimension; values by number, then by text.
    public static func < (a: PlainLabel, b: PlainLabel) -> Bool {
        if a.dimension != b.dimension { return a.rank < b.rank }
        return switch (Double(a.value), Double(b.value)) {
        case (let x?, let y?): x < y
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): a.value < b.value
        }
    }

    private var rank: Int { Self.dimensions.firstIndex(of: dimension) ?? Self.dimensions.count }
}

/// Clean tracks whose truth is known by construction: each device belongs to a cell of a grid of what real devices
/// differ in.
public struct PlainBenchmark: Sendable {
    /// One device's recording.
    public struct Stream: Hashable, Sendable {
        /// The device that was recorded.
        public var device: DeviceID
        /// The cell of the device: one value per dimension.
        public var cell: [PlainLabel]

        /// A recording of a device in a cell.
        public init(device: DeviceID, cell: [PlainLabel]) {
            self.device = device
            self.cell = cell
        }

        /// Whether the tracks have no outliers and state honest accuracies.
        public var isClean: Bool {
            (cell.first { $0.dimension == "outliers" }.map { Double($0.value) == 0 } ?? true)
                && cell.contains(PlainLabel("field", "honest"))
        }
    }

    /// A crossing of a region's boundary by the true path.
    public struct Crossing: Hashable, Sendable {
        /// What shows a crossing: `clear`, `single`, `silent` … `silent` has a deadline in place of a next fix.
        public static let silent = "silent"

        /// The device that crosses.
        public var device: DeviceID
        /// The region whose boundary is crossed.
        public var region: RegionID
        /// Whether the path enters the region.
        public var isEntry: Bool
        /// When the true path crosses the boundary.
        public var timestamp: Timestamp
        /// Whether a detector has to report it.
        public var isRequired: Bool
        /// What shows it, or why it is optional.
        public var reason: String
        /// The last clear fix of the old side; `nil` without one.
        public var earliest: Timestamp?
        /// The end of the time in which a report matches; `nil` means the end of the recording.
        public var until: Timestamp?
        /// The first clear fix of the new side. Only required crossings have one.
        public var clear: Timestamp?
        /// The time until which a report is in time; `nil` means any time.
        public var due: Timestamp?
        /// Seconds from the first clear fix to the next ones.
        public var fixesAfter: [Double] = []

        /// A crossing without a reason and without bounds.
        public init(
            device: DeviceID, region: RegionID, isEntry: Bool, timestamp: Timestamp, isRequired: Bool
        ) {
            self.device = device
            self.region = region
            self.isEntry = isEntry
            self.timestamp = timestamp
            self.isRequired = isRequired
            reason = ""
        }
    }

    /// A device and a region.
    public struct Pair: Hashable, Sendable {
        /// The device.
        public var device: DeviceID
        /// The region.
        public var region: RegionID

        /// The pair of a device and a region.
        public init(device: DeviceID, region: RegionID) {
            self.device = device
            self.region = region
        }
    }

    /// The name for people.
    public var name: String
    /// The recordings, one for each device.
    public var streams: [Stream] = []
    /// In the order of delivery.
    public var locations: [Location] = []
    /// The regions that are crossed.
    public var regions: [Region] = []
    /// The true crossings.
    public var crossings: [Crossing] = []
    /// The pairs whose device is inside at the start.
    public var insideAtStart: Set<Pair> = []

    /// A benchmark without devices.
    public init(name: String) { self.name = name }

    /// Merges benchmarks, which have different devices and regions.
    public init(_ name: String, merging parts: [PlainBenchmark]) {
        self.init(name: name)
        for part in parts {
            streams += part.streams
            locations += part.locations
            regions += part.regions
            crossings += part.crossings
            insideAtStart.formUnion(part.insideAtStart)
        }
    }
}
