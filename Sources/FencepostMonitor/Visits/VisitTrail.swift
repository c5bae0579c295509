import FencepostGeometry
import FencepostModel

/// The last fixes that belong to no stay: at most an hour or two, thinned to one in ten seconds.
///
/// What is asked for with each fix lies in front of the rest, and beside the ring: a fleet does not fit into the cache.
struct VisitTrail: Sendable {
    /// A ring of `places` with all fixes but the last; until they were all taken once it is only as long as it has to be.
    private var ring: [VisitTrace] = []
    /// The last fix, where there is one: often the next one takes its place, and the ring need not be touched.
    private var newest = VisitTrace.none
    /// The times of the oldest fix and of the last two, where there are so many.
    private var oldest = Timestamp.distantPast
    private var lastTime = Timestamp.distantPast
    private var timeBefore = Timestamp.distantPast
    /// Where the oldest fix is, and how many there are.
    private var start: UInt8 = 0
    private var size: UInt8 = 0
    /// Whether nothing was seen of the device before.
    private var isWhole = true
    private var detour = VisitDetour()
    /// The last fix of the stay before, where the way here began, and when it was left.
    private(set) var origin: VisitTrace?
    private(set) var departed: Timestamp?

    private static let capacity = 60
    /// A power of two.
    private static let places = 64
    private static let longest: Int64 = 7_200_000
    private static let shortestInterval: Int64 = 10_000

    init() {}

    var count: Int { Int(size) }
    var isEmpty: Bool { size == 0 }
    var first: VisitTrace? { isEmpty ? nil : self[0] }
    var last: VisitTrace? { isEmpty ? nil : self[count - 1] }
    var lastButOne: VisitTrace? { count < 2 ? nil : self[count - 2] }
    /// Seconds between the last two fixes; 0 where there are not so many.
    var lastSpan: Double {
        count < 2 ? 0 : Double(lastTime.milliseconds - timeBefore.milliseconds) / 1000
    }
    /// Oldest first.
    var fixes: [VisitTrace] { (0..<count).map { self[$0] } }

    /// - Parameter place: 0 is the oldest.
    @inline(__always)
    subscript(place: Int) -> VisitTrace {
        place == count - 1 ? newest : ring[(Int(start) + place) & (VisitTrail.places - 1)]
    }

    mutating func append(_ fix: VisitTrace) {
        if count >= 2, fix.time.milliseconds - timeBefore.milliseconds < VisitTrail.shortestInterval {
            size -= 1
        } else if !isEmpty {
            timeBefore = lastTime
            let end = (Int(start) + count - 1) & (VisitTrail.places - 1)
            if end == ring.count { ring.append(newest) } else { ring[end] = newest }
        }
        newest = fix
        lastTime = fix.time
        if isEmpty { oldest = fix.time }
        size += 1
        if count > 2,
            count > VisitTrail.capacity || fix.time.milliseconds - oldest.milliseconds > VisitTrail.longest
        {
            start = (start + 1) & UInt8(VisitTrail.places - 1)
            size -= 1
            oldest = self[0].time
            origin = nil
            isWhole = false
        }
    }

    mutating func removeLast() {
        if count > 1 { newest = self[count - 2] }
        size -= 1
        readTimes()
    }

    private mutating func readTimes() {
        oldest = first?.time ?? .distantPast
        lastTime = last?.time ?? .distantPast
        timeBefore = lastButOne?.time ?? .distantPast
    }

    private mutating func removeAll() {
        // During a stay few fixes come and go.
        if ring.count > 8 { ring = [] }
        (start, size) = (0, 0)
        detour = VisitDetour()
    }

    /// Forgets the fixes: a stay has begun, or goes on.
    mutating func clear() {
        removeAll()
        origin = nil
        isWhole = false
    }

    /// Starts anew, behind a stay or, with `nil`, behind a hole of which nothing is known.
    mutating func begin(after origin: VisitTrace?, departed: Timestamp? = nil) {
        removeAll()
        self.origin = origin
        self.departed = departed
        isWhole = origin == nil
    }

    var movingCount: Int { (0..<count).count { self[$0].isMoving } }

    /// How far the fixes lie from the first of them, in metres, their errors apart.
    var extent: Double {
        guard let first else { return 0 }
        let plane = LocalPlane(origin: first.coordinate)
        return (0..<count).reduce(0) {
            let fix = self[$1]
            return max($0, plane.distance(to: fix.coordinate) - Double(first.accuracy) - Double(fix.accuracy))
        }
    }

    /// What it takes on the heap, in bytes.
    var heapByteCount: Int { HeapSize.ofArray(ring) }

    /// What is asked of a run.
    struct Place {
        /// How far from the centre its fixes may be, in metres, their errors apart.
        var reach: Double
        /// Fixes with a worse accuracy, in metres, say nothing.
        var coarse: Double
    }

    /// The fixes at the end that are at one place, if they span so many seconds.
    ///
    /// At one place are fixes that lie near the middle of those after them, and that middle may wander: where three in a
    /// row lie well beyond any place with the last one, there was no stay.
    func run(_ place: Place, spanning span: Double) -> VisitRun? {
        guard let end = newest(place), !isYounger(than: span) else { return nil }
        guard let run = run(place, endingAt: end, spanning: span), detour(place, from: end, within: span) == nil
        else { return nil }
        return run
    }

    /// As the other one, for the next fix of a device: what showed that there was no run is kept, for on the way it shows
    /// so for many fixes that follow.
    mutating func nextRun(_ place: Place, spanning span: Double) -> VisitRun? {
        // Most trails are too young, and of most others it is known that they lead elsewhere.
        guard !isYounger(than: span), let end = newest(place) else { return nil }
        if detour.isFar(from: self[end], place, within: span) { return nil }
        if let found = detour(place, from: end, within: span) {
            detour = found
            return nil
        }
        return run(place, endingAt: end, spanning: span)
    }

    private func isYounger(than span: Double) -> Bool {
        Double(lastTime.milliseconds - oldest.milliseconds) / 1000 < span
    }

    private func newest(_ place: Place) -> Int? {
        var end = count - 1
        while end >= 0, Double(self[end].accuracy) > place.coarse { end -= 1 }
        return end >= 0 ? end : nil
    }

    /// The last three fixes in a row, of so many seconds, that lie well beyond a place with the one at the end.
    private func detour(_ place: Place, from end: Int, within span: Double) -> VisitDetour? {
        let last = self[end]
        let metric = VisitDetour.Metric(at: last)
        var found = 0
        for index in stride(from: end - 1, through: 0, by: -1) {
            let fix = self[index]
            guard last.seconds(since: fix) < span else { return nil }
            found = metric.isFar(fix, place) ? found + 1 : 0
            if found == 3 { return VisitDetour(fix, self[index + 1], self[index + 2]) }
        }
        return nil
    }

    private func run(
        _ place: Place, endingAt end: Int, spanning span: Double
    ) -> VisitRun? {
        // One plane for all of them: the trail is short.
        let plane = LocalPlane(origin: self[end].coordinate)
        var anchor = VisitAnchor(self[end])
        var center = (east: 0.0, north: 0.0)
        var first = end
        var disturbed = 0
        func distance(_ fix: VisitTrace) -> Double {
            let (east, north) = plane.project(fix.coordinate)
            return ((east - center.east) * (east - center.east) + (north - center.north) * (north - center.north))
                .squareRoot()
        }
        for index in stride(from: end - 1, through: 0, by: -1) {
            let fix = self[index]
            guard Double(fix.accuracy) <= place.coarse else { continue }
            let blur =
                VisitRule.nearAccuracy * min(Double(fix.accuracy), VisitRule.accuracyLimit)
                + VisitRule.nearAnchorAccuracy * min(anchor.accuracy, VisitRule.accuracyLimit)
            if distance(fix) - blur <= place.reach {
                let (east, north) = plane.project(fix.coordinate)
                let share = anchor.gain(fix, after: min(self[index + 1].seconds(since: fix), 300))
                center.east += (east - center.east) * share
                center.north += (north - center.north) * share
                first = index
                disturbed = 0
            } else {
                // One or two wild fixes are passed over, but not one that says that it moves.
                disturbed += 1
                if fix.isUnderWay || disturbed > 2 { break }
            }
        }
        // The last steps to the place are not yet part of it.
        while first < end, self[first].isMoving, distance(self[first]) > place.reach / 2 { first += 1 }
        guard self[end].seconds(since: self[first]) >= span else { return nil }
        let coordinate = plane.unproject(east: center.east, north: center.north)
        (anchor.latitude, anchor.longitude) = (coordinate.latitude, coordinate.longitude)
        return VisitRun(
            anchor: anchor, first: self[first], last: self[end], before: first > 0 ? self[first - 1] : origin,
            isWhole: first == 0 && isWhole)
    }
}

extension VisitTrail: Hashable {
    /// Of what it tells: where the fixes lie in the ring and what was found out of them may differ.
    static func == (a: VisitTrail, b: VisitTrail) -> Bool {
        a.fixes == b.fixes && a.origin == b.origin && a.departed == b.departed && a.isWhole == b.isWhole
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(fixes)
        hasher.combine(departed)
    }
}

extension VisitTrail: Codable {
    private enum CodingKeys: CodingKey { case fixes, origin, departed, isWhole }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let fixes = try container.decode([VisitTrace].self, forKey: .fixes)
        guard fixes.count <= VisitTrail.capacity else {
            throw DecodingError.dataCorruptedError(
                forKey: .fixes, in: container, debugDescription: "more fixes than a trail has")
        }
        ring = Array(fixes.dropLast())
        newest = fixes.last ?? .none
        size = UInt8(fixes.count)
        readTimes()
        origin = try container.decodeIfPresent(VisitTrace.self, forKey: .origin)
        departed = try container.decodeIfPresent(Timestamp.self, forKey: .departed)
        isWhole = try container.decode(Bool.self, forKey: .isWhole)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fixes, forKey: .fixes)
        try container.encodeIfPresent(origin, forKey: .origin)
        try container.encodeIfPresent(departed, forKey: .departed)
        try container.encode(isWhole, forKey: .isWhole)
    }
}
