import FencepostGeometry
import FencepostModel

/// What is kept of one fix: when and where, how good it is, and how fast the device said it was.
struct VisitTrace: Hashable, Sendable, Codable {
    var time: Timestamp
    var latitude, longitude: Double
    /// Metres, never negative; a fix without one gets that of a usual network fix.
    var accuracy: Float
    /// Metres per second; negative when unknown.
    var speed: Float

    init(_ location: Location) {
        time = location.timestamp
        latitude = location.coordinate.latitude
        longitude = location.coordinate.longitude
        accuracy = Float(location.horizontalAccuracy ?? 30)
        speed = Float(location.speed ?? -1)
    }

    var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
    /// Whether a satellite fix says that the device moves; network fixes come without a speed, or with 0.
    var isMoving: Bool { Double(speed) > VisitRule.standingSpeed }
    var isUnderWay: Bool { Double(speed) > VisitRule.movingSpeed }

    /// Metres over the ground.
    func distance(to other: VisitTrace) -> Double {
        LocalPlane(origin: coordinate).distance(to: other.coordinate)
    }

    /// Seconds since another fix.
    func seconds(since other: VisitTrace) -> Double {
        Double(time.milliseconds - other.time.milliseconds) / 1000
    }
}

/// The middle of a stay, as a mean of its fixes weighted by how good they are and how long they stood.
struct VisitAnchor: Hashable, Sendable, Codable {
    var latitude, longitude: Double
    /// Sum of the weights, limited so that the centre can still follow.
    var weight: Double
    /// The best accuracy of a fix in it, in metres.
    var accuracy: Double

    init(_ trace: VisitTrace) {
        latitude = trace.latitude
        longitude = trace.longitude
        accuracy = Double(trace.accuracy)
        weight = VisitAnchor.weight(trace, after: 60)
    }

    var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

    /// Centres are off by 15 to 20 m however good their fixes are, since neighbouring fixes err alike.
    static let bestAccuracy = 15.0
    /// The weight of half an hour of good fixes.
    private static let heaviest = 30 / (15.0 * 15.0)

    /// - Parameter seconds: since the fix before: neighbouring fixes share their error, so that ten in a minute say
    ///   little more than one.
    private static func weight(_ trace: VisitTrace, after seconds: Double) -> Double {
        let error = max(Double(trace.accuracy), 8)
        let still = Double(trace.speed) > VisitRule.standingSpeed ? 0.1 : 1
        return still * min(1, max(seconds, 1) / 60) / (error * error)
    }

    mutating func add(_ trace: VisitTrace, after seconds: Double) {
        let share = gain(trace, after: seconds)
        let plane = LocalPlane(origin: coordinate)
        let (east, north) = plane.project(trace.coordinate)
        let moved = plane.unproject(east: east * share, north: north * share)
        (latitude, longitude) = (moved.latitude, moved.longitude)
    }

    /// Takes the weight of a fix in.
    ///
    /// - Returns: which share of the way to the fix the centre goes.
    mutating func gain(_ trace: VisitTrace, after seconds: Double) -> Double {
        let added = VisitAnchor.weight(trace, after: seconds)
        let share = added / (weight + added)
        weight = min(weight + added, VisitAnchor.heaviest)
        accuracy = min(accuracy, Double(trace.accuracy))
        return share
    }

    func distance(to trace: VisitTrace) -> Double {
        LocalPlane(origin: coordinate).distance(to: trace.coordinate)
    }
}

/// The habits of a phone: how often it sends, and how well it knows where it is.
struct VisitRhythm: Hashable, Sendable {
    private static let count = 21

    /// The last intervals, in seconds, and the place of the oldest once all places are taken.
    private var intervals: [Float] = []
    private var next = 0
    /// The same in order, so that the middle is at hand.
    private var sorted: [Float] = []
    /// Median seconds between two of the last fixes; 0 when nothing is known.
    private(set) var interval = 0.0
    /// Whether most fixes come about one interval after another: a phone that is woken by a clock, not by movement.
    private(set) var isRegular = false
    /// Running median of the accuracies in metres; slow, so that a burst of fixes from a cell tower does not make
    /// them the rule.
    private(set) var accuracy = 30.0
    private var seen = 0

    mutating func note(interval seconds: Double, accuracy new: Float) {
        let added = Float(seconds)
        if intervals.count < Self.count {
            intervals.append(added)
            sorted.insert(added, at: sorted.partitioningIndex { $0 > added })
        } else {
            replace(intervals[next], by: added)
            intervals[next] = added
            next = (next + 1) % Self.count
        }
        interval = Double(sorted[sorted.count / 2])
        isRegular = sorted.count >= 4 && Double(sorted[sorted.count * 3 / 4]) <= 1.6 * interval
        seen = min(seen + 1, 40)
        let step = 1 + 1 / Double(seen + 1)
        if Double(new) > accuracy { accuracy *= step } else if Double(new) < accuracy { accuracy /= step }
    }

    var heapByteCount: Int { HeapSize.ofArray(intervals) + HeapSize.ofArray(sorted) }

    /// Puts a number into the order in place of one that is there.
    private mutating func replace(_ old: Float, by new: Float) {
        var place = sorted.partitioningIndex { $0 >= old }
        while place + 1 < sorted.count, sorted[place + 1] < new {
            sorted[place] = sorted[place + 1]
            place += 1
        }
        while place > 0, sorted[place - 1] > new {
            sorted[place] = sorted[place - 1]
            place -= 1
        }
        sorted[place] = new
    }
}

extension VisitRhythm: Codable {
    private enum CodingKeys: CodingKey { case intervals, next, interval, isRegular, accuracy, seen }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        intervals = try container.decode([Float].self, forKey: .intervals)
        next = try container.decode(Int.self, forKey: .next)
        interval = try container.decode(Double.self, forKey: .interval)
        isRegular = try container.decode(Bool.self, forKey: .isRegular)
        accuracy = try container.decode(Double.self, forKey: .accuracy)
        seen = try container.decode(Int.self, forKey: .seen)
        guard intervals.count <= Self.count, intervals.indices.contains(next) || next == 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .next, in: container, debugDescription: "a place beyond the intervals")
        }
        sorted = intervals.sorted()
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(intervals, forKey: .intervals)
        try container.encode(next, forKey: .next)
        try container.encode(interval, forKey: .interval)
        try container.encode(isRegular, forKey: .isRegular)
        try container.encode(accuracy, forKey: .accuracy)
        try container.encode(seen, forKey: .seen)
    }
}
