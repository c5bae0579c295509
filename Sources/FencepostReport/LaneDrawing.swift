import FencepostModel
import FencepostSimulator

/// The time line of a scenario: states as bars, prompts and events as marks, one column for each step.
struct LaneDrawing {
    private struct Mark {
        /// The column, from 0 for the state at the start.
        var column: Int
        var words: String
        var tone: Tone
        var outcome: Delivery.Outcome?
        var explanation: String
    }

    private struct MarkLane {
        var title: String
        var marks: [Mark]
    }

    private let scenario: Scenario
    private let outcome: Outcome
    private let trace: ScenarioTrace
    private let layout: LaneLayout
    private let lanes: [MarkLane]
    private let prefix: String

    init(_ entry: SimulationReport.Entry, _ trace: ScenarioTrace, prefix: String) {
        (scenario, outcome, self.trace, self.prefix) = (entry.scenario, entry.outcome, trace, prefix)
        lanes = [
            MarkLane(title: "Prompts", marks: Self.prompts(trace)),
            MarkLane(title: "Callbacks and errors", marks: Self.callbacks(trace)),
            MarkLane(title: "Events", marks: Self.events(entry.outcome)),
        ].filter { !$0.marks.isEmpty }
        var longest = Array(repeating: 0, count: trace.moments.count)
        for mark in lanes.flatMap(\.marks) where longest.indices.contains(mark.column - 1) {
            longest[mark.column - 1] = max(longest[mark.column - 1], mark.words.count)
        }
        for (index, step) in entry.scenario.steps.enumerated() {
            // A verb may take two lines, so half of its length is enough.
            longest[index] = max(longest[index], min(step.verb.name.count, 16) - 5)
        }
        layout = LaneLayout(trace, marks: longest)
    }

    func write(named name: String, in page: inout Markup) {
        let columns = "var(--lane-title) " + layout.widths.map { "\(Words.number($0))px" }.joined(separator: " ")
        page.element(
            "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": "Time line of \(name)"]
        ) {
            $0.element("div", ["class": "lanes", "style": "grid-template-columns:\(columns)"]) {
                guides(in: &$0)
                header(in: &$0)
                var row = 2
                for lane in StateLane.allCases {
                    title(lane.title, row: row, in: &$0)
                    for run in layout.runs[lane] ?? [] { bar(run, row: row, in: &$0) }
                    row += 1
                }
                for lane in lanes {
                    title(lane.title, row: row, in: &$0)
                    for (column, marks) in Dictionary(grouping: lane.marks, by: \.column).sorted(by: { $0.key < $1.key }
                    ) {
                        cell(marks, column: column, row: row, in: &$0)
                    }
                    row += 1
                }
            }
        }
    }

    private func guides(in page: inout Markup) {
        let rows = 1 + StateLane.allCases.count + lanes.count
        for index in trace.moments.indices {
            page.element(
                "div",
                [
                    "class": "guide", "data-step": "\(prefix)-\(index)", "aria-hidden": "true",
                    "style": "grid-column:\(index + 3);grid-row:1 / span \(rows)",
                ], "")
        }
    }

    private func header(in page: inout Markup) {
        title("Step", row: 1, in: &page)
        page.element("div", ["class": "tick", "style": "grid-column:2;grid-row:1"]) { $0.element("strong", "start") }
        for (index, step) in scenario.steps.enumerated() {
            let isNothing = outcome.steps.indices.contains(index) && step.isWithoutEffect(outcome.steps[index].report)
            page.element(
                "a",
                [
                    "class": "tick\(isNothing ? " nothing" : "")", "href": "#\(prefix)-step-\(index)",
                    "data-step": "\(prefix)-\(index)", "style": "grid-column:\(index + 3);grid-row:1",
                ]
            ) {
                $0.element("strong", isNothing ? "\(index) ⊘" : "\(index)")
                $0.element("span", ["class": "verb"]) { $0.addBreakable(step.verb.name) }
                $0.element("span", ["class": "when"], Self.when(trace, index))
            }
        }
    }

    /// The time of day, with the day where it changes; without a time, the time since the start.
    private static func when(_ trace: ScenarioTrace, _ index: Int) -> String {
        let moment = trace.moments[index]
        guard let clock = moment.clock?.rfc3339 else { return "+\(Words.span(moment.elapsed))" }
        let day = clock.prefix(10)
        let before = index > 0 ? trace.moments[index - 1].clock?.rfc3339.prefix(10) : nil
        let time = clock.dropFirst(11).prefix(8)
        return day == before ? String(time) : "\(day) \(time)"
    }

    private func title(_ text: String, row: Int, in page: inout Markup) {
        page.element("div", ["class": "lane-title", "style": "grid-row:\(row)"], text)
    }

    private func bar(_ run: LaneLayout.Run, row: Int, in page: inout Markup) {
        let position = "grid-column:\(run.columns.lowerBound + 2) / \(run.columns.upperBound + 2);grid-row:\(row)"
        let style = "lane-bar tint-\(run.state.tone.rawValue)\(run.state.misleads ? " misleads" : "")"
        page.element("div", ["class": style, "style": position]) {
            $0.element("span") { words in
                if run.state.misleads { words.element("strong", ["title": "Report, Settings and grant differ"], "≠ ") }
                words.add(run.state.words)
            }
        }
    }

    private func cell(_ marks: [Mark], column: Int, row: Int, in page: inout Markup) {
        page.element("div", ["class": "lane-cell", "style": "grid-column:\(column + 2);grid-row:\(row)"]) { cell in
            for mark in marks {
                cell.element(
                    "a",
                    [
                        "class": "pill tint-\(mark.tone.rawValue)", "href": "#\(prefix)-step-\(column - 1)",
                        "data-step": "\(prefix)-\(column - 1)", "title": mark.explanation,
                    ]
                ) {
                    if let outcome = mark.outcome { OutcomeMark.icon(outcome, in: &$0) }
                    $0.add(mark.words)
                }
            }
        }
    }

    private static func prompts(_ trace: ScenarioTrace) -> [Mark] {
        trace.moments.enumerated().flatMap { index, moment in
            moment.prompts.map {
                Mark(
                    column: index + 1, words: "▣ \($0.kind.rawValue)", tone: .violet,
                    explanation: "Step \(index): prompt \($0.kind.rawValue) with "
                        + $0.buttons.map(\.rawValue).joined(separator: ", "))
            }
        }
    }

    /// Callbacks, errors and crashes.
    private static func callbacks(_ trace: ScenarioTrace) -> [Mark] {
        trace.moments.enumerated().flatMap { index, moment in
            moment.callbacks.map {
                Mark(
                    column: index + 1, words: "→ \($0.rawValue)", tone: .neutral,
                    explanation: "Step \(index): callback with \($0.rawValue)")
            }
                + moment.errors.map {
                    Mark(
                        column: index + 1, words: "✕ \($0.code.name)", tone: .red,
                        explanation: "Step \(index): error \($0.code.domain) \($0.code.code)")
                }
                + (moment.crash.map {
                    [Mark(column: index + 1, words: "✕ crash", tone: .red, explanation: "Step \(index): \($0.text)")]
                } ?? [])
        }
    }

    private static func events(_ outcome: Outcome) -> [Mark] {
        var marks: [Mark] = []
        for delivery in outcome.deliveries {
            guard let step = delivery.step else { continue }
            let event = delivery.event
            let what = "\(event.identifier ?? event.service.rawValue) \(event.kind.rawValue)"
            let launch = delivery.relaunch ? " ↻ app started" : delivery.appWoken ? " ↑ app woken" : ""
            marks.append(
                Mark(
                    column: step + 1, words: "\(what): \(OutcomeMark.words(delivery.outcome))\(launch)",
                    tone: OutcomeMark.tone(delivery.outcome), outcome: delivery.outcome,
                    explanation:
                        "Step \(step): \(event.words), \(OutcomeMark.words(delivery.outcome))\(launch). \(delivery.because)"
                ))
            if let settled = delivery.settled {
                let launch = settled.relaunch ? " ↻ app started" : settled.appWoken ? " ↑ app woken" : ""
                marks.append(
                    Mark(
                        column: settled.step + 1, words: "\(what): now \(OutcomeMark.words(settled.outcome))\(launch)",
                        tone: OutcomeMark.tone(settled.outcome), outcome: settled.outcome,
                        explanation: "Step \(settled.step): the event of step \(step) is now "
                            + "\(OutcomeMark.words(settled.outcome))\(launch)"))
            }
        }
        return marks
    }
}
