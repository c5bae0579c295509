import FencepostGeometry
import FencepostModel
import FencepostMonitor

/// How well meetings of two devices are found, compared with two simple rules that other programs have.
///
/// An episode counts as found if it has one of the truth to itself, with which it shares at least half of the time of both.
public struct ProximityScore: Sendable {
    /// A rule that finds episodes.
    public enum Method: String, Sendable, CaseIterable {
        /// Fencepost.
        case fencepost = "Fencepost"
        /// As Tile38's `NEARBY … FENCE ROAM` is documented: each update is compared with the last position of the other one at its
        /// arrival, and a notification is sent with each update while they are near.
        case roam = "ROAM rule"
        /// The last positions by the time of the fix, compared at each new one, without accuracy: as plugins for trackers do.
        case lastPositions = "last positions"
    }

    /// The runs of one value.
    public struct Cell: Hashable, Sendable {
        /// Episodes of the truth, episodes that were reported, and those that are in both.
        public var truth = 0, reported = 0, matched = 0
        /// Notifications while the devices were near already.
        public var repeats = 0
        /// Events that were withdrawn later.
        public var withdrawn = 0

        /// The share of reported episodes that were, and of episodes that were reported.
        public var precision: Double { reported == 0 ? 1 : Double(matched) / Double(reported) }
        public var recall: Double { truth == 0 ? 1 : Double(matched) / Double(truth) }
        /// Their harmonic mean.
        public var f1: Double {
            truth + reported == 0 ? 1 : 2 * Double(matched) / Double(truth + reported)
        }

        static func + (a: Cell, b: Cell) -> Cell {
            var sum = a
            sum.truth += b.truth
            sum.reported += b.reported
            sum.matched += b.matched
            sum.repeats += b.repeats
            sum.withdrawn += b.withdrawn
            return sum
        }
    }

    /// The runs of a benchmark: each combination of values twice.
    public static let usualRuns = 432
    /// Truth that is shorter, in seconds, may be reported or not.
    static let shortest = 120.0
    /// The distance of the rule, in metres.
    static let distance = 100.0

    /// All runs, by method.
    public private(set) var all: [Method: Cell] = [:]
    /// By the dimension and the value, and by method: motion, accuracy, interval, lag, silence.
    public private(set) var cells: [String: [Method: Cell]] = [:]

    /// Generates runs and scores them.
    ///
    /// - Parameters:
    ///   - count: the number of runs.
    ///   - seed: the same seed gives the same runs.
    public init(runs count: Int, seed: UInt64) {
        var random = GeneratorRandom(seed: seed)
        for number in 0..<count {
            let run = ProximityRun(number, random: random.split())
            let labels = [
                "motion \(run.motion.rawValue)", "accuracy \(Int(run.accuracy))", "interval \(Int(run.interval))",
                "lag \(Int(run.lag))", "silence \(run.hasSilence ? "yes" : "no")",
            ]
            for method in Method.allCases {
                let cell = Self.score(run, method)
                all[method] = (all[method] ?? Cell()) + cell
                for label in labels { cells[label, default: [:]][method] = (cells[label]?[method] ?? Cell()) + cell }
            }
        }
    }

    private static func score(_ run: ProximityRun, _ method: Method) -> Cell {
        var cell = Cell()
        let found: [ClosedRange<Double>]
        switch method {
        case .fencepost: found = fencepost(run, &cell)
        case .roam: found = simple(run, &cell, time: \.arrival, isByFixTime: false)
        case .lastPositions:
            found = simple(run, &cell, time: \.time, isByFixTime: true)
            // It reports changes only.
            cell.repeats = 0
        }
        let truth = run.episodes
        var isTaken = [Bool](repeating: false, count: truth.count)
        for episode in found {
            let match = truth.indices.first { !isTaken[$0] && share(truth[$0], episode) >= 0.5 }
            if let match {
                isTaken[match] = true
                cell.matched += 1
                cell.reported += 1
                cell.truth += 1
            } else if !truth.contains(where: { length($0) < shortest && $0.overlaps(episode) }) {
                cell.reported += 1
            }
        }
        for (episode, isTaken) in zip(truth, isTaken) where !isTaken && length(episode) >= shortest { cell.truth += 1 }
        return cell
    }

    private static func length(_ range: ClosedRange<Double>) -> Double { range.upperBound - range.lowerBound }

    private static func share(_ a: ClosedRange<Double>, _ b: ClosedRange<Double>) -> Double {
        let common = min(a.upperBound, b.upperBound) - max(a.lowerBound, b.lowerBound)
        let whole = max(a.upperBound, b.upperBound) - min(a.lowerBound, b.lowerBound)
        return whole <= 0 ? 1 : max(common, 0) / whole
    }

    // MARK: Methods

    private static let plane = LocalPlane(origin: Coordinate(latitude: 48.2, longitude: 16.37))
    private static let start = Timestamp(seconds: 1_772_000_000)

    private static func location(_ fix: ProximityRun.Fix) -> Location {
        var location = Location(
            deviceID: DeviceID(fix.isFirst ? "a" : "b"),
            timestamp: start + .milliseconds(Int64((fix.time * 1000).rounded())),
            coordinate: plane.coordinate(fix.point), horizontalAccuracy: fix.accuracy)
        location.speed = fix.speed
        return location
    }

    /// Each fix as it arrives, as in the service; what was withdrawn does not count.
    private static func fencepost(_ run: ProximityRun, _ cell: inout Cell) -> [ClosedRange<Double>] {
        var watch = ProximityWatch([ProximityRule(id: "pair", distance: distance)])
        var held: [ProximityTransition] = []
        for fix in run.fixes {
            _ = watch.take(location(fix))
            for change in watch.evaluate() {
                cell.withdrawn += change.withdrawn.count
                held.removeAll { old in change.withdrawn.contains { $0.isSame(as: old) } }
                held += change.added
            }
        }
        var (episodes, begin): ([ClosedRange<Double>], Double?) = ([], nil)
        for transition in held.sorted(by: { ($0.timestamp, $0.rank) < ($1.timestamp, $1.rank) }) {
            let time = (transition.timestamp - start).seconds
            switch transition.kind {
            case .entered:
                if begin != nil { cell.repeats += 1 }
                begin = begin ?? time
            case .exited:
                if let begin { episodes.append(begin...max(begin, time)) }
                begin = nil
            case .dwelled, .unaccompanied: break
            }
        }
        if let begin { episodes.append(begin...max(begin, run.fixes.map(\.time).max() ?? begin)) }
        return episodes
    }

    /// Compares the last positions of both at each fix, in order of arrival.
    ///
    /// - Parameters:
    ///   - run: the run.
    ///   - cell: gets the repeats.
    ///   - time: the time of what is found.
    ///   - isByFixTime: whether a fix that is older than the last one of its device is ignored.
    /// - Returns: the episodes.
    private static func simple(
        _ run: ProximityRun, _ cell: inout Cell, time: KeyPath<ProximityRun.Fix, Double>, isByFixTime: Bool
    ) -> [ClosedRange<Double>] {
        var last: [Bool: ProximityRun.Fix] = [:]
        var (episodes, begin): ([ClosedRange<Double>], Double?) = ([], nil)
        for fix in run.fixes {
            if isByFixTime, let known = last[fix.isFirst], known.time > fix.time { continue }
            last[fix.isFirst] = fix
            guard let other = last[!fix.isFirst] else { continue }
            if fix.point.distance(to: other.point) <= distance {
                if begin != nil { cell.repeats += 1 }
                begin = begin ?? fix[keyPath: time]
            } else if let start = begin {
                episodes.append(start...max(start, fix[keyPath: time]))
                begin = nil
            }
        }
        if let begin { episodes.append(begin...max(begin, run.fixes.last?[keyPath: time] ?? begin)) }
        return episodes
    }
}
