import FencepostGeometry
import FencepostModel

/// The latest fixes that belong to no stay.
///
/// At most 40, however often the device sends: of fixes that come more often than needed, only some are kept. So the
/// trail covers the time that a decision takes, and not a number of fixes.
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

    private static let capacity = 40
    /// The slots of the ring: all fixes but the last.
    private static let slotCount = capacity - 1
    /// A ring of so many slots is kept when the trail is cleared.
    private static let smallRing = 8
    /// The capacity in states of earlier versions.
    private static let earlierCapacity = 60
    /// Milliseconds. Older fixes of a device that sends rarely say little about where it is.
    private static let maximumSpan: Int64 = 7_200_000
    /// Milliseconds. The errors of fixes that come more often are correlated.
    private static let minimumInterval: Int64 = 10_000

    init() {}

    var count: Int { Int(size) }
    var isEmpty: Bool { size == 0 }
    var first: VisitFix? { isEmpty ? nil : self[0] }
    var last: VisitFix? { isEmpty ? nil : self[count - 1] }
    var lastButOne: VisitFix? { count < 2 ? nil : self[count - 2] }
    /// Seconds from the oldest fix to the last.
    var span: Double { isEmpty ? 0 : Double(lastTime.milliseconds - oldest.milliseconds) / 1000 }
    /// Seconds between the last two fixes; 0 if there are fewer.
    var lastInterval: Double {
        count < 2 ? 0 : Double(lastTime.milliseconds - timeBefore.milliseconds) / 1000
    }
    /// Oldest first.
    var fixes: [VisitFix] { (0..<count).map { self[$0] } }

    /// - Parameter index: 0 is the oldest fix.
    @inline(__always)
    subscript(index: Int) -> VisitFix {
        index == count - 1 ? newest : ring[slot(index)]
    }

    @inline(__always)
    private func slot(_ index: Int) -> Int {
        let slot = Int(start) + index
        return slot < VisitTrail.slotCount ? slot : slot - VisitTrail.slotCount
    }

    /// The interval, in milliseconds, with which the trail covers at least a span of so many milliseconds.
    static func interval(covering span: Int64) -> Int64 { max(span / Int64(capacity / 2), minimumInterval) }

    /// Appends a fix, in time order. It replaces the last one if that came too soon after the one before.
    ///
    /// `interval` is in milliseconds, as from `interval(covering:)`. Any three fixes in a row span at least that.
    mutating func append(_ fix: VisitFix, every interval: Int64) {
        if count >= 2, fix.time.milliseconds - timeBefore.milliseconds < interval {
            size -= 1
        } else if !isEmpty {
            if count == VisitTrail.capacity { removeFirst() }
            timeBefore = lastTime
            let end = slot(count - 1)
            if end == ring.count {
                // Beyond that an array would double to more slots than the ring has.
                if end == VisitTrail.smallRing { ring.reserveCapacity(VisitTrail.slotCount) }
                ring.append(newest)
            } else {
                ring[end] = newest
            }
        }
        newest = fix
        lastTime = fix.time
        if isEmpty { oldest = fix.time }
        size += 1
        let longest = max(interval * Int64(VisitTrail.capacity / 2), VisitTrail.maximumSpan)
        if count > 2, fix.time.milliseconds - oldest.milliseconds > longest { removeFirst() }
    }

    private mutating func removeFirst() {
        start = UInt8(slot(1))
        size -= 1
        oldest = self[0].time
        origin = nil
        hasFirstFix = false
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
        if ring.count > VisitTrail.smallRing { ring = [] }
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
    /// `origin` is the last fix of the stay; `nil` after a gap that is too long to know what happened in it.
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
    /// rejected if three consecutive fixes are certainly outside of any place that contains the last one, or if its
    /// halves lie apart. Only positions count: a device can state any speed at rest.
    func cluster(_ criteria: StayCriteria, spanning span: Double) -> FixCluster? {
        guard let end = lastIndex(criteria), !isShorter(than: span) else { return nil }
        guard let cluster = cluster(criteria, endingAt: end, spanning: span),
            farFixes(criteria, from: end, within: span) == nil
        else { return nil }
        return cluster
    }

    /// Whether `cluster` may find one, asked once for each appended fix: without a search, mostly.
    ///
    /// It keeps the three fixes that rule a cluster out, since while the device moves they also rule it out for many
    /// later fixes.
    mutating func mayEndInStay(_ criteria: StayCriteria, spanning span: Double) -> Bool {
        guard !isShorter(than: span), let end = lastIndex(criteria) else { return false }
        if farFixes.areFar(from: self[end], criteria, within: span) { return false }
        guard let found = farFixes(criteria, from: end, within: span) else { return true }
        farFixes = found
        return false
    }

    private func isShorter(than span: Double) -> Bool {
        self.span < span
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
                // One or two outliers are ignored.
                outliers += 1
                if outliers > 2 { break }
            }
        }
        // The last steps towards the place are not part of the stay.
        while first < end, self[first].isMoving, distance(self[first]) > criteria.radius / 2 { first += 1 }
        guard self[end].seconds(since: self[first]) >= span else { return nil }
        if span > 0, isDrifting(first...end, center, centroid.accuracy, plane, criteria) { return nil }
        let distances = (first...end).filter { Double(self[$0].accuracy) <= criteria.worstAccuracy }
            .map { distance(self[$0]) }.sorted()
        let spread = max(VisitRule.leastSpread, distances[distances.count / 2])
        let door = doorIndex(in: first...end, center, spread: spread, plane)
        let coordinate = plane.unproject(east: center.east, north: center.north)
        (centroid.latitude, centroid.longitude) = (coordinate.latitude, coordinate.longitude)
        return FixCluster(
            centroid: centroid, first: self[first], last: self[end], before: first > 0 ? self[first - 1] : origin,
            hasFirstFix: first == 0 && hasFirstFix, spread: spread, firstAtCenter: self[door].time)
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
        var fixes = try container.decodeList(of: VisitFix.self, forKey: .fixes)
        guard fixes.count <= VisitTrail.earlierCapacity else {
            throw DecodingError.dataCorruptedError(
                forKey: .fixes, in: container, debugDescription: "more fixes than a trail can have")
        }
        if fixes.count > VisitTrail.capacity {
            // Every other one of the older fixes is left out, and never the first.
            let surplus = fixes.count - VisitTrail.capacity
            fixes = fixes.enumerated().filter { $0.offset >= 2 * surplus || $0.offset.isMultiple(of: 2) }.map(\.element)
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
