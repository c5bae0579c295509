public import FencepostModel

/// Agreement of detected crossings with the truth of a `PlainBenchmark`.
///
/// A required crossing is in time when it is reported by `due`, and late until `until`. A late one is neither found nor
/// false. Optional crossings may be reported once, as may the entry of a device that starts inside. All others are
/// false.
public struct PlainScore: Hashable, Sendable {
    /// The numbers of reports and crossings of some of the devices.
    public struct Counts: Hashable, Sendable {
        /// Number of devices.
        public internal(set) var devices = 0
        /// Number of required crossings.
        public internal(set) var required = 0
        /// Number of required crossings that were reported in time.
        public internal(set) var inTime = 0
        /// Number of required crossings that were reported late.
        public internal(set) var late = 0
        /// Number of false reports.
        public internal(set) var falsePositives = 0
        /// Number of false reports that repeat the kind of the report before.
        public internal(set) var duplicated = 0
        /// Number of reported optional crossings.
        public internal(set) var optional = 0
        /// Number of crossings reported 0, 1, 2 … fixes after the first clear one; the last element is for 7 and more.
        public internal(set) var delays = [Int](repeating: 0, count: 8)

        /// Number of required crossings that were not reported.
        public var missed: Int { required - inTime - late }
        /// F1 of the reports in time.
        public var score: Double {
            let all = required + inTime + late + falsePositives
            return all > 0 ? 2 * Double(inTime) / Double(all) : 1
        }
        /// Fraction of required crossings that were reported in time.
        public var recallInTime: Double { Statistics.fraction(inTime, of: required) }
        /// Fraction of required crossings that were reported at most this number of fixes after the first clear one.
        public func reported(within fixes: Int) -> Double {
            Statistics.fraction(delays.prefix(fixes + 1).reduce(0, +), of: required)
        }
        /// False reports per 100 required crossings.
        public var falsePerHundred: Double { 100 * Statistics.fraction(falsePositives, of: max(1, required)) }

        mutating func add(_ other: Counts) {
            devices += other.devices
            required += other.required
            inTime += other.inTime
            late += other.late
            falsePositives += other.falsePositives
            duplicated += other.duplicated
            optional += other.optional
            for index in delays.indices { delays[index] += other.delays[index] }
        }
    }

    /// Values of two dimensions.
    public struct LabelPair: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// In the order of `PlainLabel`.
        public let first, second: PlainLabel

        /// Both labels, separated by a comma.
        public var description: String { "\(first), \(second)" }

        /// By the first label, then by the second.
        public static func < (a: LabelPair, b: LabelPair) -> Bool { (a.first, a.second) < (b.first, b.second) }
    }

    /// The dimensions whose pairs of values are scored.
    public static let pairedDimensions: Set = [
        "interval", "accuracy", "field", "speed", "radius", "motion", "outliers", "stay",
    ]

    /// The counts of all devices.
    public private(set) var all = Counts()
    /// The counts of the devices without outliers and with honest accuracies.
    public private(set) var clean = Counts()
    /// The counts of the devices with a label.
    public private(set) var cells: [PlainLabel: Counts] = [:]
    /// The counts of the devices with two labels of different `pairedDimensions`.
    public private(set) var pairs: [LabelPair: Counts] = [:]
    /// Number of required crossings after which the device falls silent.
    public private(set) var silent = 0
    /// Number of required crossings before a silence that were reported in time.
    public private(set) var silentInTime = 0
    /// Correct reports by confidence. A late report is correct.
    public private(set) var calibration = Calibration()

    /// Fraction of required crossings that were reported in time where tracks have no outliers and honest accuracies.
    /// The mode `raw` reports all of those.
    public var dominance: Double { clean.recallInTime }

    /// The cell with the lowest score, of those with at least 20 required crossings that say how a device samples,
    /// moves and describes its locations.
    public var worstCell: (label: PlainLabel, score: Double)? {
        let dimensions: Set = ["interval", "accuracy", "speed", "field", "motion", "radius"]
        return cells.filter { dimensions.contains($0.key.dimension) && $0.value.required >= 20 }
            .map { (label: $0.key, score: $0.value.score) }
            .min { ($0.score, $0.label) < ($1.score, $1.label) }
    }

    /// The pairs of values with the lowest scores, of those with at least 12 required crossings.
    public func worstPairs(_ count: Int) -> [(pair: LabelPair, counts: Counts)] {
        pairs.filter { $0.value.required >= 12 }.map { (pair: $0.key, counts: $0.value) }
            .sorted { ($0.counts.score, $0.pair) < ($1.counts.score, $1.pair) }
            .prefix(count).map { $0 }
    }

    /// Scores the events of a benchmark.
    ///
    /// - Parameters:
    ///   - events: those of a device in the order of their detection. Only entries and exits count.
    ///   - benchmark: the truth.
    public init(_ events: [Event], of benchmark: PlainBenchmark) {
        let detected = ScoredCrossing.byPair(events)
        let truth = Dictionary(grouping: benchmark.crossings) {
            CrossingScore.Pair(device: $0.device, region: $0.region)
        }
        var devices: [DeviceID: Counts] = [:]
        for stream in benchmark.streams { devices[stream.device, default: Counts()].devices = 1 }
        for pair in Set(detected.keys).union(truth.keys) where devices[pair.device] != nil {
            let startsInside = benchmark.insideAtStart.contains(.init(device: pair.device, region: pair.region))
            let match = PlainMatch(detected[pair] ?? [], truth[pair] ?? [], startsInside: startsInside)
            devices[pair.device]?.add(match.counts)
            silent += match.silent
            silentInTime += match.silentInTime
            for (confidence, isCorrect) in match.confidences { calibration.add(confidence, isCorrect: isCorrect) }
        }
        for stream in benchmark.streams {
            guard let counts = devices[stream.device] else { continue }
            add(counts, of: stream)
        }
    }

    private mutating func add(_ counts: Counts, of stream: PlainBenchmark.Stream) {
        all.add(counts)
        if stream.isClean { clean.add(counts) }
        for label in stream.cell { cells[label, default: Counts()].add(counts) }
        let paired = stream.cell.filter { Self.pairedDimensions.contains($0.dimension) }.sorted()
        for (index, first) in paired.enumerated() {
            for second in paired[(index + 1)...] {
                pairs[LabelPair(first: first, second: second), default: Counts()].add(counts)
            }
        }
    }
}
