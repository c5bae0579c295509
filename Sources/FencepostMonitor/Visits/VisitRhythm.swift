/// The habits of a phone: how often it sends, and how well it knows where it is.
struct VisitRhythm: Sendable {
    private static let most = 21

    /// The last intervals, in seconds, as they came, and from `most` on the same in order, so that the middle is at hand.
    private var intervals: [Float] = []
    /// How many there are, and the place of the oldest once all places are taken.
    private var count: UInt8 = 0
    private var next: UInt8 = 0
    private var seen: UInt8 = 0
    /// How often the last interval came in a row, up to `most`.
    private var repeats: UInt8 = 0
    private var lastInterval: Float = -1
    /// Whether most fixes come about one interval after another: a phone that is woken by a clock, not by movement.
    private(set) var isRegular = false
    /// Median seconds between two of the last fixes; 0 when nothing is known.
    private(set) var interval = 0.0
    /// Running median of the accuracies in metres; slow, so that a burst of fixes from a cell tower does not make
    /// them the rule.
    private(set) var accuracy = 30.0

    init() {}

    mutating func note(interval seconds: Double, accuracy new: Float) {
        let added = Float(seconds)
        if count == 0 { intervals = [Float](repeating: 0, count: 2 * Self.most) }
        if Int(count) < Self.most {
            intervals[Int(count)] = added
            intervals[Self.most + Int(count)] = added
            count += 1
            sink(from: Self.most + Int(count) - 1)
            findMiddle()
        } else {
            // A phone that sends by a clock has the same interval over and over: then nothing else is there.
            if Int(repeats) < Self.most || added != lastInterval {
                replace(intervals[Int(next)], by: added)
                intervals[Int(next)] = added
                findMiddle()
            }
            next = Int(next) + 1 == Self.most ? 0 : next + 1
        }
        repeats = added == lastInterval ? min(repeats + 1, UInt8(Self.most)) : 1
        lastInterval = added
        if seen < 40 { seen += 1 }
        let step = 1 + 1 / Double(Int(seen) + 1)
        if Double(new) > accuracy { accuracy *= step } else if Double(new) < accuracy { accuracy /= step }
    }

    private mutating func findMiddle() {
        interval = Double(intervals[Self.most + Int(count) / 2])
        isRegular = count >= 4 && Double(intervals[Self.most + Int(count) * 3 / 4]) <= 1.6 * interval
    }

    /// Moves a number down to where it belongs in the order.
    private mutating func sink(from start: Int) {
        var place = start
        let number = intervals[place]
        while place > Self.most, intervals[place - 1] > number {
            intervals[place] = intervals[place - 1]
            place -= 1
        }
        intervals[place] = number
    }

    /// Puts a number into the order in place of one that is there; all places are taken.
    private mutating func replace(_ old: Float, by new: Float) {
        var place = Self.most
        while place + 1 < intervals.count, intervals[place] < old { place += 1 }
        while place + 1 < intervals.count, intervals[place + 1] < new {
            intervals[place] = intervals[place + 1]
            place += 1
        }
        intervals[place] = new
        sink(from: place)
    }

    /// What it takes on the heap, in bytes.
    var heapByteCount: Int { HeapSize.ofArray(intervals) }
}

extension VisitRhythm: Hashable {
    static func == (a: VisitRhythm, b: VisitRhythm) -> Bool {
        a.intervals == b.intervals && a.count == b.count && a.next == b.next && a.seen == b.seen
            && a.accuracy == b.accuracy
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(intervals)
        hasher.combine(accuracy)
    }
}

extension VisitRhythm: Codable {
    private enum CodingKeys: CodingKey { case intervals, next, interval, isRegular, accuracy, seen }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let known = try container.decode([Float].self, forKey: .intervals)
        let oldest = try container.decode(Int.self, forKey: .next)
        guard known.count <= Self.most, known.indices.contains(oldest) || oldest == 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .next, in: container, debugDescription: "a place beyond the intervals")
        }
        interval = try container.decode(Double.self, forKey: .interval)
        isRegular = try container.decode(Bool.self, forKey: .isRegular)
        accuracy = try container.decode(Double.self, forKey: .accuracy)
        seen = UInt8(min(max(try container.decode(Int.self, forKey: .seen), 0), 40))
        guard !known.isEmpty else { return }
        let unused = [Float](repeating: 0, count: Self.most - known.count)
        intervals = known + unused + known.sorted() + unused
        (count, next) = (UInt8(known.count), UInt8(oldest))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Array(intervals.prefix(Int(count))), forKey: .intervals)
        try container.encode(Int(next), forKey: .next)
        try container.encode(interval, forKey: .interval)
        try container.encode(isRegular, forKey: .isRegular)
        try container.encode(accuracy, forKey: .accuracy)
        try container.encode(Int(seen), forKey: .seen)
    }
}
