/// Formats the results of benchmarks as Markdown tables.
public struct Scoreboard {
    /// All tables so far.
    public internal(set) var text = ""

    /// A scoreboard without tables.
    public init() {}

    /// Adds a table of crossings: one row per detector, then one per profile of the first detector.
    public mutating func addCrossings(
        _ title: String, _ scores: [(name: String, all: CrossingScore, profiles: [String: CrossingScore])],
        byProfile: Bool
    ) {
        text += "\n\(title)\n\n"
        let header = [
            "detector", "true", "F1", "F1@60", "F1@10", "false/1000", "missed/1000", "dup/1000", "false/device-day",
            "delay p50", "p90", "reaction p50", "p90", "time error p50",
        ]
        var rows = scores.map { Self.row($0.name, $0.all) }
        if byProfile, let first = scores.first {
            rows += first.profiles.sorted { $0.key < $1.key }.map { Self.row("· \($0.key)", $0.value) }
        }
        addTable(header, rows)
        if let first = scores.first { addCalibration(first.name, first.all.calibration) }
    }

    /// Adds a table of the correct events by confidence. It adds nothing if no event has a confidence of 0.9 or more.
    mutating func addCalibration(_ name: String, _ calibration: Calibration) {
        guard let precision = calibration.precision(from: 0.9) else { return }
        text += "\nConfidence of \(name): \(Self.percent(precision)) of the events with at least 0.9 are correct.\n\n"
        addTable(
            ["confidence", "events", "true", "share"],
            calibration.classes.compactMap { item in
                guard let precision = item.precision else { return nil }
                let upper = item.range.upperBound > 1 ? 1 : item.range.upperBound
                return [
                    "\(item.range.lowerBound)–\(upper)", String(item.correct + item.incorrect), String(item.correct),
                    Self.percent(precision),
                ]
            })
    }

    /// Adds a table of visits: one row per detector, then one per profile of the first detector.
    public mutating func addVisits(
        _ title: String, _ scores: [(name: String, all: VisitScore, profiles: [String: VisitScore])], byProfile: Bool
    ) {
        text += "\n\(title)\n\n"
        let header = [
            "detector", "true", "F1", "precision", "recall", "splits", "merges", "arrival p50", "p90", "departure p50",
            "p90", "centre p50", "p90", "announced", "after p50", "p90",
        ]
        var rows = scores.map { Self.row($0.name, $0.all) }
        if byProfile, let first = scores.first {
            rows += first.profiles.sorted { $0.key < $1.key }.map { Self.row("· \($0.key)", $0.value) }
        }
        addTable(header, rows)
    }

    private static func row(_ name: String, _ score: CrossingScore) -> [String] {
        func perThousand(_ count: Int) -> String {
            decimal(score.required > 0 ? Double(count) * 1000 / Double(score.required) : 0, digits: 1)
        }
        return [
            name, String(score.required), decimal(score.f1), decimal(score.f1(within: 60)),
            decimal(score.f1(within: 10)),
            perThousand(score.falsePositives), perThousand(score.missed), perThousand(score.duplicated),
            decimal(score.falsePerDeviceDay, digits: 1), seconds(score.latency(0.5)), seconds(score.latency(0.9)),
            seconds(score.reaction(0.5)), seconds(score.reaction(0.9)), seconds(score.timeError(0.5)),
        ]
    }

    private static func row(_ name: String, _ score: VisitScore) -> [String] {
        [
            name, String(score.required), decimal(score.f1), decimal(score.precision), decimal(score.recall),
            String(score.splits), String(score.merges), seconds(score.arrivalError(0.5)),
            seconds(score.arrivalError(0.9)),
            seconds(score.departureError(0.5)), seconds(score.departureError(0.9)), meters(score.centerError(0.5)),
            meters(score.centerError(0.9)), "\(score.announced) of \(score.matched)",
            seconds(score.arrivalLatency(0.5)),
            seconds(score.arrivalLatency(0.9)),
        ]
    }

    /// A Markdown table with padded columns, which is also readable on a terminal.
    mutating func addTable(_ header: [String], _ rows: [[String]]) {
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return "| " + padded.joined(separator: " | ") + " |\n"
        }
        text += line(header)
        text += "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|\n"
        for row in rows { text += line(row) }
    }

    static func decimal(_ value: Double, digits: Int = 3) -> String {
        let scale = digits == 3 ? 1000.0 : 10
        let rounded = Int((value * scale).rounded())
        let fraction = String(rounded % Int(scale))
        return "\(rounded / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    private static func percent(_ fraction: Double) -> String { "\(decimal(fraction * 100, digits: 1)) %" }

    private static func meters(_ value: Double?) -> String { value.map { "\(Int($0.rounded())) m" } ?? "–" }

    private static func seconds(_ value: Double?) -> String {
        guard let value else { return "–" }
        return value < 600 ? "\(Int(value.rounded())) s" : "\(Int((value / 60).rounded())) min"
    }
}
