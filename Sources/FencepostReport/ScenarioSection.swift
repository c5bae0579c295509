import FencepostModel
import FencepostSimulator

/// The part of a report that describes one scenario.
struct ScenarioSection {
    private let entry: SimulationReport.Entry
    private let trace: ScenarioTrace
    private let prefix: String

    init(_ entry: SimulationReport.Entry, number: Int) {
        self.entry = entry
        trace = ScenarioTrace(entry.scenario, gate: entry.gate)
        prefix = "s\(number)"
    }

    static func name(of entry: SimulationReport.Entry) -> String {
        entry.scenario.name.isEmpty ? "A scenario without a name" : entry.scenario.name
    }

    static func verdict(of entry: SimulationReport.Entry, in page: inout Markup) {
        if entry.scenario.expectation == nil {
            page.element("span", ["class": "chip tint-neutral"], "– no expectation")
        } else if entry.outcome.passed {
            page.element("span", ["class": "chip tint-green"], "✓ passed")
        } else {
            page.element("span", ["class": "chip tint-red"], "✗ failed")
        }
    }

    func write(isOpen: Bool, in page: inout Markup) {
        let name = Self.name(of: entry)
        page.element("details", ["class": "scenario", "id": prefix, "open": isOpen ? "open" : nil]) {
            $0.element("summary") {
                $0.element("h2", name)
                Self.verdict(of: entry, in: &$0)
            }
            headline(in: &$0)
            failures(in: &$0)
            if var map = MapDrawing(MapContents(entry), prefix: prefix) {
                $0.element("h3", "Map")
                map.write(named: name, in: &$0)
            }
            if !entry.scenario.steps.isEmpty {
                $0.element("h3", "Time line")
                LaneDrawing(entry, trace, prefix: prefix).write(named: name, in: &$0)
                $0.element("h3", "Steps")
                StepTable(scenario: entry.scenario, outcome: entry.outcome, trace: trace, prefix: prefix).write(in: &$0)
            }
            $0.element("h3", "Final state")
            end(in: &$0)
            warnings(in: &$0)
        }
    }

    private func headline(in page: inout Markup) {
        let device = entry.scenario.device
        page.element("p", ["class": "headline"]) {
            $0.element("strong", "\(device.platform.rawValue) \(device.osVersion)")
            let policy = entry.gate.policy == .strict ? ", strict policy for disputed rules" : ""
            $0.add("\(policy). \(Self.sentence(for: entry.outcome))")
        }
    }

    /// The result as a sentence: the launches, then the number of events of each outcome.
    static func sentence(for outcome: Outcome) -> String {
        let launches = outcome.final.launches
        var text =
            launches == 0 ? "The system never launched the app" : "The system launched the app \(Words.times(launches))"
        let deliveries = outcome.deliveries
        if deliveries.isEmpty {
            text += "; there was no event."
        } else {
            let parts = Delivery.Outcome.allCases.compactMap { kind -> String? in
                let these = deliveries.filter { $0.outcome == kind }
                guard !these.isEmpty else { return nil }
                let later = these.count { $0.settled?.outcome == .delivered }
                return "\(these.count) \(OutcomeMark.words(kind))" + (later > 0 ? " (\(later) delivered later)" : "")
            }
            text += "; of \(Words.count(deliveries.count, "event")) \(parts.joined(separator: ", "))."
        }
        if let crash = outcome.crash { text += " It crashed in step \(crash.step)." }
        return text
    }

    private func failures(in page: inout Markup) {
        guard let failures = entry.outcome.failures, !failures.isEmpty else { return }
        page.element("div", ["class": "failures"]) {
            $0.element("h3", "✗ \(Words.count(failures.count, "expectation")) not met")
            $0.element("dl") {
                for failure in failures {
                    $0.element("dt") { $0.element("code", failure.path) }
                    $0.element("dd") {
                        $0.add("expected ")
                        $0.element("code", failure.expected)
                        $0.add(", was ")
                        $0.element("code", failure.actual)
                    }
                }
            }
        }
    }

    private func end(in page: inout Markup) {
        let final = entry.outcome.final
        var facts = StateLane.allCases.map { ($0.title, $0.state(of: final.device).words) }
        if !final.monitoredRegions.isEmpty {
            facts.append(("Monitored regions", final.monitoredRegions.joined(separator: ", ")))
        }
        if final.secondPromptScheduled { facts.append(("Scheduled", "the second prompt")) }
        let lists = [
            ("The app must", entry.outcome.appMust), ("The app does not have to", entry.outcome.appNeedNot),
            ("Missing keys", entry.outcome.missingKeys),
        ]
        facts += lists.filter { !$0.1.isEmpty }.map { ($0.0, $0.1.joined(separator: ", ")) }
        page.element("dl", ["class": "facts"]) {
            for (name, value) in facts {
                $0.element("div") {
                    $0.element("dt", name)
                    $0.element("dd", value)
                }
            }
        }
    }

    private func warnings(in page: inout Markup) {
        guard !entry.outcome.warnings.isEmpty else { return }
        page.element("h3", "Uncertain rules")
        for warning in entry.outcome.warnings { StepTable.warning(warning, in: &page) }
    }
}
