/// The score of found trips: the errors of their lengths, and how many modes are right.
public struct TripScore: Sendable {
    /// The figures of some trips.
    public struct Figures: Hashable, Sendable {
        /// Numbers of trips, of those that were found, and of those with the right mode.
        public var count = 0, found = 0, rightModes = 0
        /// The median, the 90 % quantile and the largest of the relative errors of the length, without their signs.
        public var medianError = 0.0, largeError = 0.0, worstError = 0.0
        /// The median of the relative errors with their signs.
        public var bias = 0.0
        /// The median of the relative errors of the speed that is not exceeded for 95 % of the time in motion.
        public var speedError = 0.0
    }

    /// Of all trips.
    public let all: Figures
    private let outcomes: [TripBenchmark.Outcome]

    public init(_ outcomes: [TripBenchmark.Outcome]) {
        self.outcomes = outcomes
        all = Self.figures(outcomes)
    }

    private static func figures(_ outcomes: [TripBenchmark.Outcome]) -> Figures {
        var figures = Figures()
        figures.count = outcomes.count
        figures.rightModes = outcomes.filter(\.isRightMode).count
        let signed = outcomes.compactMap(\.distanceError).sorted()
        figures.found = signed.count
        guard !signed.isEmpty else { return figures }
        let errors = signed.map(abs).sorted()
        figures.bias = signed[signed.count / 2]
        figures.medianError = errors[errors.count / 2]
        figures.largeError = errors[(errors.count * 9) / 10]
        figures.worstError = errors[errors.count - 1]
        let speeds = outcomes.compactMap { outcome in outcome.trip.map { abs($0.topSpeed / outcome.topSpeed - 1) } }
            .sorted()
        figures.speedError = speeds[speeds.count / 2]
        return figures
    }

    /// A table with a row for each kind of way, interval, accuracy and drift, and the cell with the largest error.
    public var text: String {
        var text = "| trips | found | right mode | length: median | 90 % | worst | bias | top speed |\n"
        text += "|---|---|---|---|---|---|---|---|\n"
        func row(_ name: String, _ part: [TripBenchmark.Outcome]) {
            let figures = Self.figures(part)
            func percent(_ value: Double) -> String {
                let tenths = Int((abs(value) * 1000).rounded())
                return "\(value < 0 && tenths > 0 ? "−" : "")\(tenths / 10).\(tenths % 10) %"
            }
            let cells = [
                name, "\(figures.found) of \(figures.count)", "\(figures.rightModes) of \(figures.count)",
                percent(figures.medianError), percent(figures.largeError), percent(figures.worstError),
                percent(figures.bias), percent(figures.speedError),
            ]
            text += "| " + cells.joined(separator: " | ") + " |\n"
        }
        row("all", outcomes)
        for ride in TripBenchmark.Ride.allCases { row(ride.rawValue, outcomes.filter { $0.cell.ride == ride }) }
        for interval in TripBenchmark.intervals {
            row("every \(Int(interval)) s", outcomes.filter { $0.cell.interval == interval })
        }
        for accuracy in TripBenchmark.accuracies {
            row("accuracy \(Int(accuracy)) m", outcomes.filter { $0.cell.accuracy == accuracy })
        }
        for drift in TripBenchmark.drifts {
            row(drift == 0 ? "independent errors" : "errors drift", outcomes.filter { $0.cell.drift == drift })
        }
        let worst = outcomes.max { abs($0.distanceError ?? 1) < abs($1.distanceError ?? 1) }
        if let cell = worst?.cell {
            let drift = cell.drift > 0 ? "drifting" : "independent"
            text +=
                "Worst: \(cell.ride.rawValue), every \(Int(cell.interval)) s, \(Int(cell.accuracy)) m, \(drift) errors\n"
        }
        return text
    }
}
