import ArgumentParser
import Foundation

/// What was measured, how often, and beside what: a line of text for people, an object of JSON for programs.
struct Measurement: Codable {
    /// The subcommand that measured it.
    var benchmark: String
    var what: String
    /// What it was measured with: seed, number of regions and the like.
    var conditions: [String: Int]
    /// Of the figures, such as `ns/point`.
    var unit: String
    /// Whether a larger figure is the better one.
    var isRate = false
    var figures: Spread
    /// What does the same work in the same run.
    var baselines: [Baseline] = []
    /// What else came out, such as bytes a region.
    var details: [String: Double] = [:]

    struct Baseline: Codable {
        var name: String
        var figures: Spread
        /// How many times as good as the baseline the measured one is, by the medians.
        var ratio: Double
    }

    /// The least, the middle and the most of some figures.
    struct Spread: Codable {
        var minimum, median, maximum: Double
        var count: Int

        /// - Precondition: there is a figure.
        init(_ figures: [Double]) {
            let sorted = figures.sorted()
            (minimum, median, maximum) = (sorted[0], sorted[sorted.count / 2], sorted[sorted.count - 1])
            count = sorted.count
        }

        var text: String {
            count == 1
                ? Measurement.told(median) : [minimum, median, maximum].map(Measurement.told).joined(separator: "/")
        }
    }

    /// - Parameter figures: one at least.
    init(
        _ benchmark: String, _ what: String, _ conditions: [String: Int], unit: String, isRate: Bool = false,
        _ figures: [Double]
    ) {
        (self.benchmark, self.what, self.conditions, self.unit) = (benchmark, what, conditions, unit)
        (self.isRate, self.figures) = (isRate, Spread(figures))
    }

    /// - Parameter figures: of the same unit, one at least.
    mutating func compare(with name: String, _ figures: [Double]) {
        let other = Spread(figures)
        let ratio = isRate ? self.figures.median / other.median : other.median / self.figures.median
        baselines.append(Baseline(name: name, figures: other, ratio: ratio))
    }

    var text: String {
        let count = figures.count == 1 ? "" : " (min/median/max of \(figures.count))"
        var text = "\(what): \(figures.text) \(unit)\(count)"
        for baseline in baselines {
            text += "; \(baseline.name) \(baseline.figures.text), ratio \(String(format: "%.1f", baseline.ratio))"
        }
        for (name, value) in details.sorted(by: { $0.key < $1.key }) { text += "; \(name) \(Self.told(value))" }
        return text
    }

    static let tableHead = """
        | measured | min | median | max | unit | beside it, medians | and |
        |---|---|---|---|---|---|---|
        """

    /// A row of a table in Markdown.
    var tableRow: String {
        let beside = baselines.map {
            "\($0.name) \(Self.told($0.figures.median)): \(String(format: "%.1f", $0.ratio))×"
        }
        let details = details.sorted { $0.key < $1.key }.map { "\($0.key) \(Self.told($0.value))" }
        let figures = [figures.minimum, figures.median, figures.maximum].map(Self.told)
        let cells = [what] + figures + [unit, beside.joined(separator: ", "), details.joined(separator: ", ")]
        return "| \(cells.joined(separator: " | ")) |"
    }

    /// Three digits or so: what is beyond changes from run to run.
    static func told(_ figure: Double) -> String {
        let size = abs(figure)
        return String(format: size >= 100 || figure == figure.rounded() ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", figure)
    }
}

/// How a benchmark tells what it measured.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line for each measurement.") var json = false

    /// What is said once, before the figures; nothing where programs read.
    func title(_ text: String) {
        if !json { print(text) }
    }

    func tell(_ measurement: Measurement) throws {
        guard json else { return print("  \(measurement.text)") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(measurement), as: UTF8.self))
    }
}

/// Processor time of this thread: what else the machine does counts little.
enum ProcessorTime {
    /// Nanoseconds.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
