import FencepostEngine
public import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions

/// How often the verdicts on the places of generated rounds are right.
///
/// A place is left out where the device has sent too little to know: where its fixes, with their exact positions, show another
/// verdict than what it truly did. Those are counted as hidden.
public struct RoundScore: Sendable {
    /// The places of one value.
    public struct Cell: Hashable, Sendable {
        /// Places with a verdict that can be known, and those whose verdict is right.
        public var places = 0, right = 0
        /// Places whose fixes hide what the device did, and the sum of the confidence of what was reported of them.
        public var hidden = 0
        /// Of hidden places those that were reported with a confidence above 0.9.
        public var hiddenSure = 0
        /// Rounds, and those of which the order was reported as it was.
        public var rounds = 0, ordersRight = 0

        /// The share of right verdicts.
        public var share: Double { places == 0 ? 1 : Double(right) / Double(places) }

        static func + (a: Cell, b: Cell) -> Cell {
            Cell(
                places: a.places + b.places, right: a.right + b.right, hidden: a.hidden + b.hidden,
                hiddenSure: a.hiddenSure + b.hiddenSure, rounds: a.rounds + b.rounds,
                ordersRight: a.ordersRight + b.ordersRight)
        }
    }

    /// All places.
    public private(set) var all = Cell()
    /// By the dimension and the value: what the device did, accuracy, noise and interval.
    public private(set) var cells: [String: Cell] = [:]

    /// The rounds of a benchmark: each accuracy with each noise three times.
    public static let usualRounds = 231

    /// Generates rounds and scores them.
    ///
    /// - Parameters:
    ///   - count: the number of rounds.
    ///   - seed: the same seed gives the same rounds.
    /// - Throws: when GEOS fails on a region.
    public init(rounds count: Int, seed: UInt64) throws(GEOSError) {
        var random = GeneratorRandom(seed: seed)
        let index = RegionIndex(RegionCatalog(GeneratedRound.regions))
        for number in 0..<count {
            let round = GeneratedRound(number, random: random.split())
            for (cell, labels) in try Self.score(round, index) {
                all = all + cell
                for label in labels { cells[label] = (cells[label] ?? Cell()) + cell }
            }
        }
    }

    /// The share of right verdicts in the worst cell.
    public var worst: (label: String, share: Double) {
        let found = cells.min { ($0.value.share, $0.key) < ($1.value.share, $1.key) }
        return (found?.key ?? "", found?.value.share ?? 1)
    }

    private static func score(
        _ round: GeneratedRound, _ index: RegionIndex
    ) throws(GEOSError) -> [(cell: Cell, labels: [String])] {
        var settings = MonitorSettings()
        settings.visits = nil
        settings.plans = [round.plan]
        var engine = MonitorEngine(index, settings: settings)
        var events: [Event] = []
        for fix in round.fixes {
            _ = try engine.accept(fix.location, now: fix.location.timestamp) { events.append($0) }
        }
        // The round ends by the clock, also for a device that has fallen silent.
        try engine.advanceClock(to: round.end) { events.append($0) }
        guard let found = round.result(of: events) else { return [] }
        let dimensions = [
            "accuracy \(Int(round.accuracy))", "noise \(round.noise.rawValue)", "interval \(Int(round.interval))",
        ]
        var results: [(cell: Cell, labels: [String])] = []
        for (place, behaviour) in round.behaviours.enumerated() {
            var cell = Cell()
            let stop = found.stops[place]
            if round.shown(place) == behaviour.verdict {
                cell.places = 1
                cell.right = stop.state == behaviour.verdict ? 1 : 0
            } else {
                cell.hidden = 1
                cell.hiddenSure = stop.state != behaviour.verdict && stop.confidence ?? 0 > 0.9 ? 1 : 0
            }
            results.append((cell, ["did \(behaviour.rawValue)"] + dimensions))
        }
        // Where places are hidden or wrong, so may be their order.
        let isKnown = round.behaviours.indices.allSatisfy { place in
            round.shown(place) == round.behaviours[place].verdict
                && found.stops[place].state == round.behaviours[place].verdict
        }
        if isKnown {
            var cell = Cell()
            cell.rounds = 1
            cell.ordersRight = found.isInOrder == !round.behaviours.contains(.swapped) ? 1 : 0
            results.append((cell, dimensions))
        }
        return results
    }
}

extension GeneratedRound {
    /// What the events say of the round; `nil` without any.
    fileprivate func result(of events: [Event]) -> PlanRound? {
        let verdicts = events.compactMap { PlanRound.Verdict($0) }
        let day = 20_514
        return PlanRound.rounds(
            of: [plan], on: day...day, [Self.device], verdicts, at: end
        ).first
    }
}
