import FencepostGeometry
import FencepostModel

/// The time that a device has spent at a place by its fixes, without the entries and exits of the region.
///
/// An event of a region needs evidence that the device is there although it could be anywhere. A device that is expected at a place
/// needs less: fixes in the region for as long as the stay, more of them than fixes near it. So a visit counts that the crossing
/// decides late or not at all, as with accuracies as large as the region, with positions that repeat to the last digit, and after
/// outliers. Fixes that are too inaccurate to show anything are no fixes here: what the device did meanwhile follows from those
/// before and after them, as in a silence.
struct PlanSpan: Hashable, Sendable, Codable {
    /// The first of the latest fixes in the region that may all be of one position, and their number.
    private var rest: PlanState.Seen
    private var fixesAtRest = 1
    /// When the device came, and the first and the last fix in the region.
    private(set) var from, shown, to: Timestamp
    /// Until when it stayed by the fix that shows it elsewhere; `to` before that.
    private(set) var until: Timestamp
    /// Fixes in the region, and those that are outside but not clearly.
    private var inside = 1, outside = 0
    /// Whether the last fix in the region shows that the device stands.
    private(set) var isStanding: Bool
    /// Whether a fix has shown the device elsewhere since.
    private(set) var isAway = false

    /// A span that begins.
    ///
    /// - Parameters:
    ///   - fix: the first fix in the region.
    ///   - last: the fix before it; `nil` without one.
    ///   - circle: contains the region.
    init(_ fix: PlanState.Seen, after last: PlanState.Seen?, _ circle: Circle) {
        (rest, shown, from, to, until) = (fix, fix.time, fix.time, fix.time, fix.time)
        isStanding = fix.speed.map { $0 < PlanRule.standing } ?? false
        // A device that was under way before a gap and stands after it came as soon as it could; one that stood may have left late.
        if let last, let pace = last.pace, fix.pace == nil, (fix.time - last.time).seconds <= PlanRule.longestGap {
            let seconds = last.distance(to: circle).metres / pace
            from = min(fix.time, last.time + .milliseconds(Int64(clamped: seconds * 1000)))
        }
    }

    /// Whether more fixes speak for the place than against it.
    var isProbable: Bool { inside > outside }

    /// Takes a fix in the region.
    ///
    /// - Returns: whether it prolongs the span; else the device was elsewhere meanwhile.
    mutating func stay(_ fix: PlanState.Seen) -> Bool {
        let gap = (fix.time - to).seconds
        guard !isAway || gap <= PlanRule.briefAbsence else { return false }
        (to, until, isAway) = (fix.time, fix.time, false)
        inside += 1
        let (moved, seconds) = (Geodesic.distance(rest.coordinate, fix.coordinate), (fix.time - rest.time).seconds)
        if moved < max(rest.accuracy + fix.accuracy, PlanRule.standing * seconds) {
            fixesAtRest += 1
        } else {
            (rest, fixesAtRest) = (fix, 1)
        }
        let rests = fixesAtRest >= PlanRule.fixesAtRest || (fixesAtRest > 1 && seconds >= PlanRule.timeAtRest)
        isStanding = fix.speed.map { $0 < PlanRule.standing } ?? rests
        return true
    }

    /// Takes a fix outside of the region.
    ///
    /// - Returns: whether the span goes on. One fix elsewhere may be an outlier.
    mutating func leave(_ fix: PlanState.Seen, _ circle: Circle) -> Bool {
        let distance = fix.distance(to: circle)
        guard distance.clear > 0 else {
            outside += 1
            return true
        }
        guard !isAway else { return false }
        isAway = true
        if isStanding {
            let seconds = distance.metres / max(fix.speed ?? 0, PlanRule.slowest)
            until = max(to, fix.time - .milliseconds(Int64(clamped: seconds * 1000)))
        }
        return true
    }
}

extension PlanState.Stop {
    /// Takes a fix of a region of mode `confirmed`.
    ///
    /// - Parameters:
    ///   - fix: the fix.
    ///   - isCovered: whether it is in the region.
    ///   - circle: contains the region.
    ///   - last: the last fix before it that was not coarse.
    mutating func see(_ fix: PlanState.Seen, isCovered: Bool, _ circle: Circle, after last: PlanState.Seen?) {
        if fix.isCoarse, fix.distance(to: circle).clear == 0 { return }
        if isCovered {
            if span?.stay(fix) != true { span = PlanSpan(fix, after: last, circle) }
        } else if span?.leave(fix, circle) == false {
            span = nil
        }
    }
}
