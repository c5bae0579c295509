public import FencepostGEOS
import FencepostModel
public import FencepostMonitor

/// How well one kind of generated input is handled.
public struct KindScore: Hashable, Sendable {
    /// The score of a device.
    public struct Device: Hashable, Sendable {
        /// The id of the device.
        public let name: String
        /// 0 to 1.
        public let score: Double
    }

    /// The kind, and what is scored where it has more than one score.
    public let name: String
    /// What the score is.
    public let measure: String
    /// Numbers of crossings, visits or legs that have to be found, and of those that were not.
    public let required, missed: Int
    /// Number of false crossings or visits; `nil` for legs.
    public let falsePositives: Int?
    /// 0 to 1.
    public let score: Double
    /// The device with the lowest score; `nil` without devices that have something to find.
    public let worst: Device?
}

extension KindScore {
    /// A visit further than this from every stay is false, also while something optional happens. Metres, as in matches.
    static let nearVisit = 500.0
    /// A departure further off is not found, where departures count. Seconds.
    static let departure = 600.0

    /// Scores the monitor on a benchmark of a kind.
    public static func scores(
        of kind: GeneratorKind, _ benchmark: Benchmark, _ settings: MonitorSettings = MonitorSettings()
    ) throws(GEOSError) -> [KindScore] {
        // The profiles are the devices here, so that each has a score.
        var benchmark = benchmark
        for index in benchmark.streams.indices {
            benchmark.streams[index].profile = benchmark.streams[index].device.rawValue
        }
        var scores: [KindScore] = []
        for measure in kind.measures {
            let name = kind.measures.count == 1 ? kind.rawValue : "\(kind.rawValue) \(measure.rawValue)"
            var part = benchmark
            switch measure {
            case .crossings:
                part.stays = []
                scores.append(KindScore(name, crossings: CrossingScore.score(try part.events(settings), of: part)))
            case .visits, .departures:
                (part.crossings, part.regions) = ([], [])
                let score = VisitScore.score(try part.events(settings), of: part, optionalWithin: nearVisit)
                scores.append(KindScore(name, visits: score, hasDepartures: measure == .departures))
            }
        }
        return scores
    }

    private init(_ name: String, crossings: (all: CrossingScore, profiles: [String: CrossingScore])) {
        self.init(
            name: name, measure: "F1 of crossings", required: crossings.all.required, missed: crossings.all.missed,
            falsePositives: crossings.all.falsePositives, score: crossings.all.f1,
            worst: Self.worst(crossings.profiles.filter { $0.value.required > 0 }.mapValues(\.f1)))
    }

    private init(
        _ name: String, visits: (all: VisitScore, profiles: [String: VisitScore]), hasDepartures: Bool
    ) {
        func score(_ score: VisitScore) -> Double {
            hasDepartures ? score.f1(departureWithin: Self.departure) : score.f1
        }
        let late = hasDepartures ? visits.all.departures(laterThan: Self.departure) : 0
        self.init(
            name: name, measure: hasDepartures ? "F1 of visits, departures in 10 min" : "F1 of visits",
            required: visits.all.required, missed: visits.all.missed + late, falsePositives: visits.all.spurious,
            score: score(visits.all),
            worst: Self.worst(visits.profiles.filter { $0.value.required > 0 }.mapValues(score)))
    }

    static func worst(_ scores: [String: Double]) -> Device? {
        scores.min { ($0.value, $0.key) < ($1.value, $1.key) }.map { Device(name: $0.key, score: $0.value) }
    }
}

// MARK: Modes

extension KindScore {
    /// The share of the time of the legs with the right mode.
    public static func changes(_ legs: [TripBenchmark.LegOutcome]) -> KindScore {
        KindScore("changeMode", "share of time", legs) { legs in
            let seconds = legs.reduce(0) { $0 + $1.seconds }
            return seconds > 0 ? legs.reduce(0) { $0 + $1.rightSeconds } / seconds : 0
        }
    }

    /// The share of the legs with the right mode: of all, and of those by metro and train.
    public static func rides(_ legs: [TripBenchmark.LegOutcome]) -> [KindScore] {
        let rail = legs.filter { $0.mode == .rail }
        return [("railLegs", legs), ("railLegs rail", rail)].map { name, legs in
            KindScore(name, "share of legs", legs) { legs in
                Statistics.fraction(legs.count(where: \.isRight), of: legs.count)
            }
        }
    }

    private init(
        _ name: String, _ measure: String, _ legs: [TripBenchmark.LegOutcome],
        score: ([TripBenchmark.LegOutcome]) -> Double
    ) {
        self.init(
            name: name, measure: measure, required: legs.count, missed: legs.count { !$0.isRight }, falsePositives: nil,
            score: score(legs), worst: Self.worst(Dictionary(grouping: legs, by: \.device).mapValues(score)))
    }
}
