import FencepostModel
import FencepostSimulator

/// Where the columns of a time line are: one for the state at the start, one for each step.
///
/// A column is as wide as its words need, and wider the longer the time to the next step; not to scale, since steps
/// that take no time would lie on one another beside a recording of a day.
struct LaneLayout {
    /// States that follow one another without a change.
    struct Run: Hashable {
        var columns: Range<Int>
        var state: StateLane.State
    }

    let runs: [StateLane: [Run]]
    /// Pixels.
    private(set) var widths: [Double]

    /// - Parameter marks: for each column after the first, the longest word that a mark in it has, in characters.
    init(_ trace: ScenarioTrace, marks: [Int]) {
        let states = [trace.start] + trace.moments.map(\.given)
        runs = Dictionary(
            uniqueKeysWithValues: StateLane.allCases.map { lane in
                var runs: [Run] = []
                for (column, given) in states.enumerated() {
                    let state = lane.state(of: given)
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
