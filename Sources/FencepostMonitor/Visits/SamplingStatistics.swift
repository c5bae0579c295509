import FencepostModel

/// How often a device sends and how accurate its fixes are, from its last fixes.
struct SamplingStatistics: Sendable {
    private static let capacity = 21

    /// The last intervals in seconds: a ring in the order of arrival, and from index `capacity` on the same sorted, so
    /// that the median is found without sorting.
    private var intervals: [Float] = []
    private var count: UInt8 = 0
    /// The index of the oldest interval in a full ring.
    private var oldest: UInt8 = 0
    /// The number of accuracies that were taken, at most 40.
    private var accuracyCount: UInt8 = 0
    /// How many times in a row the last interval came, at most `capacity`.
    private var repeats: UInt8 = 0
    private var lastInterval: Float = -1
    /// Whether most intervals are about equal. Nothing asks for it any more but stored states, which earlier versions read.
    var isRegular: Bool {
        count >= 4 && Double(intervals[Self.capacity + Int(count) * 3 / 4]) <= 1.6 * interval
    }
    /// How long the device takes to notice a motion, in seconds: up to its interval if it sends by a timer, and little if it
    /// sends on movement. It is the lower quartile of the intervals, less the more they differ.
    var reaction: Double {
        guard count > 0 else { return 0 }
        let lower = Double(intervals[Self.capacity + Int(count) / 4])
        return lower * lower / max(Double(intervals[Self.capacity + Int(count) * 3 / 4]), 1e-3)
    }
    /// The median of the last intervals, in seconds; 0 without one.
    private(set) var interval = 0.0
    /// A running median of the accuracies, in metres. It adapts slowly, so that a burst of cell tower fixes does not
    /// change it much.
    private(set) var accuracy = 30.0

    init() {}

    /// Whether there are enough intervals to compare one with the others.
    var isKnown: Bool { count >= 2 }

    /// Adds a fix.
    ///
    /// - Parameters:
    ///   - seconds: the interval since the fix before.
    ///   - new: its accuracy, in metres.
    mutating func add(interval seconds: Double, accuracy new: Float) {
        let added = Float(seconds)
        if count == 0 { intervals = [Float](repeating: 0, count: 2 * Self.capacity) }
        if Int(count) < Self.capacity {
            intervals[Int(count)] = added
            intervals[Self.capacity + Int(count)] = added
            count += 1
            moveDown(from: Self.capacity + Int(count) - 1)
            updateMedian()
        } else {
            // A device that sends by a timer repeats one interval. Once it fills the ring, nothing changes.
            if Int(repeats) < Self.capacity || added != lastInterval {
                replace(intervals[Int(oldest)], by: added)
                intervals[Int(oldest)] = added
                updateMedian()
            }
            oldest = Int(oldest) + 1 == Self.capacity ? 0 : oldest + 1
        }
        repeats = added == lastInterval ? min(repeats + 1, UInt8(Self.capacity)) : 1
        lastInterval = added
        if accuracyCount < 40 { accuracyCount += 1 }
        let step = 1 + 1 / Double(Int(accuracyCount) + 1)
        if Double(new) > accuracy { accuracy *= step } else if Double(new) < accuracy { accuracy /= step }
    }

    private mutating func updateMedian() {
        interval = Double(intervals[Self.capacity + Int(count) / 2])
    }

    /// Moves an element of the sorted half down to its position.
    private mutating func moveDown(from start: Int) {
        var index = start
        let element = intervals[index]
        while index > Self.capacity, intervals[index - 1] > element {
            intervals[index] = intervals[index - 1]
            index -= 1
        }
        intervals[index] = element
    }

    /// Replaces an element of the sorted half; the ring must be full.
    private mutating func replace(_ old: Float, by new: Float) {
        var index = Self.capacity
        while index + 1 < intervals.count, intervals[index] < old { index += 1 }
        while index + 1 < intervals.count, intervals[index + 1] < new {
            intervals[index] = intervals[index + 1]
            index += 1
        }
        intervals[index] = new
        moveDown(from: index)
    }

    /// The size of its heap blocks, in bytes.
    var heapByteCount: Int { HeapSize.ofArray(intervals) }
}

extension SamplingStatistics: Hashable {
    static func == (a: SamplingStatistics, b: SamplingStatistics) -> Bool {
        a.intervals == b.intervals && a.count == b.count && a.oldest == b.oldest
            && a.accuracyCount == b.accuracyCount && a.accuracy == b.accuracy
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(intervals)
        hasher.combine(accuracy)
    }
}

// The keys are part of stored states and must not change.
extension SamplingStatistics: Codable {
    private enum CodingKeys: String, CodingKey {
        case intervals
        case oldest = "next"
        case interval, isRegular, accuracy
        case accuracyCount = "seen"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let known = try container.decodeList(of: Float.self, forKey: .intervals)
        let oldest = try container.decode(Int.self, forKey: .oldest)
        guard known.count <= Self.capacity, known.indices.contains(oldest) || oldest == 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .oldest, in: container, debugDescription: "the index is beyond the intervals")
        }
        interval = try container.decode(Double.self, forKey: .interval)
        accuracy = try container.decode(Double.self, forKey: .accuracy)
        accuracyCount = UInt8(min(max(try container.decode(Int.self, forKey: .accuracyCount), 0), 40))
        guard !known.isEmpty else { return }
        let unused = [Float](repeating: 0, count: Self.capacity - known.count)
        intervals = known + unused + known.sorted() + unused
        (count, self.oldest) = (UInt8(known.count), UInt8(oldest))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Array(intervals.prefix(Int(count))), forKey: .intervals)
        try container.encode(Int(oldest), forKey: .oldest)
        try container.encode(interval, forKey: .interval)
        try container.encode(isRegular, forKey: .isRegular)
        try container.encode(accuracy, forKey: .accuracy)
        try container.encode(Int(accuracyCount), forKey: .accuracyCount)
    }
}
