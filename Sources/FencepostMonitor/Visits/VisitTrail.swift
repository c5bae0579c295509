import FencepostGeometry
import FencepostModel

/// The latest fixes that belong to no stay: at most 60, of at most two hours, one per ten seconds.
///
/// The values that every fix needs are stored outside of the ring, so that most fixes touch one cache line less: the
/// devices of a fleet do not fit into the CPU cache.
struct VisitTrail: Sendable {
    /// All fixes but the last, in a ring of `slotCount` slots. It grows on demand.
    private var ring: [VisitFix] = []
    /// The last fix, or `none`. The next one often replaces it, without a change of the ring.
    private var newest = VisitFix.none
    /// The times of the oldest fix and of the last two; `distantPast` if absent.
    private var oldest = Timestamp.distantPast
    private var lastTime = Timestamp.distantPast
    private var timeBefore = Timestamp.distantPast
    /// The slot of the oldest fix.
    private var start: UInt8 = 0
    private var size: UInt8 = 0
    /// Whether the trail begins with the first fix of the device.
    private var hasFirstFix = true
    private var farFixes = FarFixes()
    /// The last fix of the stay before, if the trail begins there.
    private(set) var origin: VisitFix?
    /// When the stay before ended.
    private(set) var departed: Timestamp?

    private static let capacity = 60
    /// A power of two.
    private static let slotCount = 64
    /// Milliseconds.
    private static let maximumSpan: Int64 = 7_200_000
    private static let minimumInterval: Int64 = 10_000

    init() {}

    var count: Int { Int(size) }
    var isEmpty: Bool { size == 0 }
    var first: VisitFix? { isEmpty ? nil : self[0] }
    var last: VisitFix? { isEmpty ? nil : self[count - 1] }
    var lastButOne: VisitFix? { count < 2 ? nil : self[count - 2] }
    /// Seconds between the last two fixes; 0 if there are fewer.
    var lastInterval: Double {
        count < 2 ? 0 : Double(lastTime.milliseconds - timeBefore.milliseconds) / 1000
    }
    /// Oldest first.
    var fixes: [VisitFix] { (0..<count).map { self[$0] } }

    /// - Parameter index: 0 is the oldest fix.
    @inline(__always)
    subscript(index: Int) -> VisitFix {
        index == count - 1 ? newest : ring[(Int(start) + index) & (VisitTrail.slotCount - 1)]
    }

    /// Appends a fix, in time order. It replaces the last one if that came less than ten seconds after the one before.
    mutating func append(_ fix: VisitFix) {
        if count >= 2, fix.time.milliseconds - timeBefore.milliseconds < VisitTrail.minimumInterval {
            size -= 1
        } else if !isEmpty {
            timeBefore = lastTime
            let end = (Int(start) + count - 1) & (VisitTrail.slotCount - 1)
            if end == ring.count { ring.append(newest) } else { ring[end] = newest }
        }
        newest = fix
        lastTime = fix.time
        if isEmpty { oldest = fix.time }
        size += 1
        if count > 2,
            count > VisitTrail.capacity || fix.time.milliseconds - oldest.milliseconds > VisitTrail.maximumSpan
        {
            start = (start + 1) & UInt8(VisitTrail.slotCount - 1)
            size -= 1
            oldest = self[0].time
            origin = nil
            hasFirstFix = false
        }
    }

    mutating func removeLast() {
        if count > 1 { newest = self[count - 2] }
        size -= 1
        updateTimes()
    }

    private mutating func updateTimes() {
        oldest = first?.time ?? .distantPast
        lastTime = last?.time ?? .distantPast
        timeBefore = lastButOne?.time ?? .distantPast
    }

    private mutating func removeAll() {
        // A small ring is kept: during a stay a few fixes away from the place come and go.
        if ring.count > 8 { ring = [] }
        (start, size) = (0, 0)
        farFixes = FarFixes()
    }

    /// Removes the fixes, since a stay begins or continues.
    mutating func clear() {
        removeAll()
        origin = nil
        hasFirstFix = false
    }

    /// Removes the fixes, since a stay has ended.
    ///
    /// - Parameter origin: the last fix of the stay; `nil` after a gap that is too long to know what happened in it.
    mutating func restart(after origin: VisitFix?, departed: Timestamp? = nil) {
        removeAll()
        self.origin = origin
        self.departed = departed
        hasFirstFix = origin == nil
    }

    var movingCount: Int { (0..<count).count { self[$0].isMoving } }

    /// The largest distance of a fix from the first one, in metres, less the accuracies of both.
    var extent: Double {
        guard let first else { return 0 }
        let plane = LocalPlane(origin: first.coordinate)
        return (0..<count).reduce(0) {
            let fix = self[$1]
            return max($0, plane.distance(to: fix.coordinate) - Double(first.accuracy) - Double(fix.accuracy))
        }
    }

    /// The size of its heap blocks, in bytes.
    var heapByteCount: Int { HeapSize.ofArray(ring) }

    /// The conditions for a cluster of fixes.
    struct StayCriteria {
        /// How far its fixes may be from the centre, in metres, less the position uncertainty.
        var radius: Double
        /// Fixes with a worse accuracy, in metres, are ignored.
        var worstAccuracy: Double
    }

    /// The fixes at the end of the trail that lie at one place, if they span at least so many seconds.
    ///
    /// Going back in time, each fix must lie near the centre of those after it. The centre may drift, so the cluster is
    /// rejected if three consecutive fixes are certainly outside of any place that contains the last one.
    func cluster(_ criteria: StayCriteria, spanning span: Double) -> FixCluster? {
        guard let end = lastIndex(criteria), !isShorter(than: span) else { return nil }
        guard let cluster = cluster(criteria, endingAt: end, spanning: span),
            farFixes(criteria, from: end, within: span) == nil
        else { return nil }
        return cluster
    }

    /// The same as `cluster`, once for each appended fix. It keeps the three fixes that rule a cluster out, since while
    /// the device moves they also rule it out for many later fixes.
    mutating func nextCluster(_ criteria: StayCriteria, spanning span: Double) -> FixCluster? {
        guard !isShorter(than: span), let end = lastIndex(criteria) else { return nil }
        if farFixes.areFar(from: self[end], criteria, within: span) { return nil }
        if let found = farFixes(criteria, from: end, within: span) {
            farFixes = found
            return nil
        }
        return cluster(criteria, endingAt: end, spanning: span)
    }

    private func isShorter(than span: Double) -> Bool {
        Double(lastTime.milliseconds - oldest.milliseconds) / 1000 < span
    }

    /// The index of the last fix that is accurate enough.
    private func lastIndex(_ criteria: StayCriteria) -> Int? {
        var end = count - 1
        while end >= 0, Double(self[end].accuracy) > criteria.worstAccuracy { end -= 1 }
        return end >= 0 ? end : nil
    }

    /// The last three consecutive fixes within so many seconds that are certainly outside of any place with the end.
    private func farFixes(_ criteria: StayCriteria, from end: Int, within span: Double) -> FarFixes? {
        let last = self[end]
        let metric = FarFixes.Metric(at: last)
        var found = 0
        for index in stride(from: end - 1, through: 0, by: -1) {
            let fix = self[index]
            guard last.seconds(since: fix) < span else { return nil }
            found = metric.isFar(fix, criteria) ? found + 1 : 0
            if found == 3 { return FarFixes(fix, self[index + 1], self[index + 2]) }
        }
        return nil
    }

    private func cluster(
        _ criteria: StayCriteria, endingAt end: Int, spanning span: Double
    ) -> FixCluster? {
        // The trail is short, so one plane serves all fixes.
        let plane = LocalPlane(origin: self[end].coordinate)
        var centroid = VisitCentroid(self[end])
        var center = (east: 0.0, north: 0.0)
        var first = end
        var outliers = 0
        func distance(_ fix: VisitFix) -> Double {
            let (east, north) = plane.project(fix.coordinate)
            return ((east - center.east) * (east - center.east) + (north - center.north) * (north - center.north))
                .squareRoot()
        }
        for index in stride(from: end - 1, through: 0, by: -1) {
            let fix = self[index]
            guard Double(fix.accuracy) <= criteria.worstAccuracy else { continue }
            let uncertainty = VisitRule.positionUncertainty(
                accuracy: Double(fix.accuracy), centroidAccuracy: centroid.accuracy)
            if distance(fix) - uncertainty <= criteria.radius {
                let (east, north) = plane.project(fix.coordinate)
                let share = centroid.addWeight(of: fix, after: min(self[index + 1].seconds(since: fix), 300))
                center.east += (east - center.east) * share
                center.north += (north - center.north) * share
                first = index
                outliers = 0
            } else {
                // One or two outliers are ignored, unless their speed shows that the device moved.
                outliers += 1
                if fix.isTravelling || outliers > 2 { break }
            }
        }
        // The last steps towards the place are not part of the stay.
        while first < end, self[first].isMoving, distance(self[first]) > criteria.radius / 2 { first += 1 }
        guard self[end].seconds(since: self[first]) >= span else { return nil }
        let coordinate = plane.unproject(east: center.east, north: center.north)
        (centroid.latitude, centroid.longitude) = (coordinate.latitude, coordinate.longitude)
        return FixCluster(
            centroid: centroid, first: self[first], last: self[end], before: first > 0 ? self[first - 1] : origin,
            hasFirstFix: first == 0 && hasFirstFix)
    }
}

extension VisitTrail: Hashable {
    /// Compares the content: the slots of the fixes and the cached far fixes may differ.
    static func == (a: VisitTrail, b: VisitTrail) -> Bool {
        a.fixes == b.fixes && a.origin == b.origin && a.departed == b.departed && a.hasFirstFix == b.hasFirstFix
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(fixes)
        hasher.combine(departed)
    }
}

// The keys are part of stored states and must not change.
extension VisitTrail: Codable {
    private enum CodingKeys: String, CodingKey { case fixes, origin, departed, hasFirstFix = "isWhole" }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let fixes = try container.decode([VisitFix].self, forKey: .fixes)
        guard fixes.count <= VisitTrail.capacity else {
            throw DecodingError.dataCorruptedError(
                forKey: .fixes, in: container, debugDescription: "more fixes than a trail can have")
        }
        ring = Array(fixes.dropLast())
        newest = fixes.last ?? .none
        size = UInt8(fixes.count)
        updateTimes()
        origin = try container.decodeIfPresent(VisitFix.self, forKey: .origin)
        departed = try container.decodeIfPresent(Timestamp.self, forKey: .departed)
        hasFirstFix = try container.decode(Bool.self, forKey: .hasFirstFix)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fixes, forKey: .fixes)
        try container.encodeIfPresent(origin, forKey: .origin)
        try container.encodeIfPresent(departed, forKey: .departed)
        try container.encode(hasFirstFix, forKey: .hasFirstFix)
    }
}
