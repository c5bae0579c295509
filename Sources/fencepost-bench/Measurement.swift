import ArgumentParser
import Foundation

/// One measurement with its conditions and baselines: a line of text for people, a JSON object for programs.
struct Measurement: Codable {
    /// The subcommand that measured it.
    var benchmark: String
    var what: String
    /// The conditions: seed, number of regions and the like.
    var conditions: [String: Int]
    /// The unit of the figures, such as `ns/point`.
    var unit: String
    /// Whether larger figures are better.
    var isRate = false
    var figures: Spread
    /// Alternatives that did the same work in the same run.
    var baselines: [Baseline] = []
    /// Further results, such as bytes per region.
    var details: [String: Double] = [:]

    struct Baseline: Codable {
        var name: String
        var figures: Spread
        /// How many times better than the baseline, by the medians.
        var ratio: Double
    }

    /// The minimum, median and maximum of some figures.
    struct Spread: Codable {
        var minimum, median, maximum: Double
        var count: Int

        /// - Precondition: `figures` is not empty.
        init(_ figures: [Double]) {
            let sorted = figures.sorted()
            (minimum, median, maximum) = (sorted[0], sorted[sorted.count / 2], sorted[sorted.count - 1])
            count = sorted.count
        }

        var text: String {
            count == 1
                ? Measurement.rounded(median)
                : [minimum, median, maximum].map(Measurement.rounded).joined(separator: "/")
        }
    }

    /// A measurement of at least one figure.
    init(
        _ benchmark: String, _ what: String, _ conditions: [String: Int], unit: String, isRate: Bool = false,
        _ figures: [Double]
    ) {
        (self.benchmark, self.what, self.conditions, self.unit) = (benchmark, what, conditions, unit)
        (self.isRate, self.figures) = (isRate, Spread(figures))
    }

    /// Adds the figures of another program, at least one, in the same unit.
    mutating func compare(with name: String, _ figures: [Double]) {
        let other = Spread(figures)
        let ratio = isRate ? self.figures.median / other.median : other.median / self.figures.median
        baselines.append(Baseline(name: name, figures: other, ratio: ratio))
    }

    /// The same, compared with other figures of this program than those that are reported.
    mutating func compare(with name: String, _ figures: [Double], to own: [Double]) {
        let (own, other) = (Spread(own), Spread(figures))
        let ratio = isRate ? own.median / other.median : other.median / own.median
        baselines.append(Baseline(name: name, figures: other, ratio: ratio))
    }

    var text: String {
        let count = figures.count == 1 ? "" : " (min/median/max of \(figures.count))"
        var text = "\(what): \(figures.text) \(unit)\(count)"
        for baseline in baselines {
            text += "; \(baseline.name) \(baseline.figures.text), ratio \(String(format: "%.1f", baseline.ratio))"
        }
        for (name, value) in details.sorted(by: { $0.key < $1.key }) { text += "; \(name) \(Self.rounded(value))" }
        return text
    }

    static let tableHead = """
        | measured | min | median | max | unit | compared with, medians | details |
        |---|---|---|---|---|---|---|
        """

    /// A row of a Markdown table.
    var tableRow: String {
        let comparisons = baselines.map {
            "\($0.name) \(Self.rounded($0.figures.median)): \(String(format: "%.1f", $0.ratio))×"
        }
        let details = details.sorted { $0.key < $1.key }.map { "\($0.key) \(Self.rounded($0.value))" }
        let figures = [figures.minimum, figures.median, figures.maximum].map(Self.rounded)
        let cells = [what] + figures + [unit, comparisons.joined(separator: ", "), details.joined(separator: ", ")]
        return "| \(cells.joined(separator: " | ")) |"
    }

    /// About three significant digits; further digits vary from run to run.
    static func rounded(_ figure: Double) -> String {
        let size = abs(figure)
        return String(format: size >= 100 || figure == figure.rounded() ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", figure)
    }
}

/// Options for printing measurements.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line for each measurement.") var json = false

    /// A heading before the figures; not printed in JSON mode.
    func title(_ text: String) {
        if !json { print(text) }
    }

    func write(_ measurement: Measurement) throws {
        guard json else { return print("  \(measurement.text)") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(measurement), as: UTF8.self))
    }
}

/// Processor time of this thread, which other load on the machine affects little.
enum ProcessorTime {
    /// Nanoseconds.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
