import FencepostModel
import FencepostSimulator

/// The columns of a time line: one for the state at the start, and one for each step.
///
/// A column is as wide as its text needs, and wider for a longer time until the next step. The widths are not to scale,
/// because in a scenario with a recording of a day, steps without duration would overlap.
struct LaneLayout {
    /// A sequence of columns without a change of the state.
    struct Run: Hashable {
        var columns: Range<Int>
        var state: StateLane.State
    }

    let runs: [StateLane: [Run]]
    /// Pixels.
    private(set) var widths: [Double]

    /// The layout of a trace. `marks` has, for each column after the first, the length of its longest mark, in
    /// characters.
    init(_ trace: ScenarioTrace, marks: [Int]) {
        let states = [trace.start] + trace.moments.map(\.device)
        runs = Dictionary(
            uniqueKeysWithValues: StateLane.allCases.map { lane in
                var runs: [Run] = []
                for (column, device) in states.enumerated() {
                    let state = lane.state(of: device)
                    if let last = runs.last, last.state == state {
                        runs[runs.count - 1].columns = last.columns.lowerBound..<column + 1
                    } else {
                        runs.append(Run(columns: column..<column + 1, state: state))
                    }
                }
                return (lane, runs)
            })
        widths = [56]
        for (index, moment) in trace.moments.enumerated() {
            let next = index + 1 < trace.moments.count ? trace.moments[index + 1].elapsed : moment.elapsed
            widths.append(max(72, Double(marks[index]) * 7 + 42) + Self.extra(for: next - moment.elapsed))
        }
        for lane in StateLane.allCases {
            for run in runs[lane] ?? [] {
                let need = Double(run.state.words.count) * 7 + (run.state.misleads ? 44 : 24)
                let lack = need - widths[run.columns].reduce(0, +)
                if lack > 0 { widths[run.columns.upperBound - 1] += lack }
            }
        }
    }

    /// Ten pixels for each doubling of the minutes.
    private static func extra(for span: Duration) -> Double {
        var minutes = span.seconds / 60
        var extra = 0.0
        while minutes >= 1, extra < 90 {
            extra += 10
            minutes /= 2
        }
        return extra
    }
}
