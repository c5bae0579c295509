import FencepostGeometry
import FencepostModel

/// A fix of a generated device, and the truth about it.
struct PlainFix {
    /// Seconds since the start of the recording, to the millisecond.
    var time: Double
    var point: PlanePoint
    /// The accuracy that it states, in metres.
    var stated: Double?
    var speed: Double?
    var isOutlier = false
    /// How deep in the region the reported and the true position are, in metres, negative outside.
    var depth = 0.0
    var trueDepth = 0.0
}

/// The crossings of one boundary by a true path, and which of them the fixes show.
///
/// A fix is clear when it is no outlier, is on the true side and lies beyond the boundary by more than twice the larger
/// of its stated and its true accuracy. A crossing is required when the new side has a clear fix and the side known
/// before was the other one.
struct PlainTruth {
    let cell: PlainCell
    /// In time order.
    let fixes: [PlainFix]
    let startsInside: Bool
    /// Seconds since the start of the recording, ascending.
    let crossingTimes: [Double]

    /// The time on one side of the boundary.
    private struct Side {
        let isInside: Bool
        let begin, end: Double
        let fixes: Range<Int>
    }

    /// The first three clear fixes of a side.
    private struct Evidence {
        let first: Int
        let second, third: Int?
        /// Whether it is the only fix of its side.
        var isSingle = false
    }

    func isClear(_ index: Int, inside: Bool) -> Bool {
        let fix = fixes[index]
        return !fix.isOutlier && (fix.trueDepth > 0) == inside && (fix.depth > 0) == inside
            && abs(fix.depth) > 2 * max(Double(cell.accuracy), fix.stated ?? 0)
    }

    /// All crossings in time order, with times since `start`.
    func crossings(of pair: PlainBenchmark.Pair, start: Timestamp) -> [PlainBenchmark.Crossing] {
        func moment(_ seconds: Double) -> Timestamp { start + .milliseconds(Int64((seconds * 1000).rounded())) }
        var result: [PlainBenchmark.Crossing] = []
        var known: Bool?
        for (number, side) in sides.enumerated() {
            let evidence = evidence(for: side)
            defer { if evidence != nil { known = side.isInside } }
            guard number > 0 else { continue }
            var crossing = PlainBenchmark.Crossing(
                device: pair.device, region: pair.region, isEntry: side.isInside, timestamp: moment(side.begin),
                isRequired: false)
            crossing.earliest = lastClear(inside: !side.isInside, before: side.fixes.lowerBound).map(moment)
            if let evidence, known == !side.isInside, evidence.first < fixes.count - 1 {
                let first = fixes[evidence.first].time
                crossing.isRequired = true
                crossing.reason = reason(evidence)
                crossing.clear = moment(first)
                crossing.due = moment(due(evidence))
                crossing.fixesAfter = fixes[(evidence.first + 1)...].prefix(4).map { $0.time - first }
                close(&result, at: fix(2, after: first).map(moment))
            } else {
                crossing.reason = evidence == nil ? "unseen" : "not asked for"
                if side.end < .infinity {
                    crossing.until = fix(2, after: side.end).map { moment(max($0, side.end + 60)) }
                }
            }
            result.append(crossing)
        }
        return result
    }

    /// Ends the time of the last required crossing: when the next one is known, but not before it is due.
    private func close(_ crossings: inout [PlainBenchmark.Crossing], at end: Timestamp?) {
        guard let last = crossings.lastIndex(where: \.isRequired), let end else { return }
        crossings[last].until = max(crossings[last].due ?? end, end)
    }

    private var sides: [Side] {
        var sides: [Side] = []
        var isInside = startsInside
        for (begin, end) in zip([0] + crossingTimes, crossingTimes + [.infinity]) {
            let lower = fixes.firstIndex { $0.time >= begin } ?? fixes.count
            let upper = fixes.firstIndex { $0.time >= end } ?? fixes.count
            sides.append(Side(isInside: isInside, begin: begin, end: end, fixes: lower..<upper))
            isInside.toggle()
        }
        return sides
    }

    /// The clear fixes of a side, if they suffice.
    ///
    /// Where there are outliers, two are needed. The only fix of a side has to lie on the way between its neighbours;
    /// else a detector takes it for an outlier.
    private func evidence(for side: Side) -> Evidence? {
        let clear = side.fixes.filter { isClear($0, inside: side.isInside) }
        guard let first = clear.first else { return nil }
        var evidence = Evidence(
            first: first, second: clear.count > 1 ? clear[1] : nil, third: clear.count > 2 ? clear[2] : nil)
        if side.fixes.count(where: { !fixes[$0].isOutlier }) > 1 {
            return cell.outliers > 0 && evidence.second == nil ? nil : evidence
        }
        if first == 0 { return evidence }
        if cell.outliers > 0 { return nil }
        if first == fixes.count - 1 { return evidence }
        evidence.isSingle = true
        return isOnTheWay(first) ? evidence : nil
    }

    private func isOnTheWay(_ index: Int) -> Bool {
        let (before, here, after) = (fixes[index - 1].point, fixes[index].point, fixes[index + 1].point)
        return before.distance(to: here) + here.distance(to: after)
            <= 1.6 * before.distance(to: after) + 4 * Double(cell.accuracy)
    }

    private func isSilent(_ evidence: Evidence) -> Bool { cell.isSilent && evidence.first == fixes.count - 2 }

    private func reason(_ evidence: Evidence) -> String {
        isSilent(evidence) ? PlainBenchmark.Crossing.silent : evidence.isSingle ? "single" : "clear"
    }

    /// By the second clear fix, and never before the next fix or 30 s after the first clear one. One clear fix more
    /// where an outlier lies between them; two fixes more for the only one of its side; a deadline in silence.
    private func due(_ evidence: Evidence) -> Double {
        let first = fixes[evidence.first].time
        if isSilent(evidence) { return first + max(1200, 2 * Double(cell.interval)) }
        var due = max(first + 30, fix(1, after: first) ?? 0)
        if evidence.isSingle { return max(due, fix(2, after: first) ?? 0) }
        guard let second = evidence.second else { return due }
        due = max(due, fixes[second].time)
        if let third = evidence.third, fixes[evidence.first..<second].contains(where: \.isOutlier) {
            due = max(due, fixes[third].time)
        }
        return due
    }

    /// The time of the first, second … fix after a time.
    private func fix(_ number: Int, after time: Double) -> Double? {
        fixes.lazy.filter { $0.time > time }.dropFirst(number - 1).first?.time
    }

    private func lastClear(inside: Bool, before index: Int) -> Double? {
        fixes.indices.prefix(index).last { isClear($0, inside: inside) }.map { fixes[$0].time }
    }
}
