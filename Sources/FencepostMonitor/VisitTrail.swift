import FencepostGeometry
import FencepostModel

/// The last fixes that belong to no stay: at most an hour or two, thinned to one in ten seconds.
struct VisitTrail: Hashable, Sendable, Codable {
    private(set) var fixes: [VisitTrace] = []
    /// The last fix of the stay before, where the way here began, and when it was left.
    private(set) var origin: VisitTrace?
    private(set) var departed: Timestamp?
    /// Whether nothing was seen of the device before.
    private var isWhole = true

    private static let capacity = 60
    private static let longest = 7200.0
    private static let shortestInterval = 10.0

    var isEmpty: Bool { fixes.isEmpty }
    var first: VisitTrace? { fixes.first }
    var last: VisitTrace? { fixes.last }
    var lastButOne: VisitTrace? { fixes.count < 2 ? nil : fixes[fixes.count - 2] }

    mutating func append(_ fix: VisitTrace) {
        if fixes.count >= 2, fix.seconds(since: fixes[fixes.count - 2]) < VisitTrail.shortestInterval {
            fixes.removeLast()
        }
        fixes.append(fix)
        if fixes.count > 2, fixes.count > VisitTrail.capacity || fix.seconds(since: fixes[0]) > VisitTrail.longest {
            fixes.removeFirst()
            origin = nil
            isWhole = false
        }
    }

    mutating func removeLast() { fixes.removeLast() }

    /// Forgets the fixes: a stay has begun, or goes on.
    mutating func clear() {
        fixes = []
        origin = nil
        isWhole = false
    }

    /// Starts anew, behind a stay or, with `nil`, behind a hole of which nothing is known.
    mutating func begin(after origin: VisitTrace?, departed: Timestamp? = nil) {
        fixes = []
        self.origin = origin
        self.departed = departed
        isWhole = origin == nil
    }

    func contains(where predicate: (VisitTrace) -> Bool) -> Bool { fixes.contains(where: predicate) }
    func count(where predicate: (VisitTrace) -> Bool) -> Int { fixes.count(where: predicate) }

    /// How far the fixes lie from the first of them, in metres, their errors apart.
    var extent: Double {
        guard let first else { return 0 }
        let plane = LocalPlane(origin: first.coordinate)
        return fixes.reduce(0) {
            max($0, plane.distance(to: $1.coordinate) - Double(first.accuracy) - Double($1.accuracy))
        }
    }

    /// The fixes at the end that are at one place.
    ///
    /// - Parameters:
    ///   - reach: how far from the centre they may be, in metres, their errors apart.
    ///   - coarse: fixes with a worse accuracy, in metres, say nothing.
    ///   - span: the least time from the first to the last of them, in seconds.
    func run(reach: Double, coarse: Double, spanning span: Double) -> VisitRun? {
        guard let end = fixes.lastIndex(where: { Double($0.accuracy) <= coarse }) else { return nil }
        // One plane for all of them: the trail is short, and this is done for each fix on the way.
        let plane = LocalPlane(origin: fixes[end].coordinate)
        func distance(_ fix: VisitTrace, from center: (east: Double, north: Double)) -> Double {
            let (east, north) = plane.project(fix.coordinate)
            return ((east - center.east) * (east - center.east) + (north - center.north) * (north - center.north))
                .squareRoot()
        }
        var anchor = VisitAnchor(fixes[end])
        var center = (east: 0.0, north: 0.0)
        var first = end
        var disturbed = 0
        for index in stride(from: end - 1, through: 0, by: -1) where Double(fixes[index].accuracy) <= coarse {
            let fix = fixes[index]
            let blur =
                VisitRule.nearAccuracy * min(Double(fix.accuracy), VisitRule.accuracyLimit)
                + VisitRule.nearAnchorAccuracy * min(anchor.accuracy, VisitRule.accuracyLimit)
            if distance(fix, from: center) - blur <= reach {
                let (east, north) = plane.project(fix.coordinate)
                let share = anchor.gain(fix, after: min(fixes[index + 1].seconds(since: fix), 300))
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
        while first < end, fixes[first].isMoving, distance(fixes[first], from: center) > reach / 2 { first += 1 }
        let coordinate = plane.unproject(east: center.east, north: center.north)
        (anchor.latitude, anchor.longitude) = (coordinate.latitude, coordinate.longitude)
        guard fixes[end].seconds(since: fixes[first]) >= span else { return nil }
        return VisitRun(
            anchor: anchor, first: fixes[first], last: fixes[end], before: first > 0 ? fixes[first - 1] : origin,
            isWhole: first == 0 && isWhole)
    }
}
